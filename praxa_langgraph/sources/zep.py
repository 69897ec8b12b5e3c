"""Edges, entities, episodes, observations and thread summaries of a Zep graph.

Read with the search methods of `client.graph` alone, first page only (iterating a pager of 4.x
asks for more). Graph ingestion is asynchronous: what was written a moment ago may not be found yet,
and a search is never an exact look-up. Hits of 2.x and 3.x carry no identity, so there the second
check has nothing to compare; 4.x hits carry theirs.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from praxa_langgraph.bounds.requests import check_words
from praxa_langgraph.models import (
    MemoryRecord,
    Namespace,
    RecordKind,
    SourceRequest,
    Validity,
)
from praxa_langgraph.sources.base import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    SourceFailure,
    check_identity_parts,
    fields_of,
    foreign,
    gather_parts,
    join_parts,
    lineage_of,
    map_identity,
    misconfigured,
    named_summary,
)

Scope: TypeAlias = Literal["edges", "nodes", "episodes", "observations", "thread_summaries"]

_KINDS: dict[Scope, RecordKind] = {
    "edges": "edge",
    "nodes": "entity",
    "episodes": "episode",
    "observations": "fact",
    "thread_summaries": "summary",
}
_SCOPES: tuple[Scope, ...] = tuple(_KINDS)
_MAX_PAGE = 50
_MAX_QUERY_CHARS = 400
"""Zep's own integrations cut queries here, because its API caps their length (getzep/zep#575)."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID = re.compile(r"[\w.@:+-]{1,256}", re.ASCII)
_LINEAGE = ("episode_uuids", "episodes", "episode_ids")
_MAPPED = frozenset({"uuid_", "uuid", "fact", "content", "score", "created_at"})
_WINDOW = frozenset({"valid_at", "invalid_at", "expired_at"})


class ZepSource(ConfiguredSource):
    """Recalls from a `Zep` or `AsyncZep` client of zep-cloud 4.x, 3.x or 2.x.

    An edge keeps its validity window, its ends, its attributes and the episodes it came from. Of
    several scopes the first of each come first, then the second, and so on; a scope that fails
    beside one that answers is reported as a rejection. Retries inside the client are switched off
    for the call, because Zep 4.x would wait up to a minute between them (2.22 ignores this and
    goes on in its thread; the deadline holds all the same).

    Example:
        ```python
        source = ZepSource(client, identity=lambda who: {"user_uuid": user_uuids[who.subject_id]})
        ```
    """

    def __init__(
        self,
        client: Any,
        *,
        identity: Callable[[Namespace], Mapping[str, str]],
        id: str = "zep",  # noqa: A002 # the protocol's own name
        scopes: Sequence[Scope] = ("edges",),
        timeout: float | None = None,
    ) -> None:
        """Keep the client and what is searched.

        Args:
            client: The caller's Zep client.
            identity: From the namespace to one identity: `graph_uuid` or `user_uuid` (4.x),
                `user_id` or `graph_id` (3.x, 2.x).
            id: The source's name in the federation.
            scopes: What is searched: `edges`, `nodes`, `episodes`, `observations`,
                `thread_summaries`.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: The client has no graph search.
            ValueError: An option is outside its bounds.
        """
        graph = getattr(client, "graph", None)
        self._is_v4 = hasattr(graph, "search_edges")
        if not self._is_v4 and not hasattr(graph, "search"):
            msg = f"client must be a Zep client with a graph search, not {type(client).__name__}"
            raise TypeError(msg)
        self._scopes = check_words("scopes", scopes, _SCOPES)
        super().__init__(
            id=id,
            provider="zep",
            capabilities=Capabilities(
                modes=("graph",), kinds=tuple(_KINDS[scope] for scope in self._scopes)
            ),
            timeout=timeout,
        )
        self._graph: Any = graph
        self._identity = identity

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Search each scope that holds a kind that is wanted."""
        identity = self._checked_identity(request.namespace)
        scopes = [scope for scope in self._scopes if _KINDS[scope] in request.kinds]
        answers: list[Any] = []
        for scope in scopes:
            try:
                answers.append(self._search(scope, request, identity))
            except Exception as error:  # noqa: BLE001 # one scope of several; told apart below
                answers.append(error)
        if any(inspect.isawaitable(answer) for answer in answers):
            return self._awaited(scopes, answers, request, identity)
        return self._hits(scopes, answers, request, identity)

    async def _awaited(
        self,
        scopes: Sequence[Scope],
        answers: Sequence[Any],
        request: SourceRequest,
        identity: Mapping[str, str],
    ) -> Answer:
        return self._hits(scopes, await gather_parts(answers), request, identity)

    def _checked_identity(self, namespace: Namespace) -> dict[str, str]:
        """One identity, validated because 4.x puts it into the URL as it is."""
        allowed = ("graph_uuid", "user_uuid") if self._is_v4 else ("user_id", "graph_id")
        identity = check_identity_parts(map_identity(self._identity, namespace), allowed)
        if len(identity) != 1:
            misconfigured(f"the identity must be one of {' and '.join(allowed)}, not both")
        [(name, value)] = identity.items()
        if not (_UUID if self._is_v4 else _ID).fullmatch(value):
            misconfigured(f"{name} is no {'UUID' if self._is_v4 else 'Zep id'}")
        return identity

    def _search(self, scope: Scope, request: SourceRequest, identity: Mapping[str, str]) -> Any:
        query = request.query[:_MAX_QUERY_CHARS]
        size = min(request.limit, _MAX_PAGE)
        if self._is_v4:
            [graph_uuid] = identity.values()
            options = {"max_retries": 0, "timeout": request.timeout}
            search = getattr(self._graph, f"search_{scope}")
            return search(graph_uuid, query=query, page_size=size, request_options=options)
        return self._graph.search(
            query=query,
            scope=scope,
            limit=size,
            request_options={"max_retries": 0, "timeout_in_seconds": request.timeout},
            **self._named_for_this_version(identity),
        )

    def _named_for_this_version(self, identity: Mapping[str, str]) -> dict[str, str]:
        """What 3.x calls a graph, 2.x calls a group."""
        names = inspect.signature(self._graph.search).parameters
        return {
            "group_id" if name == "graph_id" and name not in names else name: value
            for name, value in identity.items()
        }

    def _hits(
        self,
        scopes: Sequence[Scope],
        answers: Sequence[Any],
        request: SourceRequest,
        identity: Mapping[str, str],
    ) -> list[Hit]:
        note = _note_of(request.query)
        parts: dict[str, list[Hit] | Exception] = {
            scope: _hits_of(answer, scope, identity, note)
            for scope, answer in zip(scopes, answers, strict=True)
        }
        return join_parts(parts, limit=request.limit)


def _hits_of(
    answer: Any, scope: Scope, identity: Mapping[str, str], note: Mapping[str, str] | None
) -> list[Hit] | Exception:
    """The hits of one scope: of a pager of 4.x, or of the named list of 3.x and 2.x."""
    if isinstance(answer, Exception):
        return answer
    for name in ("items", scope):
        items = getattr(answer, name, ())
        if items is None or isinstance(items, list):
            return [_to_hit(item, scope, identity, note) for item in items or ()]
    msg = f"Zep answered {type(answer).__name__}, not results"
    return SourceFailure("source_invalid_response", msg)


def _note_of(query: str) -> dict[str, str] | None:
    if len(query) <= _MAX_QUERY_CHARS:
        return None
    return {"query": f"cut at {_MAX_QUERY_CHARS} of {len(query):,} characters for Zep"}


def _to_hit(
    given: Any, scope: Scope, identity: Mapping[str, str], note: Mapping[str, str] | None
) -> Hit:
    fields = fields_of(given)
    record_id = fields.get("uuid_") or fields.get("uuid")
    for name, value in identity.items():
        if fields.get(name) not in (None, value):
            return foreign(record_id, name)
    dropped = _MAPPED | _WINDOW if scope == "edges" else _MAPPED
    details = {
        name: value
        for name, value in fields.items()
        if name not in dropped and value not in (None, [], {})
    }
    return MemoryRecord(
        record_id=record_id,  # type: ignore[arg-type] # checked with every other record
        kind=_KINDS[scope],
        text=_text_of(fields, scope),
        score=fields.get("score"),
        created_at=fields.get("created_at"),
        validity=_validity_of(fields) if scope == "edges" else None,
        metadata=details or None,
        provenance=lineage_of(_evidence_of(fields), fields.get("created_at")),
        omitted=note,
    )


def _text_of(fields: Mapping[str, Any], scope: Scope) -> str:
    if scope == "edges":
        return str(fields.get("fact") or fields.get("name") or "")
    if scope == "episodes":
        return str(fields.get("content") or "")
    if scope == "nodes":
        return named_summary(fields)
    return str(fields.get("summary") or fields.get("name") or "")


def _evidence_of(fields: Mapping[str, Any]) -> object:
    """The episodes a hit came from; each generation of the client has a name of its own."""
    return next((fields[name] for name in _LINEAGE if fields.get(name)), None)


def _validity_of(fields: Mapping[str, Any]) -> Validity | None:
    window = {name: fields[name] for name in _WINDOW if fields.get(name)}
    return Validity(**window) if window else None
