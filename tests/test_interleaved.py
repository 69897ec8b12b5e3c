"""A thousand runs at once through one compiled agent never see each other's memory."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

from praxa_langgraph import (
    FunctionSource,
    MemoryFederation,
    MemoryRecord,
    RecallMiddleware,
    RecallState,
    create_recall_graph,
)

RUNS = 1_000
AT_ONCE = 50


def own(request):
    who = request.namespace
    text = f"memory of {who.tenant_id}/{who.subject_id}"
    return [MemoryRecord(record_id="1", kind="fact", text=text)]


async def aown(request):
    await asyncio.sleep(0)
    return own(request)


def federation():
    return MemoryFederation(
        [
            FunctionSource(own, id="sync", kinds=("fact",)),
            FunctionSource(aown, id="async", kinds=("fact",)),
        ],
        timeout=30,
    )


class Repeating(BaseChatModel):
    """Answers with the memory it was shown, so that a run can check it."""

    @property
    def _llm_type(self):
        return "repeating"

    def _generate(self, messages, *args, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=AIMessage(messages[0].text))])


class State(MessagesState, RecallState):
    """A parent of its own."""


def agent_graph():
    builder = StateGraph(State)
    builder.add_node("memory", create_recall_graph(federation()))
    builder.add_edge(START, "memory")
    return builder.compile()


def recalled(state):
    return str([item["text"] for item in state["recall"]["items"]])


def agent_with_middleware():
    return create_agent(Repeating(), middleware=[RecallMiddleware(federation())])


def repeated(state):
    return state["messages"][-1].text


AGENTS = {"graph": (agent_graph, recalled), "middleware": (agent_with_middleware, repeated)}


@pytest.fixture(params=list(AGENTS))
def agent(request):
    build, seen = AGENTS[request.param]
    return build(), seen


def person(number):
    return {"tenant_id": f"tenant-{number % 10}", "subject_id": f"subject-{number}"}


def own_alone(shown, number):
    who = person(number)
    return (
        f"memory of {who['tenant_id']}/{who['subject_id']}'" in shown.replace('"', "'")
        and shown.count("memory of ") == 1
    )


QUESTION = {"messages": [("user", "who am I?")]}


@pytest.mark.timeout(180)
def test_in_threads(agent):
    graph, seen = agent

    def run(number):
        return own_alone(seen(graph.invoke(QUESTION, context=person(number))), number)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert all(threads.map(run, range(RUNS)))


@pytest.mark.timeout(180)
async def test_on_an_event_loop(agent):
    graph, seen = agent
    turns = asyncio.Semaphore(AT_ONCE)

    async def run(number):
        async with turns:
            return own_alone(seen(await graph.ainvoke(QUESTION, context=person(number))), number)

    assert all(await asyncio.gather(*map(run, range(RUNS))))
