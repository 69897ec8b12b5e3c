"""Items of a LangGraph store as facts, read with one search below one namespace.

What cannot reach us, by the way it is called: negative limits (langgraph#8696), pages (#8977), TTLs
refreshed by reading (#8806, #8590), a saver given as a store (#7857). What no adapter can see: that
SQLite ignores an index's `fields` (#8808), embeds queries as documents (#9007), or returns expired
items (#8902). An injected store is never closed here (#6367).
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from praxa_langgraph.bounds.checkpoints import holds_checkpoint_state
from praxa_langgraph.bounds.requests import check_word
from praxa_langgraph.models import (
    RECORD_KINDS,
    MemoryRecord,
    Namespace,
    RecordKind,
    Rejection,
    RejectionCode,
    RetrievalMode,
    SourceRequest,
)
from praxa_langgraph.sources.base import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    SourceFailure,
    check_identity_part,
    foreign,
    map_identity,
    misconfigured,
)

_TEXT_KEYS = ("text", "content", "memory", "value")
_SCANNED_FOR_RECENT = 1_000
"""Items looked at when the newest are wanted: some stores list the oldest first."""

TextOf = Callable[[Mapping[str, Any]], str]
"""From a stored value to its text."""


class LangGraphStoreSource(ConfiguredSource):
    """Recalls from any LangGraph `BaseStore`, sync or async, or from the run's own store.

    A store with an index is searched by meaning (`semantic`). A store without one ignores queries,
    so its newest items are read instead and the mode says so (`recent`). Reading refreshes no TTL.
    Items of deeper namespaces are below their subject and belong to it.

    Example:
        >>> from langgraph.store.memory import InMemoryStore
        >>> store = InMemoryStore()
        >>> store.put(("acme", "ada"), "note-1", {"text": "Prefers tea"})
        >>> source = LangGraphStoreSource(
        ...     store, identity=lambda who: (who.tenant_id, who.subject_id)
        ... )
        >>> source.capabilities.modes
        ('recent',)
    """

    def __init__(
        self,
        store: Any = None,
        *,
        identity: Callable[[Namespace], tuple[str, ...]],
        id: str = "langgraph",  # noqa: A002 # the protocol's own name
        kind: RecordKind = "fact",
        text: str | TextOf | None = None,
        indexed: bool | None = None,
        timeout: float | None = None,
    ) -> None:
        """Keep the store and how its items are read.

        Args:
            store: The caller's store; `None` is the store of the run the recall happens in.
            identity: From the namespace to the store's namespace, a tuple of labels.
            id: The source's name in the federation.
            kind: What the items are here.
            text: The key of the value that holds the text, or a function of the value. By default
                `text`, `content`, `memory` or `value`, else the value as JSON.
            indexed: Whether the store searches by meaning; seen from the store when it is `None`,
                and assumed of the run's own store.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: `store` is a checkpointer, or no store.
            ValueError: An option is outside its bounds.
        """
        if store is not None:
            _check_store(store)
        by_meaning = _is_indexed(store) if indexed is None else indexed
        mode: RetrievalMode = "semantic" if by_meaning else "recent"
        super().__init__(
            id=id,
            provider="langgraph",
            capabilities=Capabilities(
                modes=(mode,), kinds=(check_word("kind", kind, RECORD_KINDS),), filters=True
            ),
            timeout=timeout,
        )
        self._store = store
        self._identity = identity
        self._kind: RecordKind = kind
        self._text_of = text if callable(text) else _reader_of(text)

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Search one namespace, without refreshing any TTL."""
        namespace = _check_namespace(map_identity(self._identity, request.namespace))
        store = self._store if self._store is not None else _store_of_the_run()
        _refuse_worst_first(store)
        options = _search_options(request)
        if request.awaited and not _is_sync_only(store):
            return self._awaited(store, namespace, options, request)
        _check_loop(store, request)
        items = store.search(namespace, **options)
        return self._hits(items, namespace, request)

    async def _awaited(
        self,
        store: Any,
        namespace: tuple[str, ...],
        options: Mapping[str, Any],
        request: SourceRequest,
    ) -> Answer:
        return self._hits(await store.asearch(namespace, **options), namespace, request)

    def _hits(
        self, items: Iterable[Any], namespace: tuple[str, ...], request: SourceRequest
    ) -> list[Hit]:
        found = list(items)
        if request.mode == "recent":
            return self._newest(found, namespace, request)
        if found and all(item.score is None for item in found):
            misconfigured("the store has no index, so the query was not used; pass indexed=False")
        # A store may put a score that is no number first; it says nothing about relevance.
        found.sort(key=lambda item: item.score is not None and math.isnan(item.score))
        return [self._to_hit(item, namespace, request.filter) for item in found]

    def _newest(
        self, found: list[Any], namespace: tuple[str, ...], request: SourceRequest
    ) -> list[Hit]:
        newest = sorted(found, key=lambda item: _utc(item.updated_at), reverse=True)
        hits = [self._to_hit(i, namespace, request.filter) for i in newest[: request.limit]]
        if len(found) >= _SCANNED_FOR_RECENT:
            message = f"only {_SCANNED_FOR_RECENT:,} items were looked at; newer ones may exist"
            hits.append(Rejection(code="incomplete_answer", message=message))
        return hits

    def _to_hit(
        self, item: Any, namespace: tuple[str, ...], wanted: Mapping[str, Any] | None
    ) -> Hit:
        own = tuple(item.namespace)
        if own[: len(namespace)] != namespace:
            return foreign(item.key, "the store namespace")
        record_id = _record_id(own[len(namespace) :], item.key)
        value = item.value
        if not isinstance(value, Mapping):
            message = f"the value is not an object but {type(value).__name__}"
            return _rejected(record_id, "invalid_record", message)
        if holds_checkpoint_state(value):
            message = "a checkpoint is execution state, not a memory"
            return _rejected(record_id, "checkpoint_state", message)
        if wanted and any(value.get(name) != part for name, part in wanted.items()):
            return _rejected(record_id, "invalid_record", "the value does not match the filter")
        return MemoryRecord(
            record_id=record_id,
            kind=self._kind,
            text=self._text_of(value),
            score=item.score,
            created_at=_utc(item.created_at),
            updated_at=_utc(item.updated_at),
            metadata={"namespace": list(own), "key": item.key, "value": dict(value)},
        )


def _check_store(store: object) -> None:
    name = type(store).__name__
    if hasattr(store, "get_tuple") and hasattr(store, "put_writes"):
        msg = f"{name} is a checkpointer: it holds execution state, which never becomes memory"
        raise TypeError(msg)
    if not (hasattr(store, "search") and hasattr(store, "asearch")):
        msg = f"store must be a LangGraph BaseStore, not {name}"
        raise TypeError(msg)


def _is_indexed(store: object) -> bool:
    """Whether a store searches by meaning; one that does not say is taken to."""
    return store is None or getattr(store, "index_config", True) is not None


def _store_of_the_run() -> Any:
    from langgraph.config import get_store  # noqa: PLC0415 # only this one case needs LangGraph

    try:
        store = get_store()
    except (KeyError, RuntimeError):
        store = None
    if store is None:
        misconfigured("no store: recall inside a graph that was compiled with one, or pass store=")
    _check_store(store)
    return store


def _check_namespace(identity: object) -> tuple[str, ...]:
    """A namespace that reads one subject: a tuple of labels, none of them empty or a wildcard."""
    if not isinstance(identity, tuple | list) or not identity:
        misconfigured(
            "the identity must be a tuple of at least one label; the empty namespace is everybody's"
        )
    labels = tuple(check_identity_part("a namespace label", label) for label in identity)
    if any("." in label for label in labels) or labels[0] == "langgraph":
        misconfigured("a namespace label has a full stop, or the first one is 'langgraph'")
    return labels


def _search_options(request: SourceRequest) -> dict[str, Any]:
    recent = request.mode == "recent"
    return {
        "query": None if recent else request.query,
        "filter": _check_filter(request.filter),
        "limit": _SCANNED_FOR_RECENT if recent else request.limit,
        "refresh_ttl": False,
    }


def _check_filter(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Only equality with a plain value means the same in every store."""
    if given is None:
        return None
    for name, value in given.items():
        if not isinstance(value, str | int | float):
            msg = f"the filter on {name!r} is no plain value; stores disagree on anything else"
            raise SourceFailure("source_unsupported", msg)
    return dict(given)


def _check_loop(store: Any, request: SourceRequest) -> None:
    """An async store answers other threads only while its own loop runs."""
    loop = getattr(store, "_loop", None)
    if not isinstance(loop, asyncio.AbstractEventLoop):
        return
    if not loop.is_running() or loop is request.blocked_loop:
        misconfigured(
            "the store is bound to an event loop that cannot run now; use the async door "
            "(arecall, ainvoke) on that loop"
        )


def _is_sync_only(store: object) -> bool:
    """`SqliteStore.asearch` raises NotImplementedError."""
    return any(cls.__name__ == "SqliteStore" for cls in type(store).__mro__)


def _refuse_worst_first(store: Any) -> None:
    config = getattr(store, "index_config", None)
    distance = config.get("distance_type") if isinstance(config, Mapping) else None
    if distance == "l2" and any("Sqlite" in cls.__name__ for cls in type(store).__mro__):
        misconfigured("a SQLite store with distance_type='l2' lists the worst match first")


def _reader_of(key: str | None) -> TextOf:
    keys = _TEXT_KEYS if key is None else (key,)

    def read(value: Mapping[str, Any]) -> str:
        for name in keys:
            found = value.get(name)
            if isinstance(found, Mapping):
                found = found.get("content", found)  # LangMem nests its content once more.
            if isinstance(found, str):
                return found
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)

    return read


def _record_id(below: tuple[str, ...], key: str) -> str:
    """The key, after the labels below the namespace that was asked; slashes in parts escaped."""
    parts = (part.replace("%", "%25").replace("/", "%2F") for part in (*below, key))
    return "/".join(parts)


def _utc(moment: Any) -> Any:
    """SQLite stores give UTC without saying so."""
    if isinstance(moment, datetime) and moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment


def _rejected(record_id: str, code: RejectionCode, message: str) -> Rejection:
    return Rejection(record_id=record_id, code=code, message=message)
