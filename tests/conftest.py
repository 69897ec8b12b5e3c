"""What holds for every test: strict checkpoints, and no telemetry of any SDK."""

import os

# Read once when LangGraph is imported, so it is set before anything imports it.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
