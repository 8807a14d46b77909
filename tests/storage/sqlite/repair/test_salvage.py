"""Reading a file without SQLite gives exactly its rows: with a log, with long values, after deletions."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.columns.hashes import hash_of
from dayline.storage.sqlite.repair.pages import Pages
from dayline.storage.sqlite.repair.salvage import Salvage, known_trees
from dayline.storage.sqlite.upgrade import open_current
from tests.support.storage.damaging import PAGE, fill_well, pages_of, spoil

TABLES: Final = sorted(tree.name for tree in known_trees().values() if tree.is_table)


def salvaged(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with Pages(path) as pages:
        found: dict[str, list[tuple[object, ...]]] = {}
        for tree, rows in Salvage(pages).rows(TABLES):
            found.setdefault(tree.name, []).extend(rows)
    return found


def rows_by_sqlite(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(connect(path, READ_ONLY)) as db:
        found = {name: [tuple(row) for row in db.execute(f"SELECT * FROM {name}")] for name in TABLES}
    return {name: rows for name, rows in found.items() if rows}


def assert_same_rows(path: Path) -> None:
    found, expected = salvaged(path), rows_by_sqlite(path)
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        assert sorted(found[name], key=repr) == sorted(rows, key=repr), name


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "days.db"
    fill_well(path)
    return path


def test_every_row_of_an_undamaged_file_is_found_once(filled: Path) -> None:
    assert_same_rows(filled)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("value"), st.integers(0, 40), st.integers(0, 20_000)),
        st.tuples(st.just("events"), st.integers(-(2**52), 2**52), st.integers(1, 300)),
        st.tuples(st.just("forget"), st.integers(0, 300), st.integers(1, 50)),
        st.tuples(st.just("setting"), st.integers(0, 30), st.integers(0, 9000)),
        st.tuples(st.just("checkpoint"), st.just(0), st.just(0)),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whatever_was_written_is_found_with_the_log_laid_over_it(
    tmp_path: Path, steps: list[tuple[str, int, int]]
) -> None:
    for leftover in tmp_path.glob("*"):
        leftover.unlink()
    path, copy = tmp_path / "days.db", tmp_path / "copy.db"
    db = open_current(path)
    try:
        for number, step in enumerate(steps):
            _take(db, number, *step)
        for suffix in ("", "-wal"):  # as a power cut would leave them
            shutil.copyfile(path.with_name(f"{path.name}{suffix}"), copy.with_name(f"{copy.name}{suffix}"))
    finally:
        db.close()

    assert_same_rows(copy)


def _take(db: apsw.Connection, number: int, kind: str, one: int, other: int) -> None:
    match kind:
        case "value":
            text = '{"a":"' + "x" * other + '"}'
            db.execute("INSERT OR IGNORE INTO value VALUES(?, 1, ?, ?)", (one + 1, hash_of(text.encode()), text))
        case "events":
            rows = [(1 + n % 3, one // 2 + n, number * 1000 + n + 1, n * 1000, 1 + n % 40) for n in range(other)]
            with db:
                db.executemany(
                    "INSERT OR IGNORE INTO event VALUES(?, ?, ?, ?, ?)",
                    [row for row in rows if -1_767_225_600_000_000 <= row[1] < 7_000_000_000_000_000],
                )
        case "forget":
            db.execute("DELETE FROM event WHERE id % ? = 0", (other,))
            db.execute("DELETE FROM value WHERE key = ?", (one,))
        case "setting":
            db.execute("INSERT OR REPLACE INTO setting VALUES(?, ?)", (f"key {one}", '"' + "y" * other + '"'))
        case _:
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)


@pytest.mark.parametrize("place", [40, 5000, -1, -PAGE - 100])
def test_a_log_counts_up_to_the_last_whole_commit(tmp_path: Path, place: int) -> None:
    path, copy = tmp_path / "days.db", tmp_path / "copy.db"
    with closing(open_current(path)) as db:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        for number in range(40):
            db.execute("INSERT INTO setting VALUES(?, '1')", (f"key {number}",))
        for suffix in ("", "-wal"):
            shutil.copyfile(path.with_name(f"{path.name}{suffix}"), copy.with_name(f"{copy.name}{suffix}"))
    log = copy.with_name("copy.db-wal")
    content = bytearray(log.read_bytes())
    content[place] ^= 1
    log.write_bytes(content)

    found = len(salvaged(copy).get("setting", []))

    with closing(connect(copy)) as db:
        assert found == db.execute("SELECT count(*) FROM setting").get
    assert found < 40


@pytest.mark.parametrize("tree", ["event", "value"])
@pytest.mark.parametrize("with_zeroes", [True, False])
def test_a_page_that_is_destroyed_takes_its_own_rows_and_no_others(
    filled: Path, tmp_path: Path, tree: str, with_zeroes: bool
) -> None:
    path = tmp_path / "days.db"
    expected = rows_by_sqlite(filled)
    for kind, page in [("leaf", pages_of(filled, tree)[5]), ("internal", pages_of(filled, tree, "internal")[0])]:
        shutil.copyfile(filled, path)
        spoil(path, page.number, with_zeroes=with_zeroes)

        found = salvaged(path)

        # An interior page of a table with row numbers has no rows; of one without, each of its cells is one.
        lost = page.cells if kind == "leaf" or tree == "event" else 0
        assert len(found[tree]) == len(expected[tree]) - lost
        assert set(found[tree]) <= set(expected[tree])
        assert {name: len(rows) for name, rows in found.items() if name != tree} == {
            name: len(rows) for name, rows in expected.items() if name != tree
        }


def test_the_first_pages_can_be_lost_without_any_row(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(filled, path)
    schema = [page.number for page in pages_of(filled, "sqlite_schema")]
    spoil(path, 1, 2, *schema)  # the head, the first map of pages, and the schema

    assert {name: len(rows) for name, rows in salvaged(path).items() if name in ("event", "value", "bucket")} == {
        name: len(rows) for name, rows in rows_by_sqlite(filled).items() if name in ("event", "value", "bucket")
    }


def test_what_is_torn_gives_the_rows_that_are_left_on_it(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(filled, path)
    page = pages_of(filled, "event")[3]
    with path.open("rb+") as file:
        file.seek(page.number * PAGE - 512)
        file.write(bytes(512))

    found, expected = salvaged(path)["event"], rows_by_sqlite(filled)["event"]

    assert set(found) < set(expected)
    assert len(expected) - page.cells < len(found) < len(expected)
