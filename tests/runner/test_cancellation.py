"""Cancelling an asynchronous recall: prompt, passed on, and without trace."""

import asyncio
import gc
import threading
import time
import warnings

import pytest

from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
from praxa_langgraph.runner import Bulkhead, Call, arun
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")
PROMPTLY = 1.0
"""Seconds in which a cancelled recall has ended, far below any deadline here."""


@pytest.fixture(params=["thread", "coroutine"])
async def hung(request):
    """A source that hangs until the test is over."""
    source = ScriptedSource(ScriptedSource.HANG, asynchronous=request.param == "coroutine")
    yield source
    source.release()


def ask(*sources):
    return MemoryFederation(sources, timeout=30).arecall("tea", namespace=ADA)


async def until(true):
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 # what ends in a thread has no event here
            await asyncio.sleep(0.002)


async def under_way(*sources):
    """A recall whose sources have all been asked."""
    task = asyncio.create_task(ask(*sources))
    await until(lambda: all(source.requests for source in sources))
    return task


async def test_a_cancelled_recall_ends_promptly_as_cancelled(hung):
    task = await under_way(hung)
    cancelled_at = time.monotonic()
    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert time.monotonic() - cancelled_at < PROMPTLY


async def test_a_cancelled_recall_of_several_sources_ends_as_cancelled(hung):
    with_answer = ScriptedSource(id="quick")
    task = await under_way(hung, with_answer)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_caller_sees_its_own_cancellation(hung):
    seen = []

    async def caller():
        try:
            await ask(hung)
        except asyncio.CancelledError:
            seen.append(asyncio.current_task().cancelling())
            raise

    task = asyncio.create_task(caller())
    await until(lambda: hung.requests)
    task.cancel()
    await asyncio.wait({task})

    assert (seen, task.cancelled()) == ([1], True)


async def test_a_timeout_around_a_recall_is_a_timeout(hung):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await ask(hung)

    assert asyncio.current_task().cancelling() == 0


async def test_wait_for_around_a_recall_is_a_timeout(hung):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(hung), 0.05)


async def test_a_task_group_takes_its_recalls_down_with_it(hung):
    async def fail():
        await until(lambda: hung.requests)
        msg = "another branch failed"
        raise LookupError(msg)

    async def branches():
        async with asyncio.TaskGroup() as group:
            group.create_task(ask(hung))
            group.create_task(fail())

    started = time.monotonic()
    with pytest.raises(ExceptionGroup) as failed:
        await branches()

    assert [type(error) for error in failed.value.exceptions] == [LookupError]
    assert time.monotonic() - started < PROMPTLY


async def test_the_coroutine_of_a_source_is_cancelled_and_may_clean_up():
    events = []

    async def read(request):
        events.append("asked")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            events.append("cleaned up")

    task = asyncio.create_task(ask(FunctionSource(read, id="crm", kinds=("fact",))))
    await until(lambda: events)
    task.cancel()
    await asyncio.wait({task})

    assert events == ["asked", "cleaned up"]


async def test_a_recall_that_waits_for_a_turn_is_cancelled_without_asking():
    hung = ScriptedSource(ScriptedSource.HANG, id="hung")
    waiting = ScriptedSource(id="waiting")
    federation = MemoryFederation([hung, waiting], timeout=30, max_concurrency=1)
    try:
        task = asyncio.create_task(federation.arecall("tea", namespace=ADA))
        await until(lambda: hung.requests)
        task.cancel()
        await asyncio.wait({task})
    finally:
        hung.release()

    assert (task.cancelled(), waiting.requests) == (True, [])


@pytest.mark.parametrize("times", [1, 2])
async def test_a_coroutine_that_ignores_it_is_left_behind_but_counted(times):
    enough, started = asyncio.Event(), asyncio.Event()
    bulkhead = Bulkhead(limit=1)

    async def ignore():
        started.set()
        while not enough.is_set():
            try:
                await enough.wait()
            except asyncio.CancelledError:
                continue
        return ()

    deadline = time.monotonic() + 0.2
    stray = Call(
        read=ignore,
        finish=list,
        timeout=0.2,
        deadline=deadline,
        bulkhead=bulkhead,
        is_coroutine=True,
    )
    task = asyncio.create_task(arun([stray]))
    try:
        await started.wait()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait({task})
        await until(lambda: time.monotonic() > deadline)

        assert task.cancelled()
        assert bulkhead.saturated
    finally:
        enough.set()
    await until(lambda: not bulkhead.saturated)


async def test_cancelled_recalls_of_a_healthy_source_do_not_use_up_its_stuck_calls():
    slow = ScriptedSource(ScriptedSource.HANG)
    federation = MemoryFederation([slow], timeout=30)
    try:
        cancelled = [
            asyncio.create_task(federation.arecall("tea", namespace=ADA)) for _ in range(8)
        ]
        await until(lambda: len(slow.requests) == 8)
        for task in cancelled:
            task.cancel()
        await asyncio.wait(cancelled)
        last = asyncio.create_task(federation.arecall("tea", namespace=ADA))
        await until(lambda: len(slow.requests) == 9 or last.done())
    finally:
        slow.release()

    assert (await last).status == "ok"


async def test_a_coroutine_returned_after_the_cancellation_is_closed_unawaited():
    asked, may_return, awaited = threading.Event(), threading.Event(), []

    async def answer():
        awaited.append(True)

    def read(request):
        asked.set()
        may_return.wait(10)
        return answer()

    federation = MemoryFederation([FunctionSource(read, id="crm", kinds=("fact",))], timeout=30)
    bulkhead = federation.slots[0].bulkhead
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        task = asyncio.create_task(federation.arecall("tea", namespace=ADA))
        await until(asked.is_set)
        task.cancel()
        await asyncio.wait({task})
        may_return.set()
        await until(lambda: not bulkhead._left_behind)
        gc.collect()

    assert (awaited, [str(warning.message) for warning in caught]) == ([], [])
