"""Encrypted archives: everything is in them for the holder of the key, and nothing for anyone else."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import Invalid, NotFound
from dayline.storage.sqlite.backup.encryption import make_key_file
from tests.support.maintenance.backups import events_in, filled
from tests.support.maintenance.documents import archived


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", *(f"title {number}" for number in range(200)))
    return tmp_path / "days.db"


@pytest.fixture
def key(tmp_path: Path) -> str:
    make_key_file(tmp_path / "key")
    return str(tmp_path / "key")


@pytest.fixture
def archive(database: Path, key: str, tmp_path: Path) -> Path:
    file = tmp_path / "days.jsonl.zst.enc"
    assert run("create", file, "--database", str(database), "--key-file", key).exit_code == 0
    return file


def run(name: str, file: Path, *flags: str) -> Result:
    words = {
        "create": ["export", "--format", "archive", "--output"],
        "restore": ["import"],
        "verify": ["import", "--dry-run"],
    }
    return CliRunner().invoke(commands, [*words[name], str(file), *flags])


def error_of(result: Result) -> Invalid:
    assert isinstance(result.exception, Invalid)
    return result.exception


@pytest.mark.parametrize("option", ["--key-file", "--passphrase-file"])
def test_it_is_verified_and_restored_with_its_key(database: Path, tmp_path: Path, key: str, option: str) -> None:
    file, new = tmp_path / "days.enc", tmp_path / "new" / "days.db"

    made = run("create", file, "--database", str(database), option, key)
    verified = run("verify", file, option, key)
    restored = run("restore", file, "--database", str(new), option, key)

    assert [result.exit_code for result in (made, verified, restored)] == [0, 0, 0]
    assert made.stdout == verified.stdout == restored.stdout
    assert events_in(new) == events_in(database)


def test_it_is_not_a_compressed_file_and_never_twice_the_same(database: Path, archive: Path, key: str) -> None:
    plain, again = archive.with_name("plain"), archive.with_name("again")
    archived(database, plain)
    run("create", again, "--database", str(database), "--key-file", key)

    assert plain.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert b"\x28\xb5\x2f\xfd" not in archive.read_bytes()
    assert archive.read_bytes()[-64:] != again.read_bytes()[-64:]


@pytest.mark.parametrize("name", ["verify", "restore"])
def test_without_its_key_it_is_refused_and_nothing_is_made(archive: Path, tmp_path: Path, name: str) -> None:
    make_key_file(tmp_path / "other")
    new = tmp_path / "new.db"
    place = () if name == "verify" else ("--database", str(new))

    missing = error_of(run(name, archive, *place))
    wrong = error_of(run(name, archive, *place, "--key-file", str(tmp_path / "other")))

    assert "it is encrypted, and no key is configured" in missing.message
    assert "--key-file" in (missing.hint or "")
    assert "encrypted with a different key" in wrong.message
    assert not new.exists()


@pytest.mark.parametrize("position", [16, 40, 200, -1])
def test_a_changed_byte_is_detected(archive: Path, key: str, position: int) -> None:
    content = bytearray(archive.read_bytes())
    content[position] ^= 1
    archive.write_bytes(content)

    assert error_of(run("verify", archive, "--key-file", key)).message.startswith(f"{archive.name}: ")


def test_an_end_that_is_missing_is_detected(archive: Path, key: str, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-1])
    new = tmp_path / "new.db"

    result = run("restore", archive, "--database", str(new), "--key-file", key)

    assert "truncated" in error_of(result).message
    assert not new.exists()


def test_a_key_that_cannot_be_read_leaves_no_archive(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "days.enc"

    missing = run("create", file, "--database", str(database), "--key-file", str(tmp_path / "nowhere"))

    assert isinstance(missing.exception, NotFound)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("days.enc", ".days.enc"))] == []


def test_an_archive_that_is_not_encrypted_needs_no_key(database: Path, tmp_path: Path, key: str) -> None:
    archived(database, tmp_path / "plain")

    assert run("verify", tmp_path / "plain").exit_code == 0
    assert run("verify", tmp_path / "plain", "--key-file", key).exit_code == 0
