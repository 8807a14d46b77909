"""`dayline backup`: list, verify and restore, with a server and without one."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.maintenance.backups.folder import Backup
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.storage.sqlite.backup.encryption import KeyFile, make_key_file
from tests.support.maintenance.backups import Clock, damage, events_in, filled, made, scheduler_of
from tests.support.server import RunningServer


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def backup(database: Path) -> Backup:
    """A backup of two events; the database has a third one since."""
    backup = made(scheduler_of(database, Clock()))
    filled(database, "game")
    return backup


@pytest.fixture
def server(database: Path, backup: Backup) -> Iterator[RunningServer]:
    with RunningServer(database) as server:
        yield server


def run(database: Path, *arguments: str) -> Result:
    name, *rest = arguments
    return CliRunner().invoke(commands, ["backup", name, "--database", str(database), *rest])


def test_list_shows_every_backup_with_its_state(database: Path, backup: Backup) -> None:
    result = run(database, "list")

    heading, line = result.stdout.splitlines()
    assert heading.split() == ["name", "state", "size", "buckets", "events", "problem"]
    assert line.split() == [backup.name, "verified", "0.0", "MiB", "1", "2"]


def test_list_as_json_is_what_the_server_answers(database: Path, backup: Backup) -> None:
    found = msgspec.json.decode(run(database, "list", "--json").stdout)

    assert found == {
        "folder": str(database.with_name("days-backups")),
        "backups": [
            {
                "name": backup.name, "made": "2026-03-01T12:00:00Z", "state": "verified", "bytes": backup.bytes,
                "encrypted": False,
                "buckets": 1, "events": 2, "schema": found["backups"][0]["schema"], "problem": None,
            }
        ],
        "last_failure": None,
        "schedule": {
            "enabled": True, "interval_hours": 24.0, "keep_daily": 7, "keep_weekly": 4, "keep_monthly": 12,
        },
    }  # fmt: skip


def test_list_makes_no_database_where_there_is_none(tmp_path: Path) -> None:
    result = run(tmp_path / "days.db", "list")

    assert "There are no backups" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_now_makes_no_database_where_there_is_none(tmp_path: Path) -> None:
    result = run(tmp_path / "days.db", "create")

    assert isinstance(result.exception, NotFound)
    assert list(tmp_path.iterdir()) == []


def test_verify_checks_all_backups(database: Path, backup: Backup) -> None:
    result = run(database, "verify")

    assert result.exit_code == 0
    assert f"{backup.name}  verified" in result.stdout


def test_verify_fails_when_one_is_damaged_and_names_it(database: Path, backup: Backup) -> None:
    damage(database.with_name("days-backups") / backup.name)

    result = run(database, "verify", backup.name)

    assert isinstance(result.exception, Invalid)
    assert result.exception.message == f"damaged: {backup.name}"


def test_restore_restores_the_events_and_prints_where_the_replaced_database_is(database: Path, backup: Backup) -> None:
    old = events_in(database)

    result = run(database, "restore", backup.name, "--yes")

    assert events_in(database) == old[:2]
    kept = Path(result.stderr.splitlines()[-1].removeprefix("The previous database was kept: "))
    assert events_in(kept) == old


def test_restore_asks_first(database: Path, backup: Backup) -> None:
    before = database.read_bytes()

    result = run(database, "restore", backup.name)  # there is no one to answer

    assert result.exit_code == 64
    assert "asks for confirmation, and standard input is not a terminal" in result.stderr
    assert database.read_bytes() == before


def test_restore_takes_the_path_of_a_backup_too(database: Path, backup: Backup, tmp_path: Path) -> None:
    elsewhere = tmp_path / "copy of a backup"
    elsewhere.write_bytes((database.with_name("days-backups") / backup.name).read_bytes())

    run(tmp_path / "new.db", "restore", str(elsewhere), "--yes")

    assert events_in(tmp_path / "new.db") == events_in(database)[:2]


def test_restore_is_rejected_while_a_server_uses_the_database(server: RunningServer, backup: Backup) -> None:
    result = run(server.database, "restore", backup.name, "--yes")

    assert isinstance(result.exception, Unavailable)
    assert result.exception.message == "a server uses days.db"
    assert result.exception.hint == "stop it first, or choose another file with --to"
    assert len(server.get("/api/0/buckets/window/events").json) == 3


def test_restore_to_another_file_works_while_a_server_runs(server: RunningServer, backup: Backup) -> None:
    then = server.database.with_name("then.db")

    run(server.database, "restore", backup.name, "--to", str(then))

    assert len(events_in(then)) == 2


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_round_trip_gives_the_same_export_byte_by_byte(database: Path, tmp_path: Path, is_encrypted: bool) -> None:
    make_key_file(tmp_path / "key")
    secret = KeyFile(path=str(tmp_path / "key")) if is_encrypted else None
    with RunningServer(database) as server:
        before = server.get("/api/0/export").body
    backup = made(scheduler_of(database, Clock(), secret=secret))
    filled(database, "game")

    run(database, "restore", backup.name, "--yes", *(("--key-file", secret.path) if secret else ()))

    with RunningServer(database) as server:
        assert server.get("/api/0/export").body == before


def test_a_restored_database_exports_what_the_backup_held(database: Path, backup: Backup) -> None:
    run(database, "restore", backup.name, "--yes")
    with RunningServer(database) as server:
        buckets = server.get("/api/0/export").json["buckets"]

    run(database, "restore", backup.name, "--to", str(database.with_name("again.db")))
    with RunningServer(database.with_name("again.db")) as server:
        assert server.get("/api/0/export").json["buckets"] == buckets
    assert len(buckets["window"]["events"]) == 2
