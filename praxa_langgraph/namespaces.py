"""Whose memory a run may read: the namespace, taken whole from one trusted origin of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from langchain_core.runnables import ensure_config
from langgraph.runtime import get_runtime

from praxa_langgraph.bounds.requests import check_namespace
from praxa_langgraph.models import Namespace

_PARTS = ("tenant_id", "subject_id", "scope")
_EXECUTION_STATE = ("thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What a resolver may look at. `state` is what the model and its tools can write to."""

    context: Any = None
    """The run's context object, of whatever class the application has."""
    configurable: Mapping[str, Any] = field(default_factory=dict)
    """The run's configurable, without thread and checkpoint ids."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """The state the recall graph was given; empty for a retriever."""


NamespaceResolver: TypeAlias = Callable[[RunContext], Namespace]
"""The caller's own way from a run to a namespace."""


def run_context(
    context: object, configurable: Mapping[str, Any] | None, state: Mapping[str, Any] | None = None
) -> RunContext:
    """Return what a resolver may see of a run: no thread, no checkpoint, nothing internal."""
    shown = {
        name: value
        for name, value in (configurable or {}).items()
        if name not in _EXECUTION_STATE and not name.startswith("__")
    }
    return RunContext(context=context, configurable=shown, state=state or {})


def current_run() -> RunContext:
    """Return what a resolver may see of the run this code is called in, when there is one."""
    configurable = ensure_config().get("configurable")
    try:
        runtime = get_runtime()
    except RuntimeError:
        runtime = None
    # Inside a chain that is no graph, LangGraph answers None instead of raising.
    return run_context(getattr(runtime, "context", None), configurable)


def resolve_namespace(
    namespace: Namespace | NamespaceResolver | None, run: RunContext
) -> Namespace:
    """Return the namespace a run may read.

    A fixed namespace or a resolver decides alone. Otherwise the identity comes whole from the
    run's context (attributes or keys `tenant_id`, `subject_id`, `scope`), else from its
    configurable.

    Raises:
        ValueError: There is none, a part is empty or missing, or the two origins disagree.
        TypeError: A resolver returned something else than a namespace.

    Example:
        >>> ada = {"tenant_id": "acme", "subject_id": "ada"}
        >>> resolve_namespace(None, run_context(ada, None)).subject_id
        'ada'
    """
    if isinstance(namespace, Namespace):
        return check_namespace(namespace)
    if namespace is not None:
        return check_namespace(namespace(run))
    of_context = _namespace_of("context", run.context)
    of_configurable = _namespace_of("configurable", run.configurable)
    if of_context and of_configurable and of_context != of_configurable:
        msg = "the namespace in the run's context and the one in its configurable disagree"
        raise ValueError(msg)
    resolved = of_context or of_configurable
    if resolved is None:
        msg = (
            "no namespace: give the run a context with tenant_id and subject_id, "
            "or pass namespace= where the recall is set up"
        )
        raise ValueError(msg)
    return resolved


def check_resolver(namespace: object) -> None:
    """Refuse what is neither a namespace, nor a resolver, nor None, before anything runs.

    Raises:
        TypeError: It is something else.
        ValueError: The namespace is outside its bounds.
    """
    if isinstance(namespace, Namespace):
        check_namespace(namespace)
    elif namespace is not None and not callable(namespace):
        msg = f"namespace must be a Namespace or a function, not {type(namespace).__name__}"
        raise TypeError(msg)


def _namespace_of(name: str, origin: object) -> Namespace | None:
    if isinstance(origin, Mapping):
        found = {part: origin.get(part) for part in _PARTS}
    else:
        found = {part: getattr(origin, part, None) for part in _PARTS}
    parts = {part: value for part, value in found.items() if value is not None}
    if parts.keys().isdisjoint(("tenant_id", "subject_id")):
        return None
    for part in ("tenant_id", "subject_id"):
        if part not in parts:
            msg = f"the run's {name} has no {part}; the identity must come whole from one origin"
            raise ValueError(msg)
    try:
        return check_namespace(parts)
    except ValueError as error:
        msg = f"the run's {name}: {error}"
        raise ValueError(msg) from error
