"""Mem0Source over the real platform clients, met over HTTP on loopback."""

import threading
from contextlib import contextmanager

import httpx
import pytest
from mem0 import AsyncMemoryClient, MemoryClient

from praxa_langgraph import Mem0Source, MemoryFederation, Namespace
from servers.loopback import Reply, serve

ADA = Namespace(tenant_id="acme", subject_id="ada")
SEARCH = "/v3/memories/search/"
API_KEY = "m0-not-a-real-key-0123456789"


def hit(record_id, **fields):
    return {
        "id": record_id,
        "memory": f"text of {record_id}",
        "user_id": "acme:ada",
        "agent_id": None,
        "metadata": None,
        "categories": ["drinks"],
        "score": 0.5,
        "created_at": "2025-08-13T04:50:21.799454-07:00",
        **fields,
    }


@contextmanager
def platform(reply):
    """A platform that greets any key and answers every search with one reply."""

    def answer(request):
        if request.path == SEARCH:
            return reply
        return Reply(body={"org_id": "o", "project_id": "p", "user_email": "x@example.test"})

    with serve(answer) as server:
        yield server


def recall(server, *, timeout=5.0, http_timeout=3.0):
    client = MemoryClient(
        api_key=API_KEY,
        host=server.url,
        client=httpx.Client(base_url=server.url, timeout=http_timeout),
    )
    source = Mem0Source(client, identity=lambda who: {"user_id": f"acme:{who.subject_id}"})
    try:
        return MemoryFederation([source], timeout=timeout).recall("tea", namespace=ADA, limit=3)
    finally:
        client.client.close()


async def arecall(server):
    http = httpx.AsyncClient(base_url=server.url, timeout=3.0)
    client = AsyncMemoryClient(api_key=API_KEY, host=server.url, client=http)
    source = Mem0Source(client, identity=lambda who: {"user_id": f"acme:{who.subject_id}"})
    try:
        return await MemoryFederation([source]).arecall("tea", namespace=ADA, limit=3)
    finally:
        await http.aclose()


async def test_both_clients_send_the_identity_as_a_filter_and_read_the_hits():
    with platform(Reply(body={"results": [hit("1"), hit("2", user_id="acme:bob")]})) as server:
        for result in (recall(server), await arecall(server)):
            assert [item.text for item in result.items] == ["text of 1"]
            assert result.sources[0].rejections[0].code == "foreign_scope"
            match = result.items[0].matches[0]
            assert match.metadata["categories"] == ["drinks"]
            assert match.created_at.isoformat() == "2025-08-13T11:50:21.799454+00:00"

        searches = [request for request in server.requests if request.path == SEARCH]
        assert [s.body["filters"] for s in searches] == [{"user_id": "acme:ada"}] * 2
        assert [s.body["top_k"] for s in searches] == [3, 3]
        assert all("user_id" not in s.body for s in searches)


FAILURES = {
    "400": (Reply(400, {"error": "bad"}), "error", "source_error"),
    "401": (Reply(401, {"error": "key"}), "error", "source_unauthorized"),
    "403": (Reply(403, {"error": "no"}), "error", "source_unauthorized"),
    "404": (Reply(404, {"error": "gone"}), "error", "source_not_found"),
    "408": (Reply(408, {}), "timed_out", "source_timed_out"),
    "422": (Reply(422, {}), "error", "source_error"),
    "429": (Reply(429, {}, {"Retry-After": "7"}), "unavailable", "source_rate_limited"),
    "500": (Reply(500, {}), "error", "source_error"),
    "502": (Reply(502, b"<html>", {}, "text/html"), "unavailable", "source_unavailable"),
    "503": (Reply(503, {}), "unavailable", "source_unavailable"),
    "504": (Reply(504, {}), "timed_out", "source_timed_out"),
    "html": (Reply(200, b"<html>hi</html>", {}, "text/html"), "error", "source_invalid_response"),
    "empty": (Reply(200, b""), "error", "source_invalid_response"),
    "null": (Reply(200, None), "error", "source_invalid_response"),
    "pending": (Reply(200, {"status": "PENDING"}), "error", "source_invalid_response"),
}


@pytest.mark.parametrize(("reply", "status", "code"), FAILURES.values(), ids=FAILURES.keys())
async def test_a_failure_becomes_its_status_and_code(reply, status, code):
    with platform(reply) as server:
        for result in (recall(server), await arecall(server)):
            [report] = result.sources
            assert (report.status, report.error.code) == (status, code)
            assert API_KEY not in report.error.message
            assert "127.0.0.1" not in report.error.message


def test_the_platforms_retry_after_is_passed_on():
    with platform(FAILURES["429"][0]) as server:
        assert recall(server).sources[0].error.retry_after_s == 7.0


def test_a_platform_that_never_answers_is_timed_out_at_our_deadline():
    release = threading.Event()
    with platform(Reply(release=release)) as server:
        try:
            [report] = recall(server, timeout=0.3).sources
        finally:
            release.set()

    assert (report.status, report.error.code) == ("timed_out", "source_timed_out")


def test_the_clients_own_time_out_is_a_time_out():
    release = threading.Event()
    with platform(Reply(release=release)) as server:
        try:
            [report] = recall(server, http_timeout=0.2).sources
        finally:
            release.set()

    assert (report.status, report.error.code) == ("timed_out", "source_timed_out")
