"""What several adapters do with hits: read SDK objects, and join the parts of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, TypeVar

from praxa_langgraph.bounds.fields import to_instant
from praxa_langgraph.bounds.limits import FieldError
from praxa_langgraph.models import Provenance, Rejection
from praxa_langgraph.sources.base.failures import to_source_error
from praxa_langgraph.sources.base.protocol import Hit

_T = TypeVar("_T")

_NOTHING = object()


def take_turns(lists: Iterable[Iterable[_T]]) -> list[_T]:
    """Join several ordered lists: the first of each, then the second of each, and so on.

    Example:
        >>> take_turns(["ab", "x", "12"])
        ['a', 'x', '1', 'b', '2']
    """
    turns = chain.from_iterable(zip_longest(*lists, fillvalue=_NOTHING))
    return [entry for entry in turns if entry is not _NOTHING]  # type: ignore[misc] # filtered


def fields_of(given: Any) -> dict[str, Any]:
    """Return the fields of a mapping, or of an SDK's object of whatever pydantic generation."""
    if isinstance(given, Mapping):
        return dict(given)
    extra = getattr(given, "__pydantic_extra__", None) or {}
    return {**getattr(given, "__dict__", {}), **extra}


def lineage_of(evidence: object, captured_at: object) -> Provenance | None:
    """Return what a hit was observed from, when it says which ids and when it was captured."""
    if not isinstance(evidence, list | tuple) or not evidence:
        return None
    try:
        moment = to_instant(captured_at)
    except FieldError:
        return None
    return Provenance(
        origin="observed", confidence=1.0, captured_at=moment, evidence_ids=tuple(evidence)
    )


def named_summary(fields: Mapping[str, Any]) -> str:
    """Return the text of an entity: its name and its summary, or the one it has."""
    parts = (str(fields.get("name") or ""), str(fields.get("summary") or ""))
    return ": ".join(part for part in parts if part)


async def gather_parts(answers: Sequence[Any]) -> list[Any]:
    """Await the parts of an answer together; a part that fails is returned as its exception."""
    found = await asyncio.gather(*map(_settled, answers))
    return list(found)


async def _settled(answer: Any) -> Any:
    if isinstance(answer, Exception):
        return answer
    try:
        return await answer
    except Exception as error:  # noqa: BLE001 # one part of several; join_parts tells them apart
        return error


def join_parts(parts: Mapping[str, Sequence[Hit] | Exception], *, limit: int) -> list[Hit]:
    """Join the hits of several parts of one source, which take turns.

    A part that failed beside one that answered becomes a visible rejection at the end.

    Raises:
        Exception: Whatever the first part failed with, when all of them failed.
    """
    failures = {name: part for name, part in parts.items() if isinstance(part, Exception)}
    if failures and len(failures) == len(parts):
        raise next(iter(failures.values()))
    hits = take_turns(part for part in parts.values() if not isinstance(part, Exception))
    return [*hits[:limit], *(_incomplete(name, error) for name, error in failures.items())]


def _incomplete(name: str, error: Exception) -> Rejection:
    failure = to_source_error(error)
    message = f"{name} did not answer: {failure.code}, {failure.message}"
    return Rejection(code="incomplete_answer", message=message)
