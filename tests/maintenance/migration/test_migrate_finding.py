"""Databases are found where the existing servers keep them; what is nothing of theirs is refused with a reason."""

from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest

from tests.support.maintenance.migrating import PYTHON, RUST, SAMPLES, copy_of, run, small_copy_of


def usual_places(home: Path, copy: Callable[[Path, Path], Path] = copy_of) -> None:
    data, config = home / ".local/share/activitywatch", home / ".config/activitywatch/aw-server"
    copy(RUST, data)
    copy(PYTHON, data)
    config.mkdir(parents=True)
    (data / "aw-server" / "settings.json").rename(config / "settings.json")


def test_a_dry_run_shows_what_is_in_the_usual_places_and_changes_nothing(tmp_path: Path) -> None:
    usual_places(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    done = run("import", "--dry-run", "--json", home=tmp_path)

    assert done.returncode == 0, done.stderr
    said = msgspec.json.decode(done.stdout)
    assert [(found["kind"], found["settings"]) for found in said["found"]] == [
        ("Python server", ["classes", "startOfDay"]),
        ("Rust server", ["classes", "startOfDay"]),
    ]
    assert said["found"][0]["buckets"][0] == {
        "bucket": "aw-watcher-window_host",
        "events": 4198,
        "start": "2025-01-01T08:38:00Z",
        "end": "2025-01-02T19:41:42.939Z",
        "left_out": {},
    }
    assert said["migrated"] == []
    assert sorted(tmp_path.rglob("*")) == before


def test_without_a_path_both_are_migrated(tmp_path: Path) -> None:
    usual_places(tmp_path, small_copy_of)

    done = run("import", home=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" equal\n") == 6


def test_no_database_in_the_usual_places_is_reported(tmp_path: Path) -> None:
    done = run("import", home=tmp_path)

    assert done.returncode == 66
    assert "found no ActivityWatch data on this computer" in done.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a shopping list", "is neither a database, a JSON export nor an archive"),
        (b"", "is neither a database, a JSON export nor an archive"),
        (b'{"buckets": {"a": ', "unexpected end of the document"),
        (b'{"events": []}', "no key 'buckets'"),
        (b"SQLite format 3\0" + bytes(200), "as a database"),
    ],
)
def test_a_file_that_is_nothing_of_theirs_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)

    done = run("import", file, "--proof", home=tmp_path)

    assert done.returncode == 65
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "days.db").exists()


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "other.db"))
    db.execute("CREATE TABLE recipe(name)")
    db.close()

    done = run("import", tmp_path / "other.db", home=tmp_path)

    assert done.returncode == 65
    assert "is not the database of an ActivityWatch server" in done.stderr


def test_a_database_cut_short_is_refused(tmp_path: Path) -> None:
    content = (SAMPLES / PYTHON).read_bytes()
    (tmp_path / "short.db").write_bytes(content[: len(content) // 3])

    done = run("import", tmp_path / "short.db", home=tmp_path)

    assert done.returncode == 65
    assert "as a database" in done.stderr


def test_a_database_with_damaged_pages_is_refused_before_anything_is_copied(tmp_path: Path) -> None:
    content = bytearray((SAMPLES / PYTHON).read_bytes())
    content[40 * 4096 : 120 * 4096] = bytes(80 * 4096)
    (tmp_path / "damaged.db").write_bytes(content)

    done = run("import", tmp_path / "damaged.db", home=tmp_path)

    assert done.returncode == 65
    assert "is damaged" in done.stderr
    assert not (tmp_path / "days.db").exists()


def test_a_path_without_a_file_is_reported(tmp_path: Path) -> None:
    done = run("import", tmp_path / "nothing.db", home=tmp_path)

    assert done.returncode == 66
    assert "no such file" in done.stderr
