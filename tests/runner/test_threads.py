"""Pooled daemon threads and the private event loop."""

import asyncio
import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
from praxa_langgraph.runner import threads
from praxa_langgraph.runner.threads import run_on_private_loop, start_thread
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")


@pytest.fixture(autouse=True)
def _own_process(monkeypatch):
    """A pool and a private loop that no other test has used."""
    monkeypatch.setattr(threads, "_PROCESS", threads._Process())
    yield
    monkeypatch.setattr(threads, "IDLE_SECONDS", 0.01)


def until(true):
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        threading.Event().wait(0.002)


def idle_threads():
    return list(threads._PROCESS.pool._idle)


def rested(count):
    """Wait until so many threads of the pool have nothing to do."""
    until(lambda: len(idle_threads()) == count)


class TestPool:
    def test_a_job_runs_in_a_daemon_thread(self):
        assert start_thread(lambda: threading.current_thread().daemon).result(10) is True

    def test_what_a_job_raises_is_on_its_future(self):
        def fail():
            msg = "no"
            raise KeyboardInterrupt(msg)

        assert repr(start_thread(fail).exception(10)) == "KeyboardInterrupt('no')"

    def test_an_idle_thread_takes_the_next_job(self):
        first = start_thread(threading.get_ident).result(10)
        rested(1)

        assert start_thread(threading.get_ident).result(10) == first

    def test_a_thread_serves_again_after_a_job_that_raised(self):
        start_thread(lambda: 1 / 0).exception(10)
        rested(1)

        assert start_thread(lambda: "served").result(10) == "served"

    def test_the_thread_used_last_is_used_first(self):
        together = threading.Barrier(3)
        jobs = [start_thread(lambda: together.wait(10)) for _ in range(2)]
        together.wait(10)
        for job in jobs:
            job.result(10)
        rested(2)
        last = idle_threads()[-1]

        assert start_thread(threading.current_thread).result(10) is last

    def test_an_idle_thread_ends(self, monkeypatch):
        monkeypatch.setattr(threads, "IDLE_SECONDS", 0.01)

        worker = start_thread(threading.current_thread).result(10)
        worker.join(10)

        assert (worker.is_alive(), idle_threads()) == (False, [])

    def test_no_job_is_lost_while_idle_threads_end(self, monkeypatch):
        monkeypatch.setattr(threads, "IDLE_SECONDS", 0.0005)

        with ThreadPoolExecutor(4) as callers:
            results = callers.map(lambda i: start_thread(lambda: i).result(10), range(300))

            assert list(results) == list(range(300))

    def test_it_keeps_nothing_of_a_finished_job(self):
        class Rows(list):
            pass

        rows = Rows()
        kept = weakref.ref(rows)
        future = start_thread(lambda rows=rows: rows)
        assert future.result(10) is rows
        rested(1)
        del rows, future

        assert kept() is None

    def test_a_failed_job_is_freed_without_the_garbage_collector(self):
        class Rows(list):
            pass

        kept = []

        def fail():
            rows = Rows()
            kept.append(weakref.ref(rows))
            raise LookupError

        gc.disable()
        try:
            future = start_thread(fail)
            assert type(future.exception(10)) is LookupError
            rested(1)
            del future

            assert kept[0]() is None
        finally:
            gc.enable()

    def test_a_system_without_threads_is_a_failed_call(self, monkeypatch):
        def refuse(thread):
            msg = "can't start new thread"
            raise RuntimeError(msg)

        monkeypatch.setattr(threading.Thread, "start", refuse)

        report = MemoryFederation([ScriptedSource()]).recall("tea", namespace=ADA).sources[0]

        assert (report.status, report.error.code) == ("error", "source_error")
        assert report.error.message == "RuntimeError: can't start new thread"


class TestManyRecalls:
    def test_two_hundred_recalls_leave_no_more_threads_than_one_needs(self):
        plain = [ScriptedSource(id=f"plain-{i}") for i in range(4)]
        awaited = [ScriptedSource(id=f"awaited-{i}", asynchronous=True) for i in range(4)]
        federation = MemoryFederation([*plain, *awaited])
        before = threading.active_count()

        for _ in range(200):
            assert federation.recall("tea", namespace=ADA).status == "ok"

        # A thread that has answered may not rest yet when the next recall begins.
        assert threading.active_count() - before <= 2 * len(federation.sources) + 1

    async def test_two_hundred_async_recalls_leave_no_task(self):
        plain, awaited = ScriptedSource(id="plain"), ScriptedSource(id="awaited", asynchronous=True)
        federation = MemoryFederation([plain, awaited])

        for _ in range(200):
            assert (await federation.arecall("tea", namespace=ADA)).status == "ok"

        assert asyncio.all_tasks() == {asyncio.current_task()}

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_no_answer_outlives_its_recall(self, asynchronous):
        class Rows(list):
            pass

        kept = []

        def read(request):
            rows = Rows([{"record_id": "1", "kind": "fact", "text": "Prefers tea"}])
            kept.append(weakref.ref(rows))
            return rows

        async def aread(request):
            return read(request)

        source = FunctionSource(aread if asynchronous else read, id="crm", kinds=("fact",))
        MemoryFederation([source]).recall("tea", namespace=ADA)
        rested(1)
        gc.collect()

        assert kept[0]() is None


class TestPrivateLoop:
    def test_it_is_one_loop_in_one_daemon_thread(self):
        async def where():
            return asyncio.get_running_loop(), threading.current_thread()

        first, second = run_on_private_loop(where()), run_on_private_loop(where())

        assert first == second
        assert (first[1].name, first[1].daemon) == ("praxa-recall-loop", True)

    def test_many_threads_that_need_it_first_share_it(self):
        together = threading.Barrier(8)

        async def where():
            return asyncio.get_running_loop()

        def use(_):
            together.wait(10)
            return run_on_private_loop(where())

        with ThreadPoolExecutor(8) as callers:
            assert len(set(callers.map(use, range(8)))) == 1

    @pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(1)], ids=repr)
    def test_it_goes_on_after_a_task_of_a_client_that_would_end_it(self, raised):
        async def background():
            raise raised

        async def start():
            task = asyncio.ensure_future(background())
            task.add_done_callback(lambda done: done.exception())

        async def answer():
            await asyncio.sleep(0)
            return "answer"

        run_on_private_loop(start())

        assert run_on_private_loop(answer()) == "answer"

    def test_it_goes_on_after_a_client_stopped_it(self):
        async def stop():
            asyncio.get_running_loop().stop()
            await asyncio.sleep(0)
            return "stopped"

        async def answer():
            return "answer"

        assert (run_on_private_loop(stop()), run_on_private_loop(answer())) == (
            "stopped",
            "answer",
        )
