"""Mem0 as it runs here: embedded Qdrant and a local embedder."""

import pytest
from mem0 import AsyncMemory, Memory

from fakes.embeddings import DIMENSIONS, WordEmbeddings

FACTS = {
    ("acme", "ada"): ("tea is what Ada drinks", "tea must be green"),
    ("acme", "bob"): ("tea is what Bob hates", "tea makes Bob ill"),
    ("globex", "ada"): ("tea is what the other Ada sells", "tea is her trade"),
    ("globex", "bob"): ("tea for the other Bob", "tea at five for the other Bob"),
}


def user_id(tenant, subject):
    return f"{tenant}:{subject}"


def config(folder):
    return {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": str(folder / "qdrant"),
                "on_disk": True,
                "collection_name": "memories",
                "embedding_model_dims": DIMENSIONS,
            },
        },
        "embedder": {
            "provider": "langchain",
            "config": {"model": WordEmbeddings(), "embedding_dims": DIMENSIONS},
        },
        "llm": {"provider": "openai", "config": {"api_key": "unused"}},
        "history_db_path": str(folder / "history.db"),
    }


def seed(memory):
    for (tenant, subject), facts in FACTS.items():
        for fact in facts:
            memory.add(
                [{"role": "user", "content": fact}],
                user_id=user_id(tenant, subject),
                metadata={"topic": "drinks"},
                infer=False,
            )


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """A seeded `Memory`."""
    memory = Memory.from_config(config(tmp_path_factory.mktemp("mem0")))
    seed(memory)
    yield memory
    memory.close()
    memory.vector_store.client.close()


@pytest.fixture(scope="module")
def async_memory(tmp_path_factory):
    """A seeded `AsyncMemory`."""
    folder = tmp_path_factory.mktemp("async-mem0")
    memory = Memory.from_config(config(folder))
    seed(memory)
    memory.close()
    memory.vector_store.client.close()
    async_memory = AsyncMemory.from_config(config(folder))
    yield async_memory
    async_memory.close()
    async_memory.vector_store.client.close()
