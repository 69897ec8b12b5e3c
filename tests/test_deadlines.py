"""Deadlines, turns and stuck clients as a recall shows them, through both doors."""

import asyncio
import contextvars
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from langgraph.store.sqlite.aio import AsyncSqliteStore

from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")
MARGIN = 1.0
"""Seconds after a deadline in which a test expects the answer; the contract says 0.05."""


@pytest.fixture(params=["sync door", "async door"])
def recall(request):
    """One recall through a door, from synchronous code."""
    if request.param == "sync door":
        return lambda federation, **options: federation.recall("tea", namespace=ADA, **options)
    return lambda federation, **options: asyncio.run(
        federation.arecall("tea", namespace=ADA, **options)
    )


@pytest.fixture(params=["sync client", "async client"])
def client(request):
    """Makes scripted sources of one kind, and releases what hangs when the test is over."""
    made = []

    def make(*script, **options):
        made.append(
            ScriptedSource(*script, asynchronous=request.param == "async client", **options)
        )
        return made[-1]

    yield make
    for source in made:
        source.release()


@pytest.fixture
def hang(client):
    """Makes sources of one kind that hang until the test is over."""
    return lambda **options: client(ScriptedSource.HANG, **options)


def function(read, id="crm", **options):  # noqa: A002 # as in the package
    return FunctionSource(read, id=id, kinds=("fact",), **options)


def facts(*texts):
    return [{"record_id": str(i), "kind": "fact", "text": t} for i, t in enumerate(texts, start=1)]


def errors(result):
    return [report.error and (report.error.code, report.error.message) for report in result.sources]


@contextmanager
def served_tea():
    """A server on the loopback that keeps its connections open."""

    class Tea(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.send_response(200)
            self.send_header("content-length", "3")
            self.end_headers()
            self.wfile.write(b"tea")

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Tea)
    server.daemon_threads = False
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@contextmanager
def within(seconds):
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds + MARGIN


class TestDoors:
    def test_every_door_takes_every_client(self, recall, client):
        result = recall(MemoryFederation([client(facts("Prefers tea"))]))

        assert (result.status, [item.text for item in result.items]) == ("ok", ["Prefers tea"])

    def test_a_client_is_told_whether_it_is_awaited(self, client):
        source = client()
        federation = MemoryFederation([source])

        federation.recall("tea", namespace=ADA)
        asyncio.run(federation.arecall("tea", namespace=ADA))

        assert [request.awaited for request in source.requests] == [False, True]

    def test_thirty_two_sources_are_asked_at_once(self, recall):
        together = threading.Barrier(32)

        def read(request):
            together.wait(10)
            return facts("Prefers tea")

        result = recall(MemoryFederation([function(read, f"crm-{i}") for i in range(32)]))

        assert (result.status, len(result.items[0].matches)) == ("ok", 32)

    def test_twelve_clients_of_200_ms_take_about_as_long_as_one(self, recall):
        never = threading.Event()

        def read(request):
            never.wait(0.2)
            return ()

        with within(0.2):
            result = recall(MemoryFederation([function(read, f"crm-{i}") for i in range(12)]))

        assert result.status == "ok"

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_a_source_sees_the_context_variables_of_the_caller(self, recall, asynchronous):
        language = contextvars.ContextVar("language", default="none")
        language.set("de")

        def read(request):
            return facts(language.get())

        async def aread(request):
            return read(request)

        result = recall(MemoryFederation([function(aread if asynchronous else read)]))

        assert [item.text for item in result.items] == ["de"]

    async def test_the_sync_door_opens_in_a_thread_with_a_running_loop(self, client):
        """As in a notebook."""
        result = MemoryFederation([client(facts("Prefers tea"))]).recall("tea", namespace=ADA)

        assert result.status == "ok"

    @pytest.mark.parametrize("raised", [asyncio.CancelledError, SystemExit, GeneratorExit])
    def test_a_client_that_would_end_its_caller_is_an_error_and_the_recall_goes_on(
        self, recall, client, raised
    ):
        sources = client(raised(), id="odd"), client(facts("Prefers tea"), id="crm")

        result = recall(MemoryFederation(sources))

        assert [report.status for report in result.sources] == ["error", "ok"]


class TestDeadlines:
    def test_the_federations_deadline_is_held(self, recall, hang):
        with within(0.2):
            result = recall(MemoryFederation([hang()], timeout=0.2))

        assert (result.status, result.sources[0].status) == ("failed", "timed_out")
        assert errors(result) == [("source_timed_out", "no answer within 0.2 s")]

    def test_a_recalls_own_deadline_takes_its_place(self, recall, hang):
        with within(0.1):
            result = recall(MemoryFederation([hang()], timeout=30), timeout=0.1)

        assert errors(result) == [("source_timed_out", "no answer within 0.1 s")]

    def test_a_source_may_have_a_shorter_deadline_of_its_own(self, recall, hang):
        with within(0.2):
            sources = hang(id="short", timeout=0.1), hang(id="other")
            result = recall(MemoryFederation(sources, timeout=0.2))

        assert [message for _, message in errors(result)] == [
            "no answer within 0.1 s",
            "no answer within 0.2 s",
        ]

    def test_a_source_may_have_a_longer_deadline_of_its_own(self, recall):
        short_is_over = threading.Event()

        def patient(request):
            short_is_over.wait(10)
            return facts("Prefers tea")

        def hasty(request):
            try:
                threading.Event().wait(0.3)
            finally:
                short_is_over.set()

        sources = function(patient, "patient", timeout=20), function(hasty, "hasty")
        result = recall(MemoryFederation(sources, timeout=0.1))

        assert [report.status for report in result.sources] == ["ok", "timed_out"]

    def test_a_recalls_deadline_shortens_but_never_lengthens_a_sources_own(self, recall, hang):
        federation = MemoryFederation([hang(timeout=0.2)])

        assert errors(recall(federation, timeout=0.1))[0][1] == "no answer within 0.1 s"
        assert errors(recall(federation, timeout=20))[0][1] == "no answer within 0.2 s"

    def test_a_source_is_told_the_seconds_it_has_left(self, recall, client):
        source = client()

        recall(MemoryFederation([source], timeout=30))

        assert 29 < source.requests[0].timeout <= 30

    def test_a_source_that_waited_for_its_turn_is_told_what_is_left(self, recall, hang, client):
        late = client(facts("Prefers tea"), id="late", timeout=30)

        sources = hang(id="first"), late
        recall(MemoryFederation(sources, timeout=0.2, max_concurrency=1))

        assert late.requests[0].timeout <= 29.8

    def test_a_source_whose_turn_never_came_was_not_asked(self, recall, hang, client):
        late = client(facts("Prefers tea"), id="late")

        result = recall(MemoryFederation([hang(id="first"), late], timeout=0.2, max_concurrency=1))

        assert late.requests == []
        assert errors(result)[1] == (
            "source_timed_out",
            "its turn did not come within 0.2 s; raise max_concurrency or the timeout",
        )

    def test_quick_sources_are_fused_though_others_hang(self, recall, hang, client):
        sources = hang(id="hung"), client(facts("Prefers tea"), id="crm")

        with within(0.2):
            result = recall(MemoryFederation(sources, timeout=0.2))

        assert (result.status, [item.text for item in result.items]) == ("partial", ["Prefers tea"])


class TestStuckClients:
    def test_after_four_stuck_calls_a_source_is_refused_at_once(self, recall):
        enough = threading.Event()

        def stuck(request):
            enough.wait()
            return ()

        federation = MemoryFederation([function(stuck)], timeout=0.05)
        try:
            codes = [errors(recall(federation))[0][0] for _ in range(4)]
            with within(0):
                refused = recall(federation, timeout=30)
        finally:
            enough.set()

        assert codes == ["source_timed_out"] * 4
        assert errors(refused) == [
            ("source_saturated", "4 earlier calls of this source still hang")
        ]
        assert refused.sources[0].status == "unavailable"

    def test_a_source_is_asked_again_when_its_stuck_calls_have_ended(self, recall):
        source = ScriptedSource(*[ScriptedSource.HANG] * 4, facts("Prefers tea"))
        federation = MemoryFederation([source], timeout=0.05)
        for _ in range(4):
            recall(federation)
        source.release()
        saturated = federation.slots[0].bulkhead
        deadline = time.monotonic() + 10
        while saturated.saturated and time.monotonic() < deadline:
            threading.Event().wait(0.002)

        assert recall(federation, timeout=10).status == "ok"

    def test_a_stuck_source_costs_no_other_source_anything(self, recall, hang, client):
        sources = hang(id="hung", timeout=0.05), client(facts("Prefers tea"), id="crm")
        federation = MemoryFederation(sources, timeout=10)

        assert [recall(federation).sources[1].status for _ in range(6)] == ["ok"] * 6

    async def test_many_healthy_recalls_at_once_are_never_refused(self):
        together = threading.Barrier(24)

        def read(request):
            together.wait(20)
            return facts("Prefers tea")

        federation = MemoryFederation([function(read)], timeout=30)
        results = await asyncio.gather(
            *(federation.arecall("tea", namespace=ADA) for _ in range(24))
        )

        assert {result.status for result in results} == {"ok"}


class TestClientsOfAnotherLoop:
    """A client bound to the caller's loop cannot be served by the sync door, and is not harmed."""

    MESSAGE = (
        "the client is bound to another event loop; "
        "use the async door (arecall, ainvoke) on that loop"
    )
    MISCONFIGURED = ("source_misconfigured", MESSAGE)

    async def _refused_then_served(self, federation):
        refused = await asyncio.to_thread(federation.recall, "tea", namespace=ADA)
        served = await federation.arecall("tea", namespace=ADA)
        assert (errors(refused), errors(served)) == ([self.MISCONFIGURED], [None])

    async def test_a_client_that_waits_for_a_lock_of_its_loop(self):
        lock = asyncio.Lock()

        async def read(request):
            async with lock:
                return facts("Prefers tea")

        async with lock:
            # Waiting for it binds the lock to this loop.
            waiting = asyncio.create_task(lock.acquire())
            await asyncio.sleep(0)
            federation = MemoryFederation([function(read)])
            refused = await asyncio.to_thread(federation.recall, "tea", namespace=ADA)
        await waiting
        lock.release()

        assert errors(refused) == [self.MISCONFIGURED]
        assert (await federation.arecall("tea", namespace=ADA)).status == "ok"

    async def test_an_httpx_client_with_a_connection_of_its_loop(self):
        with served_tea() as url:
            async with httpx.AsyncClient() as http:

                async def read(request):
                    return facts((await http.get(url)).text)

                federation = MemoryFederation([function(read)])
                assert (await federation.arecall("tea", namespace=ADA)).status == "ok"

                await self._refused_then_served(federation)

    @pytest.mark.parametrize("in_its_own_thread", [False, True])
    async def test_an_async_sqlite_store(self, in_its_own_thread):
        async with AsyncSqliteStore.from_conn_string(":memory:") as store:
            await store.setup()
            await store.aput(("acme", "ada"), "1", {"text": "Prefers tea"})

            async def read(request):
                found = await store.asearch(("acme", "ada"))
                return facts(*(item.value["text"] for item in found))

            federation = MemoryFederation([function(read)])
            if in_its_own_thread:
                # The sync door blocks the loop the store lives on, as in a notebook.
                refused = federation.recall("tea", namespace=ADA)
                assert errors(refused) == [self.MISCONFIGURED]
            else:
                await self._refused_then_served(federation)

            assert (await federation.arecall("tea", namespace=ADA)).status == "ok"
