"""The story's temporal facts in a real Graphiti on embedded Kuzu, written without any model."""

from __future__ import annotations

import asyncio
import os
import warnings
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings

from praxa_langgraph.demo import story


def open_graph(folder: Path, embeddings: Embeddings, *, group_id: str) -> Any:
    """Return a `Graphiti` that holds where Ines lives: a fact that ended, and its successor."""
    # Graphiti reads it when it is made; its dependencies warn about pydantic and about Kuzu's end.
    os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        graphiti = _graphiti(folder, embeddings)
    asyncio.run(_write(graphiti, group_id))
    return graphiti


def _graphiti(folder: Path, embeddings: Embeddings) -> Any:
    import kuzu  # noqa: PLC0415 # all of these only when the extra is installed
    from graphiti_core import Graphiti  # noqa: PLC0415
    from graphiti_core.cross_encoder.client import CrossEncoderClient  # noqa: PLC0415
    from graphiti_core.driver.kuzu_driver import KuzuDriver  # noqa: PLC0415
    from graphiti_core.embedder.client import EmbedderClient  # noqa: PLC0415
    from graphiti_core.graph_queries import get_fulltext_indices  # noqa: PLC0415
    from graphiti_core.llm_client.client import LLMClient  # noqa: PLC0415
    from graphiti_core.llm_client.config import LLMConfig  # noqa: PLC0415

    class LocalEmbedder(EmbedderClient):
        async def create(self, input_data: Any) -> list[float]:
            text = input_data if isinstance(input_data, str) else " ".join(map(str, input_data))
            return embeddings.embed_query(text)

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return embeddings.embed_documents(input_data_list)

    class NoModel(LLMClient):
        async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
            msg = "the demo calls no model"
            raise RuntimeError(msg)

    class NoRanker(CrossEncoderClient):
        async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
            msg = f"the demo ranks nothing itself: {len(passages)} passages for {query!r}"
            raise RuntimeError(msg)

    driver = KuzuDriver(db=str(folder / "graph.kuzu"))
    connection = kuzu.Connection(driver.db)
    for statement in get_fulltext_indices(driver.provider):
        connection.execute(statement)
    return Graphiti(
        graph_driver=driver,
        llm_client=NoModel(LLMConfig(api_key="unused", model="none")),
        embedder=LocalEmbedder(),
        cross_encoder=NoRanker(),
    )


async def _write(graphiti: Any, group_id: str) -> None:
    from graphiti_core.edges import EntityEdge  # noqa: PLC0415 # as above
    from graphiti_core.nodes import EntityNode  # noqa: PLC0415

    def entity(name: str) -> Any:
        return EntityNode(name=name, group_id=group_id, created_at=story.MOVED_TO_PORTO)

    def lives_in(town: Any, since: datetime, until: datetime | None) -> Any:
        return EntityEdge(
            source_node_uuid=ines.uuid,
            target_node_uuid=town.uuid,
            name="LIVES_IN",
            fact=f"Ines lives in {town.name}",
            group_id=group_id,
            created_at=since,
            valid_at=since,
            invalid_at=until,
            expired_at=until,
        )

    ines, lisbon, porto = entity("Ines"), entity("Lisbon"), entity("Porto")
    for node in (ines, lisbon, porto):
        await node.generate_name_embedding(graphiti.embedder)
        await node.save(graphiti.driver)
    for edge in (
        lives_in(lisbon, story.MOVED_TO_LISBON, story.MOVED_TO_PORTO),
        lives_in(porto, story.MOVED_TO_PORTO, None),
    ):
        await edge.generate_embedding(graphiti.embedder)
        await edge.save(graphiti.driver)
