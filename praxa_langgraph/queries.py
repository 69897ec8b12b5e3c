"""What a run asks: the query in its state, or the last thing a person said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

QueryResolver: TypeAlias = Callable[[Any], str]
"""From the graph's input state to the query."""


def query_of(state: Mapping[str, Any], resolver: QueryResolver | None) -> object:
    """Return the state's `query`, else the last human message, else what the resolver says.

    Raises:
        ValueError: There is none.
    """
    if state.get("query") is not None:
        return state["query"]
    text = last_human_text(state.get("messages") or ())
    if text is not None:
        return text
    if resolver is not None:
        return resolver(state)
    msg = "no query: the state has neither a query nor a human message"
    raise ValueError(msg)


def last_human_text(messages: Sequence[Any]) -> str | None:
    """The text of the last human message, in LangChain's or the plain dict form."""
    for message in reversed(messages):
        if isinstance(message, Mapping):
            if message.get("role", message.get("type")) in {"user", "human"}:
                return _text_of(message.get("content"))
        elif isinstance(message, tuple):
            if message[0] in {"user", "human"}:
                return _text_of(message[1])
        elif getattr(message, "type", None) == "human":
            return _text_of(message.content)
    return None


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block if isinstance(block, str) else block.get("text", "") for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str) and text)
