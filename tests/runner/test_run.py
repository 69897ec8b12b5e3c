"""The synchronous runner: parallel calls, held deadlines, and nothing left behind uncounted."""

import asyncio
import gc
import threading
import time
import warnings
import weakref
from contextlib import contextmanager

import pytest

from praxa_langgraph.runner import Bulkhead, Call, Outcome, run, threads
from praxa_langgraph.sources.base import SourceFailure

MARGIN = 1.0
"""Seconds after a deadline in which a test expects the answer; the contract says 0.05."""


def call(read, *, timeout=10.0, finish=lambda answer: answer, bulkhead=None):
    return Call(
        read=read,
        finish=finish,
        timeout=timeout,
        deadline=time.monotonic() + timeout,
        bulkhead=bulkhead or Bulkhead(),
    )


@contextmanager
def hanging():
    """An event that nobody sets until the test is over."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


def failure(outcome):
    assert isinstance(outcome.error, SourceFailure), outcome
    return outcome.error.code, str(outcome.error)


class TestParallelism:
    @pytest.mark.parametrize("count", [12, 32])
    def test_all_calls_run_at_the_same_time(self, count):
        together = threading.Barrier(count)

        outcomes = run([call(lambda: together.wait(10)) for _ in range(count)])

        assert sorted(outcome.value for outcome in outcomes) == list(range(count))

    def test_all_coroutines_run_at_the_same_time(self):
        together = asyncio.Barrier(12)

        outcomes = run([call(together.wait) for _ in range(12)])

        assert sorted(outcome.value for outcome in outcomes) == list(range(12))

    def test_twelve_calls_of_200_ms_take_about_as_long_as_one(self):
        never = threading.Event()
        started = time.monotonic()

        run([call(lambda: never.wait(0.2)) for _ in range(12)])

        assert time.monotonic() - started < 0.2 + MARGIN

    def test_outcomes_stand_in_the_order_of_the_calls(self):
        last_is_done = threading.Event()

        def first():
            last_is_done.wait(10)
            return "first"

        def last():
            last_is_done.set()
            return "last"

        assert [outcome.value for outcome in run([call(first), call(last)])] == ["first", "last"]

    def test_each_outcome_is_announced_when_it_arrives_in_the_calling_thread(self):
        first_is_announced = threading.Event()
        announced = []

        def on_done(index, outcome):
            announced.append((index, outcome.value, threading.get_ident()))
            first_is_announced.set()

        run([call(lambda: first_is_announced.wait(10)), call(lambda: "quick")], on_done=on_done)

        me = threading.get_ident()
        assert announced == [(1, "quick", me), (0, True, me)]

    def test_no_calls_are_no_outcomes(self):
        assert run([]) == []


class TestTurns:
    def test_never_more_calls_than_turns_run_at_once(self):
        lock, three = threading.Lock(), threading.Barrier(3)
        running, peak = 0, 0

        def read():
            nonlocal running, peak
            with lock:
                running += 1
                peak = max(peak, running)
            three.wait(10)
            with lock:
                running -= 1

        outcomes = run([call(read) for _ in range(9)], max_concurrency=3)

        assert (peak, [outcome.error for outcome in outcomes]) == (3, [None] * 9)

    def test_a_call_whose_turn_never_comes_is_not_started_and_says_so(self):
        started = []
        with hanging() as event:
            late = call(lambda: started.append("late"), timeout=0.2)
            _, outcome = run([call(event.wait, timeout=0.2), late], max_concurrency=1)

        assert started == []
        assert failure(outcome) == (
            "source_timed_out",
            "its turn did not come within 0.2 s; raise max_concurrency or the timeout",
        )

    def test_a_hung_call_gives_its_turn_back_at_its_deadline(self):
        with hanging() as event:
            calls = [call(event.wait, timeout=0.1), call(lambda: "served")]
            outcomes = run(calls, max_concurrency=1)

        assert outcomes[1].value == "served"

    def test_a_call_in_turn_has_what_is_left_of_its_deadline(self):
        with hanging() as event:
            calls = [call(event.wait, timeout=0.2), call(event.wait, timeout=0.4)]
            started = time.monotonic()
            outcomes = run(calls, max_concurrency=1)

        assert time.monotonic() - started < 0.4 + MARGIN
        assert outcomes[1].duration_ms < 300


class TestDeadlines:
    @pytest.fixture(autouse=True)
    def _answered_in_time(self):
        started = time.monotonic()
        yield
        assert time.monotonic() - started < 0.2 + MARGIN

    def test_it_holds_against_a_client_that_hangs_in_a_thread(self):
        with hanging() as event:
            [outcome] = run([call(event.wait, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    def test_it_holds_against_a_coroutine_that_hangs(self):
        async def hang():
            await asyncio.Event().wait()

        [outcome] = run([call(hang, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    def test_it_holds_against_an_answer_that_hangs_while_it_is_read(self):
        with hanging() as event:

            def rows():
                yield "first"
                event.wait()

            [outcome] = run([call(rows, finish=list, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    def test_it_holds_against_a_coroutine_that_blocks_the_loop_it_runs_on(self):
        with hanging() as event:

            async def block():
                event.wait()

            [outcome] = run([call(block, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    def test_an_error_made_of_the_cancellation_is_still_a_timeout(self):
        async def disguise():
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                msg = "connection lost"
                raise ConnectionError(msg) from None

        [outcome] = run([call(disguise, timeout=0.2)])

        assert failure(outcome) == ("source_timed_out", "no answer within 0.2 s")

    def test_a_deadline_the_caller_looks_at_late_was_still_missed(self):
        workers = []

        async def disguise():
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise ConnectionError from None

        def read():
            workers.append(threading.current_thread())
            return disguise()

        def busy(index, outcome):
            _wait_until(lambda: workers and workers[0] in threads._PROCESS.pool._idle)

        late = call(read, timeout=0.1)
        _, outcome = run([call(lambda: "quick"), late], on_done=busy)

        assert failure(outcome) == ("source_timed_out", "no answer within 0.1 s")

    def test_the_quick_are_answered_though_others_hang(self):
        with hanging() as event:
            calls = [call(event.wait, timeout=0.2), call(lambda: "quick")]
            outcomes = run(calls)

        assert [outcome.value for outcome in outcomes] == [None, "quick"]

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_a_timeout_of_the_client_itself_is_kept_as_it_is(self, asynchronous):
        def read():
            msg = "the provider gave up"
            raise TimeoutError(msg)

        async def aread():
            read()

        [outcome] = run([call(aread if asynchronous else read, timeout=5)])

        assert repr(outcome.error) == "TimeoutError('the provider gave up')"


class TestLateCoroutines:
    def test_a_coroutine_returned_after_the_deadline_is_closed_unawaited(self):
        ended, awaited = threading.Event(), []
        coroutines = []

        async def answer():
            awaited.append(True)

        def read():
            ended.wait(10)
            coroutines.append(answer())
            return coroutines[0]

        late = call(read, timeout=0.1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run([late])
            ended.set()
            _wait_until(lambda: not late.bulkhead._left_behind)
            del coroutines[:]
            gc.collect()

        assert (awaited, [str(warning.message) for warning in caught]) == ([], [])


class TestContainment:
    @pytest.mark.parametrize("asynchronous", [False, True])
    @pytest.mark.parametrize(
        ("raised", "message"),
        [
            (asyncio.CancelledError(), "the client raised CancelledError"),
            (KeyboardInterrupt(), "the client raised KeyboardInterrupt"),
            (GeneratorExit(), "the client raised GeneratorExit"),
            (SystemExit(1), "the client tried to exit the interpreter"),
            (BaseExceptionGroup("odd", [KeyboardInterrupt()]), "the client raised "),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_what_would_end_the_caller_is_a_failure_of_that_call(
        self, raised, message, asynchronous
    ):
        def read():
            raise raised

        async def aread():
            raise raised

        failed, other = run([call(aread if asynchronous else read), call(lambda: "other")])

        code, text = failure(failed)
        assert (code, text.startswith(message), other.value) == ("source_error", True, "other")

    def test_the_next_coroutine_runs_after_one_that_raised_keyboard_interrupt(self):
        async def interrupt():
            raise KeyboardInterrupt

        async def answer():
            return "answer"

        run([call(interrupt)])

        assert run([call(answer)])[0].value == "answer"


class TestWhatIsLeftBehind:
    def test_a_hung_call_counts_until_its_thread_ends(self):
        bulkhead = Bulkhead(limit=1)
        with hanging() as event:
            run([call(event.wait, timeout=0.1, bulkhead=bulkhead)])
            [refused] = run([call(lambda: "answer", bulkhead=bulkhead)])
        _wait_until(lambda: not bulkhead.saturated)
        [served] = run([call(lambda: "answer", bulkhead=bulkhead)])

        assert failure(refused)[0] == "source_saturated"
        assert (refused.duration_ms, served.value) == (0.0, "answer")

    def test_a_coroutine_that_ignores_its_cancellation_counts_until_it_ends(self):
        bulkhead = Bulkhead(limit=1)
        with hanging() as event:

            async def ignore():
                while not event.is_set():
                    try:
                        await asyncio.sleep(0.01)
                    except asyncio.CancelledError:
                        continue

            run([call(ignore, timeout=0.1, bulkhead=bulkhead)])
            assert bulkhead.saturated
        _wait_until(lambda: not bulkhead.saturated)

    def test_an_error_of_the_observer_leaves_the_rest_behind_and_is_raised(self):
        bulkhead = Bulkhead(limit=1)

        def on_done(index, outcome):
            msg = "observer"
            raise ZeroDivisionError(msg)

        with hanging() as event:
            stuck = call(event.wait, timeout=0.2, bulkhead=bulkhead)
            with pytest.raises(ZeroDivisionError, match="observer"):
                run([stuck, call(lambda: "quick")], on_done=on_done)
            assert not bulkhead.saturated, "it is healthy until its deadline"
            _wait_until(lambda: bulkhead.saturated)
        _wait_until(lambda: not bulkhead.saturated)

    def test_a_hung_call_keeps_no_answer_of_another_alive(self):
        class Rows(list):
            pass

        answers = []

        def answer():
            rows = Rows()
            answers.append(weakref.ref(rows))
            return rows

        with hanging() as event:
            run([call(answer), call(event.wait, timeout=0.1)])
            gc.collect()

            assert answers[0]() is None

    def test_an_outcome_has_a_value_or_an_error(self):
        def fail():
            raise LookupError

        good, bad = run([call(lambda: 1), call(fail)])

        assert isinstance(good, Outcome)
        assert (good.value, good.error) == (1, None)
        assert (bad.value, type(bad.error)) == (None, LookupError)


def _wait_until(true):
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        threading.Event().wait(0.002)
