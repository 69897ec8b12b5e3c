"""Execution state is recognised by its shape, so that it never passes for a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHECKPOINT_MARKERS = frozenset({"channel_values", "checkpoint", "configurable", "next"})
"""Execution state has at least one of these keys; without any of them nothing more is looked at."""

_TUPLE_COMPANIONS = frozenset({"metadata", "parent_config", "pending_writes"})
_SNAPSHOT_FIELDS = frozenset({"values", "next", "tasks"})


def is_checkpoint_state(value: object) -> bool:
    """Whether a value is shaped like a LangGraph checkpoint, checkpoint tuple or state snapshot.

    Example:
        >>> is_checkpoint_state({"channel_values": {}, "channel_versions": {}})
        True
        >>> is_checkpoint_state({"text": "Prefers tea"})
        False
    """
    parts = value if isinstance(value, Mapping) else _named_parts(value)
    if CHECKPOINT_MARKERS.isdisjoint(parts):
        return False
    return (
        ("channel_values" in parts and ("channel_versions" in parts or "versions_seen" in parts))
        or (
            isinstance(parts.get("checkpoint"), Mapping) and not _TUPLE_COMPANIONS.isdisjoint(parts)
        )
        or _names_a_checkpoint(parts.get("configurable"))
        or parts.keys() >= _SNAPSHOT_FIELDS
    )


def holds_checkpoint_state(value: object) -> bool:
    """Whether a value is execution state, or holds some one level down under a key of its own."""
    if is_checkpoint_state(value):
        return True
    return isinstance(value, Mapping) and any(
        isinstance(entry, Mapping | tuple) and is_checkpoint_state(entry)
        for entry in value.values()
    )


def _named_parts(value: object) -> Mapping[str, Any]:
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and isinstance(names, tuple):
        return dict(zip(names, value, strict=True))
    return {}


def _names_a_checkpoint(configurable: object) -> bool:
    return isinstance(configurable, Mapping) and "checkpoint_id" in configurable
