"""What a recall returns: fused items with every match behind them, and a report per source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, model_validator

from praxa_langgraph.models.records import Namespace, Rejection, Validity
from praxa_langgraph.models.vocabulary import (
    RANK_CONSTANT,
    ErrorCode,
    Origin,
    Provider,
    RecallStatus,
    RecordKind,
    RetrievalMode,
    SourceStatus,
)
from praxa_langgraph.models.wire import FROZEN, WIRE, Absent, Empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A provider's own relevance number."""

    __pydantic_config__ = WIRE

    value: float
    semantics: Literal["source_local"] = "source_local"


@dataclass(slots=True, kw_only=True)
class MatchProvenance:
    """Which source gave a match, for whom, when, and where it has it from."""

    __pydantic_config__ = WIRE

    source_id: str
    provider: Provider
    source_record_id: str
    namespace: Namespace
    retrieved_at: datetime
    origin: Origin
    confidence: float
    captured_at: datetime
    source_url: Annotated[str | None, Absent] = None
    evidence_ids: Annotated[tuple[str, ...] | None, Absent] = None
    origin_chain: Annotated[tuple[str, ...] | None, Absent] = None


@dataclass(slots=True, kw_only=True)
class Match:
    """A record after normalisation, with its rank in its source."""

    __pydantic_config__ = WIRE

    source_id: str
    provider: Provider
    source_record_id: str
    retrieval_mode: RetrievalMode
    source_rank: int
    """1 for the first record of the source; a dropped record leaves its rank empty."""
    score: Annotated[Score | None, Absent] = None
    created_at: Annotated[datetime | None, Absent] = None
    updated_at: Annotated[datetime | None, Absent] = None
    validity: Annotated[Validity | None, Absent] = None
    metadata: Annotated[dict[str, Any] | None, Absent] = None
    omitted: Annotated[dict[str, str] | None, Absent] = None
    """Field to reason, for everything that was cut or left off."""
    provenance: MatchProvenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRanking:
    """How an item came to its place."""

    __pydantic_config__ = WIRE

    method: Literal["reciprocal_rank_fusion"] = "reciprocal_rank_fusion"
    score: float
    rank: int
    rank_constant: int = RANK_CONSTANT
    contributing_sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallItem:
    """One or more matches of equal kind and equal normalised text.

    Matches stand in the order of the configured sources, then by rank in their source.
    """

    __pydantic_config__ = WIRE

    id: str
    kind: RecordKind
    text: str
    ranking: ItemRanking
    matches: tuple[Match, ...]


class SourceError(BaseModel):
    """Why a source did not answer: one line without secrets."""

    model_config = FROZEN

    code: ErrorCode
    message: str
    retry_after_s: Annotated[float | None, Absent] = None
    """Seconds, where the provider said so."""


class SourceReport(BaseModel):
    """How one source answered. A source that answered nothing is `ok`."""

    model_config = FROZEN

    source_id: str
    provider: Provider
    status: SourceStatus
    retrieval_mode: RetrievalMode
    duration_ms: float
    item_count: int = 0
    """Records that entered fusion."""
    duplicate_count: int = 0
    """Records whose id the source had already given."""
    truncated: bool = False
    """Whether the source gave more than was taken."""
    filtered_count: Annotated[int, Empty] = 0
    """Records of kinds that were not asked for."""
    not_current_count: Annotated[int, Empty] = 0
    """Records left out by `include_past=False`."""
    rejected_count: Annotated[int, Empty] = 0
    rejections: Annotated[tuple[Rejection, ...], Empty] = ()
    """The first 16 of the rejected."""
    error: Annotated[SourceError | None, Absent] = None

    @model_validator(mode="after")
    def _status_and_error_agree(self) -> Self:
        if (self.status == "ok") != (self.error is None):
            msg = f"status {self.status!r} of source {self.source_id!r} disagrees with its error"
            raise ValueError(msg)
        return self


class Deduplication(BaseModel):
    """What was grouped."""

    model_config = FROZEN

    strategy: Literal["exact_normalized_content"] = "exact_normalized_content"
    collapsed_count: int
    """Records that entered grouping minus items that left it, before the limit."""


class Ranking(BaseModel):
    """The rule by which items are ordered."""

    model_config = FROZEN

    method: Literal["reciprocal_rank_fusion"] = "reciprocal_rank_fusion"
    rank_constant: int = RANK_CONSTANT
    tie_break: Literal["normalized_content_codepoint"] = "normalized_content_codepoint"


class RecallResult(BaseModel):
    """The answer of a recall: fused items, best first, and a report per source asked.

    `model_dump(mode="json", by_alias=True)` is the wire form and `model_validate` reads it back.
    """

    model_config = FROZEN

    schema_version: Literal["praxa-memory-federation-v1"] = "praxa-memory-federation-v1"
    status: RecallStatus
    namespace: Namespace
    query: str
    items: tuple[RecallItem, ...]
    sources: tuple[SourceReport, ...]
    deduplication: Deduplication
    ranking: Ranking = Ranking()
    started_at: datetime
    completed_at: datetime

    @model_validator(mode="after")
    def _status_follows_from_the_sources(self) -> Self:
        if self.status != aggregate_status(self.sources):
            msg = f"status {self.status!r} disagrees with the statuses of the sources"
            raise ValueError(msg)
        return self

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form with camelCase keys; absent fields are absent."""
        # Nothing but fields that are absent anyway is None here, and this way is the quicker one.
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def aggregate_status(reports: tuple[SourceReport, ...]) -> RecallStatus:
    """Every source `ok` is `ok`, none is `failed`, anything between is `partial`."""
    answered = sum(report.status == "ok" for report in reports)
    if answered == len(reports):
        return "ok"
    return "partial" if answered else "failed"
