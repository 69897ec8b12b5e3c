"""Fusing 32 sources of 100 records in memory, beside LangChain's EnsembleRetriever."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from benchmarks.measuring import medians, report
from praxa_langgraph.bounds.records import check_answer
from praxa_langgraph.bounds.requests import RecallRequest, check_request
from praxa_langgraph.bounds.text import normalize_text
from praxa_langgraph.models import RANK_CONSTANT, MemoryRecord, Namespace, RecallResult
from praxa_langgraph.reports import complete, outcome_of
from praxa_langgraph.runner import Outcome

SOURCES = 32
RECORDS = 100
DUPLICATES = 0.3
NON_ASCII = 0.25
WORDS = (
    *("order", "refund", "Lisbon", "invoice", "tea", "courier"),
    *("blue", "ticket", "prefers", "delivery", "Monday", "parcel"),
)
ACCENTED = ("café", "Zürich", "naïve", "½ cup", "日本語", "Ångström")

Row = dict[str, Any]


def rows() -> list[list[Row]]:
    """Return what 32 sources hold: 30 % of the texts are known, a quarter is not ASCII."""
    chance = random.Random(7)  # noqa: S311 # a benchmark
    known = [_text(chance, index) for index in range(400)]
    return [
        [
            {
                "id": f"{source}-{rank}",
                "text": chance.choice(known)
                if chance.random() < DUPLICATES
                else _text(chance, 1000 + source * RECORDS + rank),
                "score": 1 - rank / RECORDS,
                "created_at": datetime(2026, 1, 1, tzinfo=UTC),
                "metadata": {"ticket": f"T-{rank}", "tags": ["a", "b"], "author": "support"},
            }
            for rank in range(RECORDS)
        ]
        for source in range(SOURCES)
    ]


def run() -> None:
    """Measure and print."""
    data = rows()
    documents = [[_document(row) for row in source] for source in data]
    records = [[_record(row) for row in source] for source in data]
    measured = medians(
        {
            "EnsembleRetriever.invoke, from rows": lambda: ensemble_from_rows(data),
            "EnsembleRetriever.invoke, documents ready": lambda: ensemble(documents),
            "weighted_reciprocal_rank alone, documents ready": lambda: ranked_only(documents),
            "praxa limit=10, from rows": lambda: praxa_from_rows(data, 10),
            "praxa limit=500, from rows": lambda: praxa_from_rows(data, 500),
            "praxa limit=10, records ready": lambda: praxa(records, 10),
            "praxa limit=500, records ready": lambda: praxa(records, 500),
            "floor (normalise, group, rank; nothing checked or kept)": lambda: floor(data),
        },
        rounds=15,
    )
    rows_peer = "EnsembleRetriever.invoke, from rows"
    ready_peer = "EnsembleRetriever.invoke, documents ready"
    report(
        f"Fusing {SOURCES} x {RECORDS} records in memory",
        measured,
        {
            "limit=10 / Ensemble, both from rows (at most 0.9)": (
                "praxa limit=10, from rows",
                rows_peer,
            ),
            "limit=500 / Ensemble, both from rows (at most 2)": (
                "praxa limit=500, from rows",
                rows_peer,
            ),
            "limit=10 / Ensemble, both prepared": ("praxa limit=10, records ready", ready_peer),
            "limit=500 / Ensemble, both prepared": ("praxa limit=500, records ready", ready_peer),
            "limit=10 / floor": (
                "praxa limit=10, records ready",
                "floor (normalise, group, rank; nothing checked or kept)",
            ),
        },
    )


class ListRetriever(BaseRetriever):
    """Returns documents it already has."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    documents: Sequence[Any]

    def _get_relevant_documents(
        self,
        query: str,  # noqa: ARG002 # the retriever's signature
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return list(self.documents)


class RowRetriever(ListRetriever):
    """Makes documents of rows, as a store's retriever does."""

    def _get_relevant_documents(
        self,
        query: str,  # noqa: ARG002
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        return [_document(row) for row in self.documents]


def ensemble_from_rows(data: list[list[Row]]) -> list[Document]:
    """Fuse with EnsembleRetriever, from rows."""
    return EnsembleRetriever(retrievers=[RowRetriever(documents=d) for d in data]).invoke("q")


def ensemble(documents: list[list[Document]]) -> list[Document]:
    """Fuse with EnsembleRetriever, documents ready."""
    return EnsembleRetriever(retrievers=[ListRetriever(documents=d) for d in documents]).invoke("q")


def ranked_only(documents: list[list[Document]]) -> list[Document]:
    """Fuse with EnsembleRetriever's own function, without its retrievers."""
    retriever = EnsembleRetriever(retrievers=[ListRetriever(documents=d) for d in documents])
    return retriever.weighted_reciprocal_rank(documents)


def praxa_from_rows(data: list[list[Row]], limit: int) -> RecallResult:
    """Check and fuse, from rows."""
    return praxa([[_record(row) for row in source] for source in data], limit)


def praxa(records: list[list[MemoryRecord]], limit: int) -> RecallResult:
    """Check and fuse what a recall's sources returned."""
    request: RecallRequest = check_request(
        "q", namespace=Namespace(tenant_id="acme", subject_id="ada"), limit=limit
    )
    outcomes = [
        outcome_of(
            Outcome(
                value=check_answer(answer, kinds=None, max_results=RECORDS),
            ),
            index=index,
            source_id=f"source-{index}",
            provider="custom",
            mode="semantic",
            weight=1.0,
        )
        for index, answer in enumerate(records)
    ]
    return complete(outcomes, request, started_at=datetime.now(UTC))


def floor(data: list[list[Row]]) -> list[tuple[str, float]]:
    """The least any fusion with this grouping rule has to do."""
    scores: dict[str, float] = {}
    for source in data:
        for rank, row in enumerate(source, start=1):
            key = normalize_text(row["text"])
            scores[key] = scores.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))


def _text(chance: random.Random, number: int) -> str:
    words = chance.choices(WORDS, k=20)
    if chance.random() < NON_ASCII:
        words[3] = chance.choice(ACCENTED)
    return f"{' '.join(words)} {number}"


def _document(row: Row) -> Document:
    return Document(
        id=row["id"],
        page_content=row["text"],
        metadata={"score": row["score"], "created_at": row["created_at"], **row["metadata"]},
    )


def _record(row: Row) -> MemoryRecord:
    return MemoryRecord(
        record_id=row["id"],
        kind="fact",
        text=row["text"],
        score=row["score"],
        created_at=row["created_at"],
        metadata=row["metadata"],
    )
