"""A snapshot in the place of a database: the same events, another epoch, and nothing lost of what was there."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dayline.model.errors import Invalid, StoreLocked, Unavailable
from dayline.storage.sqlite.backup.restore import replace_database, write_restored
from dayline.storage.sqlite.backup.snapshot import open_unchanging
from dayline.storage.sqlite.derived.file import epoch_of
from dayline.storage.sqlite.file.lock import FileLock
from tests.support.maintenance.backups import events_in, filled, packed


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database to which something was added since the snapshot beside it."""
    database = tmp_path / "days.db"
    filled(database, "editor", "mail")
    packed(database, tmp_path / "made.zst", work=tmp_path)
    (tmp_path / "copy.db").unlink()
    filled(database, "game")
    return database


def epoch(path: Path) -> int:
    with closing(open_unchanging(path)) as db:
        return epoch_of(db)


def test_the_events_are_back_with_their_ids_and_the_old_ones_are_kept(database: Path) -> None:
    old = events_in(database)

    _, kept = replace_database(database, database.with_name("made.zst"), now=0)

    assert kept is not None
    assert kept.name == "days.db.before-restore-19700101T000000Z"
    assert events_in(database) == old[:2]
    assert events_in(kept) == old


def test_a_restored_database_has_another_epoch_than_the_one_it_replaces(database: Path) -> None:
    before = epoch(database)

    replace_database(database, database.with_name("made.zst"), now=0)

    assert epoch(database) != before


def test_a_restored_database_can_be_written(database: Path) -> None:
    replace_database(database, database.with_name("made.zst"), now=0)

    filled(database, "browser")

    assert [event["data"]["app"] for event in events_in(database)] == ["editor", "mail", "browser"]


def test_changes_that_stand_in_the_log_of_the_old_one_are_kept_with_it_and_not_applied(database: Path) -> None:
    crashed = apsw.Connection(str(database))
    crashed.pragma("wal_autocheckpoint", 0)
    crashed.execute("INSERT INTO setting(key, json) VALUES('late', '1')")
    log = database.with_name("days.db-wal").read_bytes()
    content = database.read_bytes()
    crashed.close()
    database.write_bytes(content)
    database.with_name("days.db-wal").write_bytes(log)

    _, kept = replace_database(database, database.with_name("made.zst"), now=0)

    assert kept is not None
    assert settings(kept) == ["late"]
    assert settings(database) == []


def test_restoring_twice_keeps_both(database: Path) -> None:
    _, first = replace_database(database, database.with_name("made.zst"), now=0)
    _, second = replace_database(database, database.with_name("made.zst"), now=0)

    assert first is not None
    assert second is not None
    assert len(events_in(first)) == 3
    assert len(events_in(second)) == 2


def test_a_database_that_is_gone_is_made_again(database: Path) -> None:
    old = events_in(database)
    database.unlink()

    _, kept = replace_database(database, database.with_name("made.zst"), now=0)

    assert kept is None
    assert events_in(database) == old[:2]


def test_a_database_that_cannot_be_read_is_kept_as_it_is(database: Path) -> None:
    database.write_bytes(b"no database at all" * 1000)
    database.with_name("days.db-wal").write_bytes(b"no log")

    _, kept = replace_database(database, database.with_name("made.zst"), now=0)

    assert kept is not None
    assert kept.read_bytes() == b"no database at all" * 1000
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"no log"
    assert len(events_in(database)) == 2


def test_a_database_in_use_is_left_alone(database: Path) -> None:
    before = database.read_bytes()

    with closing(FileLock(database)), pytest.raises(StoreLocked):
        replace_database(database, database.with_name("made.zst"), now=0)

    assert database.read_bytes() == before


def test_a_damaged_snapshot_changes_nothing(database: Path) -> None:
    before, names = database.read_bytes(), {path.name for path in database.parent.iterdir()}
    snapshot = database.with_name("made.zst")
    snapshot.write_bytes(snapshot.read_bytes()[:-1])

    with pytest.raises(Invalid, match=r"made\.zst is damaged"):
        replace_database(database, snapshot, now=0)

    assert database.read_bytes() == before
    assert {path.name for path in database.parent.iterdir()} == names


def test_a_database_that_cannot_be_backed_up_before_is_left_alone(database: Path) -> None:
    before, names = database.read_bytes(), {path.name for path in database.parent.iterdir()}

    def refuse(_: Path) -> None:
        raise Unavailable("there is no space")

    with pytest.raises(Unavailable, match="no space"):
        replace_database(database, database.with_name("made.zst"), now=0, before=refuse)

    assert database.read_bytes() == before
    assert {path.name for path in database.parent.iterdir()} == names


def test_another_file_gets_the_events_and_the_database_is_left_alone(database: Path) -> None:
    before = database.read_bytes()

    write_restored(database.with_name("made.zst"), database.with_name("then.db"))

    assert len(events_in(database.with_name("then.db"))) == 2
    assert epoch(database.with_name("then.db")) != epoch(database)
    assert database.read_bytes() == before


def test_a_file_that_exists_is_not_overwritten(database: Path) -> None:
    with pytest.raises(Invalid, match="already exists"):
        write_restored(database.with_name("made.zst"), database)


def settings(path: Path) -> list[str]:
    with closing(apsw.Connection(str(path))) as db:
        return [str(key) for (key,) in db.execute("SELECT key FROM setting").fetchall()]
