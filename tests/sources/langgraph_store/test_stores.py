"""LangGraphStoreSource over the stores LangGraph ships."""

import asyncio
import threading

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.memory import InMemoryStore

from praxa_langgraph import LangGraphStoreSource, MemoryFederation, create_recall_graph
from praxa_langgraph.testing import SeededSource, SourceConformance

from .conftest import (
    ADA,
    BOB,
    NOTES,
    async_sqlite_store,
    identity,
    puts,
    recall,
    seed,
    sqlite_store,
)


def seeded_with(store):
    return SeededSource(
        source=LangGraphStoreSource(store, identity=identity),
        namespace=ADA,
        query="tea",
        texts=frozenset(NOTES["acme", "ada"]),
        other_namespace=BOB,
        other_texts=frozenset(NOTES["globex", "bob"]),
    )


class TestInMemoryStoreWithIndex(SourceConformance):
    @pytest.fixture
    def seeded(self, indexed_store):
        return seeded_with(indexed_store)


class TestInMemoryStoreWithoutIndex(SourceConformance):
    @pytest.fixture
    def seeded(self, plain_store):
        return seeded_with(plain_store)


class TestSqliteStore(SourceConformance):
    @pytest.fixture
    def seeded(self, tmp_path):
        with sqlite_store(tmp_path / "store.db") as store:
            yield seeded_with(seed(store))


@pytest.mark.parametrize(("tenant", "subject"), list(NOTES))
def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(
    indexed_store, tenant, subject
):
    namespace = ADA.model_copy(update={"tenant_id": tenant, "subject_id": subject})

    result = recall(indexed_store, namespace=namespace)

    assert {item.text for item in result.items} == set(NOTES[tenant, subject])


class TestAsyncSqliteStore:
    async def test_the_async_door_reads_it_on_its_own_loop(self, tmp_path):
        async with async_sqlite_store(tmp_path / "store.db") as store:
            for put in puts():
                await store.aput(*put)
            source = LangGraphStoreSource(store, identity=identity)

            result = await MemoryFederation([source]).arecall("tea", namespace=ADA)

        assert {item.text for item in result.items} == set(NOTES["acme", "ada"])

    async def test_the_sync_door_reads_it_from_another_thread(self, tmp_path):
        async with async_sqlite_store(tmp_path / "store.db") as store:
            for put in puts():
                await store.aput(*put)

            result = await asyncio.to_thread(recall, store)

        assert {item.text for item in result.items} == set(NOTES["acme", "ada"])

    async def test_the_sync_door_on_its_own_loop_is_refused_at_once(self, tmp_path):
        """It could only hang: the loop cannot run before the recall ends."""
        async with async_sqlite_store(tmp_path / "store.db") as store:
            report = recall(store).sources[0]

        assert report.error.code == "source_misconfigured"
        assert "async door" in report.error.message

    def test_a_store_whose_loop_has_ended_is_refused_at_once(self, tmp_path):
        async def opened_and_left():
            async with async_sqlite_store(tmp_path / "store.db") as store:
                return store

        report = recall(asyncio.run(opened_and_left())).sources[0]

        assert report.error.code == "source_misconfigured"

    def test_the_async_door_on_another_loop_says_which_door_to_use(self, tmp_path):
        opened, done = threading.Event(), threading.Event()
        stores = []

        async def keep_open():
            async with async_sqlite_store(tmp_path / "store.db") as store:
                stores.append(store)
                opened.set()
                await asyncio.to_thread(done.wait)

        owner = threading.Thread(target=asyncio.run, args=(keep_open(),))
        owner.start()
        try:
            assert opened.wait(10)
            source = LangGraphStoreSource(stores[0], identity=identity)
            arecall = MemoryFederation([source]).arecall("tea", namespace=ADA)
            [report] = asyncio.run(arecall).sources
        finally:
            done.set()
            owner.join()

        assert report.error.code == "source_misconfigured"
        assert "async door" in report.error.message


class TestTheRunsOwnStore:
    def graph(self):
        source = LangGraphStoreSource(identity=identity, indexed=False)
        return create_recall_graph(MemoryFederation([source]), namespace=ADA)

    async def test_it_is_the_store_the_parent_was_compiled_with(self, plain_store):
        builder = StateGraph(dict)
        recall_graph = self.graph()
        builder.add_node("memory", lambda _: recall_graph.invoke({"query": "tea"}))
        builder.add_edge(START, "memory")

        state = builder.compile(store=plain_store).invoke({})

        texts = {item["text"] for item in state["recall"]["items"]}
        assert texts == set(NOTES["acme", "ada"])

    async def test_async_as_well(self, plain_store):
        builder = StateGraph(dict)
        recall_graph = self.graph()

        async def remember(_):
            return await recall_graph.ainvoke({"query": "tea"})

        builder.add_node("memory", remember)
        builder.add_edge(START, "memory")

        state = await builder.compile(store=plain_store).ainvoke({})

        texts = {item["text"] for item in state["recall"]["items"]}
        assert texts == set(NOTES["acme", "ada"])

    def test_a_run_without_a_store_is_told_so(self):
        [report] = self.graph().invoke({"query": "tea"})["recall"]["sources"]

        assert report["error"]["code"] == "source_misconfigured"
        assert "pass store=" in report["error"]["message"]

    def test_so_is_a_recall_outside_any_run(self):
        assert recall(None).sources[0].error.code == "source_misconfigured"


class TestModes:
    def test_a_store_with_an_index_is_semantic_and_best_first(self, indexed_store):
        indexed_store.put(("acme", "ada"), "best", {"text": "tea"})

        result = recall(indexed_store)

        assert result.sources[0].retrieval_mode == "semantic"
        assert result.items[0].text == "tea"
        assert result.items[0].matches[0].score.value > 0.9

    def test_a_store_without_one_gives_the_newest_and_claims_no_relevance(self, plain_store):
        plain_store.put(("acme", "ada"), "newest", {"text": "about something else"})

        result = recall(plain_store, limit=1)

        assert result.sources[0].retrieval_mode == "recent"
        assert [item.text for item in result.items] == ["about something else"]
        assert result.items[0].matches[0].score is None

    def test_a_store_wrongly_said_to_be_indexed_is_refused(self, plain_store):
        report = recall(plain_store, indexed=True).sources[0]

        assert report.error.code == "source_misconfigured"
        assert "pass indexed=False" in report.error.message

    def test_what_was_not_looked_at_is_said(self):
        store = InMemoryStore()
        for index in range(1_001):
            store.put(("acme", "ada"), f"note-{index}", {"text": f"note {index}"})

        report = recall(store, limit=10).sources[0]

        assert [r.code for r in report.rejections] == ["incomplete_answer"]
        assert report.item_count == 10


class TestNothingIsWritten:
    def test_a_recall_leaves_every_row_as_it_is(self, tmp_path):
        ttl = {"refresh_on_read": True, "default_ttl": 60, "sweep_interval_minutes": 60}
        with sqlite_store(tmp_path / "store.db", ttl=ttl) as store:
            seed(store)
            before = list(store.conn.iterdump())

            recall(store)

            assert list(store.conn.iterdump()) == before
            assert any("expires_at" in line for line in before)
