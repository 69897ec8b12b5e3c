"""The asynchronous runner: parallel calls, held deadlines, and cancellation that is passed on."""

import asyncio
import gc
import threading
import time
import warnings
import weakref
from contextlib import contextmanager, suppress

import pytest

from praxa_langgraph.runner import Bulkhead, Call, arun
from praxa_langgraph.sources.base import SourceFailure

MARGIN = 1.0
"""Seconds after a deadline in which a test expects the answer; the contract says 0.05."""


def call(read, *, timeout=10.0, finish=list, bulkhead=None):
    return Call(
        read=read,
        finish=finish,
        timeout=timeout,
        deadline=time.monotonic() + timeout,
        bulkhead=bulkhead or Bulkhead(),
        is_coroutine=asyncio.iscoroutinefunction(read),
    )


@contextmanager
def hanging():
    """An event that nobody sets until the test is over."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


@contextmanager
def stubborn():
    """A coroutine function that ignores every cancellation until the test is over."""
    enough = asyncio.Event()

    async def read():
        while not enough.is_set():
            try:
                await enough.wait()
            except asyncio.CancelledError:
                continue
        return ()

    try:
        yield read
    finally:
        enough.set()


def failure(outcome):
    assert isinstance(outcome.error, SourceFailure), outcome
    return outcome.error.code, str(outcome.error)


async def until(true):
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 # what ends in a thread has no event here
            await asyncio.sleep(0.002)


class TestParallelism:
    @pytest.mark.parametrize("count", [12, 32])
    async def test_all_threads_run_at_the_same_time(self, count):
        together = threading.Barrier(count)

        outcomes = await arun([call(lambda: [together.wait(10)]) for _ in range(count)])

        assert sorted(outcome.value for outcome in outcomes) == [[i] for i in range(count)]

    async def test_all_coroutines_run_at_the_same_time(self):
        together = asyncio.Barrier(12)

        async def read():
            return [await together.wait()]

        outcomes = await arun([call(read) for _ in range(12)])

        assert sorted(outcome.value for outcome in outcomes) == [[i] for i in range(12)]

    async def test_twelve_calls_of_200_ms_take_about_as_long_as_one(self):
        never = threading.Event()
        started = time.monotonic()

        await arun([call(lambda: [never.wait(0.2)]) for _ in range(12)])

        assert time.monotonic() - started < 0.2 + MARGIN

    async def test_a_thread_never_keeps_the_event_loop_from_going_on(self):
        gone_on = threading.Event()
        asyncio.get_running_loop().call_soon(gone_on.set)

        [outcome] = await arun([call(lambda: [gone_on.wait(10)])])

        assert outcome.value == [True]

    async def test_a_coroutine_runs_on_the_loop_of_its_caller(self):
        async def read():
            return [asyncio.get_running_loop()]

        direct, through_thread = await arun([call(read), call(lambda: read())])  # noqa: PLW0108 # a plain function that returns a coroutine

        assert direct.value == through_thread.value == [asyncio.get_running_loop()]

    async def test_no_calls_are_no_outcomes(self):
        assert await arun([]) == []


class TestTurns:
    async def test_never_more_calls_than_turns_run_at_once(self):
        three = asyncio.Barrier(3)
        running, peak = 0, 0

        async def read():
            nonlocal running, peak
            running += 1
            peak = max(peak, running)
            await three.wait()
            running -= 1
            return ()

        outcomes = await arun([call(read) for _ in range(9)], max_concurrency=3)

        assert (peak, [outcome.error for outcome in outcomes]) == (3, [None] * 9)

    async def test_a_call_whose_turn_never_comes_is_not_started_and_says_so(self):
        started = []
        with hanging() as event:
            late = call(lambda: started.append("late"), timeout=0.2)
            _, outcome = await arun([call(event.wait, timeout=0.3), late], max_concurrency=1)

        assert started == []
        assert failure(outcome) == (
            "source_timed_out",
            "its turn did not come within 0.2 s; raise max_concurrency or the timeout",
        )

    async def test_a_call_whose_deadline_has_passed_is_not_started(self):
        started = []

        async def read():
            started.append("late")

        late = call(read, timeout=0.001)
        await until(lambda: not late.remaining())
        [outcome] = await arun([late])

        assert (started, failure(outcome)[0]) == ([], "source_timed_out")

    async def test_a_hung_call_gives_its_turn_back_at_its_deadline(self):
        with hanging() as event:
            calls = [call(event.wait, timeout=0.1), call(lambda: ["served"])]
            outcomes = await arun(calls, max_concurrency=1)

        assert outcomes[1].value == ["served"]

    async def test_calls_that_gave_up_waiting_take_no_turn_from_others(self):
        first_may_end = asyncio.Event()

        async def first():
            await first_may_end.wait()
            return ["first"]

        async def on_done(index, outcome):
            if index == 2:
                first_may_end.set()

        calls = [call(first), *(call(list, timeout=0.1) for _ in range(2)), call(lambda: ["last"])]
        outcomes = await arun(calls, max_concurrency=1, on_done=on_done)

        assert [outcome.value for outcome in outcomes] == [["first"], None, None, ["last"]]


class TestDeadlines:
    @pytest.fixture(autouse=True)
    async def _answered_in_time(self):
        started = time.monotonic()
        yield
        assert time.monotonic() - started < 0.2 + MARGIN

    async def test_it_holds_against_a_client_that_hangs_in_a_thread(self):
        with hanging() as event:
            [outcome] = await arun([call(event.wait, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    @pytest.mark.parametrize("through_thread", [False, True])
    async def test_it_holds_against_a_coroutine_that_hangs(self, through_thread):
        async def hang():
            await asyncio.Event().wait()

        [outcome] = await arun([call((lambda: hang()) if through_thread else hang, timeout=0.2)])  # noqa: PLW0108 # a plain function

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_it_holds_against_an_answer_that_hangs_while_it_is_read(self, asynchronous):
        with hanging() as event:

            def rows():
                yield "first"
                event.wait()

            async def arows():
                return rows()

            [outcome] = await arun([call(arows if asynchronous else rows, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    async def test_it_holds_against_a_coroutine_that_ignores_its_cancellation(self):
        with stubborn() as read:
            [outcome] = await arun([call(read, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    async def test_a_cancelled_coroutine_may_clean_up(self):
        cleaned = []

        async def tidy():
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                cleaned.append(True)

        await arun([call(tidy, timeout=0.1)])

        assert cleaned == [True]

    async def test_an_error_made_of_the_cancellation_is_still_a_timeout(self):
        async def disguise():
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                msg = "connection lost"
                raise ConnectionError(msg) from None

        [outcome] = await arun([call(disguise, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")


class TestLateCoroutines:
    async def test_a_coroutine_returned_after_the_deadline_is_closed_unawaited(self):
        ended, awaited = threading.Event(), []

        async def answer():
            awaited.append(True)

        def read():
            ended.wait(10)
            return answer()

        late = call(read, timeout=0.1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            await arun([late])
            ended.set()
            await until(lambda: not late.bulkhead._left_behind)
            gc.collect()

        assert (awaited, [str(warning.message) for warning in caught]) == ([], [])


class TestContainment:
    @pytest.mark.parametrize("kind", ["thread", "coroutine", "coroutine from a thread"])
    @pytest.mark.parametrize(
        ("raised", "message"),
        [
            (asyncio.CancelledError(), "the client raised CancelledError"),
            (GeneratorExit(), "the client raised GeneratorExit"),
            (SystemExit(1), "the client tried to exit the interpreter"),
            (BaseExceptionGroup("odd", [KeyboardInterrupt()]), "the client raised "),
        ],
        ids=lambda value: type(value).__name__,
    )
    async def test_what_would_end_the_caller_is_a_failure_of_that_call(self, raised, message, kind):
        def read():
            raise raised

        async def aread():
            raise raised

        reads = {"thread": read, "coroutine": aread, "coroutine from a thread": lambda: aread()}  # noqa: PLW0108 # a plain function
        failed, other = await arun([call(reads[kind]), call(lambda: ["other"])])

        code, text = failure(failed)
        assert (code, text.startswith(message), other.value) == ("source_error", True, ["other"])

    async def test_a_keyboard_interrupt_in_a_thread_is_a_failure_of_that_call(self):
        def read():
            raise KeyboardInterrupt

        [outcome] = await arun([call(read)])

        assert failure(outcome) == ("source_error", "the client raised KeyboardInterrupt")

    def test_a_keyboard_interrupt_on_the_callers_loop_is_the_users_and_is_raised(self):
        async def read():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            asyncio.run(arun([call(read)]))


class TestWhatIsLeftBehind:
    async def test_a_hung_thread_counts_until_it_ends(self):
        bulkhead = Bulkhead(limit=1)
        with hanging() as event:
            await arun([call(event.wait, timeout=0.1, bulkhead=bulkhead)])
            [refused] = await arun([call(list, bulkhead=bulkhead)])
        await until(lambda: not bulkhead.saturated)
        [served] = await arun([call(list, bulkhead=bulkhead)])

        assert failure(refused)[0] == "source_saturated"
        assert (refused.duration_ms, served.value) == (0.0, [])

    async def test_a_coroutine_that_ignores_its_cancellation_counts_until_it_ends(self):
        bulkhead = Bulkhead(limit=1)
        with stubborn() as read:
            await arun([call(read, timeout=0.1, bulkhead=bulkhead)])
            assert bulkhead.saturated
        await until(lambda: not bulkhead.saturated)

    async def test_a_coroutine_left_behind_is_not_garbage(self):
        waits = weakref.WeakSet()

        async def ignore():
            for _ in range(2):
                wait = asyncio.get_running_loop().create_future()
                waits.add(wait)
                with suppress(asyncio.CancelledError):
                    await wait
                del wait
            return ()

        stray = call(ignore, timeout=0.1)
        await arun([stray])
        gc.collect()
        for wait in waits:
            wait.set_result(None)

        assert len(waits) == 1
        await until(lambda: not stray.bulkhead._left_behind)

    def test_a_thread_that_outlives_the_event_loop_ends_in_silence(self, caplog):
        with hanging() as event:
            stuck = call(event.wait, timeout=0.1)
            asyncio.run(arun([stuck]))
        asyncio.run(until(lambda: not stuck.bulkhead._left_behind))

        assert caplog.records == []

    async def test_an_error_of_the_observer_ends_the_other_calls_and_is_raised(self):
        ended = []

        async def other():
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("other")

        async def on_done(index, outcome):
            msg = "observer"
            raise ZeroDivisionError(msg)

        with pytest.raises(ZeroDivisionError, match="observer"):
            await arun([call(list), call(other)], on_done=on_done)

        assert ended == ["other"]
