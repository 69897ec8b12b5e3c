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
{statement}
print((time.perf_counter() - started) * 1000)
"""
_STATEMENTS = {
    "import praxa_langgraph (at most 60)": "import praxa_langgraph",
    "... and MemoryFederation, Namespace": (
        "from praxa_langgraph import MemoryFederation, Namespace"
    ),
    "... and every public name": "from praxa_langgraph import *",
}


def run() -> None:
    """Measure and print."""
    print("\nImporting, on top of langgraph.graph and langchain_core.retrievers")
    for name, statement in _STATEMENTS.items():
        added = [_import_once(statement) for _ in range(ROUNDS)]
        median, best = statistics.median(added), min(added)
        print(f"  {name:<58}{median:9.2f} ms, best {best:.2f}")


def _import_once(statement: str) -> float:
    answer = subprocess.run(  # noqa: S603 # our own program
        [sys.executable, "-c", _PROGRAM.format(statement=statement)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(answer.stdout)
