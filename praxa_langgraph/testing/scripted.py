"""A source that does what it is told: answers, fails or hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterable
from typing import Literal

from praxa_langgraph.models import (
    RECORD_KINDS,
    RETRIEVAL_MODES,
    Provider,
    RecordKind,
    RetrievalMode,
    SourceRequest,
)
from praxa_langgraph.sources.base import Answer, Capabilities, ConfiguredSource, Hit


class ScriptedSource(ConfiguredSource):
    """A memory source for tests: it plays a script, one step per read, and repeats the last.

    Every step is a list of hits to answer, an exception to raise, or `ScriptedSource.HANG`, which
    waits until `release()` is called. `requests` keeps what was asked.

    Example:
        >>> from praxa_langgraph import MemoryFederation, MemoryRecord, Namespace
        >>> tea = MemoryRecord(record_id="1", kind="fact", text="Prefers tea")
        >>> crm = ScriptedSource([tea], id="crm")
        >>> down = ScriptedSource(ConnectionError(), id="down")
        >>> ada = Namespace(tenant_id="acme", subject_id="ada")
        >>> result = MemoryFederation([crm, down]).recall("tea", namespace=ada)
        >>> result.status, [report.status for report in result.sources]
        ('partial', ['ok', 'unavailable'])
    """

    HANG: Literal["hang"] = "hang"
    """A step that waits for `release()`."""

    def __init__(
        self,
        *script: Iterable[Hit] | BaseException | Literal["hang"],
        id: str = "scripted",  # noqa: A002 # the protocol's own name
        provider: Provider = "custom",
        kinds: tuple[RecordKind, ...] = RECORD_KINDS,
        modes: tuple[RetrievalMode, ...] = RETRIEVAL_MODES,
        filters: bool = False,
        timeout: float | None = None,
        asynchronous: bool = False,
    ) -> None:
        """Keep the script.

        Args:
            script: The steps; without any the source answers nothing.
            id: The source's name in the federation.
            provider: The provider it claims to read.
            kinds: The kinds it declares.
            modes: The modes it declares; the first is the default.
            filters: Whether it declares that it takes filters.
            timeout: Its own deadline in seconds.
            asynchronous: Whether `read` behaves like that of an async client.
        """
        super().__init__(
            id=id,
            provider=provider,
            capabilities=Capabilities(modes=modes, kinds=kinds, filters=filters),
            timeout=timeout,
        )
        steps = script or ((),)
        self._script = [
            step if isinstance(step, str | BaseException) else tuple(step) for step in steps
        ]
        self._asynchronous = asynchronous
        self._released = threading.Event()
        self._lock = threading.Lock()
        self.requests: list[SourceRequest] = []
        """Every request this source was asked, oldest first."""

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Play the next step of the script."""
        with self._lock:
            step = self._script[min(len(self.requests), len(self._script) - 1)]
            self.requests.append(request)
        return self._aplay(step) if self._asynchronous else self._play(step)

    def release(self) -> None:
        """Let every hanging read return, now and from now on, without any hit."""
        self._released.set()

    def _play(self, step: tuple[Hit, ...] | BaseException | str) -> Answer:
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, str):
            self._released.wait()
            return ()
        return step

    async def _aplay(self, step: tuple[Hit, ...] | BaseException | str) -> Answer:
        # Polled, because `release` may come from any thread and any event loop.
        while isinstance(step, str) and not self._released.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        return () if isinstance(step, str) else self._play(step)
