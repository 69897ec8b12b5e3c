"""The conversation of an OpenAI Agents session as messages, newest first.

What cannot reach us, by the way it is called: negative limits, which mean everything or nothing
(openai-agents-python#4994), re-sorting of items written in one instant (#1900), calls without
outputs (#4322, #2426), session settings that older sessions lack (#3361). What no adapter can see:
history that a session lost or never had (#3123, #4729, #5010), and a session of somebody else's
making that returns its oldest items (agent-kernel#739).
"""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from praxa_langgraph.models import MemoryRecord, Namespace, Rejection, SourceRequest
from praxa_langgraph.sources.base import (
    Answer,
    Capabilities,
    ConfiguredSource,
    Hit,
    SourceFailure,
    check_identity_part,
    map_identity,
    misconfigured,
)

_SHARED_ID = "__fake_id__"
"""What the SDK writes on every message that came from chat completions."""
_ITEMS_PER_MESSAGE = 4
"""Tool calls and reasoning stand between messages, so more items are read than messages wanted."""
_MAX_ITEMS = 400
_BINARY = ("image_url", "file_data", "data", "audio", "b64_json")


class OpenAIAgentsSource(ConfiguredSource):
    """Recalls the last messages of a session of the OpenAI Agents SDK (`openai-agents`).

    A session has no search: the query is not used, and the newest message stands first (`recent`).
    What was said stays conversation state, with its role, and is no durable fact about anybody.
    Reasoning, tool calls and their outputs are left out. Items carry no timestamp, so none is
    claimed. A message without a usable id of its own is named by its content, so that its id stays
    the same while the conversation grows.

    Example:
        ```python
        source = OpenAIAgentsSource(
            lambda session_id: SQLiteSession(session_id, "sessions.db"),
            identity=lambda who: f"{who.tenant_id}:{who.subject_id}",
        )
        ```
    """

    def __init__(
        self,
        session: Any,
        *,
        identity: Callable[[Namespace], str],
        id: str = "openai_agents",  # noqa: A002 # the protocol's own name
        roles: Collection[str] = ("user", "assistant"),
        timeout: float | None = None,
    ) -> None:
        """Keep the session, or how to get one.

        Args:
            session: A session, or a function from a session id to one. A single session answers
                only for the namespace whose identity it is.
            identity: From the namespace to the session id.
            id: The source's name in the federation.
            roles: Roles whose messages are read; instructions (`system`, `developer`) are not.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: `session` is neither.
            ValueError: An option is outside its bounds.
        """
        self._is_session = hasattr(session, "get_items")
        if not self._is_session and not callable(session):
            msg = f"session must be a Session or a function, not {type(session).__name__}"
            raise TypeError(msg)
        if isinstance(roles, str) or not roles:
            msg = "roles must be a list of at least one role"
            raise ValueError(msg)
        super().__init__(
            id=id,
            provider="openai_agents",
            capabilities=Capabilities(modes=("recent",), kinds=("message",)),
            timeout=timeout,
        )
        self._session = session
        self._identity = identity
        self._roles = frozenset(roles)

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Read the tail of one session."""
        session_id = check_identity_part(
            "session_id", map_identity(self._identity, request.namespace)
        )
        session = self._session if self._is_session else self._session(session_id)
        _check_session(session, session_id)
        scanned = min(_MAX_ITEMS, request.limit * _ITEMS_PER_MESSAGE)
        items = session.get_items(limit=scanned)
        if inspect.isawaitable(items):
            return self._awaited(items, session_id, scanned, request.limit)
        return self._hits(items, session_id, scanned, request.limit)

    async def _awaited(
        self, items: Awaitable[Any], session_id: str, scanned: int, limit: int
    ) -> Answer:
        return self._hits(await items, session_id, scanned, limit)

    def _hits(self, items: object, session_id: str, scanned: int, limit: int) -> list[Hit]:
        if not isinstance(items, Iterable) or isinstance(items, str | Mapping):
            msg = f"the session returned {type(items).__name__}, not a list of items"
            raise SourceFailure("source_invalid_response", msg)
        # A session of somebody else's making may return more than it was asked for.
        window = list(items)[-scanned:]
        hits = _to_hits(window, session_id, self._roles)
        return hits[::-1][:limit]


def _check_session(session: Any, session_id: str) -> None:
    """Refuse a session of somebody else, or one that does not exist yet and would be created."""
    try:
        own = session.session_id
    except Exception as error:
        msg = "the session has no id yet, so reading it would create a conversation"
        raise SourceFailure("source_misconfigured", msg) from error
    if not isinstance(own, str) or not own:
        misconfigured("the session has no id yet, so reading it would create a conversation")
    if own != session_id:
        msg = "the session belongs to another identity than the one asked for"
        raise SourceFailure("source_scope_violation", msg)


def _to_hits(items: list[object], session_id: str, roles: frozenset[str]) -> list[Hit]:
    """The messages among the items, oldest first, each with an id of its own."""
    own_ids = Counter(item.get("id") for item in items if isinstance(item, Mapping))
    said: Counter[str] = Counter()
    hits: list[Hit] = []
    for item in items:
        if not isinstance(item, Mapping):
            message = f"an item is not an object but {type(item).__name__}"
            hits.append(Rejection(code="invalid_record", message=message))
        elif "__enc__" in item:
            message = "an encrypted item; give the source the EncryptedSession around it"
            hits.append(Rejection(code="unsupported_content", message=message))
        elif item.get("type", "message") == "message" and item.get("role") in roles:
            hits.append(_to_hit(item, session_id, own_ids, said))
    return hits


def _to_hit(
    item: Mapping[str, Any], session_id: str, own_ids: Counter[Any], said: Counter[str]
) -> Hit:
    text = _text_of(item.get("content"))
    digest = hashlib.sha256("\0".join((session_id, item["role"], text)).encode("utf-8", "replace"))
    content_id = digest.hexdigest()[:16]
    said[content_id] += 1
    given = item.get("id")
    usable = isinstance(given, str) and given and given != _SHARED_ID and own_ids[given] == 1
    record_id = str(given) if usable else f"content-{content_id}-{said[content_id]}"
    if not text:
        message = "a message without text"
        return Rejection(record_id=record_id, code="unsupported_content", message=message)
    details, omitted = _details_of(item)
    return MemoryRecord(
        record_id=record_id,
        kind="message",
        text=text,
        metadata={"session_id": session_id, **details},
        omitted=omitted or None,
    )


def _text_of(content: object) -> str:
    """The text parts of a message, one under the other; refusals are said too."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = (
        part.get("text") or part.get("refusal") if isinstance(part, Mapping) else None
        for part in parts
    )
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def _details_of(item: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Every other field of a message, without the bytes of its attachments."""
    details = {name: part for name, part in item.items() if name != "content" and part is not None}
    omitted: dict[str, str] = {}
    content = item.get("content")
    parts = content if isinstance(content, list) else []
    described = [_described(part, omitted) for part in parts if isinstance(part, Mapping)]
    if kept := [part for part in described if part.keys() - {"type"}]:
        details["content"] = kept
    return details, omitted


def _described(part: Mapping[str, Any], omitted: dict[str, str]) -> dict[str, Any]:
    """A part of a message without its text, which is the record's, and without binary content."""
    kept = {}
    for name, value in part.items():
        if name in _BINARY and not str(value).startswith("https://"):
            omitted[f"metadata.content.{name}"] = "binary content"
        elif name not in {"text", "refusal"} and value not in (None, []):
            kept[name] = value
    return kept
