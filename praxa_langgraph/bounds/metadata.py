"""A provider's metadata as a bounded copy of plain JSON values."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from praxa_langgraph.bounds.limits import (
    MAX_METADATA_CHARS,
    MAX_METADATA_DEPTH,
    MAX_METADATA_ENTRIES,
    MAX_METADATA_KEY_CHARS,
    FieldError,
)
from praxa_langgraph.bounds.text import replace_lone_surrogates

_LONG_STRING = re.compile(rb'"[^"]{%d,}' % (MAX_METADATA_KEY_CHARS + 1))
_NOT_FINITE = "a number that is not finite became null"


def bound_metadata(metadata: object) -> tuple[dict[str, Any], str | None]:
    """Copy metadata into plain JSON values within the bounds.

    Values that are not JSON (datetimes, UUIDs, enums, numpy numbers, driver types, sets, pydantic
    models, dataclasses) become their plain JSON form first; a number that is not finite becomes
    null. Nothing of the given object is shared with the copy.

    Returns:
        The copy, and a note when a value had to be changed.

    Raises:
        FieldError: Metadata is not an object, holds a value without a JSON form, or exceeds
            depth 12, 256 entries a container, 256 characters a key or 32,768 serialised characters.

    Example:
        >>> from datetime import date
        >>> bound_metadata({"on": date(2026, 1, 2), "tags": ("a", "b")})
        ({'on': '2026-01-02', 'tags': ['a', 'b']}, None)
    """
    if not isinstance(metadata, Mapping):
        msg = f"not an object but {type(metadata).__name__}"
        raise FieldError(msg)
    if (plain := _plain_copy(metadata)) is not None:
        return plain, None
    walk = _Walk()
    copy = walk.mapping(metadata, depth=1)
    if len(to_json(copy).decode()) > MAX_METADATA_CHARS:
        raise FieldError(_too_long())
    return copy, walk.note


def _plain_copy(metadata: Mapping[Any, Any]) -> dict[str, Any] | None:
    """The common case in three native steps: metadata that survives JSON unchanged.

    `None` means that a closer look is needed, never that something is wrong.
    """
    try:
        data = to_json(metadata, inf_nan_mode="null")
        copy: dict[str, Any] = from_json(data)
        if copy != metadata:
            return None
    except (ValueError, TypeError):
        return None
    small = (
        len(data) <= MAX_METADATA_CHARS
        and data.count(b"{") + data.count(b"[") <= MAX_METADATA_DEPTH
        and data.count(b",") < MAX_METADATA_ENTRIES
        and _LONG_STRING.search(data) is None
    )
    return copy if small else None


class _Walk:
    """One pass over a value: converts, copies, and stops as soon as a bound is passed."""

    def __init__(self) -> None:
        self.note: str | None = None
        self._budget = MAX_METADATA_CHARS

    def value(self, value: object, *, depth: int) -> object:
        kind = type(value)
        if kind is str:
            return self._text(cast("str", value))
        if value is None or kind is bool:
            return value
        if kind is int:
            self._spend(1 + cast("int", value).bit_length() // 4)
            return value
        if kind is float:
            return self._float(cast("float", value))
        if kind is dict:
            return self.mapping(cast("dict[object, object]", value), depth=depth + 1)
        if kind is list or kind is tuple:
            return self._array(cast("list[object]", value), depth=depth + 1)
        return self._converted(value, depth=depth)

    def mapping(self, value: Mapping[Any, Any], *, depth: int) -> dict[str, Any]:
        self._check_container(value, depth)
        copy = {}
        for key, entry in value.items():
            name = key if type(key) is str else self._key(key)
            if len(name) > MAX_METADATA_KEY_CHARS:
                msg = f"a key over {MAX_METADATA_KEY_CHARS} characters"
                raise FieldError(msg)
            copy[self._text(name)] = self.value(entry, depth=depth)
        return copy

    def _array(self, value: Any, *, depth: int) -> list[object]:
        self._check_container(value, depth)
        return [self.value(entry, depth=depth) for entry in value]

    def _converted(self, value: object, *, depth: int) -> object:
        for types, plain_form in _PLAIN_FORMS:
            if isinstance(value, types):
                return self.value(plain_form(value), depth=depth)
        if is_dataclass(value) and not isinstance(value, type):
            return self.value(_dataclass_fields(value), depth=depth)
        return self._foreign(value, depth=depth)

    def _foreign(self, value: object, *, depth: int) -> object:
        """Numpy and driver types, by the methods they share."""
        for method in ("tolist", "to_native", "isoformat"):
            convert = getattr(value, method, None)
            if not callable(convert) or isinstance(value, type):
                continue
            try:
                plain = convert()
            except Exception as error:
                msg = f"a value of type {type(value).__name__} could not be converted"
                raise FieldError(msg) from error
            if type(plain) is not type(value):
                return self.value(plain, depth=depth)
        msg = f"a value of type {type(value).__name__} has no JSON form"
        raise FieldError(msg)

    def _text(self, text: str) -> str:
        self._spend(len(text) + 2)
        return replace_lone_surrogates(text)

    def _float(self, number: float) -> float | None:
        self._spend(3)
        if math.isfinite(number):
            return number
        self.note = _NOT_FINITE
        return None

    def _key(self, key: object) -> str:
        plain = key if isinstance(key, int | float) else self._converted(key, depth=0)
        if isinstance(plain, bool) or not isinstance(plain, str | int | float):
            msg = f"a key of type {type(key).__name__}"
            raise FieldError(msg)
        return str(plain)

    def _check_container(self, value: Any, depth: int) -> None:
        if depth > MAX_METADATA_DEPTH:
            msg = f"deeper than {MAX_METADATA_DEPTH} levels"
            raise FieldError(msg)
        if len(value) > MAX_METADATA_ENTRIES:
            msg = f"over {MAX_METADATA_ENTRIES} entries in one container"
            raise FieldError(msg)
        self._spend(2 + len(value))

    def _spend(self, chars: int) -> None:
        self._budget -= chars
        if self._budget < 0:
            raise FieldError(_too_long())


def _model_fields(model: BaseModel) -> dict[str, Any]:
    declared = {name: getattr(model, name, None) for name in type(model).model_fields}
    return declared | (model.model_extra or {})


def _dataclass_fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name, None) for field in fields(value)}


_PLAIN_FORMS: tuple[tuple[Any, Callable[[Any], object]], ...] = (
    (Enum, lambda member: member.value),
    (str, str.__str__),
    (int, int),
    (float, float),
    ((datetime, date, time), lambda moment: moment.isoformat()),
    ((UUID, Decimal), str),
    ((bytes, bytearray), lambda data: base64.b64encode(data).decode()),
    (BaseModel, _model_fields),
    (Mapping, dict),
    ((list, tuple), list),
    ((set, frozenset), lambda members: sorted(members, key=repr)),
)
"""Types that are not JSON and the plainer form of each, most specific first."""


def _too_long() -> str:
    return f"over {MAX_METADATA_CHARS:,} characters"
