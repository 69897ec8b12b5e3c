"""The closed vocabularies: a word outside them is refused everywhere."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Provider: TypeAlias = Literal[
    "mem0", "zep", "graphiti", "langgraph", "letta", "openai_agents", "custom"
]
RecordKind: TypeAlias = Literal[
    "message", "fact", "summary", "episode", "pinned_context", "document", "entity", "edge"
]
Origin: TypeAlias = Literal["explicit", "observed", "inferred", "imported"]
RetrievalMode: TypeAlias = Literal["semantic", "hybrid", "graph", "exact", "recent"]
SourceStatus: TypeAlias = Literal["ok", "timed_out", "unavailable", "error"]
RecallStatus: TypeAlias = Literal["ok", "partial", "failed"]
ValidityState: TypeAlias = Literal["current", "past", "future"]
ErrorCode: TypeAlias = Literal[
    "source_timed_out",
    "source_unavailable",
    "source_rate_limited",
    "source_saturated",
    "source_unauthorized",
    "source_not_found",
    "source_unsupported",
    "source_misconfigured",
    "source_invalid_response",
    "source_scope_violation",
    "source_error",
]
RejectionCode: TypeAlias = Literal[
    "invalid_record",
    "foreign_scope",
    "checkpoint_state",
    "unsupported_content",
    "incomplete_answer",
]

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
RECORD_KINDS: tuple[RecordKind, ...] = get_args(RecordKind)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
RETRIEVAL_MODES: tuple[RetrievalMode, ...] = get_args(RetrievalMode)

RANK_CONSTANT = 60
"""Of reciprocal-rank fusion, as its authors chose it."""
