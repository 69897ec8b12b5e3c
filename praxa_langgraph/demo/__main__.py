"""Recalls the demo's story: `python -m praxa_langgraph.demo ["a question"] [--json]`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_NEEDED = ("mem0", "qdrant_client", "agents", "wordllama", "rich")


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the providers, ask the question, print the answer; 0 when a source answered."""
    parser = argparse.ArgumentParser(prog="python -m praxa_langgraph.demo", description=__doc__)
    parser.add_argument("question", nargs="?", help="what to recall about the customer, Ines")
    parser.add_argument("--json", action="store_true", help="print the wire form")
    parser.add_argument("--limit", type=int, default=10, help="items at most (default 10)")
    options = parser.parse_args(arguments)
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        parser.error(f"{', '.join(missing)} not installed; pip install 'praxa-langgraph[demo]'")
    return _recall(options)


def _recall(options: argparse.Namespace) -> int:
    from rich.console import Console  # noqa: PLC0415 # after the check that it is installed

    from praxa_langgraph.demo import story  # noqa: PLC0415
    from praxa_langgraph.demo.printing import print_result  # noqa: PLC0415
    from praxa_langgraph.demo.providers import story_federation  # noqa: PLC0415

    logging.disable(logging.WARNING)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        story_federation(Path(folder)) as federation,
    ):
        result = federation.recall(
            options.question or story.QUESTION, namespace=story.INES, limit=options.limit
        )
    if options.json:
        json.dump(result.to_wire(), sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        print_result(result, Console())
    return 0 if result.status != "failed" else 1


if __name__ == "__main__":
    sys.exit(main())
