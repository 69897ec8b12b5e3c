"""Where a validity window stands at an instant."""

from __future__ import annotations

from datetime import datetime

from praxa_langgraph.models import Validity, ValidityState


def validity_state(window: Validity, at: datetime) -> ValidityState:
    """Say whether a window is open, closed or not yet open at an aware instant.

    A window is open from `valid_at` up to, and not including, `invalid_at`. Where the provider
    recorded no end but says that the statement has expired, the expiry closes it.

    Example:
        >>> from datetime import UTC, datetime
        >>> moved = Validity(valid_at=datetime(2026, 3, 1, tzinfo=UTC))
        >>> validity_state(moved, datetime(2026, 1, 1, tzinfo=UTC))
        'future'
    """
    if window.valid_at is not None and at < window.valid_at:
        return "future"
    end = window.invalid_at if window.invalid_at is not None else window.expired_at
    return "past" if end is not None and end <= at else "current"
