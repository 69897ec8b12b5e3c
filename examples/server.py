"""Graphs for a LangGraph Server, whose clients cannot choose whose memory is read.

`langgraph dev --config examples/langgraph.json` serves them. The identity comes from the server's
authentication, never from the context or the configurable that a client sends.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import START, MessagesState, StateGraph

from examples.memories import crm
from praxa_langgraph import (
    FunctionSource,
    LangGraphStoreSource,
    MemoryFederation,
    Namespace,
    RecallState,
    RunContext,
    create_recall_graph,
    recall_result,
)


def of_authenticated_user(run: RunContext) -> Namespace:
    """Take the namespace from the user the server has authenticated."""
    user = run.configurable.get("langgraph_auth_user")
    if user is None:
        msg = "the server has no authenticated user"
        raise ValueError(msg)
    return Namespace(tenant_id=user["tenant_id"], subject_id=user["identity"])


class State(MessagesState, RecallState):
    """The conversation, and the keys the recall graph shares."""


def _summarize(state: State) -> dict[str, Any]:
    texts = "; ".join(item.text for item in recall_result(state).items)
    return {"messages": [("ai", f"I remember: {texts}")]}


federation = MemoryFederation(
    [
        # The server's own store: each deployment has one, and the run carries it.
        LangGraphStoreSource(
            identity=lambda who: (who.tenant_id, who.subject_id), id="notes", indexed=False
        ),
        FunctionSource(crm, id="crm", kinds=("fact",)),
    ]
)

memory = create_recall_graph(federation, namespace=of_authenticated_user)

_builder = StateGraph(State)
_builder.add_node("memory", memory)
_builder.add_node("answer", _summarize)
_builder.add_edge(START, "memory")
_builder.add_edge("memory", "answer")
agent = _builder.compile()
