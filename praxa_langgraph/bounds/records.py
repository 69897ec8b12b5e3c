"""What a source returned, checked record by record: which ones count, and why others do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from praxa_langgraph.bounds.checkpoints import CHECKPOINT_MARKERS, is_checkpoint_state
from praxa_langgraph.bounds.fields import check_provenance, to_validity
from praxa_langgraph.bounds.limits import (
    MAX_ERROR_CHARS,
    MAX_RECORD_ID_CHARS,
    MAX_REJECTIONS_SHOWN,
    MAX_TEXT_CHARS,
    FieldError,
)
from praxa_langgraph.bounds.text import (
    has_control_characters,
    has_lone_surrogates,
    normalize_text,
    one_line,
    replace_lone_surrogates,
    trim,
)
from praxa_langgraph.bounds.validity import validity_state
from praxa_langgraph.models import (
    RECORD_KINDS,
    MemoryRecord,
    RecordKind,
    Rejection,
    RejectionCode,
)

_KINDS = frozenset(RECORD_KINDS)
_RECORD_FIELDS = frozenset(f.name for f in fields(MemoryRecord))
_REQUIRED_FIELDS = ("record_id", "kind", "text")


@dataclass(slots=True)
class CheckedAnswer:
    """One source's answer after the checks, in the source's own order.

    The records that count stand in three parallel lists, because a recall checks thousands and
    looks closer only at the few it returns.
    """

    records: list[MemoryRecord] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    """Rank 1 is the first record of the source; a dropped one leaves its rank empty."""
    keys: list[str] = field(default_factory=list)
    """Kind and normalised text: what makes two records the same item."""
    rejections: list[Rejection] = field(default_factory=list)
    """The first 16."""
    rejected_count: int = 0
    duplicate_count: int = 0
    filtered_count: int = 0
    not_current_count: int = 0
    truncated: bool = False
    foreign_count: int = 0
    """How many of the rejected belonged to another identity."""

    def reject(self, rejection: Rejection) -> None:
        """Count a rejection and keep it while there is room."""
        self.rejected_count += 1
        self.foreign_count += rejection.code == "foreign_scope"
        if len(self.rejections) < MAX_REJECTIONS_SHOWN:
            self.rejections.append(rejection)


class _InvalidRecordError(ValueError):
    def __init__(self, message: str, code: RejectionCode = "invalid_record") -> None:
        super().__init__(message)
        self.code = code


def check_answer(
    answer: Iterable[object],
    *,
    kinds: frozenset[str] | None,
    max_results: int,
    current_at: datetime | None = None,
) -> CheckedAnswer:
    """Check every record a source returned.

    A bad record costs that record alone: it is rejected, counted, and its rank stays empty.

    Args:
        answer: Records, mappings of their fields, or rejections, in the source's order.
        kinds: The kinds to keep; `None` keeps all.
        max_results: What is beyond is cut.
        current_at: Leave out records whose validity window is not open at this instant.
    """
    checked = CheckedAnswer()
    records, ranks, keys = checked.records, checked.ranks, checked.keys
    seen: set[str] = set()
    for rank, given in enumerate(answer, start=1):
        if rank > max_results:
            checked.truncated = True
            break
        if type(given) is not MemoryRecord and isinstance(given, Rejection):
            checked.reject(_one_line_rejection(given))
            continue
        try:
            record = given if isinstance(given, MemoryRecord) else _from_mapping(given)
            record_id, key = _check_record(record)
        except _InvalidRecordError as error:
            checked.reject(_rejection(given, error))
            continue
        if record_id in seen:
            checked.duplicate_count += 1
            continue
        seen.add(record_id)
        if kinds is not None and record.kind not in kinds:
            checked.filtered_count += 1
        elif current_at is not None and not _is_current(record, current_at):
            checked.not_current_count += 1
        else:
            records.append(record)
            ranks.append(rank)
            keys.append(key)
    return checked


def _check_record(record: MemoryRecord) -> tuple[str, str]:
    """Return the checked id and the grouping key of a record that counts.

    It runs for every record of a recall, so each part has a quick accept for the common case.
    """
    kind, record_id, text, metadata = record.kind, record.record_id, record.text, record.metadata
    if type(kind) is not str or kind not in _KINDS:
        kind = _check_kind(kind)
    if type(record_id) is not str or not _is_plain(record_id, MAX_RECORD_ID_CHARS):
        record_id = check_record_id(record_id)
    if type(text) is not str or not _is_plain(text, MAX_TEXT_CHARS):
        text = normalize_text(check_text(text)[0])
    elif not text.isascii() or "  " in text:
        text = normalize_text(text)
    if record.provenance is not None:
        _check_provenance(record.provenance)
    if metadata and not (type(metadata) is dict and CHECKPOINT_MARKERS.isdisjoint(metadata)):
        _refuse_checkpoint(metadata)
    return record_id, f"{kind}\0{text}"


def check_record_id(value: object) -> str:
    """Return a record id, trimmed: 1 to 512 characters without control characters.

    Raises:
        ValueError: It is anything else.
    """
    if type(value) is str and _is_plain(value, MAX_RECORD_ID_CHARS):
        return value
    if not isinstance(value, str):
        msg = f"record_id is not a string but {type(value).__name__}"
        raise _InvalidRecordError(msg)
    record_id = trim(value)
    if not 0 < len(record_id) <= MAX_RECORD_ID_CHARS:
        msg = f"record_id has {len(record_id)} characters, not 1 to {MAX_RECORD_ID_CHARS}"
        raise _InvalidRecordError(msg)
    if has_control_characters(record_id) or has_lone_surrogates(record_id):
        msg = "record_id holds a control character or a lone surrogate"
        raise _InvalidRecordError(msg)
    return record_id


def check_text(value: object) -> tuple[str, str | None]:
    """Return a text, trimmed and cut at 65,536 characters, and a note when it was cut.

    Raises:
        ValueError: It is no string, or empty.
    """
    if not isinstance(value, str):
        msg = f"text is not a string but {type(value).__name__}"
        raise _InvalidRecordError(msg)
    if _is_plain(value, MAX_TEXT_CHARS):
        return value, None
    text = trim(replace_lone_surrogates(value))
    if not text:
        msg = "text is empty"
        raise _InvalidRecordError(msg)
    if len(text) <= MAX_TEXT_CHARS:
        return text, None
    note = f"cut at {MAX_TEXT_CHARS:,} of {len(text):,} characters"
    return trim(text[:MAX_TEXT_CHARS]), note


def _is_plain(value: str, limit: int) -> bool:
    """The common case: a printable string has no control character, surrogate or odd space."""
    return value.isprintable() and 0 < len(value) <= limit and value[0] != " " and value[-1] != " "


def _check_kind(value: object) -> RecordKind:
    for kind in RECORD_KINDS:
        if isinstance(value, str) and value == kind:
            return kind
    shown = one_line(repr(value), limit=60)
    if isinstance(value, str) and "checkpoint" in value.lower():
        msg = f"kind {shown}: a checkpoint is execution state, not a memory"
        raise _InvalidRecordError(msg, "checkpoint_state")
    msg = f"kind {shown} is not one of {', '.join(RECORD_KINDS)}"
    raise _InvalidRecordError(msg)


def _refuse_checkpoint(metadata: object) -> None:
    if is_checkpoint_state(metadata):
        msg = "a checkpoint is execution state, not a memory"
        raise _InvalidRecordError(msg, "checkpoint_state")


def _check_provenance(value: object) -> None:
    try:
        check_provenance(value)
    except FieldError as error:
        raise _InvalidRecordError(str(error)) from error


def _from_mapping(given: object) -> MemoryRecord:
    if not isinstance(given, Mapping):
        msg = f"neither a MemoryRecord nor a mapping of its fields but {type(given).__name__}"
        raise _InvalidRecordError(msg)
    named: dict[str, Any] = dict(given)
    if unknown := sorted(one_line(str(name), limit=60) for name in named.keys() - _RECORD_FIELDS):
        known = ", ".join(sorted(_RECORD_FIELDS))
        msg = f"unknown field {unknown[0]!r}; a record has {known}"
        raise _InvalidRecordError(msg)
    for name in _REQUIRED_FIELDS:
        if name not in named:
            msg = f"{name} is missing"
            raise _InvalidRecordError(msg)
    return MemoryRecord(**named)


def _is_current(record: MemoryRecord, at: datetime) -> bool:
    window, _ = to_validity(record.validity)
    return window is None or validity_state(window, at) == "current"


def _rejection(given: object, error: _InvalidRecordError) -> Rejection:
    record_id = given.get("record_id") if isinstance(given, Mapping) else None
    record_id = getattr(given, "record_id", record_id)
    return _one_line_rejection(
        Rejection(
            record_id=record_id if isinstance(record_id, str) else None,
            code=error.code,
            message=str(error),
        )
    )


def _one_line_rejection(rejection: Rejection) -> Rejection:
    """Bound a rejection, whoever wrote it."""
    record_id = rejection.record_id
    return Rejection(
        record_id=one_line(record_id, limit=MAX_RECORD_ID_CHARS) if record_id else None,
        code=rejection.code,
        message=one_line(rejection.message, limit=MAX_ERROR_CHARS),
    )
