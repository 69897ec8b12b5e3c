"""What holds for every test: strict checkpoints, and no telemetry or home directory of any SDK."""

import atexit
import os
import shutil
import tempfile

# Each is read once, when its package is imported, so all are set before anything is.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
atexit.register(shutil.rmtree, os.environ["MEM0_DIR"], ignore_errors=True)

# Servers that are large or slow to start have targets of their own: test-letta, test-server.
TARGETS = {"letta_real": "PRAXA_REAL_LETTA", "langgraph_server": "PRAXA_LANGGRAPH_SERVER"}
collect_ignore = [folder for folder, wanted in TARGETS.items() if wanted not in os.environ]
# Run by a test, in a process of its own.
collect_ignore.append("opentelemetry_program.py")
