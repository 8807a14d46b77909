"""`/api/1/backups`, and `dayline backup create`, with a server and without one."""

from pathlib import Path

import msgspec
from click.testing import CliRunner

from dayline.cli.main import commands
from dayline.storage.sqlite.backup.encryption import KeyFile, make_key_file
from tests.support.maintenance.backups import Clock, damage, filled, made, scheduler_of
from tests.support.server import RunningServer

BACKUPS = "/api/1/backups"


def test_a_backup_that_was_made_is_listed(server: RunningServer) -> None:
    server.create("window")

    answer = server.post(BACKUPS)

    assert answer.status == 201
    assert answer.json["state"] == "verified"
    assert server.get(BACKUPS).json == {
        "folder": str(server.database.with_name("days-backups")),
        "schedule": {
            "enabled": True, "interval_hours": 24.0, "keep_daily": 7, "keep_weekly": 4, "keep_monthly": 12,
        },
        "backups": [answer.json],
        "last_failure": None,
    }  # fmt: skip


def test_a_backup_that_failed_is_reported_in_the_list(server: RunningServer) -> None:
    server.database.with_name("days-backups").write_text("in the way")

    answer = server.post(BACKUPS)

    assert answer.status == 503
    assert "the backup failed" in answer.message
    server.database.with_name("days-backups").unlink()
    assert server.get(BACKUPS).json["last_failure"]["message"] in answer.message


def test_the_command_makes_one_of_a_running_server(server: RunningServer) -> None:
    server.create("window")

    result = CliRunner().invoke(commands, ["backup", "create", "--database", str(server.database), "--json"])

    assert [msgspec.json.decode(result.stdout)] == server.get(BACKUPS).json["backups"]


def test_the_command_makes_one_without_a_server(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor")

    result = CliRunner().invoke(commands, ["backup", "create", "--database", str(tmp_path / "days.db")])

    assert (tmp_path / "days-backups" / result.stdout.strip()).is_file()
    assert "1 event," in result.stderr


def test_a_backup_is_verified_again(server: RunningServer) -> None:
    backup = server.post(BACKUPS).json

    assert server.post(f"{BACKUPS}/{backup['name']}/verify").json == backup


def test_one_that_is_damaged_is_reported_as_failed(server: RunningServer) -> None:
    backup = server.post(BACKUPS).json
    damage(server.database.with_name("days-backups") / backup["name"])

    found = server.post(f"{BACKUPS}/{backup['name']}/verify")

    assert (found.status, found.json["state"]) == (200, "failed")
    assert server.get(BACKUPS).json["backups"] == [found.json]


def test_one_of_which_the_server_has_no_key_is_rejected(server: RunningServer, tmp_path: Path) -> None:
    make_key_file(tmp_path / "key")
    name = made(scheduler_of(server.database, Clock(), secret=KeyFile(path=str(tmp_path / "key")))).name

    refused = server.post(f"{BACKUPS}/{name}/verify")

    assert refused.status == 422
    assert refused.message == f"{name}: it is encrypted, and no key is configured"


def test_one_that_is_not_there_is_not_found(server: RunningServer) -> None:
    assert server.post(f"{BACKUPS}/days-20200101T000000Z.db.zst/verify").status == 404
    assert server.post(f"{BACKUPS}/..%2Fdays.db/verify").status == 404
