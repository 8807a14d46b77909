"""A database is encrypted and decrypted in one step: killed at any file operation, it is whole, before or after."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from dayline.config.data_folder import DataFile, data_file, make_own_folder
from dayline.model.errors import StoreLocked, StoreUnusable
from dayline.runtime.encrypted_file import FileKind, kind_of
from dayline.runtime.encryption import converting
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.transfer.convert import decrypt_database, encrypt_database
from tests.support.storage import damaging
from tests.support.storage.damaging import fill_well, pages_of, spoil
from tests.support.storage.encrypting import KEY, encrypting

# Kills the process before the n-th operation that changes a file or a folder.
KILLED: Final = """
import os, pathlib, signal, sys
from dayline.runtime.encryption import DatabaseKey, set_key
from dayline.storage.sqlite.transfer.convert import decrypt_database, encrypt_database
what, database, left = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
key = DatabaseKey(bytes(range(32)))
set_key(key)

def note(event, arguments):
    global left
    changes = event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "shutil.rmtree")
    if changes or (event == "open" and arguments[1] not in ("r", "rb", None)):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(note)
encrypt_database(database, key) if what == "encrypt" else decrypt_database(database)
"""


def contents(path: Path) -> dict[str, Any]:
    """The contents of a file, although this process has a key and the file may be plain."""
    with converting():
        return damaging.contents(path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "days.db"
    fill_well(path)
    return path


@pytest.fixture(scope="module")
def encrypted(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("encrypted") / "days.db"
    shutil.copyfile(plain, path)
    with encrypting():
        encrypt_database(path, KEY)
    return path


@pytest.fixture(autouse=True)
def with_key() -> Iterator[None]:
    with encrypting():
        yield


def test_an_encrypted_database_has_the_same_contents(plain: Path, encrypted: Path) -> None:
    assert (kind_of(plain), kind_of(encrypted)) == (FileKind.PLAIN, FileKind.ENCRYPTED)
    assert contents(encrypted) == contents(plain)


def test_a_decrypted_database_has_the_same_contents_and_can_be_encrypted_again(
    plain: Path, encrypted: Path, tmp_path: Path
) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(encrypted, path)

    decrypt_database(path)
    assert kind_of(path) is FileKind.PLAIN
    assert contents(path) == contents(plain)

    encrypt_database(path, KEY)
    assert kind_of(path) is FileKind.ENCRYPTED
    assert contents(path) == contents(plain)


def test_tables_keep_their_root_pages_by_which_a_repair_knows_them(plain: Path, encrypted: Path) -> None:
    def roots(path: Path) -> list[tuple[object, ...]]:
        with converting(), closing(connect(path, READ_ONLY)) as db:
            return [tuple(row) for row in db.execute("SELECT name, rootpage FROM sqlite_schema ORDER BY rootpage")]

    assert roots(encrypted) == roots(plain)


def test_what_is_only_in_the_log_is_converted_too(tmp_path: Path, plain: Path) -> None:
    path = tmp_path / "days.db"
    for suffix in ("", "-wal"):
        source = plain.with_name(f"{plain.name}{suffix}")
        if source.exists():
            shutil.copyfile(source, path.with_name(f"{path.name}{suffix}"))
    left_with_a_log(path)
    before = path.with_name("days.db-wal").stat().st_size

    encrypt_database(path, KEY)

    assert before > 0
    assert contents(path).keys() == {*contents(plain), "in the log"}


def left_with_a_log(path: Path) -> None:
    """Add a bucket, as a process leaves it that was killed."""
    script = f"""
import os, pathlib
from dayline.storage.sqlite.file.connection import open_writer
db = open_writer(pathlib.Path({str(path)!r}))
db.execute("INSERT INTO bucket(id, type, client, hostname, created, data) VALUES('in the log', '', '', '', 0, '{{}}')")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_a_database_that_a_server_uses_is_not_converted(tmp_path: Path, plain: Path) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(plain, path)
    lock = FileLock(path)
    try:
        with pytest.raises(StoreLocked):
            encrypt_database(path, KEY)
    finally:
        lock.close()
    assert kind_of(path) is FileKind.PLAIN


@pytest.mark.parametrize("tree", ["bucket", "event", "value"])
def test_a_damaged_database_is_not_converted(tmp_path: Path, plain: Path, tree: str) -> None:
    path = tmp_path / "days.db"
    shutil.copyfile(plain, path)
    with converting():
        spoil(path, pages_of(plain, tree)[0].number)
    damaged = path.read_bytes()

    with pytest.raises(StoreUnusable):
        encrypt_database(path, KEY)

    assert path.read_bytes() == damaged


@pytest.mark.parametrize("name", ["days.db", "days[1].db"])
def test_derived_data_and_plans_of_redactions_do_not_stay_plain(tmp_path: Path, plain: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copyfile(plain, path)
    make_own_folder(path)
    derived_path(path).write_bytes(plain.read_bytes())
    plan = data_file(path, DataFile.REDACTION, "1")
    shutil.copyfile(plain, plan)

    encrypt_database(path, KEY)

    assert not derived_path(path).exists()
    assert kind_of(plan) is FileKind.ENCRYPTED


@pytest.mark.parametrize("what", ["encrypt", pytest.param("decrypt", marks=pytest.mark.long)])
def test_killed_at_any_file_operation_the_database_is_whole(
    what: str, plain: Path, encrypted: Path, tmp_path: Path
) -> None:
    expected = contents(plain)
    kinds = [FileKind.PLAIN, FileKind.ENCRYPTED] if what == "encrypt" else [FileKind.ENCRYPTED, FileKind.PLAIN]
    seen: list[FileKind] = []
    status, step = -signal.SIGKILL, 0
    while status == -signal.SIGKILL:
        path = tmp_path / str(step) / "days.db"
        path.parent.mkdir()
        shutil.copyfile(plain if what == "encrypt" else encrypted, path)
        command = [sys.executable, "-c", KILLED, what, str(path), str(step)]
        status = subprocess.run(command, timeout=120, check=False).returncode
        seen.append(kind_of(path))
        assert contents(path) == expected, f"killed at step {step}"
        assert not list(path.parent.glob("*.d/scratch-*")), "the next start removes what a kill left"
        shutil.rmtree(path.parent)
        step += 1

    assert status == os.EX_OK
    assert sorted(seen, key=kinds.index) == seen  # the old one up to a step, the new one from then on
    assert set(seen) == set(kinds)
