"""Memories of Mem0, open source or platform, as facts.

Read with `search` alone. What cannot reach us, by the way it is called: top-level entity arguments
and `limit=`, which Mem0 swallows or refuses (mem0#4907, #5404), a default of 20 hits (#5752),
wildcard users (#6738), blank queries (#5220), `relations` of 1.x answers (ignored). What no adapter
can see: FAISS finding nothing because others' vectors are closer (#6998) or because it ignores an
operator in a filter (#6424; prefer equality), and telemetry on the event loop (#3729; set
`MEM0_TELEMETRY=False` before importing mem0). A download that blocks (#6361) meets the deadline.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from praxa_langgraph.bounds.checkpoints import holds_checkpoint_state
from praxa_langgraph.bounds.requests import check_word
from praxa_langgraph.bounds.text import WHITE_SPACE
from praxa_langgraph.models import (
    RECORD_KINDS,
    MemoryRecord,
    Namespace,
    RecordKind,
    Rejection,
    SourceRequest,
)
from praxa_langgraph.sources.base import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    SourceFailure,
    check_identity_parts,
    foreign,
    map_identity,
    misconfigured,
)

_ENTITIES = ("user_id", "agent_id", "run_id", "app_id")
_MAPPED = frozenset({"id", "memory", "score", "created_at", "updated_at"})


class Mem0Source(ConfiguredSource):
    """Recalls from a `Memory`, `AsyncMemory`, `MemoryClient` or `AsyncMemoryClient` of mem0ai 2.x.

    A hit's text is its `memory`; everything else Mem0 gives is kept in the match's metadata in
    Mem0's own shape. A Mem0 score changes its scale with every query and is never compared.
    Memories added a moment ago on the platform may not be found yet; that is no failure.

    Example:
        ```python
        source = Mem0Source(memory, identity=lambda who: {"user_id": who.subject_id})
        ```
    """

    def __init__(
        self,
        client: Any,
        *,
        identity: Callable[[Namespace], Mapping[str, str]],
        id: str = "mem0",  # noqa: A002 # the protocol's own name
        kind: RecordKind = "fact",
        threshold: float = 0.0,
        timeout: float | None = None,
    ) -> None:
        """Keep the client and its settings.

        Args:
            client: The caller's Mem0 object. Give a platform client an HTTP client with a time-out
                of its own; Mem0's default is 300 s.
            identity: From the namespace to some of `user_id`, `agent_id`, `run_id` and, on the
                platform, `app_id`. All parts are asked for, and checked on every hit.
            id: The source's name in the federation.
            kind: What Mem0's memories are here; facts, unless you keep something else in it.
            threshold: Similarity, 0 to 1, below which Mem0 leaves a memory out.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: The client has no `search`.
            ValueError: An option is outside its bounds.
        """
        if not callable(getattr(client, "search", None)):
            msg = f"client must be a Mem0 client with search(), not {type(client).__name__}"
            raise TypeError(msg)
        if not 0 <= threshold <= 1:
            msg = f"threshold is {threshold}, not 0 to 1"
            raise ValueError(msg)
        super().__init__(
            id=id,
            provider="mem0",
            capabilities=Capabilities(
                modes=("semantic",),
                kinds=(check_word("kind", kind, RECORD_KINDS),),
                filters=True,
            ),
            timeout=timeout,
        )
        self._client = client
        self._identity = identity
        self._kind: RecordKind = kind
        self._threshold = threshold

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Search the memories of one identity."""
        identity = self._checked_identity(request.namespace)
        answer = self._client.search(
            request.query,
            filters={**_checked_filter(request.filter), **identity},
            top_k=request.limit,
            threshold=self._threshold,
        )
        if inspect.isawaitable(answer):
            return self._awaited(answer, identity)
        return self._hits(answer, identity)

    async def _awaited(self, answer: Awaitable[Any], identity: Mapping[str, str]) -> Answer:
        return self._hits(await answer, identity)

    def _checked_identity(self, namespace: Namespace) -> dict[str, str]:
        identity = check_identity_parts(map_identity(self._identity, namespace), _ENTITIES)
        for name, value in identity.items():
            if any(character in WHITE_SPACE for character in value):
                misconfigured(f"{name} contains white space, which Mem0 refuses")
        if "app_id" in identity and hasattr(self._client, "vector_store"):
            misconfigured("app_id exists on the Mem0 platform only")
        return identity

    def _hits(self, answer: object, identity: Mapping[str, str]) -> list[Hit]:
        return [_to_hit(given, identity, self._kind) for given in _results(answer)]


def _checked_filter(given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Refuse a filter that could replace the identity: Mem0 lets `AND` override it."""
    if given is None:
        return {}
    if (name := _entity_in(given)) is not None:
        misconfigured(f"the filter names {name}; whose memory is read is the mapper's to say")
    return given


def _entity_in(value: object) -> str | None:
    if isinstance(value, Mapping):
        named = next((name for name in _ENTITIES if name in value), None)
        return named or next(filter(None, map(_entity_in, value.values())), None)
    if isinstance(value, list | tuple):
        return next(filter(None, map(_entity_in, value)), None)
    return None


def _results(answer: object) -> Iterable[object]:
    """The hits of an answer: `{"results": [...]}`, or a bare list from older platforms."""
    results = answer.get("results") if isinstance(answer, Mapping) else answer
    if isinstance(results, list):
        return results
    msg = f"Mem0 answered {type(answer).__name__} without a list of results"
    raise SourceFailure("source_invalid_response", msg)


def _to_hit(given: object, identity: Mapping[str, str], kind: RecordKind) -> Hit:
    if not isinstance(given, Mapping):
        message = f"a hit is not an object but {type(given).__name__}"
        return Rejection(code="invalid_record", message=message)
    record_id = given.get("id")
    if (part := _foreign_part(given, identity)) is not None:
        return foreign(record_id, part)
    if holds_checkpoint_state(given.get("metadata")):
        return Rejection(
            record_id=record_id if isinstance(record_id, str) else None,
            code="checkpoint_state",
            message="a checkpoint is execution state, not a memory",
        )
    details = {
        name: value for name, value in given.items() if name not in _MAPPED and value is not None
    }
    return MemoryRecord(
        record_id=record_id,  # type: ignore[arg-type] # checked with every other record
        kind=kind,
        text=given.get("memory"),  # type: ignore[arg-type] # as above
        score=given.get("score"),
        created_at=given.get("created_at"),
        updated_at=given.get("updated_at"),
        metadata=details or None,
    )


def _foreign_part(hit: Mapping[str, Any], identity: Mapping[str, str]) -> str | None:
    """The part in which a hit differs from what was asked, or which it should carry and does not.

    The platform answers null for entities a memory was not written under, so one part that agrees
    is enough there; a hit that carries none at all cannot be told from somebody else's.
    """
    carried = {name: hit[name] for name in identity if hit.get(name) is not None}
    for name, value in carried.items():
        if value != identity[name]:
            return name
    return None if carried else next(iter(identity))
