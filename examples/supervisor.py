"""A supervisor that sends a conversation to one of two workers; one of them has memory."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from examples import agent_graph


def build(model: BaseChatModel) -> Any:
    """Route questions about the customer to the worker that remembers."""

    def supervise(state: MessagesState) -> Command[Literal["customer_care", "chat", "__end__"]]:
        last = state["messages"][-1]
        if last.type == "ai":
            return Command(goto="__end__")
        if " my " in f" {last.text} ":
            return Command(goto="customer_care")
        return Command(goto="chat")

    def chat(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("supervisor", supervise)
    builder.add_node("customer_care", agent_graph.build(model))
    builder.add_node("chat", chat)
    builder.add_edge(START, "supervisor")
    builder.add_edge("customer_care", "supervisor")
    builder.add_edge("chat", "supervisor")
    return builder.compile()
