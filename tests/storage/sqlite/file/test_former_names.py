"""A file of schema 6, whose undo entries had other names: it is upgraded, and everything in it can still be undone."""

import asyncio
import os
import shutil
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from dayline.model.errors import Conflict
from dayline.storage.history import merges
from dayline.storage.history.undo_log import Operation
from dayline.storage.sqlite.file.schema import FORMER_NAMES, MIGRATIONS, ORIGIN
from dayline.storage.sqlite.repair.salvage import known_trees
from dayline.storage.sqlite.repair.salvage_worker import is_current, stage
from dayline.storage.sqlite.upgrade import open_current
from dayline.storage.store import Store
from tests.support.storage.engine_upkeep import Keeping, play
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.file_upkeep import lasting
from tests.support.storage.opened import events_of, everything
from tests.support.storage.opened import fill as fill_buckets
from tests.support.storage.opened import play as play_moves
from tests.support.storage.redacting import count
from tests.support.waiting import PATIENCE_S, eventually_async

SCHEMA: Final = 6
# The kinds of undo entries as an earlier version stored them.
FORMER_KINDS: Final = """
UPDATE act SET kind = 'rehost_bucket' WHERE kind = 'change_host';
UPDATE act SET kind = 'thin_bucket' WHERE kind = 'downsample_bucket';
UPDATE act SET kind = 'mend_events' WHERE kind = 'fix_events';
UPDATE meta SET key = replace(key, 'downsampled:', 'thinned:');
"""
OTHER_COLUMNS: Final = {"redacted_value": ", 0", "redacted_event": ", NULL"}  # removed since
SEQUENCES: Final = """
DELETE FROM main.sqlite_sequence;
INSERT INTO main.sqlite_sequence SELECT iif(name = 'operation', 'act', name), seq FROM now.sqlite_sequence;
"""


def write_former(current: Path, former: Path) -> None:
    """Write the rows of a current file to a new one of schema 6."""
    with closing(open_current(former, MIGRATIONS[:SCHEMA])) as db:
        db.execute("ATTACH ? AS now", (str(current),))
        tables = db.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (name,) in tables.fetchall():
            db.execute(f"DELETE FROM main.{name}")
            others = OTHER_COLUMNS.get(str(name), "")
            db.execute(f"INSERT INTO main.{name} SELECT *{others} FROM now.{FORMER_NAMES.get(str(name), name)}")
        db.execute(SEQUENCES)
        db.execute(FORMER_KINDS)


def upgrade(path: Path) -> None:
    open_current(path, keep=lambda _: None).close()


def select(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        return db.execute(query).fetchall()


def roots(path: Path) -> dict[str, int]:
    return {str(name): int(root) for name, root in select(path, "SELECT name, rootpage FROM sqlite_schema")}


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table."""
    tables = select(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return {name: select(path, f"SELECT * FROM {name} ORDER BY 1, 2") for (name,) in tables}


@pytest.fixture
def engine(tmp_path: Path) -> SqliteEngine:
    """A file of schema 6 with a bucket that was downsampled, one on another host, and an event that was deleted."""
    (tmp_path / "now").mkdir()
    current, engine = SqliteEngine(tmp_path / "now"), SqliteEngine(tmp_path)

    async def fill(at: Keeping) -> None:
        await fill_buckets(at.store)
        await at.store.insert("window", [lasting(minute, 1) for minute in range(20)])
        [downsampled] = await at.upkeep.downsample({"window": 1})
        assert downsampled.removed
        await at.store.moves.rehost("other", "desktop")
        await at.store.delete_event("old", events_of(at.store, "old")[0]["id"])

    play(current, fill)
    write_former(current.path, engine.path)
    return engine


def test_every_undo_entry_is_listed_and_undone_as_before(engine: SqliteEngine, tmp_path: Path) -> None:
    before: list[Any] = []
    found: list[Any] = []

    async def read(at: Keeping) -> None:
        before.append(at.store.trash.all())

    async def undo(at: Keeping) -> None:
        found.append(at.store.trash.all())
        for item in at.store.trash.all():
            await at.store.trash.undo(item.id)
        assert len(events_of(at.store, "window")) == 20
        assert len(events_of(at.store, "old")) == 5
        assert at.store.bucket("other").hostname == "laptop"

    play(SqliteEngine(tmp_path / "now"), read)
    play(engine, undo)

    assert found == before
    assert [item.kind for item in found[0]] == ["delete_events", "rehost_bucket", "thin_bucket"]


def test_an_upgraded_file_has_the_rows_and_numbers_of_one_that_always_had_the_new_names(
    engine: SqliteEngine, tmp_path: Path
) -> None:
    upgrade(engine.path)

    assert contents(engine.path) == contents(tmp_path / "now" / "days.db")
    assert select(engine.path, "PRAGMA integrity_check") == [("ok",)]
    plan = select(engine.path, "EXPLAIN QUERY PLAN SELECT 1 FROM operation_event WHERE id = 1")
    assert "operation_event_id" in plan[0][3]


def test_no_root_page_moves_because_a_repair_knows_tables_by_it(engine: SqliteEngine) -> None:
    before = roots(engine.path)

    upgrade(engine.path)

    assert roots(engine.path) == {FORMER_NAMES.get(name, name): root for name, root in before.items()}
    assert {tree.name: root for root, tree in known_trees().items()} == roots(engine.path)


def test_a_damaged_file_of_the_former_schema_is_read_with_the_new_names(engine: SqliteEngine, tmp_path: Path) -> None:
    staged = tmp_path / "staged"

    stage(engine.path, staged)

    expected = select(tmp_path / "now" / "days.db", "SELECT key, kind FROM operation")
    assert select(staged, "SELECT key, kind FROM operation ORDER BY key") == expected
    assert count(staged, "operation_event") == count(engine.path, "act_event") > 0


def test_what_an_earlier_version_has_staged_is_staged_again(tmp_path: Path) -> None:
    staged, earlier = tmp_path / "staged", tmp_path / "earlier"
    open_current(tmp_path / "days.db").close()
    stage(tmp_path / "days.db", staged)
    shutil.copyfile(staged, earlier)
    with closing(apsw.Connection(str(earlier))) as db:
        db.execute("ALTER TABLE operation RENAME TO act; ALTER TABLE operation_event RENAME TO act_event")

    assert is_current(staged)
    assert not is_current(earlier)


@pytest.mark.parametrize("offset", [ORIGIN, 0], ids=["relative", "absolute"])
@pytest.mark.parametrize("is_undoing", [False, True], ids=["merging", "undoing"])
def test_a_merge_continues_where_an_earlier_version_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offset: int, is_undoing: bool
) -> None:
    # Earlier versions stored its position as a time since 2026, later ones as a time since 1970.
    (tmp_path / "now").mkdir()
    current, engine = SqliteEngine(tmp_path / "now"), SqliteEngine(tmp_path)
    apart: list[Any] = []

    async def interrupt(store: Store) -> None:
        apart.append(everything(store))
        if is_undoing:
            await store.moves.merge("old", "other")
        monkeypatch.setattr(merges, "SMALL", 0)
        monkeypatch.setattr(merges.Merges, "_finish", one_slice)
        with pytest.raises(Conflict, match="interrupted"):
            await (store.trash.undo(1) if is_undoing else store.moves.merge("old", "other"))

    play_moves(current, interrupt)
    monkeypatch.undo()
    write_former(current.path, engine.path)
    with closing(apsw.Connection(str(engine.path))) as db:
        db.execute("UPDATE act SET detail = json_set(detail, '$.start', detail ->> '$.start' - ?)", (offset,))
        assert db.changes() == 1

    async def resume() -> None:
        database = engine.open()
        try:
            store = database.store()
            if is_undoing:
                await eventually_async(lambda: "old" in store.buckets())
            else:
                await eventually_async(lambda: [item.state for item in store.trash.all()] == ["done"])
                assert len(events_of(store, "other")) == 5
                await store.trash.undo(1)
            assert everything(store) == apart[0]
        finally:
            await database.close()

    asyncio.run(resume())


async def one_slice(running: merges.Merges, key: int) -> Operation:
    """What a server that is killed has done."""
    operation = await asyncio.to_thread(running._read, key)  # pyright: ignore[reportPrivateUsage]
    slice_ = partial(merges.make_slice, operation=operation, rows=3)
    await running._writer.change(slice_)  # pyright: ignore[reportPrivateUsage]
    raise Conflict("interrupted")


# Upgrades copies of a file, each in a process that ends with its n-th write, for every n.
KILLED_UPGRADES: Final = """
import itertools, os, shutil, signal, sys
import apsw
from pathlib import Path
from dayline.storage.sqlite.upgrade import open_current

file, folder = map(Path, sys.argv[1:])
beneath = apsw.vfs_names()[0]
left = 0

def count() -> None:
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

class File(apsw.VFSFile):
    def __init__(self, name, flags):
        super().__init__(beneath, name, flags)

    def xWrite(self, data, offset):
        count()
        super().xWrite(data, offset)

    def xSync(self, flags):
        count()
        super().xSync(flags)

    def xTruncate(self, size):
        count()
        super().xTruncate(size)

class Vfs(apsw.VFS):
    def __init__(self):
        super().__init__("counting", beneath, makedefault=True)

    def xOpen(self, name, flags):
        return File(name, flags)

for left in itertools.count(1):
    (folder / str(left)).mkdir()
    copy = folder / str(left) / "days.db"
    shutil.copyfile(file, copy)
    child = os.fork()
    if child == 0:
        vfs = Vfs()
        open_current(copy, keep=lambda _: None).close()
        os._exit(0)
    if os.WIFEXITED(os.waitpid(child, 0)[1]):
        break
"""


def test_an_upgrade_that_is_killed_at_any_write_is_done_at_the_next_start(engine: SqliteEngine, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED_UPGRADES, str(engine.path), str(copies)]
    subprocess.run(command, check=True, env=environment, timeout=PATIENCE_S)
    expected = contents(tmp_path / "now" / "days.db")
    versions: set[int] = set()

    for folder in copies.iterdir():
        path = folder / "days.db"
        with closing(apsw.Connection(str(path))) as db:
            versions.add(int(db.pragma("user_version")))
        upgrade(path)
        assert contents(path) == expected, folder.name
        assert select(path, "PRAGMA integrity_check") == [("ok",)]

    assert versions == set(range(SCHEMA, len(MIGRATIONS) + 1))
    assert len(list(copies.iterdir())) > 5
