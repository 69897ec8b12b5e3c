"""Runs every benchmark: `make bench`."""

from __future__ import annotations

from benchmarks import fusing, graphs, importing, recalling


def main() -> None:
    """Measure one thing after the other; two at a time would measure each other."""
    for benchmark in (fusing, recalling, graphs, importing):
        benchmark.run()


if __name__ == "__main__":
    main()
