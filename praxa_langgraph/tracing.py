"""What a trace keeps of a source: a report in OpenTelemetry's names, and never any memory.

The names are those of OpenTelemetry's conventions for generative AI (`gen_ai.*`, `error.type`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from praxa_langgraph.models import SourceReport
from praxa_langgraph.sources.base import MemorySource


def source_metadata(source: MemorySource) -> dict[str, str]:
    """What is known of a source's run when it starts."""
    return {
        "memory_source": source.id,
        "gen_ai.operation.name": "search_memory",
        "gen_ai.provider.name": source.provider,
    }


def report_metadata(report: SourceReport) -> dict[str, str | int]:
    """What is known of it when it ends."""
    metadata: dict[str, str | int] = {"gen_ai.memory.record.count": report.item_count}
    if report.error is not None:
        metadata["error.type"] = report.error.code
    return metadata


def report_outputs(report: SourceReport) -> dict[str, Any]:
    """What a source's run returns: its report, without the ids and words of rejected records."""
    return report.model_dump(mode="json", exclude={"rejections"})


def annotate_run(handlers: Iterable[Any], run_id: UUID | None, report: SourceReport) -> None:
    """Add what is known at the end to the metadata of a run that tracers have open.

    LangChain's callbacks carry metadata when a run starts only; a tracer keeps its open runs in
    `run_map`, and sends them with the metadata they have when they end.
    """
    for handler in handlers:
        run = getattr(handler, "run_map", {}).get(str(run_id))
        if run is not None:
            run.extra.setdefault("metadata", {}).update(report_metadata(report))
