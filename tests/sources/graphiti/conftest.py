"""A real Graphiti on embedded Kuzu, filled without a model: two tenants times two subjects."""

import warnings
from datetime import UTC, datetime

import pytest

from fakes.embeddings import WordEmbeddings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it still defines its models the way of pydantic 1
    import graphiti_core  # noqa: F401

import kuzu
from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.nodes import (
    CommunityNode,
    EntityNode,
    EpisodeType,
    EpisodicNode,
)

from praxa_langgraph import Namespace

ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
OTHERS = (("acme", "bob"), ("globex", "ada"), ("globex", "bob"))
NOTED = datetime(2026, 1, 5, tzinfo=UTC)
MOVED = datetime(2026, 1, 1, tzinfo=UTC)
ARRIVED = datetime(2024, 3, 1, tzinfo=UTC)


class LocalEmbedder(EmbedderClient):
    """Words to vectors, without a network."""

    async def create(self, input_data):
        text = input_data if isinstance(input_data, str) else " ".join(map(str, input_data))
        return WordEmbeddings().embed_query(text)

    async def create_batch(self, input_data_list):
        return WordEmbeddings().embed_documents(input_data_list)


class NoModel(LLMClient):
    """A read calls no model."""

    def __init__(self):
        super().__init__(LLMConfig(api_key="none", model="none"))

    async def _generate_response(self, *args, **kwargs):
        raise AssertionError("a read called a model")


class NoRanker(CrossEncoderClient):
    """A read ranks by reciprocal ranks alone: a cross-encoder drops facts of equal text."""

    async def rank(self, query, passages):
        raise AssertionError("a read called a cross-encoder")


def group_id(who):
    return f"{who.tenant_id}-{who.subject_id}"


def open_graphiti():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Graphiti announces Kuzu's end
        driver = KuzuDriver(db=":memory:")
    return Graphiti(
        graph_driver=driver,
        llm_client=NoModel(),
        embedder=LocalEmbedder(),
        cross_encoder=NoRanker(),
    )


def create_indexes(graphiti):
    """Kuzu's driver leaves this to its user."""
    connection = kuzu.Connection(graphiti.driver.db)
    for statement in get_fulltext_indices(graphiti.driver.provider):
        connection.execute(statement)


def edge(uuid, source, target, fact, *, group="acme-ada", **fields):
    return EntityEdge(
        uuid=uuid,
        source_node_uuid=source.uuid,
        target_node_uuid=target.uuid,
        name="LIVES_IN",
        fact=fact,
        group_id=group,
        created_at=NOTED,
        **fields,
    )


async def seed(graphiti):
    driver, embedder = graphiti.driver, graphiti.embedder

    def entity(uuid, name, summary, group="acme-ada", **fields):
        return EntityNode(
            uuid=uuid, name=name, group_id=group, summary=summary, created_at=NOTED, **fields
        )

    ada = entity("n-ada", "Ada", "lives in Lisbon", attributes={"role": "engineer"})
    berlin = entity("n-ber", "Berlin", "")
    lisbon = entity("n-lis", "Lisbon", "a city where Ada lives")
    nodes = [ada, berlin, lisbon]
    edges = [
        edge(
            "e-ber",
            ada,
            berlin,
            "Ada lives in Berlin",
            valid_at=ARRIVED,
            invalid_at=MOVED,
            expired_at=NOTED,
            reference_time=ARRIVED,
            episodes=["ep-1"],
        ),
        edge(
            "e-lis",
            ada,
            lisbon,
            "Ada lives in Lisbon",
            valid_at=MOVED,
            episodes=["ep-2"],
            attributes={"confidence": 0.9},
        ),
    ]
    episodes = [
        episode("ep-1", "Ada: I live in Berlin", ARRIVED, ["e-ber"]),
        episode("ep-2", "Ada: I live in Lisbon now", MOVED, ["e-lis"]),
    ]
    for tenant, subject in OTHERS:
        group = f"{tenant}-{subject}"
        one = entity(f"n1-{group}", f"One of {group}", "lives", group)
        two = entity(f"n2-{group}", f"Two of {group}", "", group)
        nodes += [one, two]
        edges += [
            edge(f"e1-{group}", one, two, f"One of {group} lives in Paris", group=group),
            edge(f"e2-{group}", two, one, f"Two of {group} lives in Rome", group=group),
        ]
    community = CommunityNode(
        uuid="c-1",
        name="Where Ada lives",
        group_id="acme-ada",
        summary="abroad",
        created_at=NOTED,
    )
    for node in (*nodes, community):
        await node.generate_name_embedding(embedder)
        await node.save(driver)
    for saved in episodes:
        await saved.save(driver)
    for saved in edges:
        await saved.generate_embedding(embedder)
        await saved.save(driver)


def episode(uuid, content, valid_at, edges):
    return EpisodicNode(
        uuid=uuid,
        name=uuid,
        group_id="acme-ada",
        source=EpisodeType.message,
        source_description="chat",
        content=content,
        valid_at=valid_at,
        created_at=valid_at,
        entity_edges=edges,
    )


@pytest.fixture
async def graphiti():
    graphiti = open_graphiti()
    create_indexes(graphiti)
    await seed(graphiti)
    yield graphiti
    await graphiti.close()


@pytest.fixture
async def unindexed_graphiti():
    graphiti = open_graphiti()
    await seed(graphiti)
    yield graphiti
    await graphiti.close()
