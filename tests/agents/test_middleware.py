"""The middleware: memory for each turn, shown to the model and stored nowhere."""

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from fakes.scripted_model import ScriptedModel
from praxa_langgraph import (
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallFailed,
    RecallMiddleware,
    SourceFailure,
)
from praxa_langgraph.testing import ScriptedSource

ADA = {"tenant_id": "acme", "subject_id": "ada"}
THREAD = {"configurable": {"thread_id": "t"}}
QUESTION = {"messages": [("user", "what do I drink?")]}


def fact(text):
    return MemoryRecord(record_id=text[:40], kind="fact", text=text)


def agent(model, *sources, tools=(), saver=None, more=(), system_prompt="Be brief.", **options):
    middleware = RecallMiddleware(MemoryFederation(sources), **options)
    return create_agent(
        model,
        list(tools),
        middleware=[middleware, *more],
        checkpointer=saver,
        system_prompt=system_prompt,
    )


@tool
def order(item: str) -> str:
    """Order something."""
    return f"ordered {item}"


class TestWhatTheModelSees:
    @pytest.mark.parametrize("call", ["invoke", "ainvoke"])
    async def test_memory_stands_in_the_system_message_after_the_prompt(self, call):
        model = ScriptedModel()
        source = ScriptedSource([fact("Prefers tea")], id="crm")

        answer = getattr(agent(model, source), call)(QUESTION, context=ADA)
        state = await answer if call == "ainvoke" else answer

        [shown] = model.system_texts
        assert shown.startswith("Be brief.\n\n<recalled_memory")
        assert '1. fact, from crm: "Prefers tea"' in shown
        assert [m.type for m in state["messages"]] == ["human", "ai"]
        assert source.requests[0].query == "what do I drink?"
        assert source.requests[0].namespace == Namespace(**ADA)

    def test_without_a_prompt_the_memory_is_the_system_message(self):
        model = ScriptedModel()

        agent(model, ScriptedSource([fact("tea")]), system_prompt=None).invoke(
            QUESTION, context=ADA
        )

        assert model.system_texts[0].startswith("<recalled_memory")

    def test_a_prompt_of_content_blocks_keeps_its_blocks(self):
        model = ScriptedModel()
        prompt = SystemMessage([{"type": "text", "text": "Be brief."}])

        agent(model, ScriptedSource([fact("tea")]), system_prompt=prompt).invoke(
            QUESTION, context=ADA
        )

        [system, *_] = model.shown[0]
        assert [block["type"] for block in system.content] == ["text", "text"]
        assert system.content[0]["text"] == "Be brief."

    def test_every_model_call_of_a_turn_sees_the_same_recall_asked_once(self):
        call = {"name": "order", "args": {"item": "tea"}, "id": "1"}
        model = ScriptedModel(replies=[AIMessage("", tool_calls=[call])])
        source = ScriptedSource([fact("Prefers tea")])

        agent(model, source, tools=[order]).invoke(QUESTION, context=ADA)

        assert len(model.shown) == 2
        assert model.system_texts[0] == model.system_texts[1]
        assert len(source.requests) == 1

    def test_an_unanswered_source_is_disclosed(self):
        model = ScriptedModel()
        down = ScriptedSource(ConnectionError(), id="notes")

        agent(model, ScriptedSource([fact("tea")]), down).invoke(QUESTION, context=ADA)

        assert "Not answered: notes (unavailable" in model.system_texts[0]

    def test_the_budget_is_kept(self):
        model = ScriptedModel()
        source = ScriptedSource([fact("x" * 900), fact("y" * 900)])

        agent(model, source, max_characters=1_600, system_prompt=None).invoke(QUESTION, context=ADA)

        assert len(model.system_texts[0]) <= 1_600
        assert "Left out for length: 1 of 2" in model.system_texts[0]


class TestFailure:
    def test_the_model_is_told_that_no_source_answered(self):
        model = ScriptedModel()

        agent(model, ScriptedSource(ConnectionError())).invoke(QUESTION, context=ADA)

        assert "No memory source answered" in model.system_texts[0]

    async def test_or_it_is_raised_before_the_model_is_called(self):
        model = ScriptedModel()
        recalling = agent(model, ScriptedSource(ConnectionError(), id="crm"), on_failure="raise")

        with pytest.raises(RecallFailed, match="crm: source_unavailable"):
            recalling.invoke(QUESTION, context=ADA)
        with pytest.raises(RecallFailed, match="crm: source_unavailable"):
            await recalling.ainvoke(QUESTION, context=ADA)
        assert model.shown == []

    def test_a_required_source_that_fails_stops_the_turn_and_is_named(self):
        failed = ScriptedSource(SourceFailure("source_unauthorized", "no key"), id="profile")
        recalling = agent(
            ScriptedModel(), ScriptedSource([fact("tea")], id="crm"), failed, required=["profile"]
        )

        with pytest.raises(
            RecallFailed, match=r"required .* did not answer .profile: source_unaut"
        ):
            recalling.invoke(QUESTION, context=ADA)

    def test_an_unknown_required_source_is_refused_when_the_agent_is_built(self):
        with pytest.raises(ValueError, match="required names 'profil', which is none of 'crm'"):
            agent(ScriptedModel(), ScriptedSource(id="crm"), required=["profil"])

    def test_a_run_without_identity_does_not_reach_the_model(self):
        model = ScriptedModel()

        with pytest.raises(ValueError, match="no namespace"):
            agent(model, ScriptedSource()).invoke(QUESTION)
        assert model.shown == []

    def test_without_anything_said_nothing_is_recalled(self):
        source = ScriptedSource([fact("tea")])
        model = ScriptedModel()

        agent(model, source).invoke({"messages": [("user", " ")]}, context=ADA)

        assert source.requests == []
        assert model.system_texts == ["Be brief."]


class TestPersistence:
    def test_neither_state_nor_saver_holds_the_recall(self):
        saver = InMemorySaver()
        recalling = agent(ScriptedModel(), ScriptedSource([fact("memory-text")]), saver=saver)

        state = recalling.invoke(QUESTION, THREAD, context=ADA)

        held = repr([dict(saver.storage), dict(saver.writes), dict(saver.blobs)])
        assert "what do I drink?" in held
        for kept in (held, repr(state), repr(recalling.get_state(THREAD))):
            assert "memory-text" not in kept
            assert "memory_recall" not in repr(state)

    def test_each_turn_recalls_anew(self):
        model = ScriptedModel()
        source = ScriptedSource([fact("first")], [fact("second")])
        recalling = agent(model, source, saver=InMemorySaver())

        recalling.invoke(QUESTION, THREAD, context=ADA)
        recalling.invoke({"messages": [("user", "and now?")]}, THREAD, context=ADA)

        assert [request.query for request in source.requests] == ["what do I drink?", "and now?"]
        assert '"second"' in model.system_texts[1]
        assert '"first"' not in model.system_texts[1]

    def test_a_turn_resumed_after_an_interrupt_still_has_its_memory(self):
        call = {"name": "order", "args": {"item": "tea"}, "id": "1"}
        model = ScriptedModel(replies=[AIMessage("", tool_calls=[call])])
        recalling = agent(
            model,
            ScriptedSource([fact("Prefers tea")]),
            tools=[order],
            saver=InMemorySaver(),
            more=[HumanInTheLoopMiddleware(interrupt_on={"order": True})],
        )

        recalling.invoke(QUESTION, THREAD, context=ADA)
        recalling.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD, context=ADA)

        assert len(model.shown) == 2
        assert "Prefers tea" in model.system_texts[1]
