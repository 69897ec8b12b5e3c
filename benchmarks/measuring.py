"""Medians of interleaved runs, so that both sides of a ratio meet the same machine."""

from __future__ import annotations

import asyncio
import inspect
import statistics
import time
from collections.abc import Callable, Mapping

WARM_UP_ROUNDS = 2


def medians(candidates: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Return the median of each candidate in milliseconds; the candidates take turns.

    They run inside one event loop, so that a candidate may return an awaitable and no loop is
    started or stopped while the clock runs.
    """
    return asyncio.run(_medians(candidates, rounds))


async def _medians(candidates: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    for round_number in range(rounds + WARM_UP_ROUNDS):
        for name, run in candidates.items():
            started = time.perf_counter()
            if inspect.isawaitable(answer := run()):
                await answer
            elapsed = (time.perf_counter() - started) * 1000
            if round_number >= WARM_UP_ROUNDS:
                taken[name].append(elapsed)
    return {name: statistics.median(values) for name, values in taken.items()}


def report(
    title: str, measured: Mapping[str, float], ratios: Mapping[str, tuple[str, str]]
) -> None:
    """Print medians, then ratios; `ratios` maps what it says to numerator and denominator."""
    print(f"\n{title}")
    for name, value in measured.items():
        print(f"  {name:<58}{value:9.2f} ms")
    for name, (numerator, denominator) in ratios.items():
        print(f"  {name:<58}{measured[numerator] / measured[denominator]:9.2f} x")
