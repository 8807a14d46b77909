"""A repair gives back every row on pages that are whole, and with a backup all of them."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from dayline.maintenance.repair import repair
from dayline.storage.sqlite.backup.restore import replace_database
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.repair.check_worker import check_file
from dayline.storage.sqlite.repair.finish import RepairOutcome
from dayline.storage.sqlite.repair.mark import mark_path, recovery_path
from tests.support.maintenance.backups import Clock, made, scheduler_of
from tests.support.storage.damaging import BUCKETS, contents, fill_well, pages_of, spoil

Contents = dict[str, dict[int, dict[str, Any]]]
CLOCK: Final = Clock()


class Filled:
    """A database, what is in it, and a backup of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "days.db"
        fill_well(self.path)
        self.contents = contents(self.path)
        self.events = sum(len(events) for events in self.contents.values())
        made(scheduler_of(self.path, CLOCK))

    def copy(self, folder: Path, *, with_backup: bool) -> Path:
        path = folder / "days.db"
        shutil.copyfile(self.path, path)
        if with_backup:
            shutil.copytree(self.path.with_name("days-backups"), path.with_name("days-backups"))
        return path


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    return Filled(tmp_path_factory.mktemp("filled"))


def repaired(path: Path) -> RepairOutcome:
    """Repair a file that is damaged, and assert that nothing is left of the damage but the damaged file."""
    before = path.read_bytes()
    folder = scheduler_of(path, CLOCK).folder
    outcome = repair(path, folder, finding="a page was spoiled", now=CLOCK.now, report=lambda text: None)
    assert Path(outcome.kept).read_bytes() == before
    assert not mark_path(path).exists()
    assert not list(path.parent.glob(f"{recovery_path(path).name}*"))
    assert check_file(path, is_full=True) == []
    assert check_derived(path) == []
    return outcome


def differing(before: Contents, after: Contents) -> set[int]:
    """The ids of events that are there and are not as they were."""
    return {
        event_id
        for bucket_id, events in after.items()
        for event_id, event in events.items()
        if before[bucket_id].get(event_id) != event
    }


@pytest.mark.parametrize(
    ("tree", "kind", "number", "with_backup"),
    [
        ("event", "leaf", 4, False),
        ("event", "leaf", 4, True),
        ("event", "internal", 0, False),
        ("event", "internal", 0, True),
        ("value", "internal", 0, False),
        ("bucket", "leaf", 0, False),
        ("bucket", "leaf", 0, True),
        pytest.param("event_id", "leaf", 2, False, marks=pytest.mark.long),
        pytest.param("bucket_id", "leaf", 0, False, marks=pytest.mark.long),
        pytest.param("month", "leaf", 0, False, marks=pytest.mark.long),
    ],
)
def test_every_row_on_whole_pages_is_there_again(
    filled: Filled, tmp_path: Path, tree: str, kind: str, number: int, with_backup: bool
) -> None:
    path = filled.copy(tmp_path, with_backup=with_backup)
    page = pages_of(path, tree, kind)[number]
    spoil(path, page.number)

    outcome = repaired(path)

    # Each cell of a page of events is one, on interior pages too.
    lost = page.cells if tree == "event" else 0
    after = contents(path)
    assert after.keys() == set(BUCKETS)
    assert differing(filled.contents, after) == set()
    assert sum(len(events) for events in after.values()) == filled.events - (0 if with_backup else lost)
    assert sum(each.saved for each in outcome.buckets) == filled.events - lost
    assert sum(each.filled for each in outcome.buckets) == (lost if with_backup else 0)
    assert sum(each.lost for each in outcome.buckets) == (0 if with_backup else lost)


def test_of_what_is_derived_from_rows_nothing_is_lost(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=False)
    spoil(path, *(pages_of(path, tree)[0].number for tree in ("event_id", "bucket_id", "month")))

    outcome = repaired(path)

    assert contents(path) == filled.contents
    assert [each.lost for each in outcome.buckets] == [0] * len(BUCKETS)


@pytest.mark.parametrize("with_zeroes", [True, pytest.param(False, marks=pytest.mark.long)])
def test_without_its_head_nothing_is_lost(filled: Filled, tmp_path: Path, with_zeroes: bool) -> None:
    path = filled.copy(tmp_path, with_backup=False)
    spoil(path, 1, with_zeroes=with_zeroes)

    outcome = repaired(path)

    assert contents(path) == filled.contents
    assert [each.lost for each in outcome.buckets] == [0] * len(BUCKETS)


@pytest.mark.parametrize("with_backup", [False, True])
def test_events_whose_data_are_lost_keep_their_time_and_get_the_data_from_the_backup(
    filled: Filled, tmp_path: Path, with_backup: bool
) -> None:
    path = filled.copy(tmp_path, with_backup=with_backup)
    page = pages_of(path, "value")[7]
    spoil(path, page.number)

    outcome = repaired(path)

    after = contents(path)
    without = sum(each.without_data for each in outcome.buckets)
    assert {key: set(events) for key, events in after.items()} == {
        key: set(events) for key, events in filled.contents.items()
    }
    if with_backup:
        assert (after, without) == (filled.contents, 0)
        return
    lost = differing(filled.contents, after)
    assert len(lost) == without > 0
    texts = {str(event["data"]) for events in after.values() for key, event in events.items() if key in lost}
    assert len(texts) == page.cells
    for bucket_id, events in after.items():
        for event_id in lost & events.keys():
            former = filled.contents[bucket_id][event_id]
            assert events[event_id]["timestamp"] == former["timestamp"]
            assert events[event_id]["duration"] == former["duration"]


def test_what_was_deleted_after_the_backup_does_not_come_back(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=True)
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("secure_delete", True)
        db.execute("DELETE FROM event WHERE bucket = 2 AND id % 10 = 0")  # of the web, which was made second
        gone = db.changes()
    spoil(path, pages_of(path, "event")[4].number)

    repaired(path)

    after = contents(path)
    assert gone > 100
    assert sum(len(events) for events in after.values()) == filled.events - gone
    assert not [event_id for event_id in after["web"] if event_id % 10 == 0]


def test_events_that_neither_the_table_nor_the_index_has_come_from_the_backup(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=True)
    spoil(path, pages_of(path, "event")[4].number, *(page.number for page in pages_of(path, "event_id")))

    repaired(path)

    assert contents(path) == filled.contents


def test_settings_and_their_history_come_along(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=False)
    spoil(path, 1)

    repaired(path)

    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        assert db.execute("SELECT key, json FROM setting").fetchall() == [("theme", '"dark"')]
        assert db.execute("SELECT count(*) FROM setting_history").get == 1


@pytest.mark.parametrize("with_backup", [False, True])
def test_events_of_buckets_that_nothing_is_known_of_are_kept(filled: Filled, tmp_path: Path, with_backup: bool) -> None:
    path = filled.copy(tmp_path, with_backup=with_backup)
    spoil(path, *(page.number for tree in ("bucket", "bucket_id") for page in pages_of(path, tree)))

    repaired(path)

    after = contents(path)
    if with_backup:
        assert after == filled.contents
    else:
        assert sorted(after) == ["recovered-1", "recovered-2", "recovered-3"]
        assert sorted(map(len, after.values())) == sorted(map(len, filled.contents.values()))


def test_keys_and_the_audit_log_are_copied(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=False)
    with closing(apsw.Connection(str(path))) as db:
        db.execute(
            "INSERT INTO access_key VALUES('k', 'phone', 'read', '[]', 1, NULL, NULL, x'00', x'01', NULL, 2, 'x')"
        )
        db.executemany(
            "INSERT INTO audit VALUES(?, ?, 'me', '', 'here', 'get_events', 'web', 200, 1, 2, 3)",
            [(number, number) for number in range(1, 300)],
        )
        keys, log = db.execute("SELECT * FROM access_key").fetchall(), db.execute("SELECT * FROM audit").fetchall()
    spoil(path, 1)

    repaired(path)

    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        assert db.execute("SELECT * FROM access_key").fetchall() == keys
        *earlier, last = db.execute("SELECT * FROM audit ORDER BY number").fetchall()
    assert earlier == log
    assert last[5] == "found_damage"


def test_a_file_that_is_cut_off_gives_what_is_left_of_it(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=True)
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size * 2 // 3)

    outcome = repaired(path)

    assert 0 < sum(each.saved for each in outcome.buckets) < filled.events
    assert contents(path) == filled.contents


def test_a_restore_keeps_what_was_recorded_beside_the_damaged_file(filled: Filled, tmp_path: Path) -> None:
    path = filled.copy(tmp_path, with_backup=True)
    spoil(path, 1)
    contents(path)  # marks it, and uses another file in its place
    folder = scheduler_of(path, CLOCK).folder

    _, kept = replace_database(path, folder.find(folder.all()[0].name), now=CLOCK.now)

    assert contents(path) == filled.contents
    assert kept is not None
    assert recovery_path(kept).exists()
    assert not mark_path(path).exists()
    assert not recovery_path(path).exists()
