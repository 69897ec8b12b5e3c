"""The optional fields of a record: each is made plain, or left off with a reason."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from praxa_langgraph.bounds.limits import (
    MAX_LINEAGE_IDS,
    MAX_RECORD_ID_CHARS,
    MAX_URL_CHARS,
    FieldError,
)
from praxa_langgraph.bounds.text import (
    has_control_characters,
    has_lone_surrogates,
    one_line,
    trim,
)
from praxa_langgraph.models import ORIGINS, Provenance, Validity

_YEAR_ONE = 1
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|z|[+-]\d\d:?\d\d(?::\d\d)?)?"
)
_LONG_FRACTION = re.compile(r"(\.\d{6})\d+")


def to_instant(value: object) -> datetime:
    """Read an aware datetime or an RFC 3339 string as an aware UTC datetime.

    Raises:
        FieldError: It cannot be read, names no offset, or is Go's zero time (year 1).

    Example:
        >>> to_instant("2026-08-01T09:30:00+02:00").isoformat()
        '2026-08-01T07:30:00+00:00'
    """
    if isinstance(value, str):
        value = _parse_timestamp(value)
    if not isinstance(value, datetime):
        msg = f"not a timestamp but {type(value).__name__}"
        raise FieldError(msg)
    if value.utcoffset() is None:
        msg = "no offset from UTC"
        raise FieldError(msg)
    if value.year == _YEAR_ONE:
        msg = "the zero time of its provider"
        raise FieldError(msg)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        msg = "outside the calendar"
        raise FieldError(msg) from error


def _parse_timestamp(text: str) -> datetime:
    text = trim(text)
    if not _TIMESTAMP.fullmatch(text):
        msg = "not an RFC 3339 timestamp"
        raise FieldError(msg)
    try:
        return datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", text))
    except ValueError as error:
        msg = "not a date of the calendar"
        raise FieldError(msg) from error


def to_score(value: object) -> float:
    """Read a finite number.

    Raises:
        FieldError: It is no number, or not finite.
    """
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        msg = f"not a number but {type(value).__name__}"
        raise FieldError(msg)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        msg = "not a number"
        raise FieldError(msg) from error
    if not math.isfinite(number):
        msg = "not finite"
        raise FieldError(msg)
    return number


def to_source_url(value: object) -> str:
    """Accept an https address without credentials, at most 2,048 characters.

    Raises:
        FieldError: It is anything else.
    """
    if not isinstance(value, str):
        msg = f"not a string but {type(value).__name__}"
        raise FieldError(msg)
    url = trim(value)
    if len(url) > MAX_URL_CHARS:
        msg = f"over {MAX_URL_CHARS:,} characters"
        raise FieldError(msg)
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname)
        _ = parts.port
    except ValueError as error:
        msg = "not a URL"
        raise FieldError(msg) from error
    if parts.scheme != "https" or not has_host or has_control_characters(url) or " " in url:
        msg = "not an https URL"
        raise FieldError(msg)
    if parts.username is not None or parts.password is not None:
        msg = "carries credentials"
        raise FieldError(msg)
    return url


def to_validity(value: object) -> tuple[Validity | None, dict[str, str]]:
    """Read a validity window, each end for itself; the second part says what was left off."""
    if value is None:
        return None, {}
    if isinstance(value, Validity):
        value = {name: getattr(value, name) for name in ("valid_at", "invalid_at", "expired_at")}
    if not isinstance(value, Mapping):
        return None, {"validity": f"not a window but {type(value).__name__}"}
    ends: dict[str, datetime] = {}
    omitted: dict[str, str] = {}
    for name in ("valid_at", "invalid_at", "expired_at"):
        if (end := value.get(name)) is None:
            continue
        try:
            ends[name] = to_instant(end)
        except FieldError as error:
            omitted[f"validity.{name}"] = str(error)
    if not ends:
        return None, omitted
    window = Validity(
        valid_at=ends.get("valid_at"),
        invalid_at=ends.get("invalid_at"),
        expired_at=ends.get("expired_at"),
    )
    return window, omitted


def check_provenance(value: object) -> None:
    """Refuse a provenance that is given but not whole.

    Raises:
        FieldError: Origin, confidence or captured_at is missing or bad, or a list is no list.
    """
    if not isinstance(value, Provenance | Mapping):
        msg = f"provenance is not an object but {type(value).__name__}"
        raise FieldError(msg)
    if (origin := read_part(value, "origin")) not in ORIGINS:
        msg = f"provenance.origin {_shown(origin)} is not one of {', '.join(ORIGINS)}"
        raise FieldError(msg)
    confidence = read_part(value, "confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        msg = "provenance.confidence is not a number"
        raise FieldError(msg)
    if not 0 <= confidence <= 1:
        msg = f"provenance.confidence {confidence} is not between 0 and 1"
        raise FieldError(msg)
    try:
        to_instant(read_part(value, "captured_at"))
    except FieldError as error:
        msg = f"provenance.captured_at: {error}"
        raise FieldError(msg) from error


def read_part(value: Provenance | Mapping[str, Any], name: str) -> Any:
    """Read one part of a provenance, whichever form it was given in."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name)


def to_lineage(value: object) -> tuple[tuple[str, ...], str | None]:
    """Read lineage ids: 256 at most, each 1 to 512 characters; says what was left off."""
    if not isinstance(value, list | tuple):
        return (), f"not a list but {type(value).__name__}"
    kept = tuple(dict.fromkeys(entry for entry in value if _is_lineage_id(entry)))[:MAX_LINEAGE_IDS]
    distinct = len(dict.fromkeys(entry for entry in value if isinstance(entry, str)))
    unusable = sum(not isinstance(entry, str) for entry in value)
    left_off = distinct + unusable - len(kept)
    return kept, f"{left_off} of {len(value)} ids left off" if left_off else None


def _is_lineage_id(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= MAX_RECORD_ID_CHARS
        and not has_control_characters(value)
        and not has_lone_surrogates(value)
    )


def _shown(value: object) -> str:
    return one_line(repr(value), limit=60)
