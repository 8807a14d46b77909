"""`dayline database encrypt`, `decrypt` and `export-key`, with a key in a file or in the keyring."""

import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dayline.runtime.encrypted_file import FileKind, kind_of
from tests.storage.encryption.file_keyring import BACKEND, VARIABLE
from tests.support.maintenance.backups import filled
from tests.support.processes.command import run
from tests.support.project.files import ROOT
from tests.support.server import RunningServer


class Commands:
    """Commands on one database, with a keyring of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "data" / "days.db"
        self.database.parent.mkdir()
        filled(self.database, "browser", "editor")

    def run(self, *arguments: str) -> CompletedProcess[str]:
        return run(*arguments, "--database", str(self.database), home=self.folder, **self.variables)

    @property
    def variables(self) -> dict[str, str]:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        return {"PYTHON_KEYRING_BACKEND": BACKEND, VARIABLE: str(self.folder / "keyring"), "PYTHONPATH": path}


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def events(commands: Commands) -> str:
    return commands.run("events", "window").stdout


def test_a_database_is_encrypted_with_a_key_in_the_keyring_and_decrypted_again(commands: Commands) -> None:
    before = events(commands)

    encrypted = commands.run("database", "encrypt", "--yes")
    assert encrypted.returncode == 0, encrypted.stderr
    assert "is encrypted now" in encrypted.stdout
    assert "Created a key in the system's keyring" in encrypted.stderr
    assert kind_of(commands.database) is FileKind.ENCRYPTED
    assert events(commands) == before

    again = commands.run("database", "encrypt", "--yes")
    assert (again.returncode, "was encrypted already" in again.stdout) == (0, True)
    assert "Created a key" not in again.stderr

    decrypted = commands.run("database", "decrypt", "--yes")
    assert decrypted.returncode == 0, decrypted.stderr
    assert kind_of(commands.database) is FileKind.PLAIN
    assert events(commands) == before


def test_a_new_key_file_is_readable_by_its_owner_only(commands: Commands, tmp_path: Path) -> None:
    key = tmp_path / "key"

    encrypted = commands.run("database", "encrypt", "--yes", "--encryption-key-file", str(key))

    assert encrypted.returncode == 0, encrypted.stderr
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(bytes.fromhex(key.read_text("ascii"))) == 32
    assert f"--encryption-key-file {key}" in encrypted.stderr


def test_the_exported_key_opens_the_database(commands: Commands, tmp_path: Path) -> None:
    before = events(commands)
    commands.run("database", "encrypt", "--yes")

    exported = commands.run("database", "export-key", str(tmp_path / "copy"))
    (tmp_path / "keyring").unlink()  # another computer
    lost = commands.run("events", "window")
    variables = {**commands.variables, "DAYLINE_ENCRYPTION_KEY_FILE": str(tmp_path / "copy")}
    opened = run("events", "window", "--database", str(commands.database), home=tmp_path, **variables)

    assert exported.returncode == 0, exported.stderr
    assert lost.returncode == 78
    assert opened.stdout == before


def test_an_encrypted_database_whose_key_is_lost_gets_no_new_one(commands: Commands, tmp_path: Path) -> None:
    commands.run("database", "encrypt", "--yes")
    (tmp_path / "keyring").unlink()
    content = commands.database.read_bytes()

    for arguments in (("encrypt",), ("decrypt",), ("export-key", str(tmp_path / "copy"))):
        refused = commands.run("database", *arguments, *([] if arguments[0] == "export-key" else ["--yes"]))
        assert refused.returncode == 78, refused.stderr

    assert not (tmp_path / "keyring").exists()
    assert commands.database.read_bytes() == content


def test_plain_backups_are_named_after_encrypting(commands: Commands) -> None:
    commands.run("backup", "create")

    encrypted = commands.run("database", "encrypt", "--yes")

    assert "1 older backup in" in encrypted.stderr
    assert str(commands.database.parent / "days-backups") in encrypted.stderr


def test_a_running_server_has_to_be_stopped_first(commands: Commands) -> None:
    with RunningServer(commands.database):
        refused = commands.run("database", "encrypt", "--yes")

    assert (refused.returncode, "stop it first" in refused.stderr) == (75, True)
    assert kind_of(commands.database) is FileKind.PLAIN
