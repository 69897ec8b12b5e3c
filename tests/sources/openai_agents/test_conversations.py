"""OpenAIConversationsSession with the real OpenAI client, met over HTTP on loopback."""

import pytest
from openai import AsyncOpenAI

from agents import OpenAIConversationsSession
from praxa_langgraph import MemoryFederation, Namespace, OpenAIAgentsSource
from servers.loopback import Reply, serve

ADA = Namespace(tenant_id="acme", subject_id="ada")


def message(number, role, text):
    kind = "input_text" if role == "user" else "output_text"
    part = {"type": kind, "text": text}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": role,
        "status": "completed",
        "content": [part if role == "user" else {**part, "annotations": [], "logprobs": []}],
    }


NEWEST_FIRST = [message(2, "assistant", "Noted: tea"), message(1, "user", "I drink tea")]
PAGE = {
    "object": "list",
    "data": NEWEST_FIRST,
    "has_more": False,
    "first_id": "msg_2",
    "last_id": "msg_1",
}


async def arecall(server, conversation_id):
    client = AsyncOpenAI(api_key="unused", base_url=server.url, max_retries=0, timeout=3)
    session = OpenAIConversationsSession(conversation_id=conversation_id, openai_client=client)
    source = OpenAIAgentsSource(session, identity=lambda who: f"conv_{who.subject_id}")
    try:
        return await MemoryFederation([source]).arecall("tea", namespace=ADA)
    finally:
        await client.close()


async def test_a_conversation_is_read_newest_first_by_one_get():
    with serve(lambda _: Reply(body=PAGE)) as server:
        result = await arecall(server, "conv_ada")

    assert [item.text for item in result.items] == ["Noted: tea", "I drink tea"]
    assert [(r.method, r.path) for r in server.requests] == [
        ("GET", "/conversations/conv_ada/items")
    ]


async def test_a_session_without_a_conversation_sends_nothing():
    with serve(lambda _: Reply(body={"id": "conv_new", "object": "conversation"})) as server:
        [report] = (await arecall(server, None)).sources

    assert report.error.code == "source_misconfigured"
    assert server.requests == []


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Reply(401, {"error": {"message": "key sk-secret"}}), "error", "source_unauthorized"),
        (Reply(404, {"error": {"message": "none"}}), "error", "source_not_found"),
        (Reply(429, {}, {"retry-after": "3"}), "unavailable", "source_rate_limited"),
        (Reply(500, {}), "error", "source_error"),
        (Reply(503, {}), "unavailable", "source_unavailable"),
        (Reply(504, {}), "timed_out", "source_timed_out"),
    ],
)
async def test_a_failure_becomes_its_status_and_code(reply, status, code):
    with serve(lambda _: reply) as server:
        [report] = (await arecall(server, "conv_ada")).sources

    assert (report.status, report.error.code) == (status, code)
    assert "sk-secret" not in report.error.message
