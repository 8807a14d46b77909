"""Purging reads only the rows that it deletes, however much the trash holds: the writer must not wait for it."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from dayline.storage.history.purge import OPERATIONS_PER_SLICE, purge
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.schema import migrate
from dayline.storage.sqlite.upkeep.purge import purge_values
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import Writer

ORPHANS = 1200  # rows, in three slices


def steps_of_a_purge(path: Path, *, kept: int) -> int:
    """How many instructions SQLite runs for a purge, with this many rows of the trash that stay."""
    steps = 0

    def count_step() -> bool:
        nonlocal steps
        steps += 1
        return False

    def fill(changes: SqliteTransaction) -> None:
        db = changes.db
        for rows, is_kept in ((kept, True), (ORPHANS, False), (1, True)):
            operation = changes.add_operation("delete_events", now=0, events=rows)
            db.executemany(
                "INSERT INTO operation_event(operation, id, bucket) VALUES(?, ?, 1)",
                [(operation, number) for number in range(rows)],
            )
            if not is_kept:
                db.execute("DELETE FROM operation WHERE key = ?", (operation,))

    async def scenario() -> None:
        db = open_writer(path)
        migrate(db)
        writer = Writer(db, asyncio.get_running_loop(), path)
        try:
            await writer.change(fill)
            db.set_progress_handler(count_step, 10)
            await purge(writer, partial(purge_values, writer))
            db.set_progress_handler(None)
            left = await writer.change(lambda changes: changes.db.execute("SELECT count(*) FROM operation_event").get)
            assert left == kept + 1
        finally:
            await writer.close()

    asyncio.run(scenario())
    return steps


def test_what_is_to_be_purged_is_found_among_many_acts(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    def fill(changes: SqliteTransaction) -> None:
        for number in range(2 * OPERATIONS_PER_SLICE + 50):
            operation = changes.add_operation("delete_events", now=0, events=1)
            changes.db.execute(
                "INSERT INTO operation_event(operation, id, bucket) VALUES(?, ?, 1)", (operation, number)
            )
        changes.db.execute("DELETE FROM operation WHERE key % 3 = 0 OR key > ?", (2 * OPERATIONS_PER_SLICE + 20,))

    async def scenario() -> None:
        db = open_writer(path)
        migrate(db)
        writer = Writer(db, asyncio.get_running_loop(), path)
        try:
            await writer.change(fill)
            await purge(writer, partial(purge_values, writer))
            kept = await writer.change(
                lambda changes: changes.db.execute("SELECT operation FROM operation_event").fetchall()
            )
            assert kept == [(key,) for key in range(1, 2 * OPERATIONS_PER_SLICE + 21) if key % 3]
        finally:
            await writer.close()

    asyncio.run(scenario())


def test_looking_for_what_can_be_purged_costs_the_same_however_much_the_trash_keeps(tmp_path: Path) -> None:
    # It went through all of operation_event in a write transaction, at every start and for every entry that expired.
    few = steps_of_a_purge(tmp_path / "few.db", kept=100)
    many = steps_of_a_purge(tmp_path / "many.db", kept=20_000)

    assert many == pytest.approx(few, rel=0.1)
