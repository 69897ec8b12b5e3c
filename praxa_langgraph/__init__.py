"""Memory federation for LangGraph: one recall, several memory sources, one labelled answer."""

from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.graph import RecallState, create_recall_graph
from praxa_langgraph.models import (
    Match,
    MemoryRecord,
    Namespace,
    Provenance,
    RecallItem,
    RecallResult,
    Rejection,
    SourceReport,
    SourceRequest,
    Validity,
)
from praxa_langgraph.retriever import FederatedRetriever, RecallFailed
from praxa_langgraph.sources.base import Capabilities, MemorySource, SourceFailure
from praxa_langgraph.sources.function import FunctionSource

__all__ = [
    "Capabilities",
    "FederatedRetriever",
    "FunctionSource",
    "Match",
    "MemoryFederation",
    "MemoryRecord",
    "MemorySource",
    "Namespace",
    "Provenance",
    "RecallFailed",
    "RecallItem",
    "RecallResult",
    "RecallState",
    "Rejection",
    "SourceFailure",
    "SourceReport",
    "SourceRequest",
    "Validity",
    "create_recall_graph",
]
