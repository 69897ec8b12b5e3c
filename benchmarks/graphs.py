"""The recall graph with async sources, beside a hand-written graph of the same shape."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from langgraph.channels import Topic
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from benchmarks.measuring import medians, report
from praxa_langgraph import (
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    SourceRequest,
    create_recall_graph,
)

SOURCES = 6
RECORDS = 10
ADA = {"tenant_id": "acme", "subject_id": "ada"}


class HandWrittenState(TypedDict, total=False):
    """What a hand-written fan-out needs."""

    query: str
    hits: Annotated[list[Any], Topic(Any)]
    recall: dict[str, Any]


def run() -> None:
    """Measure and print."""
    sources = [FunctionSource(aread, id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)]
    federation = MemoryFederation(sources)
    ours, empty = create_recall_graph(federation), hand_written()
    with asyncio.Runner() as runner:
        measured = medians(
            {
                "hand-written graph, empty nodes, ainvoke": lambda: runner.run(
                    empty.ainvoke({"query": "q"}, context=ADA)
                ),
                "praxa graph, ainvoke": lambda: runner.run(
                    ours.ainvoke({"query": "q"}, context=ADA)
                ),
            },
            rounds=60,
        )
    report(
        f"A graph over {SOURCES} async sources that answer at once",
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


async def aread(request: SourceRequest) -> list[MemoryRecord]:
    """Answer at once."""
    return [
        MemoryRecord(record_id=str(i), kind="fact", text=f"{request.query} {i}")
        for i in range(RECORDS)
    ]


async def _prepare(_: HandWrittenState) -> dict[str, Any]:
    return {}


async def _nothing(_: HandWrittenState) -> dict[str, Any]:
    return {"hits": []}


async def _fuse(_: HandWrittenState) -> dict[str, Any]:
    return {"recall": {}}
