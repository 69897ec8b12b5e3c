"""What a memory source is: an id, a provider, its capabilities, and one read."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from praxa_langgraph.bounds.requests import (
    check_provider,
    check_source_id,
    check_timeout,
    check_words,
)
from praxa_langgraph.models import (
    RECORD_KINDS,
    RETRIEVAL_MODES,
    MemoryRecord,
    Provider,
    RecordKind,
    Rejection,
    RetrievalMode,
    SourceRequest,
)

Hit: TypeAlias = MemoryRecord | Rejection | Mapping[str, Any]
"""A record, a mapping of its fields, or a record the source itself refuses, with the reason."""

Answer: TypeAlias = Iterable[Hit]
"""Hits in the provider's own order, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a source can do. What it does not declare is never sent to it.

    Example:
        >>> Capabilities(modes=("semantic",), kinds=("fact",)).read_only
        True
    """

    modes: tuple[RetrievalMode, ...]
    """The first is the default."""
    kinds: tuple[RecordKind, ...]
    filters: bool = False
    """Whether a filter in the source's own language may be given."""
    abortable: bool = False
    """Whether a call is really given up at the deadline, or only no longer waited for."""
    read_only: Literal[True] = True

    def __post_init__(self) -> None:
        """Refuse words outside the closed vocabularies."""
        check_words("kinds", self.kinds, RECORD_KINDS)
        check_words("modes", self.modes, RETRIEVAL_MODES)


@runtime_checkable
class MemorySource(Protocol):
    """One configured adapter around a client the caller owns.

    `read` may be a plain method (it then runs in a thread), a coroutine method, or a plain method
    that returns an awaitable. It may raise anything: the failure is reported, never thrown. An
    attribute `timeout` (seconds) is the source's own deadline, where it has one.
    """

    @property
    def id(self) -> str:
        """The name by which reports, traces and weights know this source."""
        ...

    @property
    def provider(self) -> Provider:
        """The provider whose memory model the records keep."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the source can be asked."""
        ...

    def read(self, request: SourceRequest) -> Answer | Awaitable[Answer]:
        """Return the hits of one recall, best first."""
        ...


class ConfiguredSource:
    """What every adapter of this package keeps: id, provider, capabilities, deadline; checked."""

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 # the protocol's own name
        provider: Provider,
        capabilities: Capabilities,
        timeout: float | None,
    ) -> None:
        """Check and keep the settings.

        Raises:
            ValueError: A setting is outside its bounds.
            TypeError: A setting has the wrong type.
        """
        self.id = check_source_id(id)
        """The source's name in the federation."""
        self.provider: Provider = check_provider(provider)
        """The provider whose memory model the records keep."""
        self.capabilities = capabilities
        """What the source can be asked."""
        self.timeout = None if timeout is None else check_timeout("timeout", timeout)
        """The source's own deadline in seconds, where it has one."""
