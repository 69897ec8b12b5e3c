"""Create Letta's tables from its own ORM: the wheel ships no migrations. Runs in Letta's Python."""

import asyncio
import importlib
import pkgutil

import letta.orm
from letta.orm.base import Base
from letta.server.db import engine

# What a migration would have added: the ORM only says that the server fills the column.
SEQUENCE = (
    "CREATE SEQUENCE IF NOT EXISTS message_seq_id",
    "ALTER TABLE messages ALTER COLUMN sequence_id SET DEFAULT nextval('message_seq_id')",
)


async def create():
    """Create every table, twice if need be."""
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
        for statement in SEQUENCE:
            await connection.exec_driver_sql(statement)
    await engine.dispose()


for module in pkgutil.iter_modules(letta.orm.__path__):
    if module.name != "sqlite_functions":
        importlib.import_module(f"letta.orm.{module.name}")
asyncio.run(create())
