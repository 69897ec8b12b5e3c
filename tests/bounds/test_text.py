"""White space, normal forms and lone surrogates, as ECMAScript and Unicode have them."""

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from praxa_langgraph.bounds.text import (
    WHITE_SPACE,
    normalize_text,
    one_line,
    replace_lone_surrogates,
    trim,
)

ECMASCRIPT = [
    *range(0x09, 0x0E),
    *(0x20, 0xA0, 0x1680),
    *range(0x2000, 0x200B),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF),
]
any_text = st.text(st.characters() | st.sampled_from([*WHITE_SPACE, "\x1c", "\x1f", "\x85", "ﬁ"]))


def slowly_normalized(text):
    """The rule as the contract writes it."""
    return re.sub(f"[{WHITE_SPACE}]+", " ", normalize("NFKC", text)).strip(WHITE_SPACE)


def test_white_space_is_ecmascripts_set():
    assert sorted(map(ord, WHITE_SPACE)) == ECMASCRIPT


@given(any_text)
def test_the_quick_normal_form_is_the_one_of_the_contract(text):
    assert normalize_text(text) == slowly_normalized(text)


@given(any_text)
def test_normalizing_twice_changes_nothing(text):
    assert normalize_text(normalize_text(text)) == normalize_text(text)


@pytest.mark.parametrize("control", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85"])
def test_what_only_python_takes_for_white_space_is_kept(control):
    assert normalize_text(f"a{control}b") == f"a{control}b"
    assert trim(control) == control


def test_lone_surrogates_become_the_replacement_character_and_pairs_stay():
    assert replace_lone_surrogates("a\ud800b\udfff😀") == "a\ufffdb\ufffd😀"


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_line_within_its_limit(text, limit):
    line = one_line(text, limit=limit)

    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
