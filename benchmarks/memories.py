"""What six small sources hold: ten records each, three of which all of them hold."""

from __future__ import annotations

from praxa_langgraph import MemoryRecord

SOURCES = 6
RECORDS = 10
SHARED = 3


def texts_of(source: int) -> list[str]:
    """Return the texts of one source."""
    return [f"memory {i} of {'all' if i < SHARED else source}" for i in range(RECORDS)]


def records_of(source: int) -> list[MemoryRecord]:
    """Return the records of one source."""
    return [MemoryRecord(record_id=t, kind="fact", text=t) for t in texts_of(source)]
