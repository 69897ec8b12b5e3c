"""A checked record as a match: each optional field is kept, or left off with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from praxa_langgraph.bounds.fields import (
    read_part,
    to_instant,
    to_lineage,
    to_score,
    to_source_url,
    to_validity,
)
from praxa_langgraph.bounds.limits import MAX_ERROR_CHARS, MAX_TEXT_CHARS, FieldError
from praxa_langgraph.bounds.metadata import bound_metadata
from praxa_langgraph.bounds.records import check_record_id, check_text
from praxa_langgraph.bounds.text import one_line
from praxa_langgraph.bounds.validity import validity_state
from praxa_langgraph.models import (
    Match,
    MatchProvenance,
    MemoryRecord,
    Namespace,
    Provenance,
    Provider,
    RetrievalMode,
    Score,
)

_T = TypeVar("_T")

_UNREADABLE = "could not be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOrigin:
    """What the matches of one source have in common."""

    source_id: str
    provider: Provider
    retrieval_mode: RetrievalMode
    namespace: Namespace
    retrieved_at: datetime
    as_of: datetime


def to_match(record: MemoryRecord, rank: int, origin: MatchOrigin) -> Match:
    """Build the match of a record that counts; a bad optional field costs only that field."""
    record_id = check_record_id(record.record_id)
    omitted: dict[str, str] = {}
    if len(record.text) > MAX_TEXT_CHARS and (note := check_text(record.text)[1]) is not None:
        omitted["text"] = note
    score = _kept("score", record.score, to_score, omitted)
    created_at = _kept("created_at", record.created_at, to_instant, omitted)
    validity, window_omitted = to_validity(record.validity)
    omitted.update(window_omitted)
    if validity is not None:
        validity = replace(validity, state=validity_state(validity, origin.as_of))
    match = Match(
        source_id=origin.source_id,
        provider=origin.provider,
        source_record_id=record_id,
        retrieval_mode=origin.retrieval_mode,
        source_rank=rank,
        score=None if score is None else Score(value=score),
        created_at=created_at,
        updated_at=_kept("updated_at", record.updated_at, to_instant, omitted),
        validity=validity,
        metadata=_metadata(record, omitted),
        provenance=_provenance(record.provenance, record_id, origin, created_at, omitted),
        omitted=None,
    )
    if record.omitted:
        omitted = {**_reasons(record.omitted), **omitted}
    return replace(match, omitted=omitted) if omitted else match


def _kept(
    name: str, value: Any, read: Callable[[object], _T], omitted: dict[str, str]
) -> _T | None:
    if value is None:
        return None
    try:
        return read(value)
    except FieldError as error:
        omitted[name] = str(error)
    except Exception:  # noqa: BLE001 # an object of somebody else's making
        omitted[name] = _UNREADABLE
    return None


def _metadata(record: MemoryRecord, omitted: dict[str, str]) -> dict[str, Any] | None:
    if record.metadata is None:
        return None
    kept = _kept("metadata", record.metadata, bound_metadata, omitted)
    if kept is None:
        return None
    metadata, note = kept
    if note is not None:
        omitted["metadata"] = note
    return metadata


def _provenance(
    given: Provenance | Mapping[str, Any] | None,
    record_id: str,
    origin: MatchOrigin,
    created_at: datetime | None,
    omitted: dict[str, str],
) -> MatchProvenance:
    if given is None:
        return MatchProvenance(
            source_id=origin.source_id,
            provider=origin.provider,
            source_record_id=record_id,
            namespace=origin.namespace,
            retrieved_at=origin.retrieved_at,
            origin="observed",
            confidence=1.0,
            captured_at=created_at or origin.retrieved_at,
        )
    url = _kept("provenance.source_url", read_part(given, "source_url"), to_source_url, omitted)
    return MatchProvenance(
        source_id=origin.source_id,
        provider=origin.provider,
        source_record_id=record_id,
        namespace=origin.namespace,
        retrieved_at=origin.retrieved_at,
        origin=read_part(given, "origin"),
        confidence=float(read_part(given, "confidence")),
        captured_at=to_instant(read_part(given, "captured_at")),
        source_url=url,
        evidence_ids=_lineage("evidence_ids", read_part(given, "evidence_ids"), omitted),
        origin_chain=_lineage("origin_chain", read_part(given, "origin_chain"), omitted),
    )


def _lineage(name: str, value: object, omitted: dict[str, str]) -> tuple[str, ...] | None:
    if value is None or value == ():
        return None
    ids, note = to_lineage(value)
    if note is not None:
        omitted[f"provenance.{name}"] = note
    return ids or None


def _reasons(given: object) -> dict[str, str]:
    """Bound the reasons an adapter gave."""
    if not isinstance(given, dict):
        return {}
    return {
        one_line(str(name), limit=MAX_ERROR_CHARS): one_line(str(reason), limit=MAX_ERROR_CHARS)
        for name, reason in given.items()
    }
