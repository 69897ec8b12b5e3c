"""Whose memory a provider is asked for, checked before the call and again on every hit."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TypeVar

from praxa_langgraph.bounds.limits import MAX_RECORD_ID_CHARS
from praxa_langgraph.bounds.text import (
    has_control_characters,
    has_lone_surrogates,
    trim,
)
from praxa_langgraph.models import Namespace, Rejection
from praxa_langgraph.sources.base.failures import SourceFailure, misconfigured

_Identity = TypeVar("_Identity")

_WILDCARDS = frozenset("*%?")


def map_identity(mapper: Callable[[Namespace], _Identity], namespace: Namespace) -> _Identity:
    """Ask the caller's mapper for the provider's identity.

    Raises:
        SourceFailure: The mapper failed (`source_misconfigured`).
    """
    try:
        identity = mapper(namespace)
    except SourceFailure:
        raise
    except Exception as error:
        msg = f"the identity mapper failed: {type(error).__name__}"
        raise SourceFailure("source_misconfigured", msg) from error
    if inspect.isawaitable(identity):
        if inspect.iscoroutine(identity):
            identity.close()
        misconfigured("the identity mapper is asynchronous; it must be a plain function")
    return identity


def check_identity_part(name: str, value: object) -> str:
    """Return one part of a provider's identity, or refuse it because it would widen the read.

    Raises:
        SourceFailure: It is not a string, is empty or padded, holds a control character, or is a
            wildcard (`source_misconfigured`).

    Example:
        >>> check_identity_part("user_id", "acme:ada")
        'acme:ada'
    """
    if not isinstance(value, str):
        misconfigured(
            f"{name} is not a string but {type(value).__name__}; that would widen the read"
        )
    if not value or value != trim(value):
        misconfigured(f"{name} is empty or padded with white space; that would widen the read")
    if len(value) > MAX_RECORD_ID_CHARS:
        misconfigured(f"{name} has over {MAX_RECORD_ID_CHARS} characters")
    if has_control_characters(value) or has_lone_surrogates(value):
        misconfigured(f"{name} holds a control character or a lone surrogate")
    if _WILDCARDS.issuperset(value):
        misconfigured(f"{name} is a wildcard; that would widen the read")
    return str(value)


def check_path_part(name: str, value: object) -> str:
    """Return a part that stands in a URL path, or refuse one that could leave its place.

    Raises:
        SourceFailure: As `check_identity_part`, or it holds a path separator, a dot segment or a
            percent sign (`source_misconfigured`).
    """
    part = check_identity_part(name, value)
    if part in {".", ".."} or any(mark in part for mark in "/\\?#%"):
        misconfigured(f"{name} holds characters of a URL path")
    return part


def check_identity_parts(
    identity: object, allowed: tuple[str, ...], *, required: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return an identity of several named parts, at least one, each checked.

    Raises:
        SourceFailure: It is no mapping, is empty, names an unknown part, or lacks a required one.
    """
    if not isinstance(identity, Mapping) or not identity:
        misconfigured(f"the identity must map some of {', '.join(allowed)} to strings")
    for name in identity:
        if name not in allowed:
            misconfigured(f"the identity has an unknown part; it may have {', '.join(allowed)}")
    for name in required:
        if name not in identity:
            misconfigured(f"the identity lacks {name}")
    return {name: check_identity_part(name, value) for name, value in identity.items()}


def foreign(record_id: object, part: str) -> Rejection:
    """Return the rejection of a hit that carries another identity than was asked for."""
    return Rejection(
        record_id=record_id if isinstance(record_id, str) else None,
        code="foreign_scope",
        message=f"{part} is not the one asked for",
    )
