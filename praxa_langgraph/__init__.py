"""Memory federation for LangGraph: one recall, several memory sources, one labelled answer."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from praxa_langgraph.agents import RecallMiddleware as RecallMiddleware
    from praxa_langgraph.agents import create_recall_tool
    from praxa_langgraph.demands import RecallFailed
    from praxa_langgraph.federation import MemoryFederation
    from praxa_langgraph.graph import RecallState, create_recall_graph, recall_result
    from praxa_langgraph.models import (
        ErrorCode,
        Match,
        MemoryRecord,
        Namespace,
        Origin,
        Provenance,
        Provider,
        RecallItem,
        RecallResult,
        RecallStatus,
        RecordKind,
        Rejection,
        RetrievalMode,
        SourceReport,
        SourceRequest,
        SourceStatus,
        Validity,
    )
    from praxa_langgraph.namespaces import RunContext
    from praxa_langgraph.rendering import render_context
    from praxa_langgraph.retriever import FederatedRetriever
    from praxa_langgraph.sources.base import Capabilities, MemorySource, SourceFailure
    from praxa_langgraph.sources.function import FunctionSource
    from praxa_langgraph.sources.graphiti import GraphitiSource
    from praxa_langgraph.sources.langgraph_store import LangGraphStoreSource
    from praxa_langgraph.sources.letta import LettaSource
    from praxa_langgraph.sources.mem0 import Mem0Source
    from praxa_langgraph.sources.openai_agents import OpenAIAgentsSource
    from praxa_langgraph.sources.zep import ZepSource

__all__ = [
    "Capabilities",
    "ErrorCode",
    "FederatedRetriever",
    "FunctionSource",
    "GraphitiSource",
    "LangGraphStoreSource",
    "LettaSource",
    "Match",
    "Mem0Source",
    "MemoryFederation",
    "MemoryRecord",
    "MemorySource",
    "Namespace",
    "OpenAIAgentsSource",
    "Origin",
    "Provenance",
    "Provider",
    "RecallFailed",
    "RecallItem",
    "RecallResult",
    "RecallState",
    "RecallStatus",
    "RecordKind",
    "Rejection",
    "RetrievalMode",
    "RunContext",
    "SourceFailure",
    "SourceReport",
    "SourceRequest",
    "SourceStatus",
    "Validity",
    "ZepSource",
    "create_recall_graph",
    "create_recall_tool",
    "recall_result",
    "render_context",
]

_HOMES = {
    "agents": ("RecallMiddleware", "create_recall_tool"),
    "demands": ("RecallFailed",),
    "federation": ("MemoryFederation",),
    "graph": ("RecallState", "create_recall_graph", "recall_result"),
    "models": (
        "ErrorCode",
        "Match",
        "MemoryRecord",
        "Namespace",
        "Origin",
        "Provenance",
        "Provider",
        "RecallItem",
        "RecallResult",
        "RecallStatus",
        "RecordKind",
        "Rejection",
        "RetrievalMode",
        "SourceReport",
        "SourceRequest",
        "SourceStatus",
        "Validity",
    ),
    "namespaces": ("RunContext",),
    "rendering": ("render_context",),
    "retriever": ("FederatedRetriever",),
    "sources.base": ("Capabilities", "MemorySource", "SourceFailure"),
    "sources.function": ("FunctionSource",),
    "sources.graphiti": ("GraphitiSource",),
    "sources.langgraph_store": ("LangGraphStoreSource",),
    "sources.letta": ("LettaSource",),
    "sources.mem0": ("Mem0Source",),
    "sources.openai_agents": ("OpenAIAgentsSource",),
    "sources.zep": ("ZepSource",),
}
"""Where each public name lives; it is imported when it is first asked for.

`RecallMiddleware` needs an extra, so `import *` leaves it alone.
"""

_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
