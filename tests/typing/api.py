"""The public API as a user types it: checked by mypy, never run."""

from collections.abc import Awaitable
from typing import Any

from langchain_core.documents import Document
from langchain_core.tools import BaseTool

from praxa_langgraph import (
    FederatedRetriever,
    FunctionSource,
    LangGraphStoreSource,
    Mem0Source,
    MemoryFederation,
    MemoryRecord,
    MemorySource,
    Namespace,
    OpenAIAgentsSource,
    RecallMiddleware,
    RecallResult,
    SourceRequest,
    create_recall_graph,
    create_recall_tool,
    recall_result,
    render_context,
)
from praxa_langgraph.testing import ScriptedSource


def look_up(request: SourceRequest) -> list[MemoryRecord]:
    return [MemoryRecord(record_id="1", kind="fact", text=request.query)]


async def alook_up(request: SourceRequest) -> list[MemoryRecord]:
    return look_up(request)


def sources(client: Any) -> list[MemorySource]:
    tea = MemoryRecord(record_id="1", kind="fact", text="Prefers tea")
    return [
        FunctionSource(look_up, id="sync", kinds=("fact",)),
        FunctionSource(alook_up, id="async", kinds=("fact", "message"), modes=("semantic",)),
        ScriptedSource([tea], TimeoutError()),
        Mem0Source(client, identity=lambda who: {"user_id": who.subject_id}),
        LangGraphStoreSource(client, identity=lambda who: (who.tenant_id, who.subject_id)),
        OpenAIAgentsSource(client, identity=lambda who: who.subject_id),
    ]


def doors(federation: MemoryFederation, ada: Namespace) -> None:
    result: RecallResult = federation.recall("tea", namespace=ada, kinds=["fact"], mode="semantic")
    pending: Awaitable[RecallResult] = federation.arecall("tea", namespace=ada, limit=3)
    wire: dict[str, Any] = result.to_wire()
    text: str = render_context(result, max_characters=2_000)
    retriever = FederatedRetriever(federation=federation, namespace=ada, k=3)
    documents: list[Document] = retriever.invoke("tea", k=1)
    tool: BaseTool = create_recall_tool(federation, namespace=ada, choosable_kinds=["fact"])
    middleware = RecallMiddleware(federation, required=["sync"], timeout=1.0)
    again: RecallResult = recall_result(create_recall_graph(federation).invoke({"query": "tea"}))
    print(pending, wire, text, documents, tool, middleware, again)


def refused(federation: MemoryFederation, ada: Namespace) -> None:
    federation.recall("tea", namespace=ada, kinds=["checkpoint"])  # type: ignore[list-item]
    federation.recall("tea", namespace=ada, mode="lexical")  # type: ignore[arg-type]
    federation.recall("tea")  # type: ignore[call-arg]
