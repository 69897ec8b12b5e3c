"""How values look on the wire: camelCase, and absent is absent."""

from __future__ import annotations

from functools import partial
from operator import is_, not_

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

WIRE = ConfigDict(
    alias_generator=to_camel,
    populate_by_name=True,
    extra="forbid",
    allow_inf_nan=False,
    defer_build=True,
)
"""camelCase outside, unknown fields refused, validators built when they are first needed."""

FROZEN = ConfigDict(**WIRE, frozen=True)
"""For models whose values cannot be changed."""

Absent = Field(exclude_if=partial(is_, None))
"""Left out of the wire form when it is None."""

Empty = Field(exclude_if=not_)
"""Left out of the wire form when it is empty or zero."""
