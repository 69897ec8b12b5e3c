"""The tool: the model gives a query, trusted code the identity."""

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from pydantic import ValidationError

from fakes.scripted_model import ScriptedModel
from praxa_langgraph import (
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallFailed,
    RecallResult,
    create_recall_tool,
)
from praxa_langgraph.testing import ScriptedSource

ADA = {"tenant_id": "acme", "subject_id": "ada"}
CALL = {"name": "recall_memory", "args": {"query": "drinks"}, "id": "1", "type": "tool_call"}


def fact(text, kind="fact"):
    return MemoryRecord(record_id=text, kind=kind, text=text)


def recall_tool(*sources, **options):
    return create_recall_tool(MemoryFederation(sources), **options)


@pytest.mark.parametrize("call", ["invoke", "ainvoke"])
async def test_content_is_for_the_model_and_the_artifact_for_the_program(call):
    recall = recall_tool(ScriptedSource([fact("Prefers tea")]), namespace=Namespace(**ADA))

    answer = getattr(recall, call)(CALL)
    message = await answer if call == "ainvoke" else answer

    assert isinstance(message, ToolMessage)
    assert '"Prefers tea"' in message.content
    assert isinstance(message.artifact, RecallResult)
    assert message.artifact.status == "ok"


@pytest.mark.parametrize("call", ["invoke", "ainvoke"])
async def test_in_an_agent_the_identity_comes_from_the_run(call):
    source = ScriptedSource([fact("Prefers tea")])
    model = ScriptedModel(replies=[AIMessage("", tool_calls=[CALL])])
    agent = create_agent(model, [recall_tool(source)])

    answer = getattr(agent, call)({"messages": [("user", "hi")]}, context=ADA)
    state = await answer if call == "ainvoke" else answer

    assert source.requests[0].namespace == Namespace(**ADA)
    assert "Prefers tea" in state["messages"][2].content


def test_the_model_cannot_name_a_namespace():
    schema = recall_tool(ScriptedSource()).get_input_jsonschema()

    assert set(schema["properties"]) == {"query"}


def test_a_namespace_the_model_smuggles_in_is_not_used():
    source = ScriptedSource()
    recall = recall_tool(source, namespace=Namespace(**ADA))

    recall.invoke({"query": "drinks", "namespace": {"tenant_id": "globex", "subject_id": "bob"}})

    assert source.requests[0].namespace == Namespace(**ADA)


class TestKinds:
    def test_the_model_chooses_among_those_it_is_given(self):
        source = ScriptedSource([fact("tea"), fact("hello", kind="message")])
        recall = recall_tool(
            source, namespace=Namespace(**ADA), choosable_kinds=["fact", "message"]
        )

        message = recall.invoke({**CALL, "args": {"query": "x", "kinds": ["message"]}})

        assert [item.kind for item in message.artifact.items] == ["message"]

    def test_and_no_other(self):
        recall = recall_tool(ScriptedSource(), namespace=Namespace(**ADA), choosable_kinds=["fact"])

        with pytest.raises(ValidationError, match="kinds"):
            recall.invoke({"query": "x", "kinds": ["message"]})


class TestFailure:
    def test_the_model_is_told_that_no_source_answered(self):
        recall = recall_tool(ScriptedSource(ConnectionError()), namespace=Namespace(**ADA))

        assert "No memory source answered" in recall.invoke({"query": "drinks"})

    def test_or_it_is_raised(self):
        recall = recall_tool(
            ScriptedSource(ConnectionError()), namespace=Namespace(**ADA), on_failure="raise"
        )

        with pytest.raises(RecallFailed):
            recall.invoke({"query": "drinks"})

    def test_a_required_source_is_named(self):
        recall = recall_tool(
            ScriptedSource([fact("tea")]),
            ScriptedSource(TimeoutError(), id="profile"),
            namespace=Namespace(**ADA),
            required=["profile"],
        )

        with pytest.raises(RecallFailed, match="profile: source_timed_out"):
            recall.invoke({"query": "drinks"})

    def test_a_query_of_nothing_is_answered_to_the_model(self):
        recall = recall_tool(ScriptedSource(), namespace=Namespace(**ADA))

        assert recall.invoke({"query": "  "}) == "query has 0 characters, not 1 to 32,768"

    def test_no_identity_is_an_error_of_the_program_not_of_the_model(self):
        with pytest.raises(ValueError, match="no namespace"):
            recall_tool(ScriptedSource()).invoke({"query": "drinks"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 501}, "limit is 501, not 1 to 500"),
        ({"max_characters": 10}, "max_characters is 10"),
        ({"choosable_kinds": ["checkpoint"]}, "choosable_kinds 'checkpoint' is not one of"),
        ({"required": ["nobody"]}, "required names 'nobody'"),
    ],
)
def test_an_option_outside_its_bounds_is_refused_when_the_tool_is_built(options, message):
    with pytest.raises(ValueError, match=message):
        recall_tool(ScriptedSource(), **options)
