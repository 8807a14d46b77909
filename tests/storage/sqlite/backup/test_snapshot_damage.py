"""A snapshot that is not what was written, or not what its source was, is found out."""

import struct
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import apsw
import msgspec
import pytest
import zstandard
from msgspec.structs import replace

from dayline.model.errors import Unavailable
from dayline.runtime.encrypted_file import PLAIN_MAGIC
from dayline.storage.sqlite.backup import encryption
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Passphrase
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, read_manifest, write_snapshot
from dayline.storage.sqlite.backup.snapshot import check_snapshot, take_snapshot
from tests.support.maintenance.backups import filled, packed


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


def forged(target: Path, manifest: Manifest, pages: bytes) -> None:
    """A snapshot with a right checksum and any manifest."""
    head = msgspec.json.encode(manifest)
    content = struct.pack("<II", 0x184D2A5D, len(head)) + head + zstandard.ZstdCompressor().compress(pages)
    digest = blake2b(content, digest_size=32).digest()
    target.write_bytes(content + struct.pack("<II", 0x184D2A5E, len(digest)) + digest)


# What the pages expanded to was in memory piece by piece: 128 KiB of a snapshot could be 4 GiB. The size in the header
# was compared when all of it was on the disk.
def test_a_snapshot_that_expands_to_more_than_its_header_declares_is_detected(snapshot: Path, tmp_path: Path) -> None:
    forged(tmp_path / "bomb.zst", replace(read_manifest(snapshot), size=1 << 20), PLAIN_MAGIC + bytes(256 << 20))

    program = (
        "import pathlib, sys\n"
        "from dayline.storage.sqlite.backup.encryption import DamagedSnapshot\n"
        "from dayline.storage.sqlite.backup.file_format import unpack_snapshot\n"
        "try: unpack_snapshot(*map(pathlib.Path, sys.argv[1:]))\n"
        "except DamagedSnapshot as error: print(error)\n"
        # Of this program alone: what the system reports as the peak of a process begins with that of its parent.
        "[peak] = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(int(peak.split()[1]) >> 10)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "bomb.zst"), str(tmp_path / "plain.db")]
    reason, peak_mib = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert reason == "it contains more than the 1,048,576 bytes that its header says"
    assert int(peak_mib) < 200
    assert (tmp_path / "plain.db").stat().st_size < 2 << 20


def test_a_snapshot_that_is_larger_than_the_disk_is_refused_before_it_is_unpacked(
    snapshot: Path, tmp_path: Path
) -> None:
    manifest = replace(read_manifest(snapshot), size=1 << 60)
    forged(tmp_path / "huge.zst", manifest, PLAIN_MAGIC)

    with pytest.raises(Unavailable, match="not enough disk space"):
        check_snapshot(tmp_path / "huge.zst", tmp_path / "plain.db")


# A snapshot that is not encrypted has only a checksum: anyone can make one, and the server would run what is in it.
@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TRIGGER odd AFTER INSERT ON event BEGIN DELETE FROM value; END", "trigger 'odd'"),
        ("CREATE VIEW odd AS SELECT 1", "view 'odd'"),
        ("CREATE INDEX odd ON value(length(json))", "index with an expression 'odd'"),
        ("CREATE UNIQUE INDEX odd ON bucket(id) WHERE deleted IS NOT NULL", "index with an expression 'odd'"),
        ("ALTER TABLE value ADD COLUMN odd TEXT AS (hex(zeroblob(499999999)))", "generated column 'value.odd'"),
    ],
)
def test_a_snapshot_whose_database_runs_something_is_refused(tmp_path: Path, statement: str, named: str) -> None:
    filled(tmp_path / "days.db", "editor")
    contents = take_snapshot(tmp_path / "days.db", tmp_path / "copy.db")
    db = apsw.Connection(str(tmp_path / "copy.db"))
    db.pragma("journal_mode", "DELETE")
    db.execute(statement)
    db.close()
    manifest = Manifest(format=FORMAT, made=0, stamp=(), size=(tmp_path / "copy.db").stat().st_size, contents=contents)
    write_snapshot(tmp_path / "copy.db", tmp_path / "made.zst", manifest)

    with pytest.raises(DamagedSnapshot, match=named):
        check_snapshot(tmp_path / "made.zst", tmp_path / "plain.db")


def test_a_passphrase_that_takes_gigabytes_is_refused(
    snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = Passphrase(text="three words")
    monkeypatch.setattr(encryption, "_SCRYPT_R", 16)
    monkeypatch.setattr(encryption, "_SCRYPT_N", 1 << 20)
    head = tmp_path / "head.enc"
    with monkeypatch.context() as made, head.open("wb") as file:
        made.setattr(encryption, "_master", _no_derivation)
        encryption.Encrypting(file, secret, made=0, source="x").finish()
    monkeypatch.undo()

    with pytest.raises(DamagedSnapshot, match="more than 256 MiB of memory"):
        check_snapshot(head, tmp_path / "plain.db", secret=secret)


def _no_derivation(*_: object) -> bytes:
    return bytes(32)
