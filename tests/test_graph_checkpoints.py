"""Raw hits never reach a saver, and a turn sees nothing of an earlier one."""

import sqlite3
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from praxa_langgraph import MemoryFederation, MemoryRecord, RecallState, create_recall_graph
from praxa_langgraph.testing import ScriptedSource

ADA = {"tenant_id": "acme", "subject_id": "ada"}
THREAD = {"configurable": {"thread_id": "thread-7"}}
MARKER = "marker-of-a-hit-that-was-not-selected"


class State(RecallState):
    messages: Annotated[list[Any], add_messages]


def test_these_tests_run_with_strict_msgpack():
    assert STRICT_MSGPACK_ENABLED is True


@pytest.fixture(params=["memory", "sqlite"])
def saver(request, tmp_path):
    if request.param == "memory":
        yield InMemorySaver()
        return
    with sqlite3.connect(tmp_path / "checkpoints.db", check_same_thread=False) as connection:
        yield SqliteSaver(connection)
    connection.close()


def bytes_of(saver, tmp_path):
    """Everything the saver holds, as bytes."""
    if isinstance(saver, InMemorySaver):
        return repr([dict(saver.storage), dict(saver.writes), dict(saver.blobs)]).encode()
    return b"".join(file.read_bytes() for file in sorted(tmp_path.glob("checkpoints.db*")))


def federation(*, turns=1):
    def hits(turn):
        selected = MemoryRecord(record_id="s", kind="fact", text=f"selected in turn {turn}")
        others = [
            MemoryRecord(
                record_id=str(i), kind="fact", text=f"{MARKER} {i}", metadata={"m": MARKER}
            )
            for i in range(20)
        ]
        return [selected, *others]

    scripts = [hits(turn) for turn in range(1, turns + 1)]
    return MemoryFederation([ScriptedSource(*scripts, id=f"source-{i}") for i in range(3)])


def as_node(recall):
    builder = StateGraph(State)
    builder.add_node("recall_memory", recall)
    builder.add_node("ask", lambda _: {"messages": [AIMessage(interrupt("go on?"))]})
    builder.add_edge(START, "recall_memory")
    builder.add_edge("recall_memory", "ask")
    return builder


def called_in_a_function(recall):
    builder = StateGraph(State)
    builder.add_node("recall_memory", lambda state: recall.invoke({"query": state["query"]}))
    builder.add_node("ask", lambda _: {"messages": [AIMessage(interrupt("go on?"))]})
    builder.add_edge(START, "recall_memory")
    builder.add_edge("recall_memory", "ask")
    return builder


@pytest.mark.parametrize("form", [as_node, called_in_a_function])
class TestSaver:
    def test_it_holds_the_selected_and_no_other_hit(self, form, saver, tmp_path):
        graph = form(create_recall_graph(federation(), limit=1)).compile(checkpointer=saver)

        graph.invoke({"query": "tea"}, THREAD, context=ADA)
        held = bytes_of(saver, tmp_path)

        assert b"selected in turn 1" in held
        assert MARKER.encode() not in held

    def test_the_result_is_a_plain_dict_before_and_after_a_resume(self, form, saver):
        graph = form(create_recall_graph(federation(), limit=1)).compile(checkpointer=saver)

        before = graph.invoke({"query": "tea"}, THREAD, context=ADA)["recall"]
        after = graph.invoke(Command(resume="yes"), THREAD, context=ADA)["recall"]

        assert type(before) is type(after) is dict
        assert before == after

    def test_a_second_turn_on_a_thread_sees_nothing_of_the_first(self, form, saver):
        graph = form(create_recall_graph(federation(turns=2), limit=1)).compile(checkpointer=saver)

        graph.invoke({"query": "tea"}, THREAD, context=ADA)
        graph.invoke(Command(resume="yes"), THREAD, context=ADA)
        second = graph.invoke({"query": "tea"}, THREAD, context=ADA)["recall"]

        assert [item["text"] for item in second["items"]] == ["selected in turn 2"]
        assert [report["itemCount"] for report in second["sources"]] == [21, 21, 21]


def test_the_search_for_raw_hits_can_fail(tmp_path):
    """Compiled as subgraphs usually are, the same nodes do leave their raw hits in the saver."""
    checkpointed = create_recall_graph(federation(), limit=1).builder.compile()
    saver = InMemorySaver()
    graph = as_node(checkpointed).compile(checkpointer=saver)

    graph.invoke({"query": "tea"}, THREAD, context=ADA)

    assert MARKER.encode() in bytes_of(saver, tmp_path)


def test_thread_and_checkpoint_ids_of_the_run_reach_no_source_and_no_result():
    source = ScriptedSource([MemoryRecord(record_id="1", kind="fact", text="tea")], id="crm")
    seen = []

    def resolve(run):
        seen.append(run)
        return ADA

    recall = create_recall_graph(MemoryFederation([source]), namespace=resolve)
    graph = as_node(recall).compile(checkpointer=InMemorySaver())

    state = graph.invoke({"query": "tea"}, THREAD, context=ADA)

    for shown in (source.requests, seen, state["recall"]):
        assert "thread-7" not in repr(shown)
        assert "checkpoint" not in repr(shown)
