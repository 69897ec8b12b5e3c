"""The examples on a real LangGraph Server, driven by the real SDK: `make test-server`."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from langgraph_sdk import get_client, get_sync_client

ROOT = Path(__file__).parents[2]
QUESTION = {"query": "what does Ada drink?"}
OTHER_TENANT = {"tenant_id": "globex", "subject_id": "eve"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    port = free_port()
    log = tmp_path_factory.mktemp("server") / "server.log"
    environment = {
        **os.environ,
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "PYTHONPATH": str(ROOT),
    }
    command = [
        *(sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"),
        *("--config", "examples/langgraph.json", "--host", "127.0.0.1", "--port", str(port)),
    ]
    with log.open("wb") as output:
        server = subprocess.Popen(  # noqa: S603 # our own program
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait_until_up(server, port, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def wait_until_up(server, port, log):
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail(f"the server did not come up:\n{log.read_text('utf-8', 'replace')[-3000:]}")


@pytest.fixture
def ada(url):
    with get_sync_client(url=url, api_key="key-of-ada") as client:
        yield client


@pytest.fixture
def bob(url):
    with get_sync_client(url=url, api_key="key-of-bob") as client:
        yield client


def texts(state):
    return {item["text"] for item in state["recall"]["items"]}


def test_each_user_recalls_their_own_memory(ada, bob):
    of_ada = ada.runs.wait(None, "memory", input=QUESTION)
    of_bob = bob.runs.wait(None, "memory", input=QUESTION)

    assert {"Ada drinks tea", "Ada lives in Bergen"} <= texts(of_ada)
    assert of_bob["recall"]["items"] == []
    assert of_bob["recall"]["status"] == "ok"


def test_the_servers_own_store_is_a_source_and_blocks_no_event_loop(ada):
    ada.store.put_item(["acme", "ada"], "town", {"text": "Ada lives in Oslo"})

    state = ada.runs.wait(None, "memory", input=QUESTION)

    statuses = {s["sourceId"]: s["status"] for s in state["recall"]["sources"]}
    assert statuses == {"notes": "ok", "crm": "ok"}
    assert "Ada lives in Oslo" in texts(state)


@pytest.mark.parametrize(
    "sent", [{"context": OTHER_TENANT}, {"config": {"configurable": OTHER_TENANT}}]
)
def test_a_client_cannot_choose_its_tenant(ada, sent):
    state = ada.runs.wait(None, "memory", input=QUESTION, **sent)

    assert state["recall"]["namespace"] == {"tenantId": "acme", "subjectId": "ada"}


def test_a_thread_keeps_the_conversation_and_each_turn_recalls_anew(ada):
    thread = ada.threads.create()["thread_id"]

    for question in ("what do I drink?", "and where do I live?"):
        state = ada.runs.wait(
            thread, "agent", input={"messages": [{"role": "user", "content": question}]}
        )
        assert state["recall"]["query"] == question

    assert len(state["messages"]) == 4
    assert "Ada drinks tea" in ada.threads.get_state(thread)["values"]["messages"][-1]["content"]


async def test_progress_is_streamed_without_memory_text(url):
    given = {"messages": [{"role": "user", "content": "drinks"}]}

    async with get_client(url=url, api_key="key-of-ada") as client:
        parts = [
            part
            async for part in client.runs.stream(
                None, "agent", input=given, stream_mode="custom", stream_subgraphs=True
            )
        ]

    events = [part.data for part in parts if part.event.startswith("custom")]
    assert {event.get("source_id") for event in events} == {"notes", "crm", None}
    assert "tea" not in repr(events)


def test_an_unknown_key_is_turned_away(url):
    with (
        get_sync_client(url=url, api_key="key-of-nobody") as stranger,
        pytest.raises(Exception, match="401"),
    ):
        stranger.runs.wait(None, "memory", input=QUESTION)
