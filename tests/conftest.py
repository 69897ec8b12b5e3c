"""What holds for every test: strict checkpoints, and no telemetry of any SDK."""

import os

# Read once when LangGraph is imported, so it is set before anything imports it.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

# A server of a gigabyte has a target of its own: `make test-letta`.
collect_ignore = [] if "PRAXA_REAL_LETTA" in os.environ else ["letta_real"]
