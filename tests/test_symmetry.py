"""Every door gives the same items in the same order with the same reports."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from praxa_langgraph import (
    FederatedRetriever,
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallResult,
    SourceFailure,
    create_recall_graph,
)
from praxa_langgraph.models import RECORD_KINDS, Rejection
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")
QUERY = "what is remembered?"
TEXTS = ["Prefers tea", " prefers  tea", "Prefers\u00a0tea", "Lives in Lisbon", "ﬁne", "fine", ""]

records = st.builds(
    MemoryRecord,
    record_id=st.sampled_from(["1", "2", "3", "a:b", "\n"]),
    kind=st.sampled_from([*RECORD_KINDS[:2], "checkpoint"]),
    text=st.sampled_from(TEXTS),
    score=st.sampled_from([None, 0.5, float("nan")]),
    metadata=st.sampled_from([None, {"topic": "drinks", "none": None}, {"bad": object()}]),
)
answers = st.lists(
    records | st.just(Rejection(record_id="9", code="foreign_scope", message="user_id differs")),
    max_size=4,
)
failures = st.sampled_from(
    [ConnectionError("no route"), TimeoutError(), SourceFailure("source_unauthorized", "no key")]
)
scripts = st.lists(st.tuples(answers | failures, st.booleans()), min_size=1, max_size=5)


def federation(script):
    sources = [
        ScriptedSource(step, id=f"source-{index}", asynchronous=asynchronous)
        for index, (step, asynchronous) in enumerate(script)
    ]
    return MemoryFederation(sources)


def projected(result):
    """Everything but when it happened."""
    wire = result if isinstance(result, dict) else result.to_wire()
    for match in (match for item in wire["items"] for match in item["matches"]):
        del match["provenance"]["retrievedAt"], match["provenance"]["capturedAt"]
    for report in wire["sources"]:
        del report["durationMs"]
    del wire["startedAt"], wire["completedAt"]
    return wire


def through_graph(script):
    graph = create_recall_graph(federation(script), namespace=ADA, limit=3)
    return graph, {"query": QUERY}


@settings(max_examples=60, deadline=None)
@given(script=scripts)
def test_recall_arecall_and_graph_agree(script):
    expected = projected(federation(script).recall(QUERY, namespace=ADA, limit=3))

    asynchronous = asyncio.run(federation(script).arecall(QUERY, namespace=ADA, limit=3))
    graph, state = through_graph(script)
    of_graph = graph.invoke(state)["recall"]
    graph, state = through_graph(script)
    of_async_graph = asyncio.run(graph.ainvoke(state))["recall"]

    assert projected(asynchronous) == expected
    assert projected(of_graph) == expected
    assert projected(of_async_graph) == expected


@settings(max_examples=60, deadline=None)
@given(script=scripts)
def test_the_retriever_returns_the_items_of_the_recall(script):
    result = federation(script).recall(QUERY, namespace=ADA, limit=3)

    retriever = FederatedRetriever(
        federation=federation(script), namespace=ADA, k=3, on_failure="empty"
    )
    documents = retriever.invoke(QUERY)
    retriever = FederatedRetriever(
        federation=federation(script), namespace=ADA, k=3, on_failure="empty"
    )
    awaited = asyncio.run(retriever.ainvoke(QUERY))

    expected = [(i.id, i.text, i.kind, i.ranking.score, i.ranking.rank) for i in result.items]
    for answer in (documents, awaited):
        shown = [
            (d.id, d.page_content, d.metadata["kind"], d.metadata["score"], d.metadata["rank"])
            for d in answer
        ]
        assert shown == expected


@settings(max_examples=60, deadline=None)
@given(script=scripts)
def test_every_record_of_every_source_is_accounted_for(script):
    result = federation(script).recall(QUERY, namespace=ADA, limit=500)

    matched = [match for item in result.items for match in item.matches]
    for (step, _), report in zip(script, result.sources, strict=True):
        given_count = 0 if isinstance(step, Exception) else len(step)
        own = [match for match in matched if match.source_id == report.source_id]
        assert len(own) == report.item_count
        assert report.item_count + report.duplicate_count + report.rejected_count == given_count
    grouped = result.deduplication.collapsed_count
    assert len(matched) == len(result.items) + grouped


@pytest.mark.parametrize("limit", [1, 2, 3])
@settings(max_examples=30, deadline=None)
@given(script=scripts)
def test_a_smaller_limit_returns_the_first_items_and_the_same_reports(script, limit):
    everything = projected(federation(script).recall(QUERY, namespace=ADA, limit=500))
    few = projected(federation(script).recall(QUERY, namespace=ADA, limit=limit))

    assert few["items"] == everything["items"][:limit]
    assert few["sources"] == everything["sources"]
    assert few["status"] == everything["status"]


def test_the_graph_returns_what_the_model_reads_back():
    graph, state = through_graph([([MemoryRecord(record_id="1", kind="fact", text="tea")], False)])

    result = RecallResult.model_validate(graph.invoke(state)["recall"])

    assert [item.text for item in result.items] == ["tea"]
