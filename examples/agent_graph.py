"""An agent graph of your own with the recall graph as a node."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langgraph.graph import START, MessagesState, StateGraph

from examples.memories import federation
from praxa_langgraph import RecallState, create_recall_graph, recall_result, render_context


class State(MessagesState, RecallState):
    """The conversation, and the keys the recall graph shares."""


def build(model: BaseChatModel) -> Any:
    """Recall first, then answer with the memory in front of the conversation."""

    def answer(state: State) -> dict[str, Any]:
        memory = SystemMessage(render_context(recall_result(state)))
        return {"messages": [model.invoke([memory, *state["messages"]])]}

    builder = StateGraph(State)
    builder.add_node("memory", create_recall_graph(federation()))
    builder.add_node("answer", answer)
    builder.add_edge(START, "memory")
    builder.add_edge("memory", "answer")
    return builder.compile()
