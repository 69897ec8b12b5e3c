"""How each source answered, and the result that follows from all of them: pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from praxa_langgraph.bounds.matches import MatchOrigin
from praxa_langgraph.bounds.records import CheckedAnswer
from praxa_langgraph.bounds.requests import RecallRequest
from praxa_langgraph.fusion import RankedAnswer, fuse
from praxa_langgraph.models import (
    Deduplication,
    Provider,
    RecallResult,
    RetrievalMode,
    SourceError,
    SourceReport,
    aggregate_status,
)
from praxa_langgraph.runner import Outcome
from praxa_langgraph.sources.base import status_of, to_source_error


class SourceOutcome:
    """A source's report, and the answer it contributes.

    No dataclass, because tracers write dataclasses out whole, and this one holds raw hits.
    """

    __slots__ = ("answer", "index", "report", "retrieved_at", "weight")

    def __init__(
        self,
        *,
        index: int,
        report: SourceReport,
        answer: CheckedAnswer,
        weight: float,
        retrieved_at: datetime,
    ) -> None:
        """Keep the answer and the source's place in the federation."""
        self.index = index
        self.report = report
        self.answer = answer
        self.weight = weight
        self.retrieved_at = retrieved_at

    def __repr__(self) -> str:
        """Return what may be shown: the source, its status and how many records it gave."""
        report = self.report
        return f"<{report.source_id}: {report.status}, {report.item_count} records>"


def outcome_of(
    outcome: Outcome[CheckedAnswer],
    *,
    index: int,
    source_id: str,
    provider: Provider,
    mode: RetrievalMode,
    weight: float,
) -> SourceOutcome:
    """Turn how a call ended into a report; a source whose records were all refused has failed."""
    answer = outcome.value or CheckedAnswer()
    error = _error_of(outcome, answer)
    report = SourceReport(
        source_id=source_id,
        provider=provider,
        status="ok" if error is None else status_of(error.code),
        retrieval_mode=mode,
        duration_ms=round(outcome.duration_ms, 3),
        item_count=len(answer.records),
        duplicate_count=answer.duplicate_count,
        truncated=answer.truncated,
        filtered_count=answer.filtered_count,
        not_current_count=answer.not_current_count,
        rejected_count=answer.rejected_count,
        rejections=tuple(answer.rejections),
        error=error,
    )
    return SourceOutcome(
        index=index,
        report=report,
        answer=answer,
        weight=weight,
        retrieved_at=datetime.now(UTC),
    )


def complete(
    outcomes: Iterable[SourceOutcome], request: RecallRequest, *, started_at: datetime
) -> RecallResult:
    """Fuse the outcomes in configured order, whatever order they arrived in."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.index)
    fusion = fuse((_ranked(outcome, request) for outcome in ordered), limit=request.limit)
    reports = tuple(outcome.report for outcome in ordered)
    return RecallResult(
        status=aggregate_status(reports),
        namespace=request.namespace,
        query=request.query,
        items=fusion.items,
        sources=reports,
        deduplication=Deduplication(collapsed_count=fusion.collapsed_count),
        started_at=started_at,
        completed_at=datetime.now(UTC),
    )


def _ranked(outcome: SourceOutcome, request: RecallRequest) -> RankedAnswer:
    report = outcome.report
    origin = MatchOrigin(
        source_id=report.source_id,
        provider=report.provider,
        retrieval_mode=report.retrieval_mode,
        namespace=request.namespace,
        retrieved_at=outcome.retrieved_at,
        as_of=request.as_of,
    )
    return RankedAnswer(origin=origin, answer=outcome.answer, weight=outcome.weight)


def _error_of(outcome: Outcome[CheckedAnswer], answer: CheckedAnswer) -> SourceError | None:
    if outcome.error is not None:
        return to_source_error(outcome.error)
    counted = len(answer.records) + answer.duplicate_count + answer.filtered_count
    if answer.rejected_count == 0 or counted + answer.not_current_count:
        return None
    if answer.foreign_count == answer.rejected_count:
        msg = f"all {answer.rejected_count} records belonged to another identity"
        return SourceError(code="source_scope_violation", message=msg)
    msg = f"all {answer.rejected_count} records were refused; see rejections"
    return SourceError(code="source_invalid_response", message=msg)
