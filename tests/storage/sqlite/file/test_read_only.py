"""A database that is only read: nothing is changed, locked or left behind, whatever state it is in."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dayline.model.data import canonical_json
from dayline.model.errors import NotFound, StoreBusy, StoreTooNew, StoreUnusable
from dayline.model.event import Event
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.sqlite.file.connection import has_log
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.read_only import ReadOnlyDatabase
from dayline.storage.sqlite.repair.mark import REPAIRED, mark_path, write_mark
from tests.support.server import RunningServer

EVENT = {"timestamp": "2026-03-05T08:00:00Z", "duration": 60, "data": {"app": "Code"}}


def reading(path: Path, look: Callable[[ReadOnlyDatabase], Awaitable[None]]) -> None:
    """Open the file, look at it and close it."""

    async def opened() -> None:
        database = ReadOnlyDatabase(path)
        try:
            await look(database)
        finally:
            await database.close()

    asyncio.run(opened())


async def made(path: Path) -> None:
    """A file with nothing in it, as a server leaves it."""
    await SqliteDatabase(path, asyncio.get_running_loop()).close()


def apps(database: ReadOnlyDatabase) -> bytes:
    return b"".join(database.store().events("window", start=None, end=None, limit=None))


def test_what_a_killed_server_had_in_its_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    server = RunningServer(path)
    server.start()
    server.create("window")
    server.post("/api/0/buckets/window/events", [EVENT])
    server.kill()

    async def look(database: ReadOnlyDatabase) -> None:
        assert list(database.store().buckets()) == ["window"]
        assert b'"Code"' in apps(database)

    reading(path, look)


def test_a_server_that_has_it_open_is_neither_in_the_way_nor_disturbed(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
        server.post("/api/0/buckets/window/events", [EVENT])

        async def look(database: ReadOnlyDatabase) -> None:
            assert b'"Code"' in apps(database)
            assert server.post("/api/0/buckets/window/events", [EVENT]).status == 200

        reading(server.database, look)


def test_a_change_is_refused_and_so_is_a_heartbeat(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    asyncio.run(made(path))
    before = path.read_bytes()

    async def look(database: ReadOnlyDatabase) -> None:
        with pytest.raises(StoreBusy, match="open for reading only"):
            await database.store().set_setting("theme", b'"dark"')
        answers: list[object] = []
        beat = Event(start=0, duration=0, data=canonical_json({}))
        database.store().heartbeat("window", beat, pulsetime=0, done=answers.append)
        assert isinstance(answers[0], StoreBusy)

    reading(path, look)

    assert path.read_bytes() == before


def test_no_work_in_the_background_begins_and_the_plan_of_a_redaction_stays(tmp_path: Path) -> None:
    # A server that prepares a redaction writes its plan before anything else: one that cleared up here removed it.
    path, plan = tmp_path / "days.db", tmp_path / "days.db.d/redaction-1234abcd"
    asyncio.run(made(path))
    plan.parent.mkdir(exist_ok=True)
    plan.write_bytes(b"a plan that a server is writing")

    async def look(database: ReadOnlyDatabase) -> None:
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert database.store().redactions.all() == []

    reading(path, look)

    assert plan.exists()


def test_a_file_that_is_written_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    asyncio.run(made(path))
    assert not has_log(path)
    os.utime(path, (0, 0))  # long ago: the clock of a file system may stand still for some milliseconds

    async def look(database: ReadOnlyDatabase) -> None:
        database.check_unchanged()
        with closing(apsw.Connection(str(path))) as db:
            db.execute("INSERT INTO meta(key, value) VALUES('test', 1)")
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        with pytest.raises(StoreBusy, match="changed while it was being read"):
            database.check_unchanged()

    reading(path, look)


def test_the_mark_of_a_repaired_file_stays_for_the_server_to_remove(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    asyncio.run(made(path))
    damage = write_mark(path, "page 7 is not as it was written", now=0)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("INSERT INTO meta(key, value) VALUES(?, ?)", (REPAIRED, damage.id))
    before = contents(tmp_path)

    async def look(database: ReadOnlyDatabase) -> None:
        assert database.damage is None

    reading(path, look)
    assert contents(tmp_path) == before

    asyncio.run(made(path))
    assert not mark_path(path).exists()


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no database at"):
        ReadOnlyDatabase(tmp_path / "days.db")

    assert list(tmp_path.iterdir()) == []


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the memory that readers of a log share: who reads notes that there, and nothing else."""
    return {
        file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file() and not file.name.endswith("-shm")
    }


@pytest.mark.parametrize(
    ("version", "error"), [(len(MIGRATIONS) - 1, StoreUnusable), (len(MIGRATIONS) + 1, StoreTooNew)]
)
def test_a_file_of_another_version_is_reported_and_left_as_it_is(
    tmp_path: Path, version: int, error: type[Exception]
) -> None:
    path = tmp_path / "days.db"
    asyncio.run(made(path))
    db = apsw.Connection(str(path))
    db.pragma("user_version", version)
    db.close()
    before = contents(tmp_path)

    with pytest.raises(error):
        ReadOnlyDatabase(path)

    assert contents(tmp_path) == before


def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "days.db").write_bytes(b"not a database, but longer than nothing" * 100)

    with pytest.raises(StoreUnusable, match=r"days\.db is not a database"):
        ReadOnlyDatabase(tmp_path / "days.db")
