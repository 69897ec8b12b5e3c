"""What a recall does to its process: exits, forks and interrupts go as without it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
HANG = 30
"""Seconds a stuck client would keep the process; a test that waits for it fails."""
PROMPTLY = 15
"""Seconds for starting an interpreter, importing the package and ending, on a busy machine."""
# Newer interpreters warn whenever a process with threads forks.
WARNINGS = ("-W", "error", "-W", "ignore:This process:DeprecationWarning")
PRELUDE = """
import asyncio, contextlib, os, signal, sys, threading, time
from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")


def hang(request):
    time.sleep(30)


def fact(request):
    return [{"record_id": "1", "kind": "fact", "text": "Prefers tea"}]


async def afact(request):
    return fact(request)


def source(read, id="crm", **options):
    return FunctionSource(read, id=id, kinds=("fact",), **options)
"""


def python(script):
    """Run a script in an interpreter of its own, with warnings as errors."""
    started = time.monotonic()
    ended = subprocess.run(  # noqa: S603 # our own interpreter with our own script
        [sys.executable, *WARNINGS, "-c", PRELUDE + dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG + 25,
        check=False,
    )
    assert time.monotonic() - started < PROMPTLY, ended
    return ended


def output(script):
    ended = python(script)
    assert (ended.returncode, ended.stderr) == (0, ""), ended
    return ended.stdout.split()


class TestExit:
    def test_sixteen_stuck_threads_do_not_keep_the_interpreter(self):
        said = output(
            """
            sources = [source(hang, f"crm-{i}") for i in range(16)]
            result = MemoryFederation(sources, timeout=0.2).recall("tea", namespace=ADA)
            print(result.status, {report.status for report in result.sources})
            """
        )

        assert said == ["failed", "{'timed_out'}"]

    def test_a_stuck_thread_does_not_keep_asyncio_run(self):
        said = output(
            """
            federation = MemoryFederation([source(hang)], timeout=0.2)
            print(asyncio.run(federation.arecall("tea", namespace=ADA)).status)
            """
        )

        assert said == ["failed"]

    def test_a_coroutine_stuck_on_the_private_loop_does_not_keep_the_interpreter(self):
        said = output(
            """
            async def block(request):
                time.sleep(30)

            async def ignore(request):
                while True:
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.sleep(30)

            for read in (ignore, block):
                federation = MemoryFederation([source(read)], timeout=0.2)
                print(federation.recall("tea", namespace=ADA).status)
            """
        )

        assert said == ["failed", "failed"]

    def test_threads_and_the_private_loop_end_with_the_interpreter_in_silence(self):
        said = output(
            """
            federation = MemoryFederation([source(fact), source(afact, "notes")])
            print(federation.recall("tea", namespace=ADA).status)
            """
        )

        assert said == ["ok"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
class TestFork:
    def test_a_forked_child_recalls_through_both_doors(self):
        said = output(
            """
            federation = MemoryFederation([source(fact), source(afact, "notes")], timeout=5)

            def recall():
                result = federation.recall("tea", namespace=ADA)
                awaited = asyncio.run(federation.arecall("tea", namespace=ADA))
                return result.status, awaited.status

            before = recall()
            child = os.fork()
            after = recall()
            if child == 0:
                os._exit(0 if after == ("ok", "ok") else 1)
            print(before == after, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        )

        assert said == ["True", "0"]

    def test_a_forked_child_has_none_of_its_parents_stuck_calls(self):
        said = output(
            """
            scripted = ScriptedSource(*[ScriptedSource.HANG] * 4, [])
            federation = MemoryFederation([scripted], timeout=0.1)
            for _ in range(4):
                federation.recall("tea", namespace=ADA)
            child = os.fork()
            report = federation.recall("tea", namespace=ADA).sources[0]
            if child == 0:
                os._exit(0 if report.status == "ok" else 1)
            print(report.error.code, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        )

        assert said == ["source_saturated", "0"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
class TestInterrupt:
    INTERRUPTED = """
        def interrupt_and_hang(request):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(30)

        federation = MemoryFederation([source(interrupt_and_hang)], timeout=30)
        """

    @pytest.mark.parametrize(
        "recall",
        [
            'federation.recall("tea", namespace=ADA)',
            'asyncio.run(federation.arecall("tea", namespace=ADA))',
        ],
        ids=["sync", "async"],
    )
    def test_ctrl_c_ends_a_recall_at_once(self, recall):
        ended = python(dedent(self.INTERRUPTED) + recall)

        assert ended.returncode == -signal.SIGINT
        assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"

    def test_a_program_that_survives_ctrl_c_goes_on_recalling(self):
        said = output(
            dedent(self.INTERRUPTED)
            + dedent(
                """
                try:
                    federation.recall("tea", namespace=ADA)
                except KeyboardInterrupt:
                    print(MemoryFederation([source(fact)]).recall("tea", namespace=ADA).status)
                """
            )
        )

        assert said == ["ok"]
