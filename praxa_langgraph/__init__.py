"""Memory federation for LangGraph: one recall, several memory sources, one labelled answer."""

from praxa_langgraph.federation import MemoryFederation
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
from praxa_langgraph.sources.base import Capabilities, MemorySource, SourceFailure
from praxa_langgraph.sources.function import FunctionSource

__all__ = [
    "Capabilities",
    "FunctionSource",
    "Match",
    "MemoryFederation",
    "MemoryRecord",
    "MemorySource",
    "Namespace",
    "Provenance",
    "RecallItem",
    "RecallResult",
    "Rejection",
    "SourceFailure",
    "SourceReport",
    "SourceRequest",
    "Validity",
]
