"""Facts, entities, episodes and communities of a Graphiti graph, with their validity and lineage.

Read with `search_` and `retrieve_episodes` alone. What cannot reach us by the way they are called:
the shared recipe whose limit concurrent calls overwrite (graphiti#1655), the cross-encoder that
drops facts of equal text (#1816), score thresholds (#1817), date and property filters (#488), a
search of every group (#838). Tested on Kuzu; FalkorDB, Neo4j and Neptune are not covered here. A
FalkorDB driver that is not bound to the group's own graph (`database=`) creates indexes when read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from praxa_langgraph.bounds.requests import check_word, check_words
from praxa_langgraph.models import (
    MemoryRecord,
    Namespace,
    RecordKind,
    Rejection,
    RetrievalMode,
    SourceRequest,
    Validity,
)
from praxa_langgraph.sources.base import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    SourceFailure,
    check_identity_part,
    fields_of,
    foreign,
    lineage_of,
    map_identity,
    misconfigured,
    named_summary,
    take_turns,
)

Scope: TypeAlias = Literal["edges", "nodes", "episodes", "communities"]

_SCOPES: tuple[Scope, ...] = ("edges", "nodes", "episodes", "communities")
_SCORES: dict[Scope, str] = {
    "edges": "edge_reranker_scores",
    "nodes": "node_reranker_scores",
    "episodes": "episode_reranker_scores",
    "communities": "community_reranker_scores",
}
_CONFIGS: dict[Scope, str] = {
    "edges": "edge_config",
    "nodes": "node_config",
    "episodes": "episode_config",
    "communities": "community_config",
}
_HYBRID = {
    "search_methods": ["bm25", "cosine_similarity"],
    "reranker": "reciprocal_rank_fusion",
}
_FULL_TEXT = {"search_methods": ["bm25"], "reranker": "reciprocal_rank_fusion"}
_METHODS = {"edges": _HYBRID, "nodes": _HYBRID, "episodes": _FULL_TEXT, "communities": _HYBRID}
_EDGE_KINDS: tuple[Literal["fact", "edge"], ...] = ("fact", "edge")
_GRAPHITI_MODES: tuple[RetrievalMode, ...] = ("hybrid", "recent")
_GROUP_ID = re.compile(r"[A-Za-z0-9_-]+")
_EMBEDDINGS = ("fact_embedding", "name_embedding")
_MAPPED = frozenset({"uuid", "fact", "content", "created_at", "expired_at", "invalid_at"})


class GraphitiSource(ConfiguredSource):
    """Recalls from a `Graphiti` object of graphiti-core, or through a transport of the caller's.

    Every edge keeps its validity window, its ends, its reference time and the episodes it came
    from; outdated facts are returned beside their successors. `hybrid` joins full text and vectors
    by Graphiti's own reciprocal ranks; `recent` reads the newest episodes. Neither is an exact
    look-up. Of several scopes the first of each come first, then the second, and so on.

    Example:
        ```python
        source = GraphitiSource(graphiti, identity=lambda who: f"{who.tenant_id}-{who.subject_id}")
        ```
    """

    def __init__(
        self,
        graphiti: Any,
        *,
        identity: Callable[[Namespace], str],
        id: str = "graphiti",  # noqa: A002 # the protocol's own name
        scopes: Sequence[Scope] = ("edges",),
        edge_kind: Literal["fact", "edge"] = "fact",
        modes: Sequence[RetrievalMode] = ("hybrid",),
        timeout: float | None = None,
    ) -> None:
        """Keep the graph and what is read of it.

        Args:
            graphiti: A `Graphiti` object, or a transport: a function, or an object with
                `search`, that is given the request and the group id and returns `MemoryRecord`s,
                Graphiti results or Graphiti objects; sync or async.
            identity: From the namespace to one group id: letters, digits, `_` and `-`.
            id: The source's name in the federation.
            scopes: What is searched: `edges`, `nodes`, `episodes`, `communities`.
            edge_kind: Whether edges are facts or relations here.
            modes: The modes a transport serves; a `Graphiti` object serves `hybrid` and `recent`.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: `graphiti` is neither.
            ValueError: An option is outside its bounds.
        """
        self._is_graphiti = hasattr(graphiti, "search_")
        transport = graphiti if callable(graphiti) else getattr(graphiti, "search", None)
        if not self._is_graphiti and not callable(transport):
            msg = f"graphiti must be a Graphiti or a transport, not {type(graphiti).__name__}"
            raise TypeError(msg)
        self._kinds: dict[Scope, RecordKind] = {
            "edges": check_word("edge_kind", edge_kind, _EDGE_KINDS),
            "nodes": "entity",
            "episodes": "episode",
            "communities": "summary",
        }
        self._scopes = check_words("scopes", scopes, _SCOPES)
        kinds = [self._kinds[scope] for scope in self._scopes]
        offered: tuple[RetrievalMode, ...] = (
            ("hybrid", "recent") if self._is_graphiti else (*modes,)
        )
        super().__init__(
            id=id,
            provider="graphiti",
            capabilities=Capabilities(
                modes=offered,
                kinds=tuple(dict.fromkeys([*kinds, "episode"] if "recent" in offered else kinds)),
                abortable=True,
            ),
            timeout=timeout,
        )
        self._graphiti = graphiti
        self._transport = transport
        self._identity = identity

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Search one group."""
        group_id = _check_group_id(map_identity(self._identity, request.namespace))
        if not self._is_graphiti:
            assert self._transport is not None  # noqa: S101 # checked when it was given
            answer = self._transport(request, group_id)
        elif request.mode == "recent":
            answer = self._graphiti.retrieve_episodes(
                datetime.now(UTC), last_n=request.limit, group_ids=[group_id]
            )
        else:
            scopes = [scope for scope in self._scopes if self._kinds[scope] in request.kinds]
            config = _search_config(scopes, request.limit)
            answer = self._graphiti.search_(request.query, config=config, group_ids=[group_id])
        if inspect.isawaitable(answer):
            return self._awaited(answer, request, group_id)
        return self._hits(answer, request, group_id)

    async def _awaited(
        self, answer: Awaitable[Any], request: SourceRequest, group_id: str
    ) -> Answer:
        try:
            found = await answer
        except Exception as error:
            if (failure := _without_cypher(error)) is None:
                raise
            raise failure from error
        return self._hits(found, request, group_id)

    def _hits(self, answer: object, request: SourceRequest, group_id: str) -> list[Hit]:
        found = _objects(answer)
        if request.mode == "recent":
            found = sorted(found, key=_moment_of, reverse=True)
        hits = (self._to_hit(given, score, group_id) for given, score in found)
        return list(hits)[: request.limit] if self._is_graphiti else list(hits)

    def _to_hit(self, given: Any, score: float | None, group_id: str) -> Hit:
        if isinstance(given, MemoryRecord):
            own = (given.metadata or {}).get("group_id", group_id)
            return given if own == group_id else foreign(given.record_id, "group_id")
        fields = fields_of(given)
        if not fields:
            message = f"no Graphiti object but {type(given).__name__}"
            return Rejection(code="invalid_record", message=message)
        if fields.get("group_id") != group_id:
            return foreign(fields.get("uuid"), "group_id")
        return _to_record(fields, self._kinds[_scope_of(fields)], score)


def _check_group_id(identity: object) -> str:
    """One group: no group, an empty list or an empty string would search all of them."""
    group_id = check_identity_part("the group id", identity)
    if not _GROUP_ID.fullmatch(group_id):
        misconfigured("the group id has characters other than letters, digits, '_' and '-'")
    return group_id


def _search_config(scopes: Sequence[Scope], limit: int) -> Any:
    """A configuration of this call's own: Graphiti's recipes are shared, and calls change them."""
    from graphiti_core.search.search_config import SearchConfig  # noqa: PLC0415 # its SDK

    return SearchConfig.model_validate(
        {"limit": limit, **{_CONFIGS[scope]: _METHODS[scope] for scope in scopes}}
    )


def _objects(answer: Any) -> Iterable[tuple[Any, float | None]]:
    """The objects of an answer with their scores; several scopes take turns."""
    if any(hasattr(answer, scope) for scope in _SCOPES):
        return take_turns(_scored(answer, scope) for scope in _SCOPES)
    if isinstance(answer, Iterable) and not isinstance(answer, str | Mapping):
        return [(given, None) for given in answer]
    msg = f"Graphiti answered {type(answer).__name__}, not results"
    raise SourceFailure("source_invalid_response", msg)


def _scored(answer: Any, scope: Scope) -> Iterator[tuple[Any, float | None]]:
    """Scores are taken only when there is one for each object; some rerankers drop some."""
    found = list(getattr(answer, scope, None) or ())
    scores = list(getattr(answer, _SCORES[scope], None) or ())
    return zip(found, scores if len(scores) == len(found) else [None] * len(found), strict=True)


def _scope_of(fields: Mapping[str, Any]) -> Scope:
    """What an object is, by the fields only its kind has; a community has labels, but none set."""
    if "fact" in fields:
        return "edges"
    if "content" in fields:
        return "episodes"
    return "nodes" if fields.get("labels") or "attributes" in fields else "communities"


def _to_record(fields: Mapping[str, Any], kind: RecordKind, score: float | None) -> MemoryRecord:
    scope = _scope_of(fields)
    created_at = _utc(fields.get("created_at"))
    dropped = _MAPPED | {"valid_at"} if scope == "edges" else _MAPPED
    details = {
        name: _utc(value)
        for name, value in fields.items()
        if name not in dropped and name not in _EMBEDDINGS and value not in (None, [], {})
    }
    embeddings = [name for name in _EMBEDDINGS if fields.get(name) is not None]
    return MemoryRecord(
        record_id=fields.get("uuid"),  # type: ignore[arg-type] # checked with every other record
        kind=kind,
        text=_text_of(fields, scope),
        score=score,
        created_at=created_at,
        validity=_validity_of(fields) if scope == "edges" else None,
        metadata=details,
        # The episodes a fact came from, or the facts an episode led to.
        provenance=lineage_of(fields.get("episodes") or fields.get("entity_edges"), created_at),
        omitted={f"metadata.{name}": "an embedding" for name in embeddings} or None,
    )


def _text_of(fields: Mapping[str, Any], scope: Scope) -> str:
    if scope == "edges":
        return str(fields.get("fact") or fields.get("name") or "")
    return str(fields.get("content") or "") if scope == "episodes" else named_summary(fields)


def _validity_of(fields: Mapping[str, Any]) -> Validity:
    return Validity(
        valid_at=_utc(fields.get("valid_at")),
        invalid_at=_utc(fields.get("invalid_at")),
        expired_at=_utc(fields.get("expired_at")),
    )


def _moment_of(scored: tuple[Any, float | None]) -> datetime:
    moment = _utc(fields_of(scored[0]).get("valid_at"))
    return moment if isinstance(moment, datetime) else datetime.min.replace(tzinfo=UTC)


def _utc(moment: Any) -> Any:
    """Kuzu returns UTC without saying so (graphiti#893)."""
    if isinstance(moment, datetime) and moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment


def _without_cypher(error: Exception) -> SourceFailure | None:
    """A failure for what a graph database said, whose words contain the whole query."""
    text, name = str(error), type(error).__name__
    if "index" in text and ("doesn't have" in text or "no such" in text.lower()):
        msg = "the full-text indexes are missing; create them before searching"
        return SourceFailure("source_misconfigured", msg)
    if (isinstance(error, RuntimeError) and "loop" not in text) or name == "ResponseError":
        return SourceFailure("source_error", f"the graph database refused the search ({name})")
    return None
