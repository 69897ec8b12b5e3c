"""What a source is asked, and the records it gives."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel

from praxa_langgraph.models.vocabulary import (
    Origin,
    RecordKind,
    RejectionCode,
    RetrievalMode,
    ValidityState,
)
from praxa_langgraph.models.wire import FROZEN, WIRE, Absent, Empty


class Namespace(BaseModel):
    """Whose memory is read. It comes from trusted code, never from a model or a message.

    The limits of each part are checked when a recall is asked for.

    Example:
        >>> Namespace(tenant_id="acme", subject_id="ada").subject_id
        'ada'
    """

    model_config = FROZEN

    tenant_id: str
    """The customer of yours under whom the subject lives."""
    subject_id: str
    """The person or thing the memory is about."""
    scope: Annotated[tuple[str, ...], Empty] = ()
    """Optional finer segments, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The window in which a statement holds, as its provider recorded it (aware UTC)."""

    __pydantic_config__ = WIRE

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

    model_config = FROZEN

    record_id: Annotated[str | None, Absent] = None
    code: RejectionCode
    message: str
