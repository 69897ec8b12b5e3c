"""Any function as a memory source."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from praxa_langgraph.models import Provider, RecordKind, RetrievalMode, SourceRequest
from praxa_langgraph.sources.base import Answer, Capabilities, ConfiguredSource


class FunctionSource(ConfiguredSource):
    """A source that is one function, sync or async, from a request to records.

    The function gets one `SourceRequest` (`query`, `namespace`, `limit`, `mode`, `kinds`,
    `filter`) and returns `MemoryRecord`s or mappings of their fields, best first. It answers for
    reading only what belongs to the namespace. A sync function runs in a thread.

    Example:
        >>> def look_up(request):
        ...     return [{"record_id": "1", "kind": "fact", "text": "Prefers tea"}]
        >>> FunctionSource(look_up, id="crm", kinds=("fact",)).id
        'crm'
    """

    def __init__(
        self,
        function: Callable[[SourceRequest], Answer | Awaitable[Answer]],
        *,
        id: str,  # noqa: A002 # the protocol's own name
        kinds: tuple[RecordKind, ...],
        modes: tuple[RetrievalMode, ...] = ("exact",),
        provider: Provider = "custom",
        filters: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Wrap a function.

        Args:
            function: Called once per recall with the request.
            id: The source's name in the federation.
            kinds: The kinds of record the function may return.
            modes: The retrieval modes it serves; the first is the default.
            provider: The provider whose memory it reads.
            filters: Whether it understands `request.filter`.
            timeout: Its own deadline in seconds.

        Raises:
            TypeError: `function` cannot be called.
            ValueError: Another argument is outside its bounds.
        """
        if not callable(function):
            msg = f"function must be callable, not {type(function).__name__}"
            raise TypeError(msg)
        super().__init__(
            id=id,
            provider=provider,
            capabilities=Capabilities(modes=tuple(modes), kinds=tuple(kinds), filters=filters),
            timeout=timeout,
        )
        self.read: Callable[[SourceRequest], Any] = function
        """The function itself, so that a coroutine function is known for one."""
