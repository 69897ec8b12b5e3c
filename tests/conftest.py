"""What holds for every test: strict checkpoints, and no telemetry of any SDK."""

import os

# Read once when LangGraph is imported, so it is set before anything imports it.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

# Servers that are large or slow to start have targets of their own: test-letta, test-server.
TARGETS = {"letta_real": "PRAXA_REAL_LETTA", "langgraph_server": "PRAXA_LANGGRAPH_SERVER"}
collect_ignore = [folder for folder, wanted in TARGETS.items() if wanted not in os.environ]
