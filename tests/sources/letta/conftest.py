"""A Letta server on loopback that replays rows recorded from the real 0.16.8, in both orders."""

import json
import re
from itertools import groupby
from pathlib import Path

import pytest
from letta_client import AsyncLetta, Letta

from praxa_langgraph import LettaSource, MemoryFederation, Namespace
from servers.loopback import Reply, serve

RECORDED = Path(__file__).with_name("recorded")
ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
PEOPLE = (("acme", "ada"), ("acme", "bob"), ("globex", "ada"), ("globex", "bob"))
AGENTS = {
    person: f"agent-00000000-0000-4000-8000-00000000000{number}"
    for number, person in enumerate(PEOPLE)
}
NOBODY = "agent-00000000-0000-4000-8000-00000000000f"
RECORDED_AGENT = "agent-00000000-0000-4000-8000-0000000000aa"
PATH = re.compile(r"/v1/agents/([^/]+)/(messages|core-memory/blocks)")


def recorded(name):
    return json.loads((RECORDED / f"{name}.json").read_text("utf-8"))


def block(number, value, **fields):
    return {"id": f"block-{number}", "label": "human", "value": value, "limit": 2000, **fields}


def message(number, text, kind="user_message", **fields):
    row = {
        "id": f"message-{number}",
        "date": f"2026-11-30T12:00:{number:02}+00:00",
        "message_type": kind,
        "content": text,
    }
    return {**row, **fields}


def agent_id(who):
    return AGENTS.get((who.tenant_id, who.subject_id), NOBODY)


class LettaServer:
    """What the agents hold. `order` is `oss` (oldest first) or `cloud` (newest first)."""

    def __init__(self):
        self.order = "oss"
        self.failures = {}
        self.blocks = {NOBODY: [], RECORDED_AGENT: recorded("blocks_list")}
        self.messages = {NOBODY: [], RECORDED_AGENT: recorded("messages_order_asc_limit_100")}
        for (tenant, subject), agent in AGENTS.items():
            self.blocks[agent] = [block(1, f"{tenant} {subject} prefers tea")]
            self.messages[agent] = [message(1, f"{tenant} {subject} said hello")]

    def __call__(self, request):
        found = PATH.fullmatch(request.path)
        if found is None:
            return Reply(404, {"detail": "Not Found"})
        agent, part = found.groups()
        part = "messages" if part == "messages" else "blocks"
        if part in self.failures:
            return self.failures[part]
        if agent not in self.blocks:
            return Reply(404, {"detail": f"Agent not found: {agent}"})
        return Reply(200, self._page(agent, part, request.query))

    def _page(self, agent, part, query):
        if part == "blocks":
            return self.blocks[agent]
        stored = [list(rows) for _, rows in groupby(self.messages[agent], lambda row: row["id"])]
        limit = int(query["limit"][0])
        newest = [row for rows in stored[-limit:] for row in rows]
        return newest if self.order == "oss" else newest[::-1]


@pytest.fixture(params=["oss", "cloud"])
def letta(request):
    """The server in each of the two orders."""
    holds = LettaServer()
    holds.order = request.param
    with serve(holds) as server:
        server.holds = holds
        yield server


def recall(server, *, namespace=ADA, identity=agent_id, source=(), **options):
    with Letta(base_url=server.url, api_key="unused", timeout=5) as client:
        federation = MemoryFederation([LettaSource(client, identity=identity, **dict(source))])
        return federation.recall("tea", namespace=namespace, **options)


async def arecall(server, *, namespace=ADA, identity=agent_id, source=(), **options):
    async with AsyncLetta(base_url=server.url, api_key="unused", timeout=5) as client:
        federation = MemoryFederation([LettaSource(client, identity=identity, **dict(source))])
        return await federation.arecall("tea", namespace=namespace, **options)


def recall_recorded(server, **options):
    return recall(server, identity=lambda _: RECORDED_AGENT, limit=50, **options)
