"""A file in which two events have the same id is upgraded: one of them gets a new id, and an index keeps ids unique."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
import pytest

from dayline.model.errors import Conflict, EventIdReserved
from dayline.model.time import now_us
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.file.schema import MIGRATIONS, UNIQUE_EVENT_IDS
from dayline.storage.sqlite.repair.mark import write_mark
from dayline.storage.sqlite.transfer.copying import new_file
from dayline.storage.sqlite.upgrade import open_current
from dayline.storage.store import Store
from dayline.storage.transfer.copying import TABLES
from tests.support.storage.encrypting import encrypting
from tests.support.storage.engines import SqliteEngine, check_figures
from tests.support.storage.opened import beat, bucket, events_of, everything, opened_on, play
from tests.support.waiting import eventually_async

pytestmark = pytest.mark.encrypted

FORMER: Final = UNIQUE_EVENT_IDS - 1
# What an earlier version has left: the index is not unique, so that ids can be given twice.
MAKE_FORMER: Final = f"""
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = 'CREATE INDEX event_id ON event(id)' WHERE name = 'event_id';
PRAGMA writable_schema = RESET;
ALTER TABLE redacted_value ADD COLUMN next_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE redacted_event ADD COLUMN target INTEGER;
PRAGMA user_version = {FORMER};
DELETE FROM meta WHERE key = 'next_event_id';
"""


@pytest.fixture(params=["plain", "encrypted"])
def engine(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteEngine]:
    if request.param == "plain":
        yield SqliteEngine(tmp_path)
    else:
        with encrypting():
            yield SqliteEngine(tmp_path)


def make_former(path: Path, *statements: str) -> None:
    with closing(connect(path)) as db:
        db.execute(MAKE_FORMER)
        for statement in statements:
            db.execute(statement)


def upgrade(path: Path) -> None:
    open_current(path, keep=lambda _: None).close()


def select(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(connect(path, READ_ONLY)) as db:
        return db.execute(query).fetchall()


def ids(path: Path, bucket_key: int) -> list[int]:
    return [
        event_id for (event_id,) in select(path, f"SELECT id FROM event WHERE bucket = {bucket_key} ORDER BY start")
    ]


async def segmented(engine: SqliteEngine) -> None:
    database = engine.open()
    await engine.build_segments(database)
    await database.close()


def test_the_index_of_ids_is_unique_in_a_new_and_in_an_upgraded_file(tmp_path: Path) -> None:
    for name, schemas in (("new.db", []), ("old.db", [FORMER])):
        for schema in schemas:
            open_current(tmp_path / name, MIGRATIONS[:schema]).close()
        upgrade(tmp_path / name)

        with closing(connect(tmp_path / name)) as db:
            db.execute("INSERT INTO event VALUES(1, 2, 3, 4, 5)")
            with pytest.raises(apsw.ConstraintError, match=r"event\.id"):
                db.execute("INSERT INTO event VALUES(2, 9, 3, 4, 5)")
            assert db.execute("PRAGMA integrity_check").get == "ok"


def test_of_events_with_the_same_id_all_but_one_get_a_new_one(
    engine: SqliteEngine, caplog: pytest.LogCaptureFixture
) -> None:
    async def duplicated(store: Store) -> None:
        await store.insert("other", [beat(second, app=f"other {second}") for second in range(5)])

    play(engine, duplicated)
    asyncio.run(segmented(engine))
    make_former(engine.path, "UPDATE event SET id = id - 5 WHERE bucket = 2 AND id > 7")

    with caplog.at_level(logging.WARNING):
        upgrade(engine.path)

    assert ids(engine.path, 1) == [1, 2, 3, 4, 5]
    assert ids(engine.path, 2) == [6, 7, 8, 9, 10]
    assert [record.getMessage() for record in caplog.records] == [
        "days.db: 3 events got new ids, because other events had the same"
    ]
    assert check_derived(engine.path) == []
    check_figures(engine)

    async def undone(store: Store) -> None:
        [item] = store.trash.all()
        assert (item.kind, item.bucket, item.events) == ("mend_events", "other", 3)
        with pytest.raises(Conflict, match="other events have the former ids"):
            await store.trash.undo(item.id)
        assert [found["data"]["app"] for found in events_of(store, "other")] == [f"other {n}" for n in range(5)]
        assert [event.id for event in (await store.insert("other", [beat(9)])).events] == [11]
        assert await store.trash.empty(item.id) == 1

    async def run() -> None:
        async with opened_on(engine) as store:
            await undone(store)

    assert select(engine.path, "SELECT detail FROM operation") == [('{"renumbered":{"8":3,"9":4,"10":5}}',)]
    asyncio.run(run())


def test_a_file_without_repeated_ids_is_not_changed(engine: SqliteEngine) -> None:
    async def nothing(store: Store) -> None:
        assert store.buckets()

    play(engine, nothing)
    before = [select(engine.path, f"SELECT * FROM {table}") for table in ("event", "month", "operation", "meta")]
    make_former(engine.path)

    upgrade(engine.path)

    assert [
        select(engine.path, f"SELECT * FROM {table}") for table in ("event", "month", "operation", "meta")
    ] == before


@pytest.mark.parametrize("is_copied", [True, False])
def test_a_merge_that_shares_ids_with_other_events_is_finished_and_undone(
    engine: SqliteEngine, is_copied: bool
) -> None:
    # Recorded after a kill in the middle of a merge: with ids that its copies have, or get when it is resumed.
    apart: list[Any] = []

    async def prepare(store: Store) -> None:
        await store.create_bucket(bucket("third"))
        apart.append(everything(store))
        await store.moves.merge("old", "other")
        await store.insert("third", [beat(-second, app="recorded") for second in range(2)])

    play(engine, prepare)
    make_former(engine.path, "UPDATE event SET id = id - 3 WHERE bucket = 3")  # 11 and 12 become 8 and 9
    if not is_copied:
        with closing(connect(engine.path)) as db:
            db.execute("DELETE FROM event WHERE bucket = 2 AND id >= 8")
            db.execute("UPDATE month SET events = 2 WHERE bucket = 2")
            db.execute(
                "UPDATE operation SET state = 'doing', detail = json_set(detail, '$.done', 2, '$.moved', 2, "
                "'$.start', (SELECT start + 1767225600000000 FROM event WHERE id = 2), '$.id', 2)"
            )

    upgrade(engine.path)

    async def finish() -> None:
        async with opened_on(engine) as store:
            await eventually_async(lambda: len(events_of(store, "other")) == 5)
            assert sorted(found["id"] for found in events_of(store, "third")) == [11, 12]
            [merge] = [item.id for item in store.trash.all() if item.kind == "merge_buckets"]
            await eventually_async(lambda: {item.state for item in store.trash.all()} == {"done"})
            await store.trash.undo(merge)
            aliases, buckets = everything(store)
            assert (aliases, buckets[:2]) == (apart[0][0], apart[0][1][:2])
            assert [event.id for event in (await store.insert("old", [beat(99)])).events] == [13]

    asyncio.run(finish())


def test_a_damaged_file_with_repeated_ids_is_recovered_with_all_its_events(engine: SqliteEngine) -> None:
    async def duplicated(store: Store) -> None:
        await store.insert("other", [beat(second, app=f"other {second}") for second in range(5)])

    play(engine, duplicated)
    make_former(engine.path, "UPDATE event SET id = id - 5 WHERE bucket = 2 AND id > 7")
    write_mark(engine.path, "malformed", now=now_us())

    async def recovered() -> None:
        database = SqliteDatabase(engine.path, asyncio.get_running_loop())
        try:
            with pytest.raises(EventIdReserved):  # the id of an event that is not copied yet
                await database.store().insert("old", [msgspec.structs.replace(beat(9), id=1)])
            await database.recover()
            store = database.store()
            assert [len(events_of(store, bucket_id)) for bucket_id in ("old", "other")] == [5, 5]
            ids = [found["id"] for bucket_id in ("old", "other") for found in events_of(store, bucket_id)]
            assert len(set(ids)) == 10
            assert ids[:5] == [1, 2, 3, 4, 5]
        finally:
            await database.close()

    asyncio.run(recovered())


def test_a_copy_from_postgresql_with_repeated_ids_is_rejected(tmp_path: Path) -> None:
    rows = [(1, 2_000_000_000_000_000, event_id, 0, 1) for event_id in (3, 4)] + [(1, 2_100_000_000_000_000, 4, 0, 1)]
    with new_file(tmp_path / "days.db") as target, pytest.raises(Conflict, match="two events have the id 4"):
        target.write(next(table for table in TABLES if table.name == "event"), rows)
