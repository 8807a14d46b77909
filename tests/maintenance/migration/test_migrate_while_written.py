"""A database is migrated while its server keeps recording."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from dayline.maintenance.migration.snapshot import snapshot
from tests.support.maintenance.migrating import (
    EVENTS,
    FEW,
    RUST,
    contents,
    copy_of,
    exported,
    migrated,
    run,
    small_copy_of,
    total,
)
from tests.support.waiting import eventually

_RECORD: Final = "INSERT INTO events(bucketrow, starttime, endtime, data) VALUES(2, ?, ?, ?)"
_EXTEND: Final = "UPDATE events SET endtime = endtime + 1000000 WHERE id = (SELECT max(id) FROM events)"
_FIRST_NS: Final = 1_767_225_600_000_000_000


class Recording:
    """Their server: a new event, then it continues for some heartbeats, each a transaction."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._is_over = threading.Event()
        self.commits = 0

    def stop(self) -> None:
        self._is_over.set()

    def run(self) -> None:
        db = apsw.Connection(str(self._database))
        db.set_busy_timeout(1000)
        while not self._is_over.is_set():
            if self.commits % 4 == 0:
                start = _FIRST_NS + self.commits * 1_000_000_000
                db.execute(_RECORD, (start, start + 1_000_000, f'{{"app":"Editor","title":"{self.commits}"}}'))
            else:
                db.execute(_EXTEND)
            self.commits += 1
        db.close()


@contextmanager
def recording(database: Path) -> Generator[Recording]:
    server = Recording(database)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.commits > 20)
        yield server
    finally:
        server.stop()
        thread.join()


def events_there(database: Path) -> int:
    db = apsw.Connection(str(database))
    count = int(db.execute("SELECT count(*) FROM events").get)
    db.close()
    return count


def test_what_is_proven_is_the_state_that_was_read_and_the_rest_comes_the_next_time(tmp_path: Path) -> None:
    database = small_copy_of(RUST, tmp_path)

    with recording(database) as server:
        first = migrated(database, home=tmp_path)
        commits = server.commits
        eventually(lambda: server.commits > commits + 20)
    second = migrated(database, home=tmp_path)

    assert FEW < total(first, "imported") < events_there(database)
    assert total(first, "imported") + total(second, "imported") == events_there(database)
    # The event that was being extended at that moment is not there twice, but as long as it has become.
    assert sum(len(bucket["events"]) for bucket in exported(tmp_path).values()) == events_there(database)


def test_reading_changes_no_byte_beside_a_running_server(tmp_path: Path) -> None:
    database = copy_of(RUST, tmp_path)
    server = apsw.Connection(str(database))
    server.execute(_EXTEND)
    before = contents(database.parent)
    assert set(before) == {"sqlite.db", "sqlite.db-wal", "sqlite.db-shm"}

    # In a process of its own: within one, SQLite shares what the server has open.
    done = run("import", "--dry-run", database, home=tmp_path)

    assert contents(database.parent) == before
    assert "4,198" in done.stdout
    server.close()


def test_what_a_crash_has_left_in_the_log_is_part_of_the_snapshot(tmp_path: Path) -> None:
    database = copy_of(RUST, tmp_path)
    server = apsw.Connection(str(database))
    server.execute(_RECORD, (_FIRST_NS, _FIRST_NS, "{}"))
    left = contents(database.parent)
    server.close()
    for name, content in left.items():
        (database.parent / name).write_bytes(content)

    copy = snapshot(database, tmp_path)

    assert contents(database.parent) == left
    assert events_there(copy) == EVENTS + 1


def test_a_database_without_a_log_is_copied_while_its_server_has_it_open(tmp_path: Path) -> None:
    database = copy_of(RUST, tmp_path)
    server = apsw.Connection(str(database))
    server.pragma("journal_mode", "DELETE")
    before = contents(database.parent)

    copy = snapshot(database, tmp_path)

    assert contents(database.parent) == before
    assert events_there(copy) == EVENTS
    server.close()
