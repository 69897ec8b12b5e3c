"""A recall as a LangGraph subgraph: one node per source, and one that fuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias, cast, get_type_hints

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.channels import Topic, UntrackedValue
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from typing_extensions import TypedDict

from praxa_langgraph.bounds.limits import DEFAULT_LIMIT, MAX_LIMIT
from praxa_langgraph.bounds.requests import check_integer
from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import Namespace, RecallResult
from praxa_langgraph.namespaces import (
    NamespaceResolver,
    check_resolver,
    resolve_namespace,
    run_context,
)
from praxa_langgraph.queries import QueryResolver, query_of
from praxa_langgraph.recall import Recall, Slot
from praxa_langgraph.reports import SourceOutcome
from praxa_langgraph.runner import arun, run
from praxa_langgraph.tracing import annotate_run, source_metadata

RecallGraph: TypeAlias = CompiledStateGraph[Any, Any, Any, Any]

_PREPARE = "prepare"
_FUSE = "fuse"
_UNDER_WAY = "recall_under_way"
_OUTCOMES = "recall_outcomes"


class RecallState(TypedDict, total=False):
    """The keys a parent graph shares with the recall graph; mix them into its own state."""

    query: str
    """What to recall. While it is set it wins over the messages; leave it out to use those."""
    recall: dict[str, Any]
    """The result, as `RecallResult.model_validate` reads it."""


def create_recall_graph(
    federation: MemoryFederation,
    *,
    namespace: Namespace | NamespaceResolver | None = None,
    query: QueryResolver | None = None,
    limit: int = DEFAULT_LIMIT,
    output_key: str = "recall",
    name: str = "memory_recall",
) -> RecallGraph:
    """Build a compiled graph that recalls from every source of a federation.

    The graph is `START → prepare → one node per source → fuse → END`. It is compiled with
    `checkpointer=False`: raw hits never reach the parent's checkpoints, only the fused result
    does, under `output_key`, as the JSON dict that `RecallResult.model_validate` reads. Every
    source's progress goes to the `custom` stream, without any memory text; through a parent it is
    seen with `subgraphs=True`.

    Args:
        federation: The sources.
        namespace: Whose memory to read: fixed, or a function from the run's context. By default it
            is taken from the run's context or configurable; see `resolve_namespace`.
        query: Used when the state has neither a `query` nor a human message. It gets the input
            state, and the keys of the state class its parameter is annotated with.
        limit: Items in the result at most, 1 to 500.
        output_key: The state key of the result.
        name: The graph's name in traces and drawings.

    Returns:
        A compiled graph that may be invoked alone or added as a node to another graph.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is outside its bounds. At run time: no query or no namespace.

    Example:
        >>> from praxa_langgraph import FunctionSource, MemoryFederation, create_recall_graph
        >>> def crm(request):
        ...     return [{"record_id": "1", "kind": "fact", "text": "Prefers tea"}]
        >>> federation = MemoryFederation([FunctionSource(crm, id="crm", kinds=("fact",))])
        >>> graph = create_recall_graph(federation)
        >>> ada = {"tenant_id": "acme", "subject_id": "ada"}
        >>> graph.invoke({"query": "drinks"}, context=ada)["recall"]["items"][0]["text"]
        'Prefers tea'
    """
    if not isinstance(federation, MemoryFederation):
        msg = f"federation must be a MemoryFederation, not {type(federation).__name__}"
        raise TypeError(msg)
    check_resolver(namespace)
    _check_key("output_key", output_key)
    begin = _Beginning(
        federation, namespace, query, check_integer("limit", limit, highest=MAX_LIMIT)
    )
    graph = _builder(query, output_key)
    graph.add_node(_PREPARE, _PureNode(_PREPARE, begin))
    graph.add_node(_FUSE, _PureNode(_FUSE, _Fusion(output_key)))
    graph.add_edge(START, _PREPARE)
    graph.add_edge(_FUSE, END)
    for node, slot in _node_names(federation.slots, taken={*graph.channels, output_key}).items():
        graph.add_node(node, _SourceNode(node, slot), metadata=source_metadata(slot.source))
        graph.add_edge(_PREPARE, node)
        graph.add_edge(node, _FUSE)
    concurrency = federation.max_concurrency or len(federation.slots)
    compiled = graph.compile(checkpointer=False, name=name)
    return compiled.with_config(max_concurrency=concurrency)


def recall_result(state: Mapping[str, Any], *, key: str = "recall") -> RecallResult:
    """Read the result of a recall graph back from a state.

    Raises:
        ValueError: The state has no recall under the key, or it is not one.

    Example:
        >>> recall_result({"messages": []})
        Traceback (most recent call last):
        ...
        ValueError: the state has no recall under 'recall'
    """
    if state.get(key) is None:
        msg = f"the state has no recall under {key!r}"
        raise ValueError(msg)
    return RecallResult.model_validate(state[key])


class _Beginning:
    """Turns the run's state and context into a recall under way."""

    def __init__(
        self,
        federation: MemoryFederation,
        namespace: Namespace | NamespaceResolver | None,
        query: QueryResolver | None,
        limit: int,
    ) -> None:
        self._federation = federation
        self._namespace = namespace
        self._query = query
        self._limit = limit

    def __call__(self, state: Mapping[str, Any], config: RunnableConfig | None) -> dict[str, Any]:
        configurable = (config or {}).get("configurable")
        run = run_context(get_runtime().context, configurable, state)
        recall = self._federation.begin(
            query_of(state, self._query),
            namespace=resolve_namespace(self._namespace, run),
            limit=self._limit,
        )
        return {_UNDER_WAY: recall}


class _Fusion:
    """Fuses what the source nodes left, in configured order."""

    def __init__(self, output_key: str) -> None:
        self._output_key = output_key

    def __call__(self, state: Mapping[str, Any], _: RunnableConfig | None) -> dict[str, Any]:
        recall: Recall = state[_UNDER_WAY]
        result = recall.complete(state.get(_OUTCOMES, ()))
        _announce_result(result)
        return {self._output_key: result.to_wire()}


class _PureNode(Runnable[Any, Any]):
    """A node without I/O, the same from both doors."""

    def __init__(
        self,
        name: str,
        function: Callable[[Mapping[str, Any], RunnableConfig | None], dict[str, Any]],
    ) -> None:
        self.name = name
        self._function = function

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> dict[str, Any]:  # noqa: A002 # Runnable's own
        return self._function(input, config)

    async def ainvoke(
        self,
        input: Any,  # noqa: A002 # Runnable's own
        config: RunnableConfig | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        return self._function(input, config)


class _SourceNode(Runnable[Any, Any]):
    """Asks one source within its deadline. It never raises for a source; it reports."""

    def __init__(self, name: str, slot: Slot) -> None:
        self.name = name
        self._slot = slot

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> dict[str, Any]:  # noqa: A002 # Runnable's own
        recall: Recall = input[_UNDER_WAY]
        if self._slot not in recall.slots:
            return {}
        [outcome] = run([recall.call(self._slot, awaited=False)])
        return self._update(recall.outcome(self._slot, outcome), config)

    async def ainvoke(
        self,
        input: Any,  # noqa: A002 # Runnable's own
        config: RunnableConfig | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        recall: Recall = input[_UNDER_WAY]
        if self._slot not in recall.slots:
            return {}
        [outcome] = await arun([recall.call(self._slot, awaited=True)])
        return self._update(recall.outcome(self._slot, outcome), config)

    def _update(self, outcome: SourceOutcome, config: RunnableConfig | None) -> dict[str, Any]:
        report = outcome.report
        callbacks = (config or {}).get("callbacks")
        if isinstance(callbacks, BaseCallbackManager):
            annotate_run(callbacks.handlers, callbacks.parent_run_id, report)
        get_stream_writer()(
            {
                "type": "memory_source",
                "source_id": report.source_id,
                "provider": report.provider,
                "status": report.status,
                "code": report.error.code if report.error else None,
                "item_count": report.item_count,
                "duration_ms": report.duration_ms,
            }
        )
        return {_OUTCOMES: [outcome]}


def _announce_result(result: RecallResult) -> None:
    get_stream_writer()(
        {
            "type": "memory_recall",
            "status": result.status,
            "item_count": len(result.items),
            "source_count": len(result.sources),
        }
    )


def _builder(query: QueryResolver | None, output_key: str) -> StateGraph[Any, Any, Any, Any]:
    asked = _keys_of(query)
    given = {**asked, "query": str, "messages": list[Any]}
    private = {
        _UNDER_WAY: Annotated[Any, UntrackedValue],
        _OUTCOMES: Annotated[list[Any], Topic(Any)],
    }
    answered = {output_key: dict[str, Any]}
    given.pop(output_key, None)
    return StateGraph(
        cast("Any", TypedDict("RecallGraphState", {**given, **private, **answered}, total=False)),  # type: ignore[operator] # keys are known at run time only
        input_schema=cast("Any", TypedDict("RecallInput", given, total=False)),  # type: ignore[operator] # as above
        output_schema=cast("Any", TypedDict("RecallOutput", answered, total=False)),  # type: ignore[operator] # as above
    )


def _keys_of(query: QueryResolver | None) -> dict[str, Any]:
    """The state keys a query function declares by annotating its parameter, as nodes do."""
    if query is None:
        return {}
    if not callable(query):
        msg = f"query must be a function from the state to a string, not {type(query).__name__}"
        raise TypeError(msg)
    hints = get_type_hints(query if hasattr(query, "__annotations__") else type(query).__call__)
    hints.pop("return", None)
    state = next(iter(hints.values()), None)
    if state is None or not hasattr(state, "__annotations__"):
        return {}
    return get_type_hints(state, include_extras=True)


def _node_names(slots: Sequence[Slot], *, taken: set[str]) -> dict[str, Slot]:
    """Name a node after each source; LangGraph reserves `:` and the names of state keys."""
    names: dict[str, Slot] = {}
    taken = taken | {_PREPARE, _FUSE}
    for slot in slots:
        name = slot.source.id.replace(":", "_")
        while name in taken:
            name += "_"
        taken.add(name)
        names[name] = slot
    return names


def _check_key(name: str, value: object) -> None:
    if not isinstance(value, str) or not value.isidentifier():
        msg = f"{name} must be a state key such as 'recall', not {value!r}"
        raise ValueError(msg)
    if value in {"query", "messages", _UNDER_WAY, _OUTCOMES}:
        msg = f"{name} {value!r} is a key the recall graph reads"
        raise ValueError(msg)
