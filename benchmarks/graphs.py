"""The recall graph with async sources, beside a hand-written graph of the same shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from langgraph.channels import Topic
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from benchmarks.measuring import medians, report
from benchmarks.memories import RECORDS, SOURCES, records_of
from praxa_langgraph import (
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    SourceRequest,
    create_recall_graph,
)

ADA = {"tenant_id": "acme", "subject_id": "ada"}


class HandWrittenState(TypedDict, total=False):
    """What a hand-written fan-out needs."""

    query: str
    hits: Annotated[list[Any], Topic(Any)]
    recall: dict[str, Any]


def run() -> None:
    """Measure and print."""
    sources = [
        FunctionSource(answering(i), id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)
    ]
    federation = MemoryFederation(sources)
    ours, empty = create_recall_graph(federation), hand_written()
    measured = medians(
        {
            "hand-written graph, empty nodes, ainvoke": lambda: empty.ainvoke(
                {"query": "q"}, context=ADA
            ),
            "praxa graph, ainvoke": lambda: ours.ainvoke({"query": "q"}, context=ADA),
        },
        rounds=100,
    )
    report(
        f"A graph over {SOURCES} async sources that answer {RECORDS} records at once",
        measured,
        {
            "praxa graph / hand-written (at most 1.5)": (
                "praxa graph, ainvoke",
                "hand-written graph, empty nodes, ainvoke",
            )
        },
    )


def hand_written() -> Any:
    """Prepare, six empty nodes and a fuse node, as plain async functions."""
    builder = StateGraph(HandWrittenState)
    builder.add_node("prepare", _prepare)
    builder.add_node("fuse", _fuse)
    builder.add_edge(START, "prepare")
    builder.add_edge("fuse", END)
    for index in range(SOURCES):
        builder.add_node(f"source-{index}", _nothing)
        builder.add_edge("prepare", f"source-{index}")
        builder.add_edge(f"source-{index}", "fuse")
    return builder.compile()


def answering(source: int) -> Callable[[SourceRequest], Awaitable[list[MemoryRecord]]]:
    """Return an async function that answers at once."""
    records = records_of(source)

    async def aread(_: SourceRequest) -> list[MemoryRecord]:
        return records

    return aread


async def _prepare(_: HandWrittenState) -> dict[str, Any]:
    return {}


async def _nothing(_: HandWrittenState) -> dict[str, Any]:
    return {"hits": []}


async def _fuse(_: HandWrittenState) -> dict[str, Any]:
    return {"recall": {}}
