"""Each example runs, with a scripted model in place of a real one."""

import pytest

from examples import agent_graph, agent_middleware, chain, supervisor
from fakes.scripted_model import ScriptedModel

ADA = {"tenant_id": "acme", "subject_id": "ada"}
QUESTION = {"messages": [("user", "what is my favourite drink?")]}
BOTH_TOWNS = ("Ada lives in Oslo", "Ada lives in Bergen")


@pytest.mark.parametrize("example", [agent_graph, agent_middleware, supervisor])
@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_the_model_sees_the_memory_with_the_contradiction_kept(example, door):
    model = ScriptedModel()

    answer = getattr(example.build(model), door)(QUESTION, context=ADA)
    state = await answer if door == "ainvoke" else answer

    [shown] = model.system_texts
    assert "1. fact, from notes, crm" in shown
    assert all(town in shown for town in BOTH_TOWNS)
    assert state["messages"][-1].text == "done"


def test_the_chain_answers_with_memory():
    model = ScriptedModel()

    answer = chain.build(model).invoke("drinks?", {"configurable": ADA})

    assert answer.text == "done"
    assert "['notes', 'crm']: 'Ada drinks tea'" in model.system_texts[0]


def test_a_supervisor_leaves_memory_alone_where_it_is_not_needed():
    model = ScriptedModel()

    supervisor.build(model).invoke({"messages": [("user", "tell a joke")]}, context=ADA)

    assert model.system_texts == [""]
