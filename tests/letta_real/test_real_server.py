"""LettaSource against a real Letta server: `make test-letta` installs, starts and stops it."""

import os
import socket
import subprocess
from pathlib import Path

import pytest
from letta_client import AsyncLetta, Letta

from praxa_langgraph import LettaSource, MemoryFederation, Namespace
from praxa_langgraph.testing import SeededSource, SourceConformance

START = Path(__file__).with_name("start_server.sh")
FOLDER = Path(os.environ.get("PRAXA_REAL_LETTA", ".letta"))
PEOPLE = {
    ("acme", "ada"): ("Name: Ada. Lives in Oslo.", "I prefer tea over coffee."),
    ("acme", "bob"): ("Name: Bob.", "I hate tea."),
    ("globex", "ada"): ("Name: the other Ada.", "I sell tea."),
    ("globex", "bob"): ("Name: the other Bob.", "Tea at five."),
}
ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
NOWHERE = "http://127.0.0.1:9/v1"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def create_agent(client, name, block, said):
    """No model is called: the messages are the agent's initial ones."""
    sequence = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
    return client.agents.create(
        name=name,
        agent_type="letta_v1_agent",
        include_base_tools=False,
        llm_config={
            "model": "none",
            "model_endpoint_type": "openai",
            "model_endpoint": NOWHERE,
            "context_window": 8000,
        },
        embedding_config={
            "embedding_model": "none",
            "embedding_endpoint_type": "openai",
            "embedding_endpoint": NOWHERE,
            "embedding_dim": 64,
            "embedding_chunk_size": 300,
        },
        memory_blocks=[{"label": "human", "value": block}] if block else [],
        initial_message_sequence=sequence if said else [],
    ).id


@pytest.fixture(scope="module")
def url():
    port, postgres_port = free_port(), free_port()
    command = [str(START), str(FOLDER)]
    subprocess.run([*command, str(port), str(postgres_port)], check=True)  # noqa: S603 # our own
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        subprocess.run([*command, "stop"], check=True)  # noqa: S603 # our own


@pytest.fixture(scope="module")
def agents(url):
    with Letta(base_url=url, api_key="unused") as client:
        found = {
            person: create_agent(client, "-".join(person), *texts)
            for person, texts in PEOPLE.items()
        }
        found["nobody"] = create_agent(client, "nobody", "", "")
        yield found
        for agent in found.values():
            client.agents.delete(agent)


@pytest.fixture
def identity(agents):
    return lambda who: agents.get((who.tenant_id, who.subject_id), agents["nobody"])


class TestRealServer(SourceConformance):
    @pytest.fixture
    def seeded(self, url, identity):
        with Letta(base_url=url, api_key="unused") as client:
            yield SeededSource(
                source=LettaSource(client, identity=identity),
                namespace=ADA,
                query="tea",
                texts=frozenset({*PEOPLE["acme", "ada"], "Noted."}),
                other_namespace=BOB,
                other_texts=frozenset({*PEOPLE["globex", "bob"], "Noted."}),
            )


@pytest.mark.parametrize("person", list(PEOPLE))
async def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(url, identity, person):
    tenant, subject = person
    who = Namespace(tenant_id=tenant, subject_id=subject)

    async with AsyncLetta(base_url=url, api_key="unused") as client:
        source = LettaSource(client, identity=identity)
        result = await MemoryFederation([source]).arecall("tea", namespace=who)

    assert {item.text for item in result.items} == {*PEOPLE[person], "Noted."}


def test_blocks_and_messages_are_different_kinds_and_the_system_prompt_is_neither(url, identity):
    with Letta(base_url=url, api_key="unused") as client:
        result = MemoryFederation([LettaSource(client, identity=identity)]).recall(
            "tea", namespace=ADA
        )

    kinds = {item.text: item.kind for item in result.items}
    assert kinds == {
        "Name: Ada. Lives in Oslo.": "pinned_context",
        "I prefer tea over coffee.": "message",
        "Noted.": "message",
    }


def test_an_agent_that_does_not_exist_is_not_found(url):
    missing = "agent-00000000-0000-4000-8000-000000000000"
    with Letta(base_url=url, api_key="unused") as client:
        source = LettaSource(client, identity=lambda _: missing)
        [report] = MemoryFederation([source]).recall("tea", namespace=ADA).sources

    assert report.error.code == "source_not_found"
    assert missing not in report.error.message
