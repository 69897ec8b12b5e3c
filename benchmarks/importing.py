"""What `import praxa_langgraph` adds to a program that already uses LangGraph."""

from __future__ import annotations

import statistics
import subprocess
import sys

ROUNDS = 9
_PROGRAM = """
import time
import langgraph.graph, langchain_core.retrievers
started = time.perf_counter()
import praxa_langgraph
print((time.perf_counter() - started) * 1000)
"""


def run() -> None:
    """Measure and print."""
    added = [_import_once() for _ in range(ROUNDS)]
    median, best = statistics.median(added), min(added)
    print("\nImporting, on top of langgraph.graph and langchain_core.retrievers")
    print(f"  {'import praxa_langgraph adds (at most 60)':<58}{median:9.2f} ms, best {best:.2f}")


def _import_once() -> float:
    answer = subprocess.run(  # noqa: S603 # our own program
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    return float(answer.stdout)
