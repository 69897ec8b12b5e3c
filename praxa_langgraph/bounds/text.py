"""White space, surrogates and the normal form under which two texts are equal."""

from __future__ import annotations

import re
from unicodedata import normalize

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""ECMAScript's white space and line terminators; trimming always means this set."""

_WHITE_SPACE_RUN = re.compile(f"[{WHITE_SPACE}]+")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def trim(text: str) -> str:
    """Strip ECMAScript white space from both ends."""
    return text.strip(WHITE_SPACE)


def has_control_characters(text: str) -> bool:
    """Whether a C0 or C1 control character occurs."""
    return not text.isprintable() and _CONTROL_CHARACTER.search(text) is not None


def has_lone_surrogates(text: str) -> bool:
    """Whether a code point occurs that UTF-8 cannot carry."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def replace_lone_surrogates(text: str) -> str:
    """Put U+FFFD where a lone surrogate stands, as browsers' `toWellFormed` does."""
    return _SURROGATE.sub("\ufffd", text) if has_lone_surrogates(text) else text


def one_line(text: str, *, limit: int) -> str:
    """Collapse white space and control characters; cut at `limit` characters with an ellipsis."""
    line = " ".join(_CONTROL_CHARACTER.sub(" ", replace_lone_surrogates(text)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def normalize_text(text: str) -> str:
    r"""Return the form under which two texts are the same item.

    NFKC first, then every run of ECMAScript white space becomes one space, then trimmed.

    Example:
        >>> normalize_text("  ﬁne\tgreen  tea ")
        'fine green tea'
    """
    if not text.isascii():
        text = normalize("NFKC", text)
    # Every white-space character but the plain space is unprintable, so a printable text needs
    # no substitution unless two spaces meet.
    if text.isprintable() and "  " not in text:
        return text.strip(" ")
    if _splits_as_ecmascript(text):
        return " ".join(text.split())
    return _WHITE_SPACE_RUN.sub(" ", text).strip(" ")


def _splits_as_ecmascript(text: str) -> bool:
    """Whether `str.split` sees the same white space: it adds five controls and lacks U+FEFF."""
    return not (
        "\x1c" in text
        or "\x1d" in text
        or "\x1e" in text
        or "\x1f" in text
        or "\x85" in text
        or "\ufeff" in text
    )
