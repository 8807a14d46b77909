"""An encrypted snapshot: only its key opens it, nothing of it can be read without, and no byte of it can be changed."""

import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.model.errors import Invalid
from dayline.storage.sqlite.backup.encryption import (
    MAGIC,
    DamagedSnapshot,
    EncryptedHead,
    KeyFile,
    Passphrase,
    PassphraseFile,
    Secret,
    make_key_file,
)
from dayline.storage.sqlite.backup.file_format import read_head, read_manifest
from dayline.storage.sqlite.backup.snapshot import check_snapshot
from tests.support.maintenance.backups import events_in, filled, packed

EVENTS: Final = 300
CHUNK: Final = (1 << 16) + 16
PASSPHRASE: Final = Passphrase(text="correct horse battery staple")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose snapshot takes several chunks, and a key."""
    folder, chance = tmp_path_factory.mktemp("encrypted"), random.Random(6)
    filled(folder / "days.db", *(f"secret {chance.randbytes(500).hex()}" for _ in range(EVENTS)))
    make_key_file(folder / "key")
    return folder


@pytest.fixture(scope="module")
def secret(folder: Path) -> KeyFile:
    return KeyFile(path=str(folder / "key"))


@pytest.fixture(scope="module")
def snapshot(folder: Path, secret: KeyFile) -> Path:
    packed(folder / "days.db", folder / "made.enc", work=folder, secret=secret)
    return folder / "made.enc"


@pytest.fixture(scope="module")
def with_passphrase(folder: Path) -> Path:
    packed(folder / "days.db", folder / "passphrase.enc", work=folder, secret=PASSPHRASE)
    return folder / "passphrase.enc"


def head_bytes(content: bytes) -> int:
    return 20 + int.from_bytes(content[16:20], "little") + 32


def chunks_of(content: bytes) -> list[bytes]:
    start = head_bytes(content)
    return [content[place : place + CHUNK] for place in range(start, len(content), CHUNK)]


def test_the_key_opens_it(snapshot: Path, secret: KeyFile, folder: Path, tmp_path: Path) -> None:
    assert check_snapshot(snapshot, tmp_path / "then.db", secret=secret).contents.events == EVENTS

    assert events_in(tmp_path / "then.db") == events_in(folder / "days.db")


def test_the_passphrase_opens_it_from_a_file_too(with_passphrase: Path, tmp_path: Path) -> None:
    (tmp_path / "passphrase").write_text(f"{PASSPHRASE.text}\n")

    check_snapshot(with_passphrase, tmp_path / "one.db", secret=PASSPHRASE)
    check_snapshot(with_passphrase, tmp_path / "two.db", secret=PassphraseFile(path=str(tmp_path / "passphrase")))


def test_its_head_can_be_read_with_the_key_alone(snapshot: Path, secret: KeyFile) -> None:
    assert read_manifest(snapshot, secret=secret).contents.events == EVENTS
    with pytest.raises(Invalid, match="no key is configured"):
        read_manifest(snapshot)


def test_nothing_can_be_read_but_when_and_how_it_was_encrypted(with_passphrase: Path) -> None:
    content = with_passphrase.read_bytes()
    head = msgspec.json.decode(content[20 : head_bytes(content) - 32], type=dict[str, object])

    assert head.keys() == {"format", "made", "source", "kdf", "salt", "check", "chunk"}
    for text in (b"secret", b"window", b"contents", b"SQLite", b"\x28\xb5\x2f\xfd"):
        assert text not in content
    assert isinstance(read_head(with_passphrase), EncryptedHead)


def test_two_of_the_same_database_have_nothing_in_common(folder: Path, snapshot: Path, secret: KeyFile) -> None:
    packed(folder / "days.db", folder / "again.enc", work=folder, secret=secret)

    assert not set(chunks_of(snapshot.read_bytes())) & set(chunks_of((folder / "again.enc").read_bytes()))


def another_key(folder: Path) -> Secret:
    make_key_file(folder / "other")
    return KeyFile(path=str(folder / "other"))


OTHERS: Final[dict[str, Callable[[Path], Secret | None]]] = {
    "encrypted with a different key": another_key,
    "no key is configured": lambda _: None,
    "with a key file, not a passphrase": lambda _: PASSPHRASE,
    "cannot read the backup key": lambda folder: KeyFile(path=str(folder / "none")),
    "does not contain a key": lambda _: KeyFile(path=__file__),
}


@pytest.mark.parametrize(("reason", "make"), OTHERS.items())
def test_another_key_is_refused_with_the_reason(
    snapshot: Path, tmp_path: Path, make: Callable[[Path], Secret | None], reason: str
) -> None:
    with pytest.raises(Invalid, match=reason):
        check_snapshot(snapshot, tmp_path / "then.db", secret=make(tmp_path))


@pytest.mark.parametrize("text", ["correct horse battery stapl", "Correct horse battery staple", ""])
def test_another_passphrase_is_refused(with_passphrase: Path, tmp_path: Path, text: str) -> None:
    with pytest.raises(Invalid, match=r"a different key|is empty"):
        check_snapshot(with_passphrase, tmp_path / "then.db", secret=Passphrase(text=text))


def test_a_key_does_not_open_what_a_passphrase_closed(with_passphrase: Path, secret: KeyFile, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="with a passphrase, not a key file"):
        check_snapshot(with_passphrase, tmp_path / "then.db", secret=secret)


def test_a_flipped_bit_in_any_part_of_the_file_is_found(snapshot: Path, secret: KeyFile, tmp_path: Path) -> None:
    good = snapshot.read_bytes()
    head = head_bytes(good)
    # Every byte of the head; the edges of every chunk; and places all over.
    edges = {place + near for place in range(head, len(good), CHUNK) for near in (-1, 0, CHUNK - 17)}
    places = set(range(head)) | edges | {len(good) - 1} | set(range(0, len(good), len(good) // 40))
    undetected: list[int] = []
    for place in sorted(place for place in places if place < len(good)):
        (tmp_path / "damaged").write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        try:
            check_snapshot(tmp_path / "damaged", tmp_path / "then.db", secret=secret)
            undetected.append(place)
        except DamagedSnapshot:
            pass
        (tmp_path / "then.db").unlink(missing_ok=True)

    assert undetected == []


CHANGES: Final[dict[str, Callable[[list[bytes]], list[bytes]]]] = {
    "swapped": lambda chunks: [chunks[1], chunks[0], *chunks[2:]],
    "repeated": lambda chunks: [chunks[0], chunks[0], *chunks[2:]],
    "left out": lambda chunks: [chunks[0], *chunks[2:]],
    "last cut": lambda chunks: chunks[:-1],
    "all but one cut": lambda chunks: chunks[:1],
    "last twice": lambda chunks: [*chunks, chunks[-1]],
    "byte cut": lambda chunks: [*chunks[:-1], chunks[-1][:-1]],
    "tag cut": lambda chunks: [*chunks[:-1], chunks[-1][:10]],
    "none": lambda _: [],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_chunks_that_are_moved_or_missing_are_found(
    snapshot: Path, secret: KeyFile, tmp_path: Path, change: Callable[[list[bytes]], list[bytes]]
) -> None:
    content = snapshot.read_bytes()
    chunks = chunks_of(content)
    assert len(chunks) > 2
    (tmp_path / "changed").write_bytes(content[: head_bytes(content)] + b"".join(change(chunks)))

    with pytest.raises(DamagedSnapshot):
        check_snapshot(tmp_path / "changed", tmp_path / "then.db", secret=secret)


@pytest.mark.parametrize("left", [0, 5, 17, 100])
def test_a_head_that_is_cut_off_is_found(snapshot: Path, secret: KeyFile, tmp_path: Path, left: int) -> None:
    (tmp_path / "short").write_bytes(snapshot.read_bytes()[:left])

    with pytest.raises(DamagedSnapshot):
        check_snapshot(tmp_path / "short", tmp_path / "then.db", secret=secret)


def test_a_head_that_asks_for_all_memory_is_refused(with_passphrase: Path, tmp_path: Path) -> None:
    content = with_passphrase.read_bytes()
    text = content[20 : head_bytes(content) - 32].replace(b'"n":65536', b'"n":1099511627776')
    start = MAGIC + len(text).to_bytes(4, "little") + text
    (tmp_path / "forged").write_bytes(start + sha256(start).digest() + content[head_bytes(content) :])

    with pytest.raises(DamagedSnapshot, match="cannot be read"):
        check_snapshot(tmp_path / "forged", tmp_path / "then.db", secret=PASSPHRASE)


def test_a_key_file_is_for_its_owner_alone_and_never_overwritten(tmp_path: Path) -> None:
    make_key_file(tmp_path / "key")
    before = (tmp_path / "key").read_text()

    with pytest.raises(Invalid, match="already exists"):
        make_key_file(tmp_path / "key")

    assert (tmp_path / "key").read_text() == before
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_a_passphrase_does_not_stand_in_a_log() -> None:
    assert PASSPHRASE.text not in repr(PASSPHRASE)
