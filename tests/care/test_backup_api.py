"""`/api/1/backups`, and `dayline backup now`, with a server and without one."""

from pathlib import Path

import msgspec
from click.testing import CliRunner

from dayline.cli.backup import backup as command
from tests.server import RunningServer
from tests.storage.snapshots import filled

BACKUPS = "/api/1/backups"


def test_a_backup_that_was_made_is_listed(server: RunningServer) -> None:
    server.create("window")

    answer = server.post(BACKUPS)

    assert answer.status == 201
    assert answer.json["state"] == "verified"
    assert server.get(BACKUPS).json == {
        "folder": str(server.database.with_name("days-backups")),
        "backups": [answer.json],
        "last_failure": None,
    }


def test_a_backup_that_failed_is_told_in_the_list(server: RunningServer) -> None:
    server.database.with_name("days-backups").write_text("in the way")

    answer = server.post(BACKUPS)

    assert answer.status == 503
    assert "no backup was made" in answer.message
    server.database.with_name("days-backups").unlink()
    assert server.get(BACKUPS).json["last_failure"]["message"] in answer.message


def test_the_command_makes_one_of_a_running_server(server: RunningServer) -> None:
    server.create("window")

    result = CliRunner().invoke(command, ["now", "--database", str(server.database), "--json"])

    assert [msgspec.json.decode(result.stdout)] == server.get(BACKUPS).json["backups"]


def test_the_command_makes_one_without_a_server(tmp_path: Path) -> None:
    filled(tmp_path / "days.db", "editor")

    result = CliRunner().invoke(command, ["now", "--database", str(tmp_path / "days.db")])

    assert (tmp_path / "days-backups" / result.stdout.strip()).is_file()
    assert "1 events" in result.stderr
