"""What a caller demands of a recall before it goes on: some answer, or that of certain sources."""

from __future__ import annotations

from collections.abc import Collection

from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import RecallResult


class RecallFailed(RuntimeError):  # noqa: N818 # an outcome, named as the status is
    """No source answered, or one that was required did not.

    Not raised when some answered and none of the others was required, nor when all answered and
    nothing is remembered.
    """

    def __init__(self, result: RecallResult, missing: Collection[str] = ()) -> None:
        """Name the sources and their codes, and keep the result."""
        causes = ", ".join(
            f"{report.source_id}: {report.error.code}"
            for report in result.sources
            if report.error and (report.source_id in missing or not missing)
        )
        what = "a required memory source did not answer" if missing else "no memory source answered"
        super().__init__(f"{what} ({causes or ', '.join(missing)})")
        self.result = result
        """The whole result, with every source's report."""
        self.missing = tuple(missing)
        """The required sources that did not answer; empty when no source did."""


def check_required(required: Collection[str], federation: MemoryFederation) -> tuple[str, ...]:
    """Return the ids of required sources.

    Raises:
        ValueError: One of them is no source of the federation.
        TypeError: It is a single string.
    """
    if isinstance(required, str):
        msg = "required must be a list of source ids, not a string"
        raise TypeError(msg)
    known = [source.id for source in federation.sources]
    for source_id in required:
        if source_id not in known:
            msg = f"required names {source_id!r}, which is none of {', '.join(map(repr, known))}"
            raise ValueError(msg)
    return tuple(required)


def demand(result: RecallResult, required: Collection[str], *, may_fail: bool) -> None:
    """Refuse a result that lacks a required source, or, unless it may fail, any answer.

    Raises:
        RecallFailed: As said.
    """
    answered = {report.source_id for report in result.sources if report.status == "ok"}
    if missing := [source_id for source_id in required if source_id not in answered]:
        raise RecallFailed(result, missing)
    if result.status == "failed" and not may_fail:
        raise RecallFailed(result)
