"""One recall under way: what each source is asked, and how the outcomes become a result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from praxa_langgraph.bounds.records import CheckedAnswer, check_answer
from praxa_langgraph.bounds.requests import RecallRequest
from praxa_langgraph.models import RecallResult, RetrievalMode, SourceReport, SourceRequest
from praxa_langgraph.reports import SourceOutcome, complete, outcome_of
from praxa_langgraph.runner import Bulkhead, Call, Outcome, arun, run
from praxa_langgraph.sources.base import Capabilities, MemorySource, SourceFailure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slot:
    """A source in its place in a federation."""

    index: int
    source: MemorySource
    weight: float
    timeout: float | None
    bulkhead: Bulkhead
    is_coroutine: bool


class RecallObserver(Protocol):
    """Sees each source start and end, as a tracer does; never any memory."""

    def started(self, source: MemorySource) -> Context:
        """Return the context in which the source is read."""
        ...

    def ended(self, report: SourceReport) -> None:
        """Take note of how the source answered."""
        ...


class AsyncRecallObserver(Protocol):
    """The same, awaited."""

    async def started(self, source: MemorySource) -> Context:
        """Return the context in which the source is read."""
        ...

    async def ended(self, report: SourceReport) -> None:
        """Take note of how the source answered."""
        ...


class Recall:
    """One recall under way: the checked request, the sources it asks, and when it began.

    The doors share it: each starts the calls in its own way and hands the outcomes back.
    """

    def __init__(
        self,
        request: RecallRequest,
        slots: Sequence[Slot],
        *,
        timeout: float,
        max_results: int,
        max_concurrency: int | None,
    ) -> None:
        """Start the clock."""
        self.request = request
        self.slots = tuple(slots)
        self.started_at = datetime.now(UTC)
        self._started = time.monotonic()
        self._loop_at_start = _running_loop()
        self._timeout = timeout
        self._max_results = max_results
        self._max_concurrency = max_concurrency

    def run(self, *, observer: RecallObserver | None = None) -> RecallResult:
        """Ask the sources from synchronous code and fuse what they answer."""
        outcomes: dict[int, SourceOutcome] = {}

        def ended(index: int, outcome: Outcome[CheckedAnswer]) -> None:
            outcomes[index] = self.outcome(self.slots[index], outcome)
            if observer is not None:
                observer.ended(outcomes[index].report)

        contexts = [observer.started(s.source) if observer else None for s in self.slots]
        calls = [
            self.call(slot, awaited=False, context=context)
            for slot, context in zip(self.slots, contexts, strict=True)
        ]
        run(calls, max_concurrency=self._max_concurrency, on_done=ended)
        return self.complete(outcomes.values())

    async def arun(self, *, observer: AsyncRecallObserver | None = None) -> RecallResult:
        """Do the same on the running event loop."""
        outcomes: dict[int, SourceOutcome] = {}

        async def ended(index: int, outcome: Outcome[CheckedAnswer]) -> None:
            outcomes[index] = self.outcome(self.slots[index], outcome)
            if observer is not None:
                await observer.ended(outcomes[index].report)

        contexts = [await observer.started(s.source) if observer else None for s in self.slots]
        calls = [
            self.call(slot, awaited=True, context=context)
            for slot, context in zip(self.slots, contexts, strict=True)
        ]
        await arun(calls, max_concurrency=self._max_concurrency, on_done=ended)
        return self.complete(outcomes.values())

    def call(
        self, slot: Slot, *, awaited: bool, context: Context | None = None
    ) -> Call[CheckedAnswer]:
        """Return the call that reads one source and checks what it returns."""
        source, timeout = slot.source, self._timeout_of(slot)
        deadline = self._started + timeout
        return Call(
            read=lambda: source.read(self._source_request(slot, deadline, awaited=awaited)),
            finish=self._check,
            timeout=timeout,
            deadline=deadline,
            bulkhead=slot.bulkhead,
            is_coroutine=slot.is_coroutine,
            context=context or copy_context(),
        )

    def outcome(self, slot: Slot, outcome: Outcome[CheckedAnswer]) -> SourceOutcome:
        """Return how one source answered: its report, and its records when it did."""
        return outcome_of(
            outcome,
            index=slot.index,
            source_id=slot.source.id,
            provider=slot.source.provider,
            mode=self._mode(slot),
            weight=slot.weight,
        )

    def complete(self, outcomes: Iterable[SourceOutcome]) -> RecallResult:
        """Fuse what the sources answered, whatever order they arrived in."""
        return complete(outcomes, self.request, started_at=self.started_at)

    def _timeout_of(self, slot: Slot) -> float:
        limits = (self.request.timeout, slot.timeout)
        return min((limit for limit in limits if limit is not None), default=self._timeout)

    def _mode(self, slot: Slot) -> RetrievalMode:
        return self.request.mode or slot.source.capabilities.modes[0]

    def _source_request(self, slot: Slot, deadline: float, *, awaited: bool) -> SourceRequest:
        request, capabilities = self.request, slot.source.capabilities
        _refuse_undeclared(request, capabilities)
        return SourceRequest(
            query=request.query,
            namespace=request.namespace,
            limit=min(request.limit, self._max_results),
            mode=self._mode(slot),
            kinds=request.kinds or capabilities.kinds,
            filter=request.filter,
            timeout=max(0.001, deadline - time.monotonic()),
            awaited=awaited,
            blocked_loop=None if awaited else self._loop_at_start,
        )

    def _check(self, answer: object) -> CheckedAnswer:
        if answer is None or isinstance(answer, str | Mapping) or not isinstance(answer, Iterable):
            msg = f"the source returned {type(answer).__name__}, not a list of records"
            raise SourceFailure("source_invalid_response", msg)
        request = self.request
        return check_answer(
            answer,
            kinds=frozenset(request.kinds) if request.kinds else None,
            max_results=self._max_results,
            current_at=None if request.include_past else request.as_of,
        )


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _refuse_undeclared(request: RecallRequest, capabilities: Capabilities) -> None:
    if request.mode is not None and request.mode not in capabilities.modes:
        offered = ", ".join(capabilities.modes)
        msg = f"mode {request.mode!r} is not offered; this source offers {offered}"
        raise SourceFailure("source_unsupported", msg)
    if request.filter is not None and not capabilities.filters:
        msg = "this source takes no filter"
        raise SourceFailure("source_unsupported", msg)
