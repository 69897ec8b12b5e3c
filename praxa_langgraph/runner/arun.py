"""Runs calls in parallel on an event loop until each has answered or its deadline has passed."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextvars import Context, copy_context
from typing import Any, TypeVar, cast

from praxa_langgraph.runner.calls import (
    Call,
    Outcome,
    T,
    abandon,
    contained,
    elapsed_ms,
    never_started,
    refusal,
    timed_out,
)
from praxa_langgraph.runner.threads import start_thread

R = TypeVar("R")

DRAIN_SECONDS = 0.02
"""How long a cancelled task may take to clean up before it is left behind."""

_strays: set[asyncio.Task[Any]] = set()
"""Tasks left behind; the event loop itself keeps only weak references."""


async def arun(
    calls: Sequence[Call[T]],
    *,
    max_concurrency: int | None = None,
    on_done: Callable[[int, Outcome[T]], Awaitable[None]] | None = None,
) -> list[Outcome[T]]:
    """Do what `run` does on the running event loop; cancelling it cancels every call.

    A coroutine that blocks the event loop blocks this too: nothing else runs on it meanwhile. One
    that ignores its cancellation is left behind, and keeps `asyncio.run` from returning.
    """
    turns = asyncio.Semaphore(max_concurrency) if max_concurrency else None

    async def one(index: int, call: Call[T]) -> Outcome[T]:
        outcome = await (_call(call) if turns is None else _call_in_turn(call, turns))
        if on_done is not None:
            await on_done(index, outcome)
        return outcome

    if len(calls) == 1:
        return [await one(0, calls[0])]
    tasks = [asyncio.create_task(one(index, call)) for index, call in enumerate(calls)]
    try:
        return list(await asyncio.gather(*tasks))
    except Exception:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise


async def _call_in_turn(call: Call[T], turns: asyncio.Semaphore) -> Outcome[T]:
    try:
        async with asyncio.timeout(call.remaining()):
            await turns.acquire()
    except TimeoutError:
        return Outcome(error=never_started(call))
    try:
        return await _call(call)
    finally:
        turns.release()


async def _call(call: Call[T]) -> Outcome[T]:
    if (refused := refusal(call)) is not None:
        return Outcome(error=refused)
    started = time.monotonic()
    try:
        value = await (_in_task(call, call.read) if call.is_coroutine else _through_thread(call))
    except Exception as error:  # noqa: BLE001 # a source may raise anything; it is reported
        return Outcome(error=error, duration_ms=elapsed_ms(started))
    return Outcome(value=value, duration_ms=elapsed_ms(started))


async def _through_thread(call: Call[T]) -> T:
    """Read in a daemon thread and finish there, or here when the answer must be awaited."""
    answer = await _in_thread(call, lambda: _answer_or_awaitable(call), call.context)
    if inspect.isawaitable(answer):
        return await _in_task(call, lambda: answer)
    return cast("T", answer)


def _answer_or_awaitable(call: Call[T]) -> object:
    answer = call.read()
    return answer if inspect.isawaitable(answer) else call.finish(answer)


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
    if (error := task.exception()) is not None:
        raise contained(error)
    return task.result()


async def _answer(call: Call[T], read: Callable[[], object]) -> T:
    try:
        answer = read()
        if inspect.isawaitable(answer):
            answer = await answer
    except SystemExit as error:
        # Out of a task it would end the event loop. A KeyboardInterrupt may: it is the user's.
        raise contained(error) from error
    if isinstance(answer, list | tuple):
        return call.finish(answer)
    # Iterating it may block, and this is the caller's event loop.
    return await _in_thread(call, lambda: call.finish(answer), copy_context())


async def _drain(task: asyncio.Task[Any], call: Call[Any]) -> None:
    task.cancel()
    try:
        await asyncio.wait({task}, timeout=DRAIN_SECONDS)
    finally:
        _leave_behind(task, call)


def _leave_behind(task: asyncio.Task[Any], call: Call[Any]) -> None:
    ended = call.bulkhead.leave_behind(call.deadline)
    _strays.add(task)

    def settle(late: asyncio.Task[Any]) -> None:
        ended()
        _strays.discard(late)
        _ = late.cancelled() or late.exception()

    if task.done():
        settle(task)
    else:
        task.add_done_callback(settle)


async def _in_thread(call: Call[Any], work: Callable[[], R], context: Context) -> R:
    future = start_thread(lambda: context.run(work))
    try:
        ended = await _ended_in_time(future, call.remaining())
    except asyncio.CancelledError:
        abandon(future, call)
        raise
    if not ended:
        abandon(future, call)
        raise timed_out(call)
    if (error := future.exception()) is not None:
        raise contained(error)
    return future.result()


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
