"""Metadata is copied into bounded, plain JSON, or left off with a reason."""

import base64
import json
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from praxa_langgraph.bounds.limits import FieldError
from praxa_langgraph.bounds.metadata import _plain_copy, _Walk, bound_metadata


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Model(BaseModel):
    when: date


@dataclass
class Point:
    x: int


class Pair(NamedTuple):
    a: int
    b: int


def plain(value):
    copy, note = bound_metadata({"value": value})
    assert note is None
    json.dumps(copy)
    return copy["value"]


class TestPlainForms:
    @pytest.mark.parametrize(
        ("value", "form"),
        [
            (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
            (date(2026, 1, 2), "2026-01-02"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (Decimal("1.50"), "1.50"),
            (Colour.RED, "red"),
            (Level.HIGH, 3),
            (b"\x00\xff", base64.b64encode(b"\x00\xff").decode()),
            ((1, 2), [1, 2]),
            (Pair(1, 2), [1, 2]),
            ({"b", "a"}, ["a", "b"]),
            (frozenset({2, 1}), [1, 2]),
            (MappingProxyType({"a": 1}), {"a": 1}),
            (OrderedDict(a=1), {"a": 1}),
            (Model(when=date(2026, 1, 2)), {"when": "2026-01-02"}),
            (Point(x=1), {"x": 1}),
            (np.float64(0.5), 0.5),
            (np.int64(7), 7),
            (np.array([[1, 2]]), [[1, 2]]),
            ({1: "a", 2.5: "b"}, {"1": "a", "2.5": "b"}),
            ("a\ud800", "a\ufffd"),
            (None, None),
            (2**70, 2**70),
        ],
    )
    def test_a_value_that_is_not_json_becomes_its_plain_form(self, value, form):
        assert plain(value) == form

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), np.float64("-inf")])
    def test_a_number_that_is_not_finite_becomes_null_and_is_noted(self, number):
        copy, note = bound_metadata({"value": [number]})

        assert copy == {"value": [None]}
        assert note == "a number that is not finite became null"

    @pytest.mark.parametrize("value", [object(), lambda: 1, iter([1]), Colour, {"k": {(1,): 2}}])
    def test_a_value_without_a_json_form_is_refused(self, value):
        with pytest.raises(FieldError):
            bound_metadata({"value": value})

    def test_a_value_that_fails_to_convert_is_refused_without_its_words(self):
        class Broken:
            def isoformat(self):
                raise RuntimeError("secret")

        with pytest.raises(FieldError, match="a value of type Broken could not be converted"):
            bound_metadata({"value": Broken()})

    @pytest.mark.parametrize("value", [None, "text", [1], 7])
    def test_metadata_must_be_an_object(self, value):
        with pytest.raises(FieldError, match=f"not an object but {type(value).__name__}"):
            bound_metadata(value)


def nested(depth):
    value = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


class TestBounds:
    @pytest.mark.parametrize(
        "inside",
        [
            nested(12),
            {str(i): i for i in range(256)},
            {"a": list(range(256))},
            {"k" * 256: 1},
            {"a": "x" * (32_768 - len('{"a":""}'))},
        ],
        ids=["depth", "entries", "list", "key", "size"],
    )
    def test_what_is_at_the_limit_is_kept(self, inside):
        assert bound_metadata(inside)[0] == inside

    @pytest.mark.parametrize(
        ("outside", "reason"),
        [
            (nested(13), "deeper than 12 levels"),
            ({str(i): i for i in range(257)}, "over 256 entries in one container"),
            ({"a": list(range(257))}, "over 256 entries in one container"),
            ({"k" * 257: 1}, "a key over 256 characters"),
            ({"a": "x" * (32_769 - len('{"a":""}'))}, "over 32,768 characters"),
            ({"a": {"b": {"k" * 300: 1}}}, "a key over 256 characters"),
        ],
        ids=["depth", "entries", "list", "key", "size", "nested key"],
    )
    def test_what_is_above_it_is_refused_with_the_rule(self, outside, reason):
        with pytest.raises(FieldError) as caught:
            bound_metadata(outside)

        assert str(caught.value) == reason

    def test_a_cycle_is_refused(self):
        cycle = {}
        cycle["self"] = cycle

        with pytest.raises(FieldError, match="deeper than 12 levels"):
            bound_metadata(cycle)

    def test_a_huge_value_is_given_up_early(self):
        touched = []

        class Counting(dict):
            def items(self):
                for item in super().items():
                    touched.append(item)
                    yield item

        with pytest.raises(FieldError, match="over 32,768 characters"):
            bound_metadata(Counting({str(i): {"x" * 200: "y" * 2_000} for i in range(200)}))
        assert len(touched) < 40


names = st.text(max_size=9)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
metadata = st.dictionaries(names, json_values, max_size=6)


@given(metadata)
def test_json_comes_out_as_it_went_in_and_shares_nothing(given_metadata):
    copy, note = bound_metadata(given_metadata)

    assert (copy, note) == (given_metadata, None)
    assert copy is not given_metadata
    for name, value in given_metadata.items():
        if isinstance(value, dict | list):
            assert copy[name] is not value


@given(metadata)
def test_the_quick_copy_is_the_one_a_closer_look_would_make(given_metadata):
    quick = _plain_copy(given_metadata)

    assert quick is None or quick == _Walk().mapping(given_metadata, depth=1)
