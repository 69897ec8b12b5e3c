"""Runs calls in parallel threads until each has answered or its deadline has passed."""

from __future__ import annotations

import asyncio
import inspect
import queue
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic

from praxa_langgraph.runner.calls import (
    Call,
    Outcome,
    T,
    abandon,
    contained,
    discard,
    elapsed_ms,
    refusal,
    timed_out,
)
from praxa_langgraph.runner.threads import run_on_private_loop, start_thread


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
    try:
        while batch.start_some():
            batch.wait()
    finally:
        batch.abandon_the_rest()
    return batch.outcomes


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
            if (refused := refusal(call)) is not None:
                self._end(index, Outcome(error=refused))
            else:
                self._start(index, call)
        return bool(self._running)

    def _start(self, index: int, call: Call[T]) -> None:
        started = time.monotonic()
        future = start_thread(lambda: call.context.run(_read, call))
        self._running[index] = _Running(call, future, started)
        # A stuck thread keeps this callback alive, so it must not hold the batch.
        ended = self._ended
        future.add_done_callback(lambda _: ended.put(index))

    def wait(self) -> None:
        """Wait until a call has ended or a deadline has passed."""
        nearest = min(running.call.deadline for running in self._running.values())
        try:
            ended = self._ended.get(timeout=max(0.0, nearest - time.monotonic()))
        except queue.Empty:
            self._give_up_late()
            return
        if (running := self._running.pop(ended, None)) is not None:
            self._end(ended, _settled(running))

    def _give_up_late(self) -> None:
        now = time.monotonic()
        late = [i for i, running in self._running.items() if running.call.deadline <= now]
        for index in late:
            running = self._running.pop(index)
            abandon(running.future, running.call)
            error = timed_out(running.call)
            self._end(index, Outcome(error=error, duration_ms=elapsed_ms(running.started)))

    def abandon_the_rest(self) -> None:
        """Leave behind what still runs because the recall itself was interrupted."""
        for running in self._running.values():
            abandon(running.future, running.call)

    def _end(self, index: int, outcome: Outcome[T]) -> None:
        self.outcomes[index] = outcome
        if self._on_done is not None:
            self._on_done(index, outcome)


def _settled(running: _Running[T]) -> Outcome[T]:
    future, duration_ms = running.future, elapsed_ms(running.started)
    if (error := future.exception()) is not None:
        return Outcome(error=contained(error), duration_ms=duration_ms)
    return Outcome(value=future.result(), duration_ms=duration_ms)


def _read(call: Call[T]) -> T:
    """Read in a thread; an awaitable is awaited on the private loop.

    The thread stays until the awaitable has really ended, so a client that ignores its
    cancellation is counted like one that hangs in a thread.
    """
    answer = call.read()
    if inspect.isawaitable(answer):
        if not call.remaining():
            discard(answer)
            raise timed_out(call)
        answer = run_on_private_loop(_until_deadline(call, answer))
    return call.finish(answer)


async def _until_deadline(call: Call[Any], awaitable: Awaitable[object]) -> object:
    limit = asyncio.timeout(call.remaining())
    try:
        async with limit:
            return await awaitable
    except asyncio.CancelledError as error:
        raise contained(error) from error
    except Exception:
        if limit.expired():
            raise timed_out(call) from None
        raise
