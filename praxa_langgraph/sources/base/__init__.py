"""What all sources stand on: the protocol, the failures, and the two checks of identity."""

from praxa_langgraph.sources.base.failures import (
    SourceFailure,
    misconfigured,
    redact,
    status_of,
    to_source_error,
)
from praxa_langgraph.sources.base.hits import (
    fields_of,
    gather_parts,
    join_parts,
    lineage_of,
    named_summary,
    take_turns,
)
from praxa_langgraph.sources.base.identity import (
    check_identity_part,
    check_identity_parts,
    check_path_part,
    foreign,
    map_identity,
)
from praxa_langgraph.sources.base.protocol import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    MemorySource,
)

__all__ = [
    "Answer",
    "Capabilities",
    "ConfiguredSource",
    "Hit",
    "MemorySource",
    "SourceFailure",
    "check_identity_part",
    "check_identity_parts",
    "check_path_part",
    "fields_of",
    "foreign",
    "gather_parts",
    "join_parts",
    "lineage_of",
    "map_identity",
    "misconfigured",
    "named_summary",
    "redact",
    "status_of",
    "take_turns",
    "to_source_error",
]
