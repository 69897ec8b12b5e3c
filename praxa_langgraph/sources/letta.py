"""Core memory blocks and recent messages of a Letta agent, as different kinds.

Read with `agents.blocks.list` and `agents.messages.list` alone, one page each (iterating a page of
the client would fetch the whole history). No archival memory is read and none is claimed. What
cannot reach us by the way they are called: cursors, which Letta Cloud reads the other way round
(letta-agent-sdk#239), labels in a URL (letta#3422), and a page that starts with the oldest message
(lettabot#382).
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from praxa_langgraph.bounds.fields import to_instant
from praxa_langgraph.bounds.limits import FieldError
from praxa_langgraph.bounds.requests import check_words
from praxa_langgraph.models import (
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
    check_path_part,
    fields_of,
    foreign,
    gather_parts,
    join_parts,
    map_identity,
)

Part: TypeAlias = Literal["blocks", "messages"]
MessageType: TypeAlias = Literal[
    "user_message", "assistant_message", "reasoning_message", "system_message", "summary_message"
]

_PARTS: tuple[Part, ...] = ("blocks", "messages")
_KINDS: dict[Part, RecordKind] = {"blocks": "pinned_context", "messages": "message"}
_TEXT_FIELDS: dict[MessageType, str] = {
    "user_message": "content",
    "assistant_message": "content",
    "reasoning_message": "reasoning",
    "system_message": "content",
    "summary_message": "summary",
}
_MESSAGE_TYPES: tuple[MessageType, ...] = tuple(_TEXT_FIELDS)
_LETTAS_OWN = frozenset({"heartbeat", "login", "system_alert"})
"""What the server packs as JSON into a user's message without a user having said it."""
_ROWS_PER_MESSAGE = 3
_MAX_ROWS = 100
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class LettaSource(ConfiguredSource):
    """Recalls from one Letta agent through a `Letta` or `AsyncLetta` of letta-client 1.x.

    A block is `pinned_context`: always-visible context that Letta edits, without a time of its
    own. A message is `message`, newest first (`recent`); the query is not used. Reasoning, the
    system prompt and tool traffic are left out, and so is what Letta itself says in the user's
    name. When the messages fail and the blocks do not, the blocks are returned and the report says
    so. Retries inside the client are switched off for the call.

    Example:
        ```python
        source = LettaSource(Letta(base_url=...), identity=lambda who: agent_ids[who.subject_id])
        ```
    """

    def __init__(
        self,
        client: Any,
        *,
        identity: Callable[[Namespace], str],
        id: str = "letta",  # noqa: A002 # the protocol's own name
        parts: Sequence[Part] = _PARTS,
        labels: Collection[str] | None = None,
        message_types: Sequence[MessageType] = ("user_message", "assistant_message"),
        timeout: float | None = None,
    ) -> None:
        """Keep the client and what is read.

        Args:
            client: The caller's Letta client.
            identity: From the namespace to one agent id.
            id: The source's name in the federation.
            parts: `blocks`, `messages`, or both.
            labels: Labels of the blocks wanted, exactly as Letta has them; all by default.
            message_types: Types of message read.
            timeout: The source's own deadline in seconds.

        Raises:
            TypeError: The client is no Letta client.
            ValueError: An option is outside its bounds.
        """
        agents = getattr(client, "agents", None)
        if not hasattr(agents, "blocks") or not hasattr(agents, "messages"):
            msg = f"client must be a Letta client, not {type(client).__name__}"
            raise TypeError(msg)
        if isinstance(labels, str):
            msg = "labels must be a list of labels, not a string"
            raise TypeError(msg)
        self._parts = check_words("parts", parts, _PARTS)
        self._types = frozenset(check_words("message_types", message_types, _MESSAGE_TYPES))
        super().__init__(
            id=id,
            provider="letta",
            capabilities=Capabilities(
                modes=("recent",), kinds=tuple(_KINDS[part] for part in self._parts)
            ),
            timeout=timeout,
        )
        self._client = client
        self._identity = identity
        self._labels = None if labels is None else frozenset(labels)

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """List the blocks and the newest messages of one agent."""
        agent_id = check_path_part("the agent id", map_identity(self._identity, request.namespace))
        client = self._client
        if hasattr(client, "with_options"):
            client = client.with_options(max_retries=0, timeout=request.timeout)
        wanted = [part for part in self._parts if _KINDS[part] in request.kinds]
        answers: list[Any] = []
        for part in wanted:
            try:
                answers.append(_list(client, part, agent_id, request.limit))
            except Exception as error:  # noqa: BLE001 # one part of several; join_parts tells
                answers.append(error)
        if any(inspect.isawaitable(answer) for answer in answers):
            return self._awaited(wanted, answers, request, agent_id)
        return self._hits(wanted, answers, request, agent_id)

    async def _awaited(
        self,
        wanted: Sequence[Part],
        answers: Sequence[Any],
        request: SourceRequest,
        agent_id: str,
    ) -> Answer:
        return self._hits(wanted, await gather_parts(answers), request, agent_id)

    def _hits(
        self,
        wanted: Sequence[Part],
        answers: Sequence[Any],
        request: SourceRequest,
        agent_id: str,
    ) -> list[Hit]:
        parts: dict[str, list[Hit] | Exception] = {}
        for part, answer in zip(wanted, answers, strict=True):
            rows = _rows_of(answer)
            if isinstance(rows, Exception):
                parts[part] = rows
            elif part == "blocks":
                parts[part] = _block_hits(rows, agent_id, self._labels)
            else:
                parts[part] = _message_hits(rows, agent_id, self._types)
        return join_parts(parts, limit=request.limit)


def _list(client: Any, part: Part, agent_id: str, limit: int) -> Any:
    """One page: blocks, or more rows than messages are wanted, because other rows stand between."""
    if part == "blocks":
        return client.agents.blocks.list(agent_id)
    rows = min(_MAX_ROWS, limit * _ROWS_PER_MESSAGE)
    return client.agents.messages.list(agent_id, order="desc", limit=rows)


def _rows_of(answer: Any) -> list[Any] | Exception:
    if isinstance(answer, Exception):
        # The client reads an answer that is no JSON list as an object and then trips over it.
        unreadable = isinstance(answer, AttributeError)
        msg = "Letta's answer could not be read"
        return SourceFailure("source_invalid_response", msg) if unreadable else answer
    rows = getattr(answer, "items", None)
    if isinstance(rows, list):
        return rows
    msg = f"Letta answered {type(answer).__name__} without a list of rows"
    return SourceFailure("source_invalid_response", msg)


def _block_hits(rows: list[Any], agent_id: str, labels: frozenset[str] | None) -> list[Hit]:
    """The blocks with a value, in the server's order; an empty block is no memory."""
    hits: list[Hit] = []
    for row in rows:
        fields = fields_of(row)
        if fields.get("agent_id", agent_id) != agent_id:
            hits.append(foreign(fields.get("id"), "agent_id"))
        elif fields.get("value") != "" and (labels is None or fields.get("label") in labels):
            details = _details(fields, leave_out={"id", "value"})
            hits.append(
                MemoryRecord(
                    record_id=fields.get("id"),  # type: ignore[arg-type] # checked later
                    kind="pinned_context",
                    text=fields.get("value"),  # type: ignore[arg-type] # as above
                    metadata=details,
                )
            )
    return hits


def _message_hits(rows: list[Any], agent_id: str, types: frozenset[MessageType]) -> list[Hit]:
    """The messages among the rows, newest first, each with an id of its own."""
    seen: Counter[str] = Counter()
    hits: list[Hit] = []
    for fields in _newest_first([fields_of(row) for row in rows]):
        kind = fields.get("message_type")
        if not fields or kind is None:
            hits.append(Rejection(code="invalid_record", message="a row without a message type"))
        elif fields.get("agent_id", agent_id) != agent_id:
            hits.append(foreign(fields.get("id"), "agent_id"))
        elif kind in types:
            hits.extend(_message_hit(fields, kind, seen))
    return hits


def _newest_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order by date, because servers give a page in either direction.

    Dates have whole seconds, so rows of one second keep the direction in which most of the page
    runs; when nothing tells, it is taken to run forwards, as on a server of one's own.
    """
    moments = [_moment_of(fields) for fields in rows]
    forwards = sum(earlier < later for earlier, later in pairwise(moments))
    backwards = sum(earlier > later for earlier, later in pairwise(moments))
    ordered = rows[::-1] if forwards >= backwards else rows
    return sorted(ordered, key=_moment_of, reverse=True)


def _moment_of(fields: Mapping[str, Any]) -> datetime:
    try:
        return to_instant(fields.get("date"))
    except FieldError:
        return _LONG_AGO


def _message_hit(fields: Mapping[str, Any], kind: MessageType, seen: Counter[str]) -> list[Hit]:
    """One record, or none for what Letta itself says in the user's name."""
    content = fields.get(_TEXT_FIELDS[kind])
    text = _unpacked(content) if kind == "user_message" else _text_of(content)
    if text is None:
        return []
    record_id = ":".join(str(p) for p in (fields.get("id"), kind, fields.get("otid")) if p)
    seen[record_id] += 1
    if seen[record_id] > 1:
        record_id = f"{record_id}:{seen[record_id]}"
    if not text.strip():
        message = "a message without text"
        return [Rejection(record_id=record_id, code="unsupported_content", message=message)]
    omitted: dict[str, str] = {}
    details = _details(fields, leave_out={"date", "signature", _TEXT_FIELDS[kind]})
    if attachments := _attachments(content, omitted):
        details["content"] = attachments
    return [
        MemoryRecord(
            record_id=record_id,
            kind="message",
            text=text,
            created_at=fields.get("date"),
            metadata=details,
            omitted=omitted or None,
        )
    ]


def _unpacked(content: Any) -> str | None:
    """A user's text: the server packs some of it, and much of its own, as JSON."""
    text = _text_of(content)
    if not text.lstrip().startswith("{"):
        return text
    try:
        packed = json.loads(text)
    except ValueError:
        return text
    kind = packed.get("type") if isinstance(packed, dict) else None
    if kind in _LETTAS_OWN:
        return None
    if kind == "user_message" and isinstance(packed.get("message"), str):
        return str(packed["message"])
    return text


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (fields_of(part).get("text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _attachments(content: Any, omitted: dict[str, str]) -> list[dict[str, Any]]:
    """The other parts of a message; an image's bytes come inline and are left off."""
    attachments = []
    for part in content if isinstance(content, list) else []:
        fields = fields_of(part)
        if fields.get("type") == "text" or not fields:
            continue
        source = fields_of(fields.get("source") or {})
        if source.pop("data", None) is not None:
            omitted["metadata.content.source.data"] = "binary content"
        attachments.append({**_details(fields, leave_out={"source"}), "source": source})
    return attachments


def _details(fields: Mapping[str, Any], *, leave_out: set[str]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if name not in leave_out and value not in (None, [], {})
    }
