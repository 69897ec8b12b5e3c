"""OpenAIAgentsSource over the sessions of the OpenAI Agents SDK."""

import asyncio

import pytest
from agents.extensions.memory import AsyncSQLiteSession
from agents.testing import ScriptedModel
from agents.testing.model import assistant_message, function_call

from agents import Agent, Runner, SQLiteSession, function_tool
from praxa_langgraph import MemoryFederation, Namespace, OpenAIAgentsSource
from praxa_langgraph.testing import SeededSource, SourceConformance

ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
SAID = {
    ("acme", "ada"): ("I drink tea", "Noted: tea"),
    ("acme", "bob"): ("I hate tea", "Noted: no tea"),
    ("globex", "ada"): ("I sell tea", "Noted: a seller of tea"),
    ("globex", "bob"): ("Tea at five", "Noted: five"),
}


def session_id(who):
    return f"{who.tenant_id}:{who.subject_id}"


def conversation(texts):
    return [
        {"role": role, "content": text}
        for role, text in zip(("user", "assistant"), texts, strict=True)
    ]


def write(path):
    for (tenant, subject), texts in SAID.items():
        session = SQLiteSession(f"{tenant}:{subject}", path)
        asyncio.run(session.add_items(conversation(texts)))
        session.close()


@pytest.fixture
def database(tmp_path):
    write(tmp_path / "sessions.db")
    return tmp_path / "sessions.db"


class Sessions:
    """Opens the session of an id, and closes all of them in the end."""

    def __init__(self, kind, path):
        self.kind, self.path, self.opened = kind, path, []

    def __call__(self, session_id):
        self.opened.append(self.kind(session_id, self.path))
        return self.opened[-1]


@pytest.fixture
def sessions(database):
    sessions = Sessions(SQLiteSession, database)
    yield sessions
    for session in sessions.opened:
        session.close()


def recall(session, *, namespace=ADA, identity=session_id, roles=("user", "assistant"), **options):
    source = OpenAIAgentsSource(session, identity=identity, roles=roles)
    return MemoryFederation([source]).recall("tea", namespace=namespace, **options)


class TestSQLiteSession(SourceConformance):
    @pytest.fixture
    def seeded(self, sessions):
        return SeededSource(
            source=OpenAIAgentsSource(sessions, identity=session_id),
            namespace=ADA,
            query="tea",
            texts=frozenset(SAID["acme", "ada"]),
            other_namespace=BOB,
            other_texts=frozenset(SAID["globex", "bob"]),
        )


async def test_an_async_session_is_read_on_the_callers_loop(database):
    session = AsyncSQLiteSession("acme:ada", database)
    source = OpenAIAgentsSource(session, identity=session_id)
    try:
        result = await MemoryFederation([source]).arecall("tea", namespace=ADA)
    finally:
        await session.close()

    assert {item.text for item in result.items} == set(SAID["acme", "ada"])


@pytest.mark.parametrize(("tenant", "subject"), list(SAID))
def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(sessions, tenant, subject):
    result = recall(sessions, namespace=Namespace(tenant_id=tenant, subject_id=subject))

    assert {item.text for item in result.items} == set(SAID[tenant, subject])


class TestOrder:
    def test_the_newest_message_comes_first_and_the_query_is_not_claimed_to_matter(self, sessions):
        result = recall(sessions)

        assert result.sources[0].retrieval_mode == "recent"
        assert [item.text for item in result.items] == ["Noted: tea", "I drink tea"]

    def test_no_timestamp_is_invented(self, sessions):
        match = recall(sessions).items[0].matches[0]

        assert (match.created_at, match.updated_at, match.score) == (None, None, None)

    def test_tool_traffic_does_not_use_up_the_messages_wanted(self):
        """A session's limit counts items of all kinds, so a tool-heavy tail holds no message."""
        session = SQLiteSession("acme:ada")
        call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
        output = {"type": "function_call_output", "call_id": "1", "output": "secret output"}
        items = [*conversation(SAID["acme", "ada"]), *([call, output] * 3)]
        asyncio.run(session.add_items(items))

        result = recall(session, limit=2)

        assert [item.text for item in result.items] == ["Noted: tea", "I drink tea"]


async def test_what_the_real_runner_stores_comes_back_as_messages_alone():
    @function_tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"{city}: sunny"

    model = ScriptedModel(
        [
            [function_call("weather", {"city": "Oslo"}, call_id="call_1")],
            [assistant_message("It is sunny in Oslo.", item_id="msg_1")],
        ]
    )
    session = SQLiteSession("acme:ada")
    agent = Agent(name="helper", model=model, tools=[weather])
    await Runner.run(agent, "I live in Oslo. Weather?", session=session)
    source = OpenAIAgentsSource(session, identity=session_id)

    result = await MemoryFederation([source]).arecall("weather", namespace=ADA)

    said = {item.text: item.matches[0] for item in result.items}
    assert list(said) == ["It is sunny in Oslo.", "I live in Oslo. Weather?"]
    assert said["It is sunny in Oslo."].source_record_id == "msg_1"
    assert said["It is sunny in Oslo."].metadata["role"] == "assistant"
    assert {item.kind for item in result.items} == {"message"}


class TestIdentity:
    @pytest.mark.parametrize("widening", [None, "", "*", " acme:ada", ["acme:ada"], 7])
    def test_a_mapping_that_is_no_session_id_is_refused(self, sessions, widening):
        report = recall(sessions, identity=lambda _: widening).sources[0]

        assert report.error.code == "source_misconfigured"

    def test_a_single_session_answers_only_for_its_own_identity(self, database):
        session = SQLiteSession("acme:ada", database)
        try:
            report = recall(session, namespace=BOB).sources[0]
        finally:
            session.close()

        assert (report.status, report.error.code) == ("error", "source_scope_violation")

    def test_a_function_that_returns_somebody_elses_session_is_caught(self, database):
        session = SQLiteSession("globex:bob", database)
        try:
            report = recall(lambda _: session).sources[0]
        finally:
            session.close()

        assert report.error.code == "source_scope_violation"


class TestFailure:
    def test_a_closed_session_costs_only_its_own_report(self, database):
        session = SQLiteSession("acme:ada", database)
        session.close()

        report = recall(session).sources[0]

        assert (report.status, report.error.code) == ("error", "source_error")
        assert "closed" in report.error.message

    def test_what_is_no_session_is_refused(self):
        with pytest.raises(TypeError, match="must be a Session or a function, not str"):
            OpenAIAgentsSource("session", identity=session_id)

    def test_roles_must_be_a_list(self):
        with pytest.raises(ValueError, match="roles must be a list"):
            OpenAIAgentsSource(SQLiteSession("s"), identity=session_id, roles="user")


def test_a_recall_leaves_every_row_as_it_is(database):
    session = SQLiteSession("acme:ada", database)
    connection = session._get_connection()
    try:
        before = list(connection.iterdump())

        recall(session)

        assert list(connection.iterdump()) == before
    finally:
        session.close()
