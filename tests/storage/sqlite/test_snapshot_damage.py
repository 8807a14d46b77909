"""A snapshot that is not what was written, or not what its source was, is found out."""

from pathlib import Path

import apsw
import pytest

from dayline.storage.sqlite.backup.encryption import DamagedSnapshot
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, write_snapshot
from dayline.storage.sqlite.backup.snapshot import check_snapshot, take_snapshot
from tests.support.storage.snapshots import filled, packed


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("snapshot")
    filled(folder / "days.db", *(f"app {n}" for n in range(300)))
    packed(folder / "days.db", folder / "made.zst", work=folder)
    return folder / "made.zst"


def test_a_snapshot_as_it_was_written_is_good(snapshot: Path, tmp_path: Path) -> None:
    assert check_snapshot(snapshot, tmp_path / "plain.db").contents.events == 300


def test_a_flipped_bit_in_any_part_of_the_file_is_found(snapshot: Path, tmp_path: Path) -> None:
    good = snapshot.read_bytes()
    head = 8 + int.from_bytes(good[4:8], "little")
    # The frames of the manifest, of the database and of the checksum, each with its edges, and places all over them.
    edges = {0, 3, 4, 7, 8, head - 1, head, head + 4, head + 5, head + 6, head + 9, len(good) - 41, len(good) - 40}
    places = edges | {len(good) - 36, len(good) - 32, len(good) - 1} | set(range(0, len(good), len(good) // 60))
    undetected: list[int] = []
    for place in sorted(places):
        damaged = tmp_path / "damaged.zst"
        damaged.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        try:
            check_snapshot(damaged, tmp_path / f"plain-{place}.db")
            undetected.append(place)
        except DamagedSnapshot:
            pass
        (tmp_path / f"plain-{place}.db").unlink(missing_ok=True)

    assert undetected == []


@pytest.mark.parametrize("left", [0, 5, 200, -41, -40, -1])
def test_a_file_that_was_cut_off_is_found(snapshot: Path, tmp_path: Path, left: int) -> None:
    (tmp_path / "short.zst").write_bytes(snapshot.read_bytes()[:left])

    with pytest.raises(DamagedSnapshot):
        check_snapshot(tmp_path / "short.zst", tmp_path / "plain.db")


def test_a_file_with_something_behind_its_end_is_found(snapshot: Path, tmp_path: Path) -> None:
    (tmp_path / "long.zst").write_bytes(snapshot.read_bytes() + b"\0")

    with pytest.raises(DamagedSnapshot, match="checksum"):
        check_snapshot(tmp_path / "long.zst", tmp_path / "plain.db")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE event SET duration = duration + 1 WHERE id = 2", "bucket 'window'"),
        ("UPDATE event SET value = 3 - value WHERE id IN (1, 2)", "bucket 'window'"),
        ("DELETE FROM event WHERE id = 3", "bucket 'window'"),
        ("""UPDATE value SET json = '{"app":"other"}' WHERE key = 1""", "bucket 'window'"),
        ("UPDATE bucket SET hostname = 'another'", "differs from the source in bucket"),
        ("INSERT INTO setting(key, json) VALUES('a', '1')", "differs from the source in setting"),
        ("UPDATE meta SET value = value + 1 WHERE key = 'epoch'", "differs from the source in meta"),
    ],
)
def test_a_whole_file_that_differs_from_its_source_in_one_row_is_found(tmp_path: Path, change: str, named: str) -> None:
    # The comparison is with the source, not of the file with itself: here the copy was changed before it was packed.
    filled(tmp_path / "days.db", "editor", "mail", "editor")
    contents = take_snapshot(tmp_path / "days.db", tmp_path / "copy.db")
    db = apsw.Connection(str(tmp_path / "copy.db"))
    db.pragma("journal_mode", "DELETE")
    db.execute(change)
    db.close()
    size = (tmp_path / "copy.db").stat().st_size
    manifest = Manifest(format=FORMAT, made=0, stamp=(), size=size, contents=contents)
    write_snapshot(tmp_path / "copy.db", tmp_path / "made.zst", manifest)

    with pytest.raises(DamagedSnapshot, match=named):
        check_snapshot(tmp_path / "made.zst", tmp_path / "plain.db")
