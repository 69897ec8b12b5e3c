"""What several adapters do with hits: fields of SDK objects, and the order of several lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any, TypeVar

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
