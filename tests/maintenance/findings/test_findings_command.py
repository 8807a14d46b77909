"""`dayline doctor`, with a server and without one."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from tests.support.server import RunningServer

EVENT = {"timestamp": "2026-01-01T10:00:00Z", "duration": 7200, "data": {"app": "editor"}}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """With an event that is there three times."""
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        server.create("window", type="currentwindow")
        server.post("/api/0/buckets/window/events", [EVENT, EVENT, EVENT])
    return database


def run(database: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(commands, [*arguments, "--database", str(database)], input=answer)


def test_findings_are_reported_with_the_command_that_fixes_them(database: Path) -> None:
    lines = run(database, "doctor", "duplicates").stdout.splitlines()

    assert lines[0] == "window: 2 duplicates, 4h 00m counted twice"
    assert '7200 s  {"app":"editor"}  (event 2)' in lines[1]
    assert lines[3] == "  → dayline doctor --fix duplicates --bucket window"


def test_the_suggested_command_previews_asks_fixes_and_shows_how_to_undo(database: Path) -> None:
    result = run(database, "doctor", "--fix", "duplicates", "--bucket", "window", answer="y\n")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "window: 2 would be removed"
    assert result.stdout.splitlines()[-2:] == ["window: 2 removed.", "  → to undo it: dayline undo 1"]
    assert run(database, "doctor", "--data").stdout == "No problems found in 1 event of 1 bucket.\n"
    assert run(database, "undo", "1", "--yes").exit_code == 0
    assert "2 duplicates" in run(database, "doctor", "--data").stdout


def test_a_preview_shows_what_changes_in_an_event_of_many_days(tmp_path: Path) -> None:
    long = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1_234_567.5, "data": {"app": "editor"}}
    following = {"timestamp": "2026-01-15T16:56:05Z", "duration": 60, "data": {"app": "mail"}}
    with RunningServer(tmp_path / "long.db") as server:
        server.create("window", type="currentwindow")
        server.post("/api/0/buckets/window/events", [long, following])
        result = run(tmp_path / "long.db", "doctor", "--fix", "overlaps", "--dry-run")

    assert "1234567.5 s" in result.stdout.splitlines()[1]
    assert result.stdout.splitlines()[1].endswith("→ 1234565 s")


def test_a_no_leaves_everything_as_it_is(database: Path) -> None:
    assert run(database, "doctor", "--fix", "duplicates", answer="n\n").exit_code == 1

    assert "2 duplicates" in run(database, "doctor", "--data").stdout


def test_a_dry_run_asks_nothing_and_does_nothing(database: Path) -> None:
    result = run(database, "doctor", "--fix", "overlaps", "--dry-run", "--json")

    planned = msgspec.json.decode(result.stdout)
    assert (planned["dry_run"], planned["removed"], planned["buckets"][0]["undo"]) == (True, 2, None)
    assert msgspec.json.decode(run(database, "trash", "list", "--json").stdout) == []


def test_json_is_all_that_is_printed_for_programs(database: Path) -> None:
    result = run(database, "doctor", "--fix", "duplicates", "--json", answer="y\n")

    assert msgspec.json.decode(result.stdout)["buckets"][0]["undo"] == 1
    assert "window: 2 would be removed" in result.stderr


def test_it_works_through_a_running_server(database: Path) -> None:
    with RunningServer(database) as server:
        result = run(database, "doctor", "--fix", "duplicates", "--yes", "--json")

        assert msgspec.json.decode(result.stdout)["removed"] == 2
        assert server.get("/api/0/buckets/window/events/count").json == 1


@pytest.mark.parametrize("arguments", [("--dry-run",), ("duplicates", "--fix", "duplicates")])
def test_options_that_do_not_go_together_are_reported(database: Path, arguments: tuple[str, ...]) -> None:
    assert run(database, "doctor", *arguments).exit_code == 64


def test_nothing_to_fix_is_reported(database: Path) -> None:
    result = run(database, "doctor", "--fix", "negative", "--yes")

    assert (result.exit_code, result.stderr) == (0, "There is nothing to fix.\n")
