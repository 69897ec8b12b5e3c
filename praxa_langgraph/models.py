"""What is exchanged: the records sources give, and the result a recall returns."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Provider: TypeAlias = Literal[
    "mem0", "zep", "graphiti", "langgraph", "letta", "openai_agents", "custom"
]
RecordKind: TypeAlias = Literal[
    "message", "fact", "summary", "episode", "pinned_context", "document", "entity", "edge"
]
Origin: TypeAlias = Literal["explicit", "observed", "inferred", "imported"]
RetrievalMode: TypeAlias = Literal["semantic", "hybrid", "graph", "exact", "recent"]
SourceStatus: TypeAlias = Literal["ok", "timed_out", "unavailable", "error"]
RecallStatus: TypeAlias = Literal["ok", "partial", "failed"]
ValidityState: TypeAlias = Literal["current", "past", "future"]
ErrorCode: TypeAlias = Literal[
    "source_timed_out",
    "source_unavailable",
    "source_rate_limited",
    "source_saturated",
    "source_unauthorized",
    "source_not_found",
    "source_unsupported",
    "source_misconfigured",
    "source_invalid_response",
    "source_scope_violation",
    "source_error",
]
RejectionCode: TypeAlias = Literal[
    "invalid_record",
    "foreign_scope",
    "checkpoint_state",
    "unsupported_content",
    "incomplete_answer",
]

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
RECORD_KINDS: tuple[RecordKind, ...] = get_args(RecordKind)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
RETRIEVAL_MODES: tuple[RetrievalMode, ...] = get_args(RetrievalMode)

SCHEMA_VERSION = "praxa-memory-federation-v1"
RANK_CONSTANT = 60


def _is_none(value: object) -> bool:
    return value is None


def _is_falsy(value: object) -> bool:
    return not value


_WIRE = ConfigDict(
    alias_generator=to_camel,
    populate_by_name=True,
    extra="forbid",
    allow_inf_nan=False,
    defer_build=True,
)
_FROZEN = ConfigDict(**_WIRE, frozen=True)

Absent = Field(exclude_if=_is_none)
Empty = Field(exclude_if=_is_falsy)


class Namespace(BaseModel):
    """Whose memory is read. It comes from trusted code, never from a model or a message.

    The limits of each part are checked when a recall is asked for.

    Example:
        >>> Namespace(tenant_id="acme", subject_id="ada").subject_id
        'ada'
    """

    model_config = _FROZEN

    tenant_id: str
    """The customer of yours under whom the subject lives."""
    subject_id: str
    """The person or thing the memory is about."""
    scope: Annotated[tuple[str, ...], Empty] = ()
    """Optional finer segments, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The window in which a statement holds, as its provider recorded it (aware UTC)."""

    __pydantic_config__ = _WIRE

    valid_at: Annotated[datetime | None, Absent] = None
    """When it became true."""
    invalid_at: Annotated[datetime | None, Absent] = None
    """When it stopped being true."""
    expired_at: Annotated[datetime | None, Absent] = None
    """When the provider learned that it had stopped being true."""
    state: Annotated[ValidityState | None, Absent] = None
    """Where the window stands at the recall's `as_of`; set by the recall, not by a source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a record comes from. When given it must be whole; a partial one spoils the record."""

    origin: Origin
    confidence: float
    """From 0 to 1."""
    captured_at: datetime | str
    source_url: str | None = None
    evidence_ids: tuple[str, ...] = ()
    origin_chain: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class MemoryRecord:
    """One hit as a source gives it, not yet checked.

    `record_id`, `kind`, `text` and the shape of `provenance` decide whether the record counts;
    any other bad field costs only that field and is noted on the match. Timestamps are aware
    datetimes or RFC 3339 strings with an offset.

    Example:
        >>> MemoryRecord(record_id="m-1", kind="fact", text="Prefers tea").kind
        'fact'
    """

    record_id: str
    kind: RecordKind
    text: str
    score: float | None = None
    """In the provider's own meaning; never compared with another source's."""
    created_at: datetime | str | None = None
    updated_at: datetime | str | None = None
    validity: Validity | Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    provenance: Provenance | Mapping[str, Any] | None = None
    omitted: Mapping[str, str] | None = None
    """Field to reason, for what the adapter itself had to leave off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """What one source is asked, already checked."""

    query: str
    namespace: Namespace
    limit: int
    """Records wanted at most."""
    mode: RetrievalMode
    kinds: tuple[RecordKind, ...]
    """The kinds wanted; records of other kinds are left out of the result anyway."""
    filter: Mapping[str, Any] | None = None
    """A filter in the source's own language, when the caller gave one."""
    timeout: float
    """Seconds the source has left to answer; the recall does not wait longer."""
    awaited: bool = False
    """Whether the caller awaits: then an awaitable runs on the caller's own event loop."""
    blocked_loop: AbstractEventLoop | None = None
    """The event loop of a caller that does not await: it cannot run before the recall ends."""


class Rejection(BaseModel):
    """A record that could not be used, and why; it keeps its place in the source's order."""

    model_config = _FROZEN

    record_id: Annotated[str | None, Absent] = None
    code: RejectionCode
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A provider's own relevance number."""

    __pydantic_config__ = _WIRE

    value: float
    semantics: Literal["source_local"] = "source_local"


@dataclass(slots=True, kw_only=True)
class MatchProvenance:
    """Which source gave a match, for whom, when, and where it has it from."""

    __pydantic_config__ = _WIRE

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

    __pydantic_config__ = _WIRE

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

    __pydantic_config__ = _WIRE

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

    __pydantic_config__ = _WIRE

    id: str
    kind: RecordKind
    text: str
    ranking: ItemRanking
    matches: tuple[Match, ...]


class SourceError(BaseModel):
    """Why a source did not answer: one line without secrets."""

    model_config = _FROZEN

    code: ErrorCode
    message: str
    retry_after_s: Annotated[float | None, Absent] = None
    """Seconds, where the provider said so."""


class SourceReport(BaseModel):
    """How one source answered. A source that answered nothing is `ok`."""

    model_config = _FROZEN

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

    model_config = _FROZEN

    strategy: Literal["exact_normalized_content"] = "exact_normalized_content"
    collapsed_count: int
    """Records that entered grouping minus items that left it, before the limit."""


class Ranking(BaseModel):
    """The rule by which items are ordered."""

    model_config = _FROZEN

    method: Literal["reciprocal_rank_fusion"] = "reciprocal_rank_fusion"
    rank_constant: int = RANK_CONSTANT
    tie_break: Literal["normalized_content_codepoint"] = "normalized_content_codepoint"


class RecallResult(BaseModel):
    """The answer of a recall: fused items, best first, and a report per source asked.

    `model_dump(mode="json", by_alias=True)` is the wire form and `model_validate` reads it back.
    """

    model_config = _FROZEN

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
        return self.model_dump(mode="json", by_alias=True)


def aggregate_status(reports: tuple[SourceReport, ...]) -> RecallStatus:
    """Every source `ok` is `ok`, none is `failed`, anything between is `partial`."""
    answered = sum(report.status == "ok" for report in reports)
    if answered == len(reports):
        return "ok"
    return "partial" if answered else "failed"
