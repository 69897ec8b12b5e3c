"""Daemon threads that are reused, and one private event loop for async clients met from sync code.

Daemon threads, because the threads of `concurrent.futures` are joined at exit: one hung client
would keep the interpreter from ending.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

IDLE_SECONDS = 10.0
"""How long a thread waits for its next job before it ends."""


class _Worker(threading.Thread):
    def __init__(self, pool: _Pool) -> None:
        super().__init__(name="praxa-recall", daemon=True)
        self.jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._pool = pool

    def run(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if self._pool.retire(self):
                    return
                continue
            job()
            del job
            self._pool.rest(self)


class _Pool:
    """Idle threads, the last used first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []

    def start(self, job: Callable[[], None]) -> None:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is None:
            worker = _Worker(self)
            worker.start()
        worker.jobs.put(job)

    def rest(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def retire(self, worker: _Worker) -> bool:
        with self._lock:
            if worker not in self._idle:
                return False
            self._idle.remove(worker)
            return True


class _PrivateLoop:
    """An event loop in a daemon thread of its own, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, awaitable: Awaitable[T]) -> Future[T]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="praxa-recall-loop", daemon=True
                ).start()
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._loop)


async def _awaited(awaitable: Awaitable[T]) -> T:
    try:
        return await awaitable
    except SystemExit as error:
        msg = "the client tried to exit the interpreter"
        raise RuntimeError(msg) from error


class _Process:
    """What belongs to this process, and is made anew in a forked child."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.pool = _Pool()
        self.loop = _PrivateLoop()


_PROCESS = _Process()
os.register_at_fork(after_in_child=_PROCESS.reset)


def start_thread(job: Callable[[], T]) -> Future[T]:
    """Run a job in a daemon thread; the future ends when the thread is done with it."""
    future: Future[T] = Future()

    def settle() -> None:
        try:
            value = job()
        except BaseException as error:  # noqa: BLE001 # the caller of the future gets it
            future.set_exception(error)
        else:
            future.set_result(value)

    _PROCESS.pool.start(settle)
    return future


def wait_on_private_loop(awaitable: Awaitable[Any], timeout: float) -> Any:
    """Await on the private loop from a thread, at most `timeout` seconds.

    Raises:
        TimeoutError: It took longer; the awaitable is cancelled.
    """
    future = _PROCESS.loop.submit(awaitable)
    try:
        return future.result(timeout)
    except BaseException:
        if not future.done():
            future.cancel()
        elif inspect.iscoroutine(awaitable):
            awaitable.close()
        raise
