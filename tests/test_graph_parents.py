"""The recall graph inside the graphs people build: agents, supervisors, swarms, fan-outs."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send
from pydantic import BaseModel
from typing_extensions import TypedDict

from praxa_langgraph import (
    FunctionSource,
    LangGraphStoreSource,
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallState,
    create_recall_graph,
    recall_result,
)

ADA = {"tenant_id": "acme", "subject_id": "ada"}
QUESTION = {"messages": [("user", "what do I drink?")]}


class State(MessagesState, RecallState):
    """A parent that mixes in the keys it shares."""


@dataclass
class DataclassContext:
    tenant_id: str
    subject_id: str
    theme: str = "dark"


class ModelContext(BaseModel):
    tenant_id: str
    subject_id: str


class DictContext(TypedDict):
    tenant_id: str
    subject_id: str


def own(request):
    who = request.namespace
    text = f"memory of {who.tenant_id}/{who.subject_id}"
    return [MemoryRecord(record_id="1", kind="fact", text=text)]


def recall_graph(**options):
    sources = [FunctionSource(own, id=name, kinds=("fact",)) for name in ("notes", "crm")]
    return create_recall_graph(MemoryFederation(sources), **options)


def texts(state):
    return [item.text for item in recall_result(state).items]


def parent(*, context_schema=None):
    builder = StateGraph(State, context_schema=context_schema)
    builder.add_node("memory", recall_graph())
    builder.add_edge(START, "memory")
    return builder


@pytest.mark.parametrize("schema", [DataclassContext, ModelContext, DictContext, None])
@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_a_parent_may_have_a_context_class_of_its_own(schema, door):
    context = schema(**ADA) if schema in {DataclassContext, ModelContext} else ADA
    graph = parent(context_schema=schema).compile()

    answer = getattr(graph, door)(QUESTION, context=context)
    state = await answer if door == "ainvoke" else answer

    assert texts(state) == ["memory of acme/ada"]


class TestMultiAgent:
    def worker(self, name):
        builder = StateGraph(State)
        builder.add_node("memory", recall_graph())
        builder.add_node("answer", lambda state: {"messages": [("ai", f"{name}: {texts(state)}")]})
        builder.add_edge(START, "memory")
        builder.add_edge("memory", "answer")
        return builder.compile(name=name)

    def test_in_a_supervisor_style_graph(self):
        def supervise(state) -> Command[Literal["billing", "shipping", "__end__"]]:
            done = state["messages"][-1].type == "ai"
            return Command(goto=END if done else "shipping")

        builder = StateGraph(State)
        builder.add_node("supervisor", supervise)
        for name in ("billing", "shipping"):
            builder.add_node(name, self.worker(name))
            builder.add_edge(name, "supervisor")
        builder.add_edge(START, "supervisor")

        state = builder.compile().invoke(QUESTION, context=ADA)

        assert state["messages"][-1].content == "shipping: ['memory of acme/ada']"

    async def test_in_a_swarm_style_graph_that_hands_over(self):
        async def hand_over(_) -> Command[Literal["shipping"]]:
            return Command(goto="shipping", update={"messages": [("ai", "over to shipping")]})

        builder = StateGraph(State)
        builder.add_node("triage", hand_over)
        builder.add_node("shipping", self.worker("shipping"))
        builder.add_edge(START, "triage")

        state = await builder.compile().ainvoke(QUESTION, context=ADA)

        assert state["messages"][-1].content == "shipping: ['memory of acme/ada']"


class FanOutState(TypedDict, total=False):
    people: list[str]
    found: Annotated[list[Any], operator.add]


class PersonState(TypedDict):
    query: str
    person: str


@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_one_run_may_recall_for_several_people_under_send(door):
    """Trusted code put the person into the state that Send carries; a resolver reads it there."""

    def of_person(run):
        return Namespace(tenant_id="acme", subject_id=run.state["person"])

    def query_of(state: PersonState) -> str:
        return f"about {state['person']}"

    query_of.__annotations__["state"] = PersonState
    recall = recall_graph(namespace=of_person, query=query_of)

    class ForOne:
        def __call__(self, state):
            return {"found": texts(recall.invoke(state))}

    builder = StateGraph(FanOutState)
    builder.add_node("recall_for_one", ForOne())
    builder.add_conditional_edges(
        START,
        lambda state: [Send("recall_for_one", {"person": name}) for name in state["people"]],
        ["recall_for_one"],
    )
    graph = builder.compile()

    answer = getattr(graph, door)({"people": ["ada", "bob", "eve"]})
    state = await answer if door == "ainvoke" else answer

    assert sorted(state["found"]) == [f"memory of acme/{name}" for name in ("ada", "bob", "eve")]


@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_the_runs_own_store_reaches_a_nested_recall(door):
    store = InMemoryStore()
    store.put(("acme", "ada"), "note", {"text": "Prefers tea"})
    source = LangGraphStoreSource(
        identity=lambda who: (who.tenant_id, who.subject_id), indexed=False
    )
    builder = StateGraph(State)
    builder.add_node("memory", create_recall_graph(MemoryFederation([source])))
    builder.add_edge(START, "memory")
    graph = builder.compile(store=store)

    answer = getattr(graph, door)(QUESTION, context=ADA)
    state = await answer if door == "ainvoke" else answer

    assert texts(state) == ["Prefers tea"]


async def test_progress_of_each_source_is_seen_through_two_parents():
    outer = StateGraph(State)
    outer.add_node("inner", parent().compile())
    outer.add_edge(START, "inner")

    events = [
        event
        async for _, event in outer.compile().astream(
            QUESTION, context=ADA, stream_mode="custom", subgraphs=True
        )
    ]

    assert sorted(event.get("source_id", "") for event in events) == ["", "crm", "notes"]


def test_it_draws_one_node_per_source():
    drawn = recall_graph().get_graph().draw_mermaid()

    for edge in ("prepare --> notes", "prepare --> crm", "notes --> fuse", "crm --> fuse"):
        assert edge in drawn


def test_a_state_without_a_recall_says_so():
    with pytest.raises(ValueError, match="the state has no recall under 'recall'"):
        recall_result({"messages": []})
