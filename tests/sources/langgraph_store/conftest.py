"""Real LangGraph stores, each holding the notes of two tenants times two subjects."""

import sqlite3
from contextlib import asynccontextmanager, contextmanager

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from fakes.embeddings import DIMENSIONS, WordEmbeddings
from praxa_langgraph import LangGraphStoreSource, MemoryFederation, Namespace

ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
NOTES = {
    ("acme", "ada"): ("tea is what Ada drinks", "tea must be green"),
    ("acme", "bob"): ("tea is what Bob hates", "tea makes Bob ill"),
    ("globex", "ada"): ("tea is what the other Ada sells", "tea is her trade"),
    ("globex", "bob"): ("tea for the other Bob", "tea at five for the other Bob"),
}


def puts():
    for namespace, texts in NOTES.items():
        for index, text in enumerate(texts):
            yield namespace, f"note-{index}", {"text": text, "topic": "drinks"}


def seed(store):
    for put in puts():
        store.put(*put)
    return store


def identity(who):
    return (who.tenant_id, who.subject_id)


def recall(store, *, namespace=ADA, **options):
    source_options = {
        name: options.pop(name)
        for name in ("identity", "text", "indexed", "kind")
        if name in options
    }
    source = LangGraphStoreSource(store, **{"identity": identity, **source_options})
    return MemoryFederation([source]).recall("tea", namespace=namespace, **options)


@pytest.fixture
def plain_store():
    return seed(InMemoryStore())


@pytest.fixture
def indexed_store():
    index = {"dims": DIMENSIONS, "embed": WordEmbeddings(), "fields": ["text"]}
    return seed(InMemoryStore(index=index))


@contextmanager
def sqlite_store(path, **options):
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        store = SqliteStore(connection, **options)
        store.setup()
        yield store
    finally:
        connection.close()


@asynccontextmanager
async def async_sqlite_store(path):
    async with AsyncSqliteStore.from_conn_string(str(path)) as store:
        await store.setup()
        yield store
