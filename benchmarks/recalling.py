"""A recall over 6 sources of 10 records that take 20 ms each, beside EnsembleRetriever."""

from __future__ import annotations

import asyncio
import time

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from benchmarks.measuring import medians, report
from praxa_langgraph import FunctionSource, MemoryFederation, MemoryRecord, Namespace, SourceRequest

SOURCES = 6
RECORDS = 10
SECONDS = 0.020
ADA = Namespace(tenant_id="acme", subject_id="ada")


def run() -> None:
    """Measure and print."""
    federation = MemoryFederation(
        [FunctionSource(read, id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)]
    )
    asynchronous = MemoryFederation(
        [FunctionSource(aread, id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)]
    )
    ensemble = EnsembleRetriever(retrievers=[SlowRetriever() for _ in range(SOURCES)])
    measured = medians(
        {
            "one sync source alone": lambda: time.sleep(SECONDS),
            "praxa recall, sync clients": lambda: federation.recall("q", namespace=ADA),
            "EnsembleRetriever.invoke": lambda: ensemble.invoke("q"),
            "one async source alone": lambda: asyncio.sleep(SECONDS),
            "praxa arecall, async clients": lambda: asynchronous.arecall("q", namespace=ADA),
            "EnsembleRetriever.ainvoke": lambda: ensemble.ainvoke("q"),
        },
        rounds=25,
    )
    report(
        f"Recalling from {SOURCES} sources that take {SECONDS * 1000:.0f} ms each",
        measured,
        {
            "sync praxa / slowest source": ("praxa recall, sync clients", "one sync source alone"),
            "sync Ensemble / slowest source": ("EnsembleRetriever.invoke", "one sync source alone"),
            "async praxa / slowest source": (
                "praxa arecall, async clients",
                "one async source alone",
            ),
        },
    )
    for door, alone in (
        ("praxa recall, sync clients", "one sync source alone"),
        ("praxa arecall, async clients", "one async source alone"),
    ):
        above = measured[door] - measured[alone]
        print(f"  {door}: {above:.2f} ms above the slowest source (at most 2)")


class SlowRetriever(BaseRetriever):
    """Takes 20 ms and returns ten documents."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        time.sleep(SECONDS)
        return [Document(id=str(i), page_content=f"{query} {i}") for i in range(RECORDS)]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        await asyncio.sleep(SECONDS)
        return [Document(id=str(i), page_content=f"{query} {i}") for i in range(RECORDS)]


def read(request: SourceRequest) -> list[MemoryRecord]:
    """Answer after 20 ms."""
    time.sleep(SECONDS)
    return _records(request)


async def aread(request: SourceRequest) -> list[MemoryRecord]:
    """Answer after 20 ms, awaited."""
    await asyncio.sleep(SECONDS)
    return _records(request)


def _records(request: SourceRequest) -> list[MemoryRecord]:
    return [
        MemoryRecord(record_id=str(i), kind="fact", text=f"{request.query} {i}")
        for i in range(RECORDS)
    ]
