"""What an item of a store becomes, and what is refused."""

from datetime import UTC, datetime

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import SearchItem
from langgraph.store.memory import InMemoryStore

from praxa_langgraph import LangGraphStoreSource

from .conftest import identity, recall

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def store_with(*values, namespace=("acme", "ada")):
    store = InMemoryStore()
    for index, value in enumerate(values):
        store.put(namespace, f"key-{index}", value)
    return store


class TestText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ({"text": "tea"}, "tea"),
            ({"content": "tea"}, "tea"),
            ({"memory": "tea", "topic": "drinks"}, "tea"),
            ({"kind": "Memory", "content": {"content": "tea"}}, "tea"),
            ({"b": 1, "a": "tea"}, '{"a": "tea", "b": 1}'),
        ],
    )
    def test_it_is_found_where_stores_keep_it(self, value, text):
        assert [item.text for item in recall(store_with(value)).items] == [text]

    def test_a_key_or_a_function_may_say_where_it_is(self):
        store = store_with({"note": "tea", "text": "coffee"})

        assert recall(store, text="note").items[0].text == "tea"
        assert recall(store, text=lambda value: value["note"].upper()).items[0].text == "TEA"


class TestKept:
    def test_value_namespace_key_and_times_are_kept(self):
        match = recall(store_with({"text": "tea", "ticket": 7})).items[0].matches[0]

        assert match.metadata == {
            "namespace": ["acme", "ada"],
            "key": "key-0",
            "value": {"text": "tea", "ticket": 7},
        }
        assert match.created_at.tzinfo is UTC
        assert match.updated_at.tzinfo is UTC

    def test_the_stored_value_is_never_shared_with_the_result(self):
        store = store_with({"text": "tea", "tags": ["green"]})

        recall(store).items[0].matches[0].metadata["value"]["tags"].append("changed")

        assert store.get(("acme", "ada"), "key-0").value["tags"] == ["green"]

    def test_items_below_the_namespace_have_ids_of_their_own(self):
        store = store_with({"text": "tea"})
        store.put(("acme", "ada", "notes"), "key-0", {"text": "coffee"})
        store.put(("acme", "ada"), "notes/key-0", {"text": "water"})

        ids = {m.source_record_id for item in recall(store).items for m in item.matches}

        assert ids == {"key-0", "notes/key-0", "notes%2Fkey-0"}


class TestFilter:
    def test_equality_narrows(self):
        store = store_with({"text": "tea", "topic": "drinks"}, {"text": "sun", "topic": "weather"})

        assert [i.text for i in recall(store, filter={"topic": "drinks"}).items] == ["tea"]

    @pytest.mark.parametrize("value", [{"$gt": 9}, ["a"], None])
    def test_what_stores_disagree_about_is_not_sent(self, value):
        report = recall(store_with({"text": "tea"}), filter={"n": value}).sources[0]

        assert report.error.code == "source_unsupported"


class TestWidening:
    @pytest.mark.parametrize(
        "widening",
        [
            (),
            None,
            "acme",
            ("acme", ""),
            ("acme", "*"),
            ("acme", None),
            (1,),
            ("a.b",),
            ("langgraph",),
        ],
    )
    def test_a_namespace_that_reads_more_than_one_subject_is_refused(self, widening):
        report = recall(store_with({"text": "tea"}), identity=lambda _: widening).sources[0]

        assert (report.status, report.error.code) == ("error", "source_misconfigured")


class LeakingStore:
    """A store that returns siblings of the prefix, as stores did before langgraph#8300."""

    index_config = None

    def search(self, namespace_prefix, /, **options):
        return [
            SearchItem(("acme", "ada-2"), "1", {"text": "of another"}, NOW, NOW),
            SearchItem(("acme", "ada"), "2", {"text": "own"}, NOW, NOW),
        ]

    async def asearch(self, namespace_prefix, /, **options):
        return self.search(namespace_prefix)


def test_an_item_of_another_namespace_is_rejected_by_the_second_check():
    result = recall(LeakingStore())

    assert [item.text for item in result.items] == ["own"]
    assert result.sources[0].rejections[0].code == "foreign_scope"


class TestCheckpoints:
    @pytest.mark.parametrize("saver", [InMemorySaver, SqliteSaver])
    def test_a_checkpointer_is_no_store(self, saver):
        with pytest.raises(TypeError, match="execution state, which never becomes memory"):
            LangGraphStoreSource(object.__new__(saver), identity=identity)

    def test_anything_else_is_refused_as_well(self):
        with pytest.raises(TypeError, match="must be a LangGraph BaseStore, not dict"):
            LangGraphStoreSource({}, identity=identity)

    def test_a_stored_checkpoint_tuple_or_snapshot_never_becomes_a_fact(self):
        graph = StateGraph(MessagesState)
        graph.add_node("say", lambda _: {"messages": [("ai", "hello")]})
        graph.add_edge(START, "say")
        saver = InMemorySaver()
        compiled = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": "t"}}
        compiled.invoke({"messages": [("user", "hi")]}, config)
        saved = saver.get_tuple(config)
        state = compiled.get_state(config)
        store = store_with(
            dict(saved.checkpoint),
            saved._asdict(),
            {"kept": dict(saved.checkpoint)},
            state._asdict(),
            {"text": "tea", "next": "week"},
        )

        result = recall(store)

        assert [item.text for item in result.items] == ["tea"]
        codes = {rejection.code for rejection in result.sources[0].rejections}
        assert (codes, result.sources[0].rejected_count) == ({"checkpoint_state"}, 4)


class OddStore:
    """A store whose scores or order are what some stores really answer."""

    def __init__(self, *scores, index_config=()):
        self.index_config = index_config
        self.items = [
            SearchItem(("acme", "ada"), str(i), {"text": f"text {i}"}, NOW, NOW, score)
            for i, score in enumerate(scores)
        ]

    def search(self, namespace_prefix, /, **options):
        assert options["refresh_ttl"] is False
        return self.items

    async def asearch(self, namespace_prefix, /, **options):
        return self.search(namespace_prefix, **options)


def test_a_score_that_is_no_number_does_not_come_first():
    """Postgres sorts NaN before everything: a stored zero vector would win every query."""
    result = recall(OddStore(float("nan"), 0.9, 0.1))

    assert [item.text for item in result.items] == ["text 1", "text 2", "text 0"]
    assert result.items[2].matches[0].omitted == {"score": "not finite"}


def test_a_sqlite_store_that_lists_the_worst_match_first_is_refused():
    class SqliteStoreWithDistance(OddStore):
        pass

    report = recall(
        SqliteStoreWithDistance(0.0, 9.0, index_config={"distance_type": "l2"})
    ).sources[0]

    assert report.error.code == "source_misconfigured"
    assert "worst match first" in report.error.message


def test_a_closed_store_costs_only_its_own_report():
    class ClosedStore(OddStore):
        def search(self, namespace_prefix, /, **options):
            raise ValueError("no active connection")

    report = recall(ClosedStore()).sources[0]

    assert (report.status, report.error.code) == ("error", "source_error")
