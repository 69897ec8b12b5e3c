"""A recall as a LangChain retriever: one document per item."""

from __future__ import annotations

from contextvars import Context, copy_context
from typing import Any, Literal, Self, TypeVar, Unpack

from langchain_core.callbacks import (
    AsyncCallbackManager,
    AsyncCallbackManagerForChainRun,
    AsyncCallbackManagerForRetrieverRun,
    CallbackManager,
    CallbackManagerForChainRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config, var_child_runnable_config
from pydantic import ConfigDict, Field, field_validator, model_validator

from praxa_langgraph.bounds.limits import DEFAULT_LIMIT, MAX_LIMIT
from praxa_langgraph.bounds.requests import RecallOptions, check_integer
from praxa_langgraph.demands import check_required, demand
from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import (
    Namespace,
    RecallItem,
    RecallResult,
    SourceReport,
)
from praxa_langgraph.namespaces import (
    NamespaceResolver,
    check_resolver,
    current_run,
    resolve_namespace,
)
from praxa_langgraph.recall import Recall
from praxa_langgraph.sources.base import MemorySource, SourceFailure
from praxa_langgraph.tracing import annotate_run, report_outputs, source_metadata


class FederatedRetriever(BaseRetriever):
    """Retrieves from every source of a federation, fused, as LangChain documents.

    A document's `id` is the item's id and its `page_content` the item's text. Every document has
    the same metadata keys: `kind`, `score` (fused; a single source's first place is 1/61), `rank`,
    `providers`, `source_ids`, `matches` (in the wire form) and `recall_status`.

    Each call takes `k`, `namespace` and the options of `MemoryFederation.recall` as keywords.
    Each source is a child run in traces, named `recall:<source id>`.

    Example:
        >>> from praxa_langgraph import FunctionSource, MemoryFederation, Namespace
        >>> def crm(request):
        ...     return [{"record_id": "1", "kind": "fact", "text": "Prefers tea"}]
        >>> retriever = FederatedRetriever(
        ...     federation=MemoryFederation([FunctionSource(crm, id="crm", kinds=("fact",))]),
        ...     namespace=Namespace(tenant_id="acme", subject_id="ada"),
        ... )
        >>> [document] = retriever.invoke("drinks")
        >>> document.page_content, document.metadata["source_ids"]
        ('Prefers tea', ['crm'])
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    federation: MemoryFederation = Field(exclude=True, repr=False)
    """The sources."""
    namespace: Namespace | NamespaceResolver | None = Field(default=None, exclude=True, repr=False)
    """Whose memory is read: fixed, a function of the run, or by default taken from the run."""
    k: int = DEFAULT_LIMIT
    """Documents returned at most, 1 to 500."""
    on_failure: Literal["raise", "empty"] = "raise"
    """What happens when no source answered: `RecallFailed`, or no documents."""
    required: tuple[str, ...] = ()
    """Ids of sources without which there is no answer: `RecallFailed` when one of them fails."""

    @field_validator("k")
    @classmethod
    def _k_is_in_bounds(cls, value: int) -> int:
        return check_integer("k", value, highest=MAX_LIMIT)

    @field_validator("namespace", mode="before")
    @classmethod
    def _namespace_is_usable(cls, value: Any) -> Any:
        check_resolver(value)
        return value

    @model_validator(mode="after")
    def _required_sources_exist(self) -> Self:
        check_required(self.required, self.federation)
        return self

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        namespace: Namespace | None = None,
        **options: Unpack[RecallOptions],
    ) -> list[Document]:
        recall = self._begin(query, namespace, k, options)
        return self._documents(recall.run(observer=_SourceRuns(run_manager.get_child())))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        namespace: Namespace | None = None,
        **options: Unpack[RecallOptions],
    ) -> list[Document]:
        recall = self._begin(query, namespace, k, options)
        observer = _AsyncSourceRuns(run_manager.get_child())
        return self._documents(await recall.arun(observer=observer))

    def _begin(
        self, query: str, namespace: Namespace | None, k: int | None, options: RecallOptions
    ) -> Recall:
        return self.federation.begin(
            query,
            namespace=resolve_namespace(namespace or self.namespace, current_run()),
            limit=self.k if k is None else check_integer("k", k, highest=MAX_LIMIT),
            **options,
        )

    def _documents(self, result: RecallResult) -> list[Document]:
        demand(result, self.required, may_fail=self.on_failure == "empty")
        matches = {item["id"]: item["matches"] for item in result.to_wire()["items"]}
        return [_to_document(item, matches[item.id], result.status) for item in result.items]


_Callbacks = TypeVar("_Callbacks", CallbackManager, AsyncCallbackManager)


class _SourceRuns:
    """Traces each source as a child run of the retriever; the runs carry no memory."""

    def __init__(self, callbacks: CallbackManager) -> None:
        self._callbacks = callbacks
        self._runs: dict[str, CallbackManagerForChainRun] = {}

    def started(self, source: MemorySource) -> Context:
        callbacks = _described(self._callbacks, source)
        run = callbacks.on_chain_start(None, _inputs(source), name=_run_name(source.id))
        self._runs[source.id] = run
        return _child_context(run.get_child())

    def ended(self, report: SourceReport) -> None:
        run = self._runs[report.source_id]
        annotate_run(run.handlers, run.run_id, report)
        if report.error is None:
            run.on_chain_end(report_outputs(report))
        else:
            run.on_chain_error(SourceFailure(report.error.code, report.error.message))


class _AsyncSourceRuns:
    """The same, awaited."""

    def __init__(self, callbacks: AsyncCallbackManager) -> None:
        self._callbacks = callbacks
        self._runs: dict[str, AsyncCallbackManagerForChainRun] = {}

    async def started(self, source: MemorySource) -> Context:
        callbacks, name = _described(self._callbacks, source), _run_name(source.id)
        run = await callbacks.on_chain_start(None, _inputs(source), name=name)
        self._runs[source.id] = run
        return _child_context(run.get_child())

    async def ended(self, report: SourceReport) -> None:
        run = self._runs[report.source_id]
        annotate_run(run.handlers, run.run_id, report)
        if report.error is None:
            await run.on_chain_end(report_outputs(report))
        else:
            await run.on_chain_error(SourceFailure(report.error.code, report.error.message))


def _described(callbacks: _Callbacks, source: MemorySource) -> _Callbacks:
    """Callbacks for the run of one source, which says what it does and does not hand it down."""
    described = callbacks.copy()
    described.add_metadata(source_metadata(source), inherit=False)
    return described


def _run_name(source_id: str) -> str:
    return f"recall:{source_id}"


def _inputs(source: MemorySource) -> dict[str, Any]:
    return {"memory_source": source.id}


def _child_context(callbacks: CallbackManager | AsyncCallbackManager) -> Context:
    """The caller's context, in which what the source runs is traced below the source's run."""
    context = copy_context()
    config: RunnableConfig = patch_config(
        context.get(var_child_runnable_config), callbacks=callbacks
    )
    context.run(var_child_runnable_config.set, config)
    return context


def _to_document(item: RecallItem, matches: list[dict[str, Any]], status: str) -> Document:
    metadata = {
        "kind": item.kind,
        "score": item.ranking.score,
        "rank": item.ranking.rank,
        "providers": list(dict.fromkeys(match.provider for match in item.matches)),
        "source_ids": list(dict.fromkeys(match.source_id for match in item.matches)),
        "matches": matches,
        "recall_status": status,
    }
    return Document(id=item.id, page_content=item.text, metadata=metadata)
