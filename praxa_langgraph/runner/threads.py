"""Daemon threads that are reused, and one private event loop for async clients met from sync code.

Daemon threads, because the threads of `concurrent.futures` are joined at exit: one hung client
would keep the interpreter from ending.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
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

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_run_for_good, args=(self._loop,), name="praxa-recall-loop", daemon=True
                ).start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def _run_for_good(loop: asyncio.AbstractEventLoop) -> None:
    """Go on when a client stops the loop, or a task of its own raises what ends a loop."""
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


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
    try:
        _PROCESS.pool.start(partial(_settle, future, job))
    except RuntimeError as error:  # The system gives no more threads.
        future.set_exception(error)
    return future


def _settle(future: Future[T], job: Callable[[], T]) -> None:
    try:
        value = job()
    except BaseException as error:  # noqa: BLE001 # the caller of the future gets it
        future.set_exception(error)
        del future  # The traceback holds this frame, which must not hold the future in turn.
    else:
        future.set_result(value)


def run_on_private_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the private loop and wait, in a thread, until it has really ended."""
    return _PROCESS.loop.submit(coroutine).result()
