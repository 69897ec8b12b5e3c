"""Asks several memory sources at once and returns one fused, labelled result."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from praxa_langgraph.bounds.limits import (
    DEFAULT_LIMIT,
    DEFAULT_RESULTS_PER_SOURCE,
    DEFAULT_TIMEOUT,
)
from praxa_langgraph.bounds.requests import (
    RecallRequest,
    check_concurrency,
    check_max_results,
    check_provider,
    check_request,
    check_source_ids,
    check_timeout,
    check_weights,
)
from praxa_langgraph.models import (
    Namespace,
    Provider,
    RecallResult,
    RecordKind,
    RetrievalMode,
    SourceRequest,
)
from praxa_langgraph.recall import Recall, Slot
from praxa_langgraph.runner import Bulkhead
from praxa_langgraph.sources.base import Answer, Capabilities, MemorySource


class MemoryFederation:
    """Several memory sources, asked at once, read-only.

    Example:
        >>> from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
        >>> def crm(request):
        ...     return [{"record_id": "1", "kind": "fact", "text": "Prefers tea"}]
        >>> federation = MemoryFederation([FunctionSource(crm, id="crm", kinds=("fact",))])
        >>> ada = Namespace(tenant_id="acme", subject_id="ada")
        >>> result = federation.recall("what does she drink?", namespace=ada)
        >>> result.status, [item.text for item in result.items]
        ('ok', ['Prefers tea'])
    """

    def __init__(
        self,
        sources: Iterable[MemorySource],
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_results_per_source: int = DEFAULT_RESULTS_PER_SOURCE,
        max_concurrency: int | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Check and keep the sources.

        Args:
            sources: 1 to 32, each with an id of its own. Their order breaks ties of provenance.
            timeout: Seconds each source may take, over 0 to 60, unless it has its own deadline.
            max_results_per_source: Records taken from one source, 1 to 100.
            max_concurrency: Sources started at the same time, 1 to 32; all of them by default.
                A deadline counts from the start of the recall, so a source that waits for its
                turn has only what is left.
            weights: Source id to a positive factor in the fusion; 1 where none is given.

        Raises:
            TypeError: A source does not follow the protocol, or an option has the wrong type.
            ValueError: An option is outside its bounds, or two sources share an id.
        """
        self.sources = tuple(sources)
        """The sources in configured order."""
        declared = [_declared(source) for source in self.sources]
        self._source_ids = check_source_ids(source.id for source in declared)
        self._timeout = check_timeout("timeout", timeout)
        self._max_results = check_max_results(max_results_per_source)
        self.max_concurrency = check_concurrency(max_concurrency)
        """Sources started at the same time; `None` is all of them."""
        weight_of = check_weights(weights, self._source_ids)
        self.slots = tuple(
            Slot(
                index=index,
                source=source,
                weight=weight_of[source.id],
                timeout=source.timeout,
                bulkhead=Bulkhead(),
                is_coroutine=inspect.iscoroutinefunction(source.read),
            )
            for index, source in enumerate(declared)
        )
        """The sources in configured order, as the doors start them."""

    def recall(
        self,
        query: str,
        *,
        namespace: Namespace,
        limit: int = DEFAULT_LIMIT,
        kinds: Sequence[RecordKind] | None = None,
        mode: RetrievalMode | None = None,
        source_ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 # the contract's own name
        timeout: float | None = None,
        as_of: datetime | None = None,
        include_past: bool = True,
    ) -> RecallResult:
        """Ask every selected source at once and fuse what they answer.

        A source that fails is reported in `result.sources`, never raised: look at
        `result.status` before trusting that nothing is remembered.

        Args:
            query: 1 to 32,768 characters.
            namespace: Whose memory is read; from trusted code only.
            limit: Items returned at most, 1 to 500.
            kinds: Kinds of record wanted; all by default.
            mode: How to retrieve; each source's own default otherwise. A source that does not
                offer the mode reports `source_unsupported`.
            source_ids: The sources to ask; all by default.
            filter: A JSON object in the sources' own language, sent as it is.
            timeout: Seconds a source may take in this recall, in place of the federation's; a
                source with a shorter deadline of its own keeps that.
            as_of: The instant (aware) at which validity windows are judged; now by default.
            include_past: Whether to keep records whose window is not open at `as_of`.

        Returns:
            Items best first, and one report per source asked, in configured order.

        Raises:
            ValueError: An argument is outside its bounds, or no source is left to ask.
            TypeError: An argument has the wrong type.
        """
        recall = self.begin(
            query,
            namespace=namespace,
            limit=limit,
            kinds=kinds,
            mode=mode,
            source_ids=source_ids,
            filter=filter,
            timeout=timeout,
            as_of=as_of,
            include_past=include_past,
        )
        return recall.run()

    async def arecall(
        self,
        query: str,
        *,
        namespace: Namespace,
        limit: int = DEFAULT_LIMIT,
        kinds: Sequence[RecordKind] | None = None,
        mode: RetrievalMode | None = None,
        source_ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 # the contract's own name
        timeout: float | None = None,
        as_of: datetime | None = None,
        include_past: bool = True,
    ) -> RecallResult:
        """Do what `recall` does on the running event loop, with the same arguments and errors.

        Cancelling it cancels the recall. A synchronous client runs in a thread. An asynchronous
        client that blocks the event loop blocks everything on it, so no deadline can hold there.
        """
        recall = self.begin(
            query,
            namespace=namespace,
            limit=limit,
            kinds=kinds,
            mode=mode,
            source_ids=source_ids,
            filter=filter,
            timeout=timeout,
            as_of=as_of,
            include_past=include_past,
        )
        return await recall.arun()

    def begin(self, query: object, *, namespace: object, **options: Any) -> Recall:
        """Check a request, select the sources and start the clock; for the doors.

        Raises:
            ValueError: An argument is outside its bounds, or no source is left to ask.
            TypeError: An argument has the wrong type.
        """
        options.setdefault("limit", DEFAULT_LIMIT)
        request = check_request(query, namespace=namespace, **options)
        return Recall(
            request,
            self._selected(request),
            timeout=request.timeout or self._timeout,
            max_results=self._max_results,
            max_concurrency=self.max_concurrency,
        )

    def _selected(self, request: RecallRequest) -> list[Slot]:
        wanted = self._source_ids if request.source_ids is None else request.source_ids
        if unknown := [source_id for source_id in wanted if source_id not in self._source_ids]:
            known = ", ".join(repr(source_id) for source_id in self._source_ids)
            msg = f"source_ids names {unknown[0]!r}, which is none of {known}"
            raise ValueError(msg)
        kinds = None if request.kinds is None else frozenset(request.kinds)
        selected = [
            slot
            for slot in self.slots
            if slot.source.id in wanted
            and (kinds is None or not kinds.isdisjoint(slot.source.capabilities.kinds))
        ]
        if not selected:
            msg = f"no source selected offers the kinds {', '.join(request.kinds or ())}"
            raise ValueError(msg)
        return selected


@dataclass(frozen=True, slots=True, kw_only=True)
class _DeclaredSource:
    """A source as it declared itself when the federation was made; later it may say otherwise."""

    id: str
    provider: Provider
    capabilities: Capabilities
    timeout: float | None
    read: Callable[[SourceRequest], Answer | Awaitable[Answer]]


def _declared(source: object) -> _DeclaredSource:
    if not isinstance(source, MemorySource) or not callable(source.read):
        name = type(source).__name__
        msg = f"{name} is no memory source: it needs id, provider, capabilities and read(request)"
        raise TypeError(msg)
    source_id, capabilities = source.id, source.capabilities
    if not isinstance(capabilities, Capabilities):
        msg = f"capabilities of source {source_id!r} must be Capabilities"
        raise TypeError(msg)
    timeout = getattr(source, "timeout", None)
    if timeout is not None:
        timeout = check_timeout(f"timeout of source {source_id!r}", timeout)
    return _DeclaredSource(
        id=source_id,
        provider=check_provider(source.provider),
        capabilities=capabilities,
        timeout=timeout,
        read=source.read,
    )
