"""A recall over 6 sources of 10 records that take 20 ms each, beside EnsembleRetriever."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from benchmarks.measuring import medians, report
from benchmarks.memories import SOURCES, records_of, texts_of
from praxa_langgraph import (
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallResult,
    SourceRequest,
)

SECONDS = 0.020
ADA = Namespace(tenant_id="acme", subject_id="ada")


def run() -> None:
    """Measure and print."""
    federation = MemoryFederation(
        [FunctionSource(reading(i), id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)]
    )
    asynchronous = MemoryFederation(
        [FunctionSource(areading(i), id=f"source-{i}", kinds=("fact",)) for i in range(SOURCES)]
    )
    ensemble = EnsembleRetriever(
        retrievers=[SlowRetriever(documents=documents_of(i)) for i in range(SOURCES)]
    )
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
        print(f"  {door}: {above:.2f} ms above a source alone")
    own = asyncio.run(above_the_slowest(federation, asynchronous))
    for door, above in own.items():
        print(f"  {door}: {above:.2f} ms above the slowest source of the recall (at most 2)")


async def above_the_slowest(
    sync: MemoryFederation, asynchronous: MemoryFederation
) -> dict[str, float]:
    """Return the median of what a recall takes beyond its own slowest source, as reported."""
    taken: dict[str, list[float]] = {"recall": [], "arecall": []}
    for _ in range(25):
        started = time.perf_counter()
        result = sync.recall("q", namespace=ADA)
        taken["recall"].append(_beyond(result, started))
        started = time.perf_counter()
        result = await asynchronous.arecall("q", namespace=ADA)
        taken["arecall"].append(_beyond(result, started))
    return {door: statistics.median(values) for door, values in taken.items()}


def _beyond(result: RecallResult, started: float) -> float:
    elapsed = (time.perf_counter() - started) * 1000
    return elapsed - max(report.duration_ms for report in result.sources)


class SlowRetriever(BaseRetriever):
    """Takes 20 ms and returns ten documents."""

    documents: list[Document]

    def _get_relevant_documents(
        self,
        query: str,  # noqa: ARG002 # the retriever's signature
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        time.sleep(SECONDS)
        return self.documents

    async def _aget_relevant_documents(
        self,
        query: str,  # noqa: ARG002
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        await asyncio.sleep(SECONDS)
        return self.documents


def reading(source: int) -> Callable[[SourceRequest], list[MemoryRecord]]:
    """Return a function that answers after 20 ms."""
    records = records_of(source)

    def read(_: SourceRequest) -> list[MemoryRecord]:
        time.sleep(SECONDS)
        return records

    return read


def areading(source: int) -> Callable[[SourceRequest], Awaitable[list[MemoryRecord]]]:
    """Return the same, awaited."""
    records = records_of(source)

    async def aread(_: SourceRequest) -> list[MemoryRecord]:
        await asyncio.sleep(SECONDS)
        return records

    return aread


def documents_of(source: int) -> list[Document]:
    """Return what a source holds as documents."""
    return [Document(id=text, page_content=text) for text in texts_of(source)]
