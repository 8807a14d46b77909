"""`dayline undo` and `dayline trash`, with a server and without one."""

from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import NotFound
from tests.support.server import RunningServer

EVENT = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"app": "editor"}}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """With one event, and a bucket in the trash."""
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        for bucket_id in ("window", "old"):
            server.create(bucket_id)
            server.post(f"/api/0/buckets/{bucket_id}/events", [EVENT])
        server.call("DELETE", "/api/0/buckets/old")
    return database


def run(database: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(commands, [*arguments, "--database", str(database)], input=answer)


def test_list_shows_what_can_be_undone(database: Path) -> None:
    heading, line = run(database, "trash", "list").stdout.splitlines()

    assert heading.split() == ["number", "time", "change", "bucket", "events", "expires"]
    assert line.split()[0] == "1"
    assert "bucket deleted" in line
    assert line.split()[-3:-1] == ["old", "1"]


def test_without_a_server_the_settings_say_how_long_it_is_kept(database: Path) -> None:
    config = database.with_suffix(".toml")
    config.write_text("[trash]\ndays = 5\n")

    [item] = msgspec.json.decode(run(database, "trash", "list", "--json", "--config", str(config)).stdout)

    made, until = (datetime.fromisoformat(item[name]) for name in ("made", "until"))
    assert until - made == timedelta(days=5)


def test_undo_without_a_number_asks_and_undoes_the_latest(database: Path) -> None:
    result = run(database, "undo", answer="y\n")

    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "Undone.")
    assert msgspec.json.decode(run(database, "trash", "list", "--json").stdout) == []


def test_a_no_leaves_everything_as_it_is(database: Path) -> None:
    assert run(database, "undo", answer="n\n").exit_code == 1
    assert run(database, "trash", "empty", answer="n\n").exit_code == 1
    assert len(msgspec.json.decode(run(database, "trash", "list", "--json").stdout)) == 1


def test_undo_works_through_a_running_server(database: Path) -> None:
    with RunningServer(database) as server:
        assert run(database, "undo", "1", "--yes").exit_code == 0

        assert server.get("/api/0/buckets/old/events/count").json == 1


def test_emptied_trash_has_nothing_to_undo(database: Path) -> None:
    assert run(database, "trash", "empty", "--yes").stdout.splitlines()[-1] == "Deleted 1 entry."

    result = run(database, "undo", "--yes")
    assert isinstance(result.exception, NotFound)
    assert "the trash is empty" in result.exception.message


def test_an_unknown_number_is_reported_with_the_fix(database: Path) -> None:
    result = run(database, "undo", "7")

    assert isinstance(result.exception, NotFound)
    assert result.exception.hint == f"dayline trash --database {database} lists them"
