"""Raw hits never reach a saver, and a turn sees nothing of an earlier one."""

from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from fakes.scripted_model import ScriptedModel
from praxa_langgraph import (
    MemoryFederation,
    MemoryRecord,
    RecallMiddleware,
    RecallState,
    create_recall_graph,
    recall_result,
)
from praxa_langgraph.testing import ScriptedSource

ADA = {"tenant_id": "acme", "subject_id": "ada"}
THREAD = {"configurable": {"thread_id": "thread-7"}}
MARKER = "marker-of-a-hit-that-was-not-selected"
QUESTION = {"messages": [("user", "what do I drink?")]}


class State(RecallState):
    messages: Annotated[list[Any], add_messages]


def federation(*, turns=1):
    def hits(turn):
        selected = MemoryRecord(record_id="s", kind="fact", text=f"selected in turn {turn}")
        others = [
            MemoryRecord(record_id=f"o-{i}", kind="fact", text=f"{MARKER} {i}") for i in range(20)
        ]
        return [selected, *others]

    scripts = [hits(turn) for turn in range(1, turns + 1)]
    return MemoryFederation([ScriptedSource(*scripts, id=f"source-{i}") for i in range(3)])


def ask(_):
    return {"messages": [AIMessage(interrupt("go on?"))]}


def as_node(recall):
    builder = StateGraph(State)
    builder.add_node("recall_memory", recall)
    builder.add_node("ask", ask)
    builder.add_edge(START, "recall_memory")
    builder.add_edge("recall_memory", "ask")
    return builder


class CalledInAFunction:
    """A node that calls the graph itself, in either door."""

    def __init__(self, recall):
        self.recall = recall

    def __call__(self, state):
        return self.recall.invoke({"messages": state["messages"]})


def called_in_a_function(recall):
    return as_node(CalledInAFunction(recall))


def test_these_tests_run_with_strict_msgpack():
    assert STRICT_MSGPACK_ENABLED is True


@pytest.mark.parametrize("form", [as_node, called_in_a_function])
class TestRecallGraph:
    def compiled(self, form, held, *, turns=1):
        recall = create_recall_graph(federation(turns=turns), limit=1)
        return form(recall).compile(checkpointer=held.saver)

    async def test_a_saver_holds_the_selected_and_no_other_hit(self, form, held):
        graph = self.compiled(form, held)

        await held.run(graph, QUESTION, THREAD, context=ADA)

        assert b"selected in turn 1" in held.bytes()
        assert MARKER.encode() not in held.bytes()

    async def test_the_result_is_the_same_plain_dict_after_a_resume(self, form, held):
        graph = self.compiled(form, held)

        before = await held.run(graph, QUESTION, THREAD, context=ADA)
        after = await held.run(graph, Command(resume="yes"), THREAD, context=ADA)

        assert type(after["recall"]) is dict
        assert after["recall"] == before["recall"]
        assert recall_result(after).items[0].text == "selected in turn 1"

    async def test_a_second_turn_on_a_thread_sees_nothing_of_the_first(self, form, held):
        graph = self.compiled(form, held, turns=2)

        await held.run(graph, QUESTION, THREAD, context=ADA)
        await held.run(graph, Command(resume="yes"), THREAD, context=ADA)
        second = await held.run(graph, QUESTION, THREAD, context=ADA)

        assert [i["text"] for i in second["recall"]["items"]] == ["selected in turn 2"]
        assert [report["itemCount"] for report in second["recall"]["sources"]] == [21, 21, 21]

    async def test_going_back_in_time_recalls_anew(self, form, held):
        graph = self.compiled(form, held, turns=2)
        await held.run(graph, QUESTION, THREAD, context=ADA)
        history = await held.history(graph, THREAD)
        [before_recall] = [state for state in history if state.next == ("recall_memory",)]

        again = await held.run(graph, None, before_recall.config, context=ADA)

        assert [i["text"] for i in again["recall"]["items"]] == ["selected in turn 2"]
        assert MARKER.encode() not in held.bytes()


class TestMiddleware:
    async def test_nothing_of_the_memory_is_anywhere_in_a_saver(self, held):
        model = ScriptedModel()
        agent = create_agent(
            model, middleware=[RecallMiddleware(federation())], checkpointer=held.saver
        )

        await held.run(agent, QUESTION, THREAD, context=ADA)

        assert "selected in turn 1" in model.system_texts[0]
        assert b"what do I drink?" in held.bytes()
        for remembered in (b"selected in turn", MARKER.encode()):
            assert remembered not in held.bytes()


async def test_the_search_for_raw_hits_can_fail(held):
    """A node that writes the same hits into the parent's own state does leave them in a saver."""
    leaky = as_node(lambda _: {"messages": [AIMessage(MARKER)]}).compile(checkpointer=held.saver)

    await held.run(leaky, QUESTION, THREAD, context=ADA)

    assert MARKER.encode() in held.bytes()


def test_thread_and_checkpoint_ids_of_the_run_reach_no_source_and_no_result():
    source = ScriptedSource([MemoryRecord(record_id="1", kind="fact", text="tea")], id="crm")
    seen = []

    def resolve(run):
        seen.append(run)
        return ADA

    recall = create_recall_graph(MemoryFederation([source]), namespace=resolve)
    graph = as_node(recall).compile(checkpointer=InMemorySaver())

    state = graph.invoke(QUESTION, THREAD, context=ADA)

    for shown in (source.requests, seen, state["recall"]):
        assert "thread-7" not in repr(shown)
        assert "checkpoint" not in repr(shown)
