"""The public API as a user types it: checked by mypy, never run."""

from collections.abc import Awaitable

from praxa_langgraph import (
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    MemorySource,
    Namespace,
    RecallResult,
    SourceRequest,
)
from praxa_langgraph.testing import ScriptedSource


def look_up(request: SourceRequest) -> list[MemoryRecord]:
    return [MemoryRecord(record_id="1", kind="fact", text=request.query)]


async def alook_up(request: SourceRequest) -> list[MemoryRecord]:
    return look_up(request)


sources: list[MemorySource] = [
    FunctionSource(look_up, id="sync", kinds=("fact",)),
    FunctionSource(alook_up, id="async", kinds=("fact", "message"), modes=("semantic", "recent")),
    ScriptedSource([MemoryRecord(record_id="1", kind="fact", text="Prefers tea")], TimeoutError()),
]
federation = MemoryFederation(sources, timeout=2, weights={"sync": 2.0})
ada = Namespace(tenant_id="acme", subject_id="ada", scope=("support",))
result: RecallResult = federation.recall("tea", namespace=ada, kinds=["fact"], mode="semantic")
pending: Awaitable[RecallResult] = federation.arecall("tea", namespace=ada, limit=3)
wire: dict[str, object] = result.to_wire()
