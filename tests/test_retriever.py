"""The retriever: fused documents, clear failures, one traced run per source."""

import asyncio
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import create_retriever_tool
from langchain_core.tracers import BaseTracer
from langgraph.graph import START, StateGraph
from pydantic import ValidationError
from typing_extensions import TypedDict

from praxa_langgraph import (
    FederatedRetriever,
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallFailed,
)
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="acme", subject_id="bob")
METADATA_KEYS = {
    "kind",
    "score",
    "rank",
    "providers",
    "source_ids",
    "matches",
    "recall_status",
}


def fact(record_id, text):
    return MemoryRecord(record_id=record_id, kind="fact", text=text)


def retriever(*sources, **options):
    given = sources or (
        ScriptedSource([fact("1", "Prefers tea"), fact("2", "Lives in Lisbon")], id="crm"),
        ScriptedSource([fact("7", "Prefers tea")], id="notes", provider="mem0", asynchronous=True),
    )
    return FederatedRetriever(federation=MemoryFederation(given), **{"namespace": ADA, **options})


class TestDocuments:
    def test_one_document_per_item_with_its_id_and_text(self):
        documents = retriever().invoke("drinks")

        assert [(d.id, d.page_content) for d in documents] == [
            ("crm:1", "Prefers tea"),
            ("crm:2", "Lives in Lisbon"),
        ]

    def test_every_document_has_the_same_metadata_keys(self):
        documents = retriever().invoke("drinks")

        assert [set(d.metadata) for d in documents] == [METADATA_KEYS, METADATA_KEYS]

    def test_metadata_says_how_the_item_came_to_its_place(self):
        metadata = retriever().invoke("drinks")[0].metadata

        assert metadata["score"] == 2 / 61
        assert metadata["rank"] == 1
        assert metadata["providers"] == ["custom", "mem0"]
        assert metadata["source_ids"] == ["crm", "notes"]
        assert [m["sourceRecordId"] for m in metadata["matches"]] == ["1", "7"]

    def test_a_prompt_may_use_any_metadata_key(self):
        tool = create_retriever_tool(
            retriever(),
            "recall",
            "Recalls.",
            document_prompt=PromptTemplate.from_template("{providers}: {page_content}"),
        )

        assert tool.invoke({"query": "drinks"}).startswith("['custom', 'mem0']: Prefers tea")


class TestOptions:
    @pytest.mark.parametrize("call", ["invoke", "ainvoke"])
    async def test_k_and_namespace_can_be_given_per_call(self, call):
        source = ScriptedSource([fact("1", "Prefers tea"), fact("2", "Lives in Lisbon")])
        recall = retriever(source)

        documents = getattr(recall, call)("drinks", k=1, namespace=BOB)
        documents = await documents if call == "ainvoke" else documents

        assert len(documents) == 1
        assert source.requests[0].namespace == BOB

    def test_k_can_be_bound(self):
        assert len(retriever().bind(k=1).invoke("drinks")) == 1

    def test_options_of_the_recall_are_taken_per_call(self):
        documents = retriever().invoke("drinks", source_ids=["notes"], kinds=["fact"])

        assert documents[0].metadata["source_ids"] == ["notes"]

    def test_an_unknown_option_is_refused(self):
        with pytest.raises(TypeError, match="top_k"):
            retriever().invoke("drinks", top_k=3)

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"k": 0}, "k is 0, not 1 to 500"), ({"namespace": 7}, "must be a Namespace or a fun")],
    )
    def test_a_constructor_option_outside_its_bounds_is_refused(self, options, message):
        with pytest.raises((ValidationError, TypeError), match=message):
            retriever(**options)

    def test_neither_repr_nor_dump_show_clients_or_identities(self):
        recall = retriever()

        assert "acme" not in repr(recall)
        assert set(recall.model_dump()) & {"federation", "namespace"} == set()


class TestNamespaceOfTheRun:
    def recalled_for(self, source):
        return source.requests[0].namespace

    def test_it_is_read_from_the_context_of_a_graph(self):
        source = ScriptedSource(id="crm")
        recall = retriever(source, namespace=None)

        class State(TypedDict, total=False):
            question: str

        def ask(state):
            recall.invoke(state["question"])
            return {}

        graph = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
        graph.invoke({"question": "tea"}, context={"tenant_id": "acme", "subject_id": "ada"})

        assert self.recalled_for(source) == ADA

    def test_it_is_read_from_configurable_inside_a_chain(self):
        source = ScriptedSource(id="crm")
        chain = RunnableLambda(str.strip) | retriever(source, namespace=None)

        chain.invoke(" tea ", {"configurable": {"tenant_id": "acme", "subject_id": "ada"}})

        assert self.recalled_for(source) == ADA

    def test_without_one_no_source_is_asked(self):
        source = ScriptedSource(id="crm")

        with pytest.raises(ValueError, match="no namespace"):
            retriever(source, namespace=None).invoke("tea")
        assert source.requests == []


class TestRequiredSources:
    def test_a_source_that_is_required_and_fails_stops_the_retriever(self):
        recall = retriever(
            ScriptedSource([fact("1", "Prefers tea")], id="crm"),
            ScriptedSource(TimeoutError(), id="profile"),
            required=("profile",),
            on_failure="empty",
        )

        with pytest.raises(RecallFailed, match="profile: source_timed_out") as caught:
            recall.invoke("tea")
        assert caught.value.missing == ("profile",)

    def test_a_required_source_that_answers_nothing_is_no_failure(self):
        assert retriever(ScriptedSource(id="profile"), required=("profile",)).invoke("tea") == []

    def test_a_required_source_that_was_not_asked_is_missing(self):
        recall = retriever(
            ScriptedSource([fact("1", "tea")], id="crm"),
            ScriptedSource(id="profile"),
            required=("profile",),
        )

        with pytest.raises(RecallFailed, match="profile"):
            recall.invoke("tea", source_ids=["crm"])

    def test_an_unknown_one_is_refused_when_the_retriever_is_made(self):
        with pytest.raises(ValidationError, match="required names 'profil'"):
            retriever(ScriptedSource(id="profile"), required=("profil",))


class TestFailure:
    def test_failed_raises_with_the_result_on_it(self):
        recall = retriever(ScriptedSource(ConnectionError(), id="crm"))

        with pytest.raises(RecallFailed, match="crm: source_unavailable") as caught:
            recall.invoke("tea")
        assert caught.value.result.status == "failed"

    async def test_failed_is_empty_where_that_was_chosen(self):
        recall = retriever(ScriptedSource(ConnectionError()), on_failure="empty")

        assert recall.invoke("tea") == []
        assert await recall.ainvoke("tea") == []

    def test_partial_never_raises_and_says_so(self):
        recall = retriever(
            ScriptedSource([fact("1", "Prefers tea")], id="crm"),
            ScriptedSource(ConnectionError(), id="down"),
        )

        assert [d.metadata["recall_status"] for d in recall.invoke("tea")] == ["partial"]

    def test_nothing_remembered_is_an_empty_list(self):
        assert retriever(ScriptedSource()).invoke("tea") == []

    async def test_cancelling_the_caller_is_re_raised(self):
        started = asyncio.Event()

        async def hang(_request):
            started.set()
            await asyncio.Event().wait()

        recall = retriever(FunctionSource(hang, id="hangs", kinds=("fact",)))
        task = asyncio.create_task(recall.ainvoke("tea"))
        await started.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task


class _Runs:
    """Keeps the runs a tracer would see: name, parent, and how each ended."""

    def __init__(self):
        self.names: dict[UUID, str] = {}
        self.parents: dict[UUID, UUID | None] = {}
        self.ended: dict[str, object] = {}

    def start(self, run_id, parent_run_id, name):
        self.names[run_id], self.parents[run_id] = name, parent_run_id

    def children_of(self, name):
        [parent] = [run_id for run_id, known in self.names.items() if known == name]
        return sorted(self.names[r] for r, above in self.parents.items() if above == parent)


class _Tracer(_Runs, BaseCallbackHandler):
    def on_retriever_start(self, serialized, query, *, run_id, parent_run_id=None, **kwargs):
        self.start(run_id, parent_run_id, kwargs.get("name"))

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self.start(run_id, parent_run_id, kwargs.get("name"))

    def on_chain_end(self, outputs, *, run_id, **kwargs):
        self.ended[self.names[run_id]] = outputs

    def on_chain_error(self, error, *, run_id, **kwargs):
        self.ended[self.names[run_id]] = error


class _AsyncTracer(_Runs, AsyncCallbackHandler):
    async def on_retriever_start(self, serialized, query, *, run_id, parent_run_id=None, **kwargs):
        self.start(run_id, parent_run_id, kwargs.get("name"))

    async def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self.start(run_id, parent_run_id, kwargs.get("name"))

    async def on_chain_end(self, outputs, *, run_id, **kwargs):
        self.ended[self.names[run_id]] = outputs

    async def on_chain_error(self, error, *, run_id, **kwargs):
        self.ended[self.names[run_id]] = error


class _Backend(BaseTracer):
    """Keeps every run by name, as a tracing backend would be sent them."""

    def __init__(self):
        super().__init__()
        self.runs = {}

    def _persist_run(self, run):
        self.runs[run.name] = run
        for child in run.child_runs:
            self._persist_run(child)

    def named(self, run):
        """The metadata of a run that has OpenTelemetry's names."""
        metadata = self.runs[run].extra["metadata"]
        return {n: v for n, v in metadata.items() if n.startswith(("gen_ai.", "error."))}


class TestTracing:
    def sources(self):
        inner = RunnableLambda(lambda _: [fact("1", "Prefers tea")]).with_config(run_name="inner")
        return (
            FunctionSource(lambda request: inner.invoke(request.query), id="crm", kinds=("fact",)),
            ScriptedSource(ConnectionError("no route"), id="down"),
        )

    async def test_each_source_is_a_child_run_of_the_retriever(self):
        tracer, atracer = _Tracer(), _AsyncTracer()
        recall = retriever(*self.sources())

        recall.invoke("tea", {"callbacks": [tracer]})
        await recall.ainvoke("tea", {"callbacks": [atracer]})

        for runs in (tracer, atracer):
            assert runs.children_of("FederatedRetriever") == ["recall:crm", "recall:down"]
            assert runs.children_of("recall:crm") == ["inner"]

    async def test_a_source_run_carries_opentelemetrys_names_and_its_children_do_not(self):
        recall = retriever(*self.sources())

        for door in (recall.invoke, recall.ainvoke):
            tracer = _Backend()
            answer = door("tea", {"callbacks": [tracer]})
            _ = await answer if door == recall.ainvoke else answer

            assert tracer.named("recall:crm") == {
                "gen_ai.operation.name": "search_memory",
                "gen_ai.provider.name": "custom",
                "gen_ai.memory.record.count": 1,
            }
            assert tracer.named("recall:down")["error.type"] == "source_unavailable"
            assert tracer.named("inner") == {}

    def test_a_source_run_ends_with_its_report_and_no_memory(self):
        tracer = _Tracer()

        retriever(*self.sources()).invoke("tea", {"callbacks": [tracer]})

        assert tracer.ended["recall:crm"]["status"] == "ok"
        assert "Prefers tea" not in repr(tracer.ended["recall:crm"])
        assert tracer.ended["recall:down"].code == "source_unavailable"
