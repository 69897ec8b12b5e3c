"""Real, embedded providers, filled with the story: nothing is downloaded, no key is needed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.memory import InMemoryStore

from praxa_langgraph.demo import story
from praxa_langgraph.demo.graph_memory import open_graph
from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import Namespace, SourceRequest
from praxa_langgraph.sources.base import Answer, MemorySource
from praxa_langgraph.sources.function import FunctionSource
from praxa_langgraph.sources.graphiti import GraphitiSource
from praxa_langgraph.sources.langgraph_store import LangGraphStoreSource
from praxa_langgraph.sources.mem0 import Mem0Source
from praxa_langgraph.sources.openai_agents import OpenAIAgentsSource

DIMENSIONS = 256


class LocalEmbeddings(Embeddings):
    """Static word vectors that come inside the `wordllama` wheel."""

    def __init__(self) -> None:
        """Load the vectors, about 0.2 s."""
        import wordllama  # noqa: PLC0415 # only the demo needs it

        # The wheel keeps its tokenizer beside the package, where load() does not look by itself.
        folder = Path(wordllama.__file__).parent
        self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one unit vector of 256 numbers per text."""
        vectors: list[list[float]] = self._model.embed(texts, norm=True).astype(float).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a query."""
        return self.embed_documents([text])[0]


@contextmanager
def story_federation(folder: Path) -> Iterator[MemoryFederation]:
    """Write the story into the providers below a folder, and federate them."""
    embeddings = LocalEmbeddings()
    memory = _mem0(folder, embeddings)
    sources: list[MemorySource] = [
        Mem0Source(memory, identity=_user),
        LangGraphStoreSource(_store(embeddings), identity=_folder, id="notes"),
        _session_source(folder),
        *_graph_sources(folder, embeddings),
        FunctionSource(_down, id="crm", kinds=("document",), timeout=1.0),
    ]
    try:
        yield MemoryFederation(sources)
    finally:
        memory.close()
        memory.vector_store.client.close()


def _user(namespace: Namespace) -> dict[str, str]:
    return {"user_id": f"{namespace.tenant_id}:{namespace.subject_id}"}


def _folder(namespace: Namespace) -> tuple[str, ...]:
    return (namespace.tenant_id, namespace.subject_id, "notes")


def _mem0(folder: Path, embeddings: Embeddings) -> Any:
    # Mem0 reads both when it is imported, and would otherwise write to the home directory.
    os.environ.setdefault("MEM0_TELEMETRY", "False")
    os.environ.setdefault("MEM0_DIR", str(folder / "mem0"))
    from mem0 import Memory  # noqa: PLC0415 # after the environment is set

    memory = Memory.from_config(
        {
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
                "config": {"model": embeddings, "embedding_dims": DIMENSIONS},
            },
            # Mem0 constructs a model client even when nothing is inferred; it is never called.
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    for fact in story.FACTS:
        memory.add([{"role": "user", "content": fact}], **_user(story.INES), infer=False)
    neighbours = [{"role": "user", "content": story.NEIGHBOURS_FACT}]
    memory.add(neighbours, **_user(story.NEIGHBOUR), infer=False)
    return memory


def _store(embeddings: Embeddings) -> InMemoryStore:
    store = InMemoryStore(index={"dims": DIMENSIONS, "embed": embeddings, "fields": ["text"]})
    for key, note in story.NOTES.items():
        store.put(_folder(story.INES), key, note)
    store.put(_folder(story.NEIGHBOUR), "address", {"text": story.NEIGHBOURS_FACT})
    return store


def _session_source(folder: Path) -> OpenAIAgentsSource:
    from agents import SQLiteSession  # noqa: PLC0415 # only the demo needs it

    def session_id(namespace: Namespace) -> str:
        return f"{namespace.tenant_id}:{namespace.subject_id}"

    session = SQLiteSession(session_id(story.INES), folder / "sessions.db")
    items: list[Any] = [{"role": role, "content": text} for role, text in story.CONVERSATION]
    asyncio.run(session.add_items(items))
    return OpenAIAgentsSource(session, identity=session_id, id="session")


def _graph_sources(folder: Path, embeddings: Embeddings) -> list[MemorySource]:
    """A temporal graph, where the extra `graphiti` is installed."""
    if find_spec("graphiti_core") is None or find_spec("kuzu") is None:
        return []

    def group_id(namespace: Namespace) -> str:
        return f"{namespace.tenant_id}_{namespace.subject_id}"

    graphiti = open_graph(folder, embeddings, group_id=group_id(story.INES))
    return [GraphitiSource(graphiti, identity=group_id, id="graph")]


def _down(_: SourceRequest) -> Answer:
    msg = "crm.internal refused the connection"
    raise ConnectionRefusedError(msg)
