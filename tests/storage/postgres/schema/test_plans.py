"""Work on many rows takes as long where PostgreSQL has looked at the tables before they grew."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.transfer import staged_rows
from dayline.storage.postgres.writing import values
from tests.support.maintenance.documents import write_document
from tests.support.storage.opened import beat, bucket, events_of

SMALL, OLD, OTHER = 1, 2, 3  # the keys of the buckets
SEARCHES = [(values, "_FIND"), (staged_rows, "_FIND_VALUES")]
LOOKED_FOR: Mapping[str, Any] = {
    "tenant": "", "bucket": OTHER, "buckets": [OTHER] * 100, "hashes": list(range(100)), "texts": ["{}"] * 100,
}  # fmt: skip


async def grown_since_it_was_looked_at(address: str, database: PostgresDatabase, document: Path) -> None:
    """Let the planner know one small bucket, and nothing of another with many texts, nor of one to merge that into."""
    store = database.store()
    await store.create_bucket(bucket("small"))
    await store.insert("small", [beat(second, app=f"app {second}") for second in range(40)])
    with connect(address, is_owner=True) as db:
        db.execute("ANALYZE")
    await store.import_files([document])
    await store.create_bucket(bucket("other"))


def plan_of(address: str, statement: str) -> str:
    with connect(address) as db, transaction(db, ""):
        rows = psycopg.ClientCursor(db).execute(f"EXPLAIN {statement}".encode(), LOOKED_FOR).fetchall()
        return "\n".join(line for (line,) in rows)


def test_a_text_is_looked_for_with_the_index_of_hashes(address: str, tmp_path: Path) -> None:
    write_document(tmp_path / "document.json", "old", events=3000, values=3000)

    async def run() -> None:
        database = PostgresDatabase(address, asyncio.get_running_loop())
        try:
            await grown_since_it_was_looked_at(address, database, tmp_path / "document.json")
        finally:
            await database.close()

    asyncio.run(run())
    for module, name in SEARCHES:
        plan = plan_of(address, getattr(module, name))
        places = [line for line in plan.splitlines() if "Index Cond" in line and "hash =" in line]
        assert places, plan
        assert all("(bucket)::double precision" in line for line in places), plan
        assert "Seq Scan on value" not in plan


@pytest.mark.long
def test_what_was_imported_just_now_is_merged_as_quickly(address: str, tmp_path: Path) -> None:
    write_document(tmp_path / "document.json", "old", events=40_000, values=20_000)

    async def run() -> None:
        database = PostgresDatabase(address, asyncio.get_running_loop())
        try:
            await grown_since_it_was_looked_at(address, database, tmp_path / "document.json")
            store = database.store()
            merged = await store.moves.merge("old", "other")
            assert merged.moved == 40_000
            await store.trash.undo(merged.undo or 0)
            assert len(events_of(store, "old")) == 40_000
        finally:
            await database.close()

    asyncio.run(run())  # seconds; hours if each text was looked for in the whole dictionary
