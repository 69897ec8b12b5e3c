"""Runs calls in parallel until each has answered or its deadline has passed; sync and async."""

from __future__ import annotations

import asyncio
import inspect
import queue
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, cast

from praxa_langgraph.runner.calls import (
    Call,
    Outcome,
    T,
    contained,
    discard,
    never_started,
    saturated,
    timed_out,
)
from praxa_langgraph.runner.threads import start_thread, wait_on_private_loop

DRAIN_SECONDS = 0.02
"""How long a cancelled task may take to clean up before it is left behind."""

_strays: set[asyncio.Task[Any]] = set()


def run(
    calls: Sequence[Call[T]],
    *,
    max_concurrency: int | None = None,
    on_done: Callable[[int, Outcome[T]], None] | None = None,
) -> list[Outcome[T]]:
    """Run calls in daemon threads and return their outcomes in the same order.

    Returns when the last call has answered or its deadline has passed, whatever the clients do.
    A call that waits for its turn has only what is left of its deadline.
    """
    batch = _Batch(calls, max_concurrency or len(calls), on_done)
    while batch.start_some():
        batch.wait()
    return batch.outcomes


async def arun(
    calls: Sequence[Call[T]],
    *,
    max_concurrency: int | None = None,
    on_done: Callable[[int, Outcome[T]], Awaitable[None]] | None = None,
) -> list[Outcome[T]]:
    """The same on the running event loop; cancelling it cancels every call and is re-raised."""
    turns = asyncio.Semaphore(max_concurrency) if max_concurrency else None

    async def one(index: int, call: Call[T]) -> Outcome[T]:
        outcome = await (_acall(call) if turns is None else _acall_in_turn(call, turns))
        if on_done is not None:
            await on_done(index, outcome)
        return outcome

    if len(calls) == 1:
        return [await one(0, calls[0])]
    return list(await asyncio.gather(*(one(i, call) for i, call in enumerate(calls))))


@dataclass(slots=True)
class _Running(Generic[T]):
    call: Call[T]
    future: Future[T]
    started: float


class _Batch(Generic[T]):
    """Calls that wait, run and have ended, coordinated by the thread that asked for them."""

    def __init__(
        self,
        calls: Sequence[Call[T]],
        slots: int,
        on_done: Callable[[int, Outcome[T]], None] | None,
    ) -> None:
        self.outcomes: list[Outcome[T]] = [Outcome()] * len(calls)
        self._waiting = deque(enumerate(calls))
        self._running: dict[int, _Running[T]] = {}
        self._slots = slots
        self._ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._on_done = on_done

    def start_some(self) -> bool:
        """Start what has room; whether anything runs."""
        while self._waiting and len(self._running) < self._slots:
            index, call = self._waiting.popleft()
            if call.bulkhead.saturated:
                self._end(index, Outcome(error=saturated()))
            elif not call.remaining():
                self._end(index, Outcome(error=never_started(call)))
            else:
                self._start(index, call)
        return bool(self._running)

    def _start(self, index: int, call: Call[T]) -> None:
        started = time.monotonic()
        future = start_thread(lambda: call.context.run(_read, call))
        self._running[index] = _Running(call, future, started)
        future.add_done_callback(lambda _: self._ended.put(index))

    def wait(self) -> None:
        """Wait until a call has ended or a deadline has passed."""
        nearest = min(running.call.deadline for running in self._running.values())
        try:
            ended = self._ended.get(timeout=max(0.0, nearest - time.monotonic()))
        except queue.Empty:
            self._give_up_late()
            return
        if (running := self._running.pop(ended, None)) is not None:
            self._end(ended, _settled(running.future, running.started))

    def _give_up_late(self) -> None:
        now = time.monotonic()
        late = [i for i, running in self._running.items() if running.call.deadline <= now]
        for index in late:
            running = self._running.pop(index)
            if running.future.done():
                self._end(index, _settled(running.future, running.started))
                continue
            _abandon(running.future, running.call)
            error = timed_out(running.call)
            self._end(index, Outcome(error=error, duration_ms=_elapsed_ms(running.started)))

    def _end(self, index: int, outcome: Outcome[T]) -> None:
        self.outcomes[index] = outcome
        if self._on_done is not None:
            self._on_done(index, outcome)


def _read(call: Call[T]) -> T:
    """Read in a thread; an awaitable is awaited on the private loop."""
    answer = call.read()
    if inspect.isawaitable(answer):
        try:
            answer = wait_on_private_loop(answer, call.remaining())
        except TimeoutError as error:
            raise (error if call.remaining() else timed_out(call)) from None
    return call.finish(answer)


def _settled(future: Future[T], started: float) -> Outcome[T]:
    duration_ms = _elapsed_ms(started)
    if (error := future.exception()) is not None:
        return Outcome(error=contained(error), duration_ms=duration_ms)
    return Outcome(value=future.result(), duration_ms=duration_ms)


def _abandon(future: Future[Any], call: Call[Any]) -> None:
    """Stop waiting for a thread, but count it until it really ends."""
    release = call.bulkhead.hold()

    def ended(late: Future[Any]) -> None:
        release()
        if late.exception() is None:
            discard(late.result())

    future.add_done_callback(ended)


async def _acall_in_turn(call: Call[T], turns: asyncio.Semaphore) -> Outcome[T]:
    try:
        async with asyncio.timeout(call.remaining()):
            await turns.acquire()
    except TimeoutError:
        return Outcome(error=never_started(call))
    try:
        return await _acall(call)
    finally:
        turns.release()


async def _acall(call: Call[T]) -> Outcome[T]:
    if call.bulkhead.saturated:
        return Outcome(error=saturated())
    started = time.monotonic()
    try:
        if call.is_coroutine:
            value = await _in_task(call, call.read)
        else:
            value = await _in_thread(call)
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001 # a source may raise anything; it is reported
        return Outcome(error=error, duration_ms=_elapsed_ms(started))
    return Outcome(value=value, duration_ms=_elapsed_ms(started))


async def _in_task(call: Call[T], read: Callable[[], object]) -> T:
    """Await on this loop; a task that does not give up in time is left behind and counted."""
    task = asyncio.get_running_loop().create_task(_answer(call, read), context=call.context)
    try:
        done, _ = await asyncio.wait({task}, timeout=call.remaining())
    except asyncio.CancelledError:
        await _drain(task, call)
        raise
    if not done:
        await _drain(task, call)
        raise timed_out(call)
    if task.cancelled():
        raise contained(asyncio.CancelledError())
    return task.result()


async def _answer(call: Call[T], read: Callable[[], object]) -> T:
    try:
        answer = read()
        if inspect.isawaitable(answer):
            answer = await answer
        return call.finish(answer)
    except SystemExit as error:
        raise contained(error) from error


async def _drain(task: asyncio.Task[Any], call: Call[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=DRAIN_SECONDS)
    if task.done():
        _ = task.cancelled() or task.exception()
        return
    release = call.bulkhead.hold()
    _strays.add(task)

    def ended(late: asyncio.Task[Any]) -> None:
        release()
        _strays.discard(late)
        _ = late.cancelled() or late.exception()

    task.add_done_callback(ended)


async def _in_thread(call: Call[T]) -> T:
    """Read in a daemon thread and finish there, or here when the answer must be awaited."""
    future = start_thread(lambda: call.context.run(_read_or_awaitable, call))
    try:
        ended = await _ended_in_time(future, call.remaining())
    except asyncio.CancelledError:
        _abandon(future, call)
        raise
    if not ended:
        _abandon(future, call)
        raise timed_out(call)
    if (error := future.exception()) is not None:
        raise contained(error)
    answer = future.result()
    if inspect.isawaitable(answer):
        return await _in_task(call, lambda: answer)
    return cast("T", answer)


def _read_or_awaitable(call: Call[T]) -> object:
    answer = call.read()
    return answer if inspect.isawaitable(answer) else call.finish(answer)


async def _ended_in_time(future: Future[Any], seconds: float) -> bool:
    """Wait for a thread without ever cancelling its future: the bulkhead counts the real end."""
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def ended(_: Future[Any]) -> None:
        try:
            loop.call_soon_threadsafe(wake)
        except RuntimeError:
            return  # The loop has closed, so nobody waits any more.

    future.add_done_callback(ended)
    await asyncio.wait({waiter}, timeout=seconds)
    return future.done()


def _elapsed_ms(started: float) -> float:
    return (time.monotonic() - started) * 1000
