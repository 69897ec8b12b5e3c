"""The recall graph: one node per source, the same answer from every way it is run."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tracers import BaseTracer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langsmith._internal._serde import dumps_json  # as LangSmith sends a run
from typing_extensions import TypedDict

from praxa_langgraph import (
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallResult,
    RecallState,
    create_recall_graph,
)
from praxa_langgraph.testing import ScriptedSource

ADA = {"tenant_id": "acme", "subject_id": "ada"}
REMEMBERED = "the-text-of-a-memory"


class ParentState(RecallState):
    messages: Annotated[list[Any], add_messages]


def fact(record_id, text):
    return MemoryRecord(record_id=record_id, kind="fact", text=text)


def federation(**options):
    return MemoryFederation(
        [
            ScriptedSource([fact("1", "Prefers tea"), fact("2", REMEMBERED)], id="crm:eu"),
            ScriptedSource([fact("9", "Prefers tea")], id="notes", asynchronous=True),
            ScriptedSource(ConnectionError("no route"), id="down"),
        ],
        **options,
    )


def parent_of(graph, *, state=ParentState, **compile_options):
    builder = StateGraph(state)
    builder.add_node("memory", graph)
    builder.add_edge(START, "memory")
    builder.add_edge("memory", END)
    return builder.compile(**compile_options)


def item_ids(state, key="recall"):
    return [item["id"] for item in state[key]["items"]]


class TestShape:
    def test_there_is_one_node_per_source_named_after_it(self):
        graph = create_recall_graph(federation())

        nodes = set(graph.get_graph().nodes)

        assert nodes == {"__start__", "prepare", "crm_eu", "notes", "down", "fuse", "__end__"}

    def test_a_node_says_which_source_and_provider_it_asks(self):
        graph = create_recall_graph(federation())

        assert graph.get_graph().nodes["crm_eu"].metadata == {
            "memory_source": "crm:eu",
            "gen_ai.operation.name": "search_memory",
            "gen_ai.provider.name": "custom",
        }

    @pytest.mark.parametrize("source_id", ["fuse", "prepare", "query", "messages", "recall"])
    def test_a_source_may_have_the_name_of_a_node_or_state_key(self, source_id):
        sources = [ScriptedSource([fact("1", "Prefers tea")], id=source_id)]
        graph = create_recall_graph(MemoryFederation(sources))

        state = graph.invoke({"query": "tea"}, context=ADA)

        assert item_ids(state) == [f"{source_id}:1"]

    def test_ids_that_differ_only_in_what_langgraph_reserves_get_nodes_of_their_own(self):
        sources = [
            ScriptedSource([fact("1", "Prefers tea")], id="a:b"),
            ScriptedSource([fact("1", "Prefers coffee")], id="a_b"),
        ]
        graph = create_recall_graph(MemoryFederation(sources))

        state = graph.invoke({"query": "drinks"}, context=ADA)

        assert item_ids(state) == ["a_b:1", "a%3Ab:1"]

    def test_it_is_compiled_without_a_checkpointer_and_named(self):
        graph = create_recall_graph(federation(), name="recall_everything")

        assert graph.checkpointer is False
        assert graph.get_name() == "recall_everything"

    def test_the_result_stands_under_the_output_key(self):
        graph = create_recall_graph(federation(), output_key="long_term_memory")

        state = graph.invoke({"query": "tea"}, context=ADA)

        assert set(state) == {"long_term_memory"}
        assert RecallResult.model_validate(state["long_term_memory"]).status == "partial"


class TestSameAnswer:
    async def test_root_and_nested_sync_and_async_agree(self):
        graph = create_recall_graph(federation())
        parent = parent_of(graph)
        given = {"query": "tea", "messages": []}

        answers = [
            graph.invoke(given, context=ADA),
            await graph.ainvoke(given, context=ADA),
            parent.invoke(given, context=ADA),
            await parent.ainvoke(given, context=ADA),
        ]

        ids = [item_ids(answer) for answer in answers]
        assert ids == [["crm%3Aeu:1", "crm%3Aeu:2"]] * 4
        assert {answer["recall"]["status"] for answer in answers} == {"partial"}

    def test_the_limit_of_the_graph_is_the_limit_of_the_recall(self):
        graph = create_recall_graph(federation(), limit=1)

        assert len(graph.invoke({"query": "tea"}, context=ADA)["recall"]["items"]) == 1

    def test_a_hanging_source_does_not_keep_the_others_from_answering(self):
        hanging = ScriptedSource(ScriptedSource.HANG, id="hangs")
        sources = [hanging, ScriptedSource([fact("1", "Prefers tea")], id="crm")]
        graph = create_recall_graph(MemoryFederation(sources, timeout=0.2))

        try:
            state = graph.invoke({"query": "tea"}, context=ADA)
        finally:
            hanging.release()

        assert [s["status"] for s in state["recall"]["sources"]] == ["timed_out", "ok"]
        assert item_ids(state) == ["crm:1"]


class TestQuery:
    def asked(self, given, **options):
        source = ScriptedSource(id="crm")
        graph = create_recall_graph(MemoryFederation([source]), **options)
        graph.invoke(given, context=ADA)
        return source.requests[0].query

    def test_the_state_query_comes_first(self):
        assert self.asked({"query": "tea", "messages": [HumanMessage("coffee")]}) == "tea"

    def test_else_the_last_human_message(self):
        messages = [HumanMessage("coffee"), HumanMessage("tea"), AIMessage("Sure.")]

        assert self.asked({"messages": messages}) == "tea"

    @pytest.mark.parametrize(
        "message",
        [
            {"role": "user", "content": "tea"},
            ("human", "tea"),
            HumanMessage([{"type": "text", "text": "tea"}, {"type": "image", "url": "x"}]),
        ],
    )
    def test_a_message_may_have_any_of_langchains_forms(self, message):
        assert self.asked({"messages": [message]}) == "tea"

    def test_else_a_function_of_the_state(self):
        assert self.asked({"messages": []}, query=lambda _: "tea") == "tea"

    def test_a_query_function_sees_the_keys_of_the_state_it_is_annotated_with(self):
        class TicketState(TypedDict):
            ticket: str

        def of_ticket(state: TicketState) -> str:
            return f"about {state['ticket']}"

        of_ticket.__annotations__["state"] = TicketState

        assert self.asked({"ticket": "T-1"}, query=of_ticket) == "about T-1"

    async def test_no_query_is_an_error_that_says_where_it_was_looked_for(self):
        graph = create_recall_graph(federation())

        with pytest.raises(ValueError, match="neither a query nor a human message"):
            graph.invoke({"messages": [AIMessage("Hello")]}, context=ADA)
        with pytest.raises(ValueError, match="neither a query nor a human message"):
            await graph.ainvoke({"messages": []}, context=ADA)


class TestNamespace:
    @dataclass
    class Session:
        tenant_id: str
        subject_id: str
        user_agent: str = "tests"

    def test_it_comes_from_the_context_of_the_parent_whatever_its_class(self):
        source = ScriptedSource(id="crm")
        graph = create_recall_graph(MemoryFederation([source]))
        builder = StateGraph(ParentState, context_schema=self.Session)
        builder.add_node("memory", graph)
        builder.add_edge(START, "memory")

        builder.compile().invoke({"query": "tea"}, context=self.Session("acme", "ada"))

        assert source.requests[0].namespace == Namespace(**ADA)

    def test_it_comes_from_configurable_when_there_is_no_context(self):
        source = ScriptedSource(id="crm")
        parent = parent_of(create_recall_graph(MemoryFederation([source])))

        parent.invoke({"query": "tea"}, {"configurable": {**ADA, "scope": ["eu"]}})

        assert source.requests[0].namespace == Namespace(**ADA, scope=("eu",))

    def test_a_fixed_namespace_is_not_replaced_by_the_run(self):
        source = ScriptedSource(id="crm")
        graph = create_recall_graph(MemoryFederation([source]), namespace=Namespace(**ADA))

        graph.invoke({"query": "tea"}, context={"tenant_id": "globex", "subject_id": "bob"})

        assert source.requests[0].namespace == Namespace(**ADA)

    def test_state_decides_only_through_a_resolver_that_reads_it(self):
        source = ScriptedSource(id="crm")
        graph = create_recall_graph(
            MemoryFederation([source]),
            namespace=lambda run: Namespace(tenant_id="acme", subject_id=run.state["query"]),
        )

        graph.invoke({"query": "ada"})

        assert source.requests[0].namespace == Namespace(**ADA)

    def test_no_source_is_asked_without_a_namespace(self):
        source = ScriptedSource(id="crm")
        graph = create_recall_graph(MemoryFederation([source]))

        with pytest.raises(ValueError, match="no namespace"):
            graph.invoke({"query": "tea", "tenant_id": "acme", "subject_id": "ada"})
        assert source.requests == []


class TestStream:
    def test_each_source_and_the_result_are_announced_without_memory_text(self):
        graph = create_recall_graph(federation())

        events = list(graph.stream({"query": "tea"}, context=ADA, stream_mode="custom"))

        announced = {e["source_id"]: (e["status"], e["code"]) for e in events[:-1]}
        assert announced == {
            "crm:eu": ("ok", None),
            "notes": ("ok", None),
            "down": ("unavailable", "source_unavailable"),
        }
        assert events[-1] == {
            "type": "memory_recall",
            "status": "partial",
            "item_count": 2,
            "source_count": 3,
        }
        assert REMEMBERED not in repr(events)
        assert "tea" not in repr(events).lower()

    async def test_a_parent_sees_the_progress_with_subgraphs(self):
        parent = parent_of(create_recall_graph(federation()))

        events = [
            event
            async for _, event in parent.astream(
                {"query": "tea"}, context=ADA, stream_mode="custom", subgraphs=True
            )
        ]

        assert [event["type"] for event in events] == ["memory_source"] * 3 + ["memory_recall"]


class _Tracer(BaseTracer):
    """Keeps the runs of a graph by name, as a tracing backend would be sent them."""

    def __init__(self):
        super().__init__()
        self.runs = {}

    def _persist_run(self, run):
        self.runs = {child.name: child for child in run.child_runs}

    def named(self, run):
        """The metadata of a run that has OpenTelemetry's names."""
        metadata = self.runs[run].extra["metadata"]
        return {n: v for n, v in metadata.items() if n.startswith(("gen_ai.", "error."))}


class TestTracing:
    @pytest.mark.parametrize("door", ["invoke", "ainvoke"])
    async def test_a_source_node_is_traced_with_its_report_and_no_memory(self, door):
        tracer = _Tracer()
        graph = create_recall_graph(federation(), limit=1)

        answer = getattr(graph, door)({"query": "tea"}, {"callbacks": [tracer]}, context=ADA)
        _ = await answer if door == "ainvoke" else answer

        assert set(tracer.runs) == {"prepare", "crm_eu", "notes", "down", "fuse"}
        assert tracer.named("crm_eu") == {
            "gen_ai.operation.name": "search_memory",
            "gen_ai.provider.name": "custom",
            "gen_ai.memory.record.count": 2,
        }
        assert tracer.named("down")["error.type"] == "source_unavailable"
        for run in tracer.runs.values():
            assert REMEMBERED.encode() not in dumps_json([run.inputs, run.outputs])


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"limit": 0}, ValueError, "limit is 0, not 1 to 500"),
            ({"output_key": "query"}, ValueError, "is a key the recall graph reads"),
            ({"output_key": "no key"}, ValueError, "must be a state key"),
            ({"namespace": "acme"}, TypeError, "must be a Namespace or a function, not str"),
            ({"query": "tea"}, TypeError, "must be a function from the state to a string"),
        ],
    )
    def test_an_option_outside_its_bounds_is_refused_when_the_graph_is_built(
        self, options, error, message
    ):
        with pytest.raises(error, match=message):
            create_recall_graph(federation(), **options)

    def test_anything_but_a_federation_is_refused(self):
        with pytest.raises(TypeError, match="must be a MemoryFederation, not list"):
            create_recall_graph([ScriptedSource()])
