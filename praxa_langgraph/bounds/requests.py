"""A recall as it was asked for, checked whole before any source is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from typing_extensions import TypedDict

from praxa_langgraph.bounds.fields import to_instant
from praxa_langgraph.bounds.limits import (
    MAX_CONCURRENCY,
    MAX_IDENTITY_CHARS,
    MAX_LIMIT,
    MAX_QUERY_CHARS,
    MAX_RESULTS_PER_SOURCE,
    MAX_SCOPE_SEGMENTS,
    MAX_SOURCES,
    MAX_TIMEOUT,
    SOURCE_ID,
    FieldError,
)
from praxa_langgraph.bounds.metadata import bound_metadata
from praxa_langgraph.bounds.text import (
    has_control_characters,
    has_lone_surrogates,
    one_line,
    replace_lone_surrogates,
    trim,
)
from praxa_langgraph.models import (
    PROVIDERS,
    RECORD_KINDS,
    RETRIEVAL_MODES,
    Namespace,
    Provider,
    RecordKind,
    RetrievalMode,
)

_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A checked recall. `None` means: not given, use the default of the federation or source."""

    query: str
    namespace: Namespace
    limit: int
    kinds: tuple[RecordKind, ...] | None
    mode: RetrievalMode | None
    source_ids: tuple[str, ...] | None
    filter: Mapping[str, Any] | None
    timeout: float | None
    as_of: datetime
    include_past: bool


class RecallOptions(TypedDict, total=False):
    """The options of a recall that every door takes; `MemoryFederation.recall` explains them."""

    kinds: Sequence[RecordKind] | None
    mode: RetrievalMode | None
    source_ids: Sequence[str] | None
    filter: Mapping[str, Any] | None
    timeout: float | None
    as_of: datetime | None
    include_past: bool


def check_request(
    query: object,
    *,
    namespace: object,
    limit: object,
    kinds: object = None,
    mode: object = None,
    source_ids: object = None,
    filter: object = None,  # noqa: A002 # the public name of the option
    timeout: object = None,
    as_of: object = None,
    include_past: object = True,
) -> RecallRequest:
    """Check everything a caller may pass to a recall.

    Raises:
        ValueError: A value is outside its bounds; the message names the argument and the rule.
        TypeError: A value has the wrong type.
    """
    return RecallRequest(
        query=check_query(query),
        namespace=check_namespace(namespace),
        limit=check_integer("limit", limit, highest=MAX_LIMIT),
        kinds=None if kinds is None else check_words("kinds", kinds, RECORD_KINDS),
        mode=None if mode is None else check_word("mode", mode, RETRIEVAL_MODES),
        source_ids=None if source_ids is None else _check_strings("source_ids", source_ids),
        filter=None if filter is None else _check_filter(filter),
        timeout=None if timeout is None else check_timeout("timeout", timeout),
        as_of=datetime.now(UTC) if as_of is None else _check_instant("as_of", as_of),
        include_past=_check_flag("include_past", include_past),
    )


def check_query(query: object) -> str:
    """Return the query, trimmed, with lone surrogates replaced.

    Example:
        >>> check_query("  where does Ada live? ")
        'where does Ada live?'
    """
    if not isinstance(query, str):
        msg = f"query must be a string, not {type(query).__name__}"
        raise TypeError(msg)
    trimmed = trim(replace_lone_surrogates(query))
    if not 0 < len(trimmed) <= MAX_QUERY_CHARS:
        msg = f"query has {len(trimmed):,} characters, not 1 to {MAX_QUERY_CHARS:,}"
        raise ValueError(msg)
    return trimmed


def check_namespace(namespace: object) -> Namespace:
    """Return the namespace with its parts trimmed; a mapping of its fields is accepted."""
    if isinstance(namespace, Mapping):
        if unknown := sorted(map(str, namespace.keys() - set(Namespace.model_fields))):
            msg = f"namespace has no field {unknown[0]!r}; it has tenant_id, subject_id and scope"
            raise ValueError(msg)
        parts = namespace.get("tenant_id"), namespace.get("subject_id"), namespace.get("scope")
    elif isinstance(namespace, Namespace):
        parts = namespace.tenant_id, namespace.subject_id, namespace.scope
    else:
        msg = f"namespace must be a Namespace, not {type(namespace).__name__}"
        raise TypeError(msg)
    tenant_id, subject_id, scope = parts
    return Namespace(
        tenant_id=check_identity("namespace.tenant_id", tenant_id),
        subject_id=check_identity("namespace.subject_id", subject_id),
        scope=_check_scope(() if scope is None else scope),
    )


def check_identity(name: str, value: object) -> str:
    """Return one part of an identity, trimmed: 1 to 256 characters without control characters."""
    if not isinstance(value, str):
        msg = f"{name} must be a string, not {type(value).__name__}"
        raise ValueError(msg)
    trimmed = trim(value)
    if not 0 < len(trimmed) <= MAX_IDENTITY_CHARS:
        msg = f"{name} has {len(trimmed)} characters, not 1 to {MAX_IDENTITY_CHARS}"
        raise ValueError(msg)
    if has_control_characters(trimmed) or has_lone_surrogates(trimmed):
        msg = f"{name} holds a control character or a lone surrogate"
        raise ValueError(msg)
    return trimmed


def check_source_id(source_id: object) -> str:
    """Return a source id that reports, traces and node names can carry."""
    if not isinstance(source_id, str) or not SOURCE_ID.fullmatch(source_id):
        msg = f"source id {_shown(source_id)} does not match {SOURCE_ID.pattern}"
        raise ValueError(msg)
    return source_id


def check_source_ids(source_ids: Iterable[object]) -> tuple[str, ...]:
    """Return the ids of a federation's sources: 1 to 32, unique."""
    checked = tuple(check_source_id(source_id) for source_id in source_ids)
    if not 0 < len(checked) <= MAX_SOURCES:
        msg = f"a federation has 1 to {MAX_SOURCES} sources, not {len(checked)}"
        raise ValueError(msg)
    if repeated := sorted({s for s in checked if checked.count(s) > 1}):
        msg = f"two sources have the id {repeated[0]!r}; give one of them another id"
        raise ValueError(msg)
    return checked


def check_provider(provider: object) -> Provider:
    """Return a provider of the closed vocabulary."""
    return check_word("provider", provider, PROVIDERS)


def check_timeout(name: str, value: object) -> float:
    """Return seconds, over 0 and at most 60."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number of seconds, not {type(value).__name__}"
        raise TypeError(msg)
    if not 0 < value <= MAX_TIMEOUT:
        msg = f"{name} is {value} seconds, not over 0 and at most {MAX_TIMEOUT:g}"
        raise ValueError(msg)
    return float(value)


def check_integer(name: str, value: object, *, highest: int) -> int:
    """Return an integer from 1 to `highest`."""
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be an integer, not {type(value).__name__}"
        raise TypeError(msg)
    if not 1 <= value <= highest:
        msg = f"{name} is {value}, not 1 to {highest}"
        raise ValueError(msg)
    return value


def check_max_results(value: object) -> int:
    """Return how many records are taken from one source, 1 to 100."""
    return check_integer("max_results_per_source", value, highest=MAX_RESULTS_PER_SOURCE)


def check_concurrency(value: object) -> int | None:
    """Return how many sources start at the same time, 1 to 32; `None` is all of them."""
    return (
        None if value is None else check_integer("max_concurrency", value, highest=MAX_CONCURRENCY)
    )


def check_weights(weights: object, source_ids: tuple[str, ...]) -> dict[str, float]:
    """Return one weight per source: positive and finite, 1 where none is given."""
    checked = dict.fromkeys(source_ids, 1.0)
    if weights is None:
        return checked
    if not isinstance(weights, Mapping):
        msg = f"weights must map source ids to numbers, not be {type(weights).__name__}"
        raise TypeError(msg)
    for source_id, weight in weights.items():
        if source_id not in checked:
            msg = f"weights names {_shown(source_id)}, which is none of {_listed(source_ids)}"
            raise ValueError(msg)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            msg = f"weights[{source_id!r}] must be a number, not {type(weight).__name__}"
            raise TypeError(msg)
        if not (weight > 0 and math.isfinite(weight)):
            msg = f"weights[{source_id!r}] is {weight}, not a positive finite number"
            raise ValueError(msg)
        checked[source_id] = float(weight)
    return checked


def check_word(name: str, value: object, words: tuple[_Word, ...]) -> _Word:
    """Return a word of a closed vocabulary."""
    for word in words:
        if isinstance(value, str) and word == value:
            return word
    msg = f"{name} {_shown(value)} is not one of {', '.join(words)}"
    raise ValueError(msg)


def check_words(name: str, values: object, words: tuple[_Word, ...]) -> tuple[_Word, ...]:
    """Return words of a closed vocabulary, at least one, in the vocabulary's order."""
    given = {check_word(name, value, words) for value in _check_strings(name, values)}
    return tuple(word for word in words if word in given)


def _check_strings(name: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        msg = f"{name} must be a list of strings, not {type(values).__name__}"
        raise TypeError(msg)
    listed = tuple(values)
    if not listed:
        msg = f"{name} is empty, so no source would be asked; leave it out to ask all"
        raise ValueError(msg)
    for value in listed:
        if not isinstance(value, str):
            msg = f"{name} must be a list of strings, not of {type(value).__name__}"
            raise TypeError(msg)
    return cast("tuple[str, ...]", listed)


def _check_scope(scope: object) -> tuple[str, ...]:
    if isinstance(scope, str) or not isinstance(scope, list | tuple):
        msg = f"namespace.scope must be a list of segments, not {type(scope).__name__}"
        raise ValueError(msg)
    if len(scope) > MAX_SCOPE_SEGMENTS:
        msg = f"namespace.scope has {len(scope)} segments, not at most {MAX_SCOPE_SEGMENTS}"
        raise ValueError(msg)
    return tuple(check_identity(f"namespace.scope[{i}]", part) for i, part in enumerate(scope))


def _check_filter(value: object) -> dict[str, Any]:
    try:
        checked, note = bound_metadata(value)
    except FieldError as error:
        msg = f"filter: {error}"
        raise ValueError(msg) from error
    if note is not None:
        msg = "filter: a number that is not finite"
        raise ValueError(msg)
    return checked


def _check_instant(name: str, value: object) -> datetime:
    if not isinstance(value, datetime):
        msg = f"{name} must be a datetime, not {type(value).__name__}"
        raise TypeError(msg)
    try:
        return to_instant(value)
    except FieldError as error:
        msg = f"{name}: {error}"
        raise ValueError(msg) from error


def _check_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        msg = f"{name} must be True or False, not {type(value).__name__}"
        raise TypeError(msg)
    return value


def _shown(value: object) -> str:
    return one_line(repr(value), limit=60)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(repr(word) for word in words)
