"""Encrypted backups: made with what the settings name, opened with it, and of no use to anyone else."""

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.before import BackupBefore
from dayline.model.errors import Invalid
from dayline.storage.sqlite.backup.encryption import KeyFile, make_key_file
from tests.support.maintenance.backups import DAY, Clock, damage, events_in, filled, made, scheduler_of
from tests.support.server import RunningServer


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def key(tmp_path: Path) -> KeyFile:
    make_key_file(tmp_path / "key")
    return KeyFile(path=str(tmp_path / "key"))


@pytest.fixture
def config(tmp_path: Path, key: KeyFile) -> str:
    (tmp_path / "config.toml").write_text(f'[backup]\nkey_file = "{key.path}"\n')
    return str(tmp_path / "config.toml")


def run(name: str, database: Path, *arguments: str, **variables: str) -> Result:
    return CliRunner().invoke(commands, ["backup", name, "--database", str(database), *arguments], env=variables)


def test_a_server_with_a_key_encrypts_and_does_not_load_what_that_needs(database: Path, config: str) -> None:
    with RunningServer(database, "--config", config) as server:
        made = server.post("/api/1/backups").json
        listed = server.get("/api/1/backups").json["backups"]
        if sys.platform == "linux":
            assert "cryptography" not in Path(f"/proc/{server.pid}/maps").read_text()

    assert made["name"].endswith(".db.zst.enc")
    assert (made["encrypted"], made["state"], made["events"]) == (True, "verified", 2)
    assert listed == [made]


def test_a_list_shows_what_is_in_them_to_those_who_have_the_key(database: Path, config: str) -> None:
    run("create", database, "--config", config)

    known, unknown = run("list", database, "--config", config, "--json"), run("list", database, "--json")

    (with_key,) = msgspec.json.decode(known.stdout)["backups"]
    (without,) = msgspec.json.decode(unknown.stdout)["backups"]
    assert (with_key["buckets"], with_key["events"]) == (1, 2)
    assert without == {**with_key, "buckets": None, "events": None, "schema": None}


def test_a_passphrase_may_stand_in_the_environment(database: Path, tmp_path: Path) -> None:
    name = run("create", database, DAYLINE_BACKUP_PASSPHRASE="several words").stdout.strip()
    (tmp_path / "passphrase").write_text("several words\n")

    assert name.endswith(".enc")
    assert run("verify", database, "--passphrase-file", str(tmp_path / "passphrase")).exit_code == 0
    refused = run("verify", database, DAYLINE_BACKUP_PASSPHRASE="other words").exception
    assert isinstance(refused, Invalid)
    assert refused.message == f"{name}: it is encrypted with a different key"


def test_one_that_cannot_be_opened_is_not_taken_for_damaged(database: Path, config: str) -> None:
    name = run("create", database, "--config", config).stdout.strip()

    assert isinstance(run("verify", database).exception, Invalid)

    (backup,) = scheduler_of(database, Clock()).folder.all()
    assert (backup.name, backup.problem) == (name, None)


def test_those_that_can_be_opened_are_verified_beside_one_that_cannot(database: Path, config: str) -> None:
    first = run("create", database).stdout.strip()
    run("create", database, DAYLINE_BACKUP_PASSPHRASE="several words")

    result = run("verify", database, "--config", config)

    assert [first, "verified"] in [line.split()[:2] for line in result.stdout.splitlines()]
    assert isinstance(result.exception, Invalid)


def test_one_that_is_damaged_later_is_found_and_listed_as_failed(database: Path, config: str) -> None:
    name = run("create", database, "--config", config).stdout.strip()
    damage(database.with_name("days-backups") / name)

    result = run("verify", database, "--config", config)

    assert isinstance(result.exception, Invalid)
    assert result.exception.message == f"damaged: {name}"
    (listed,) = msgspec.json.decode(run("list", database, "--json").stdout)["backups"]
    assert listed["state"] == "failed"


def test_a_restore_needs_the_key_and_restores_the_events(database: Path, config: str, key: KeyFile) -> None:
    old = events_in(database)
    name = run("create", database, "--config", config).stdout.strip()
    filled(database, "game")

    refused = run("restore", database, name, "--yes")
    assert isinstance(refused.exception, Invalid)
    assert len(events_in(database)) == 3
    run("restore", database, name, "--yes", "--key-file", key.path)

    assert events_in(database) == old


def test_what_a_restore_or_an_upgrade_puts_aside_is_encrypted_too(database: Path, key: KeyFile, tmp_path: Path) -> None:
    (tmp_path / "unplugged").write_text("no folder")
    for settings in (BackupSettings(), BackupSettings(folder=str(tmp_path / "unplugged" / "backups"))):
        path = BackupBefore(settings, clock=Clock(), secret=key).ensure(database)

        assert path.name.endswith(".db.zst.enc")
        assert path.read_bytes().startswith(b"DAYLINE-SEALED-1")


def test_without_its_key_no_readable_backup_is_made(database: Path, config: str) -> None:
    (database.parent / "key").unlink()

    result = run("create", database, "--config", config)

    assert result.exception is not None
    assert "cannot read the backup key" in str(result.exception)
    assert scheduler_of(database, Clock()).folder.all() == []


def test_none_is_due_while_nothing_was_written_since_an_encrypted_one(database: Path, key: KeyFile) -> None:
    clock = Clock()
    scheduler = scheduler_of(database, clock, secret=key)
    made(scheduler)
    clock.now += DAY

    assert not asyncio.run(scheduler_of(database, clock).is_due())
    filled(database, "game")
    assert asyncio.run(scheduler_of(database, clock).is_due())


def test_a_key_and_a_passphrase_at_once_are_rejected(database: Path, config: str) -> None:
    Path(config).write_text('[backup]\nkey_file = "a"\npassphrase_file = "b"\n')

    assert isinstance(run("list", database, "--config", config).exception, Invalid)


def test_the_command_creates_a_key_and_asks_you_to_keep_it(tmp_path: Path) -> None:
    result = CliRunner().invoke(commands, ["backup", "create-key", str(tmp_path / "key")])

    assert len(bytes.fromhex((tmp_path / "key").read_text())) == 32
    assert "Keep a copy" in result.stderr
