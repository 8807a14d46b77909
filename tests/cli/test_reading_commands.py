"""Commands that only read, on a database that no server has open: nothing is changed there, and nothing left behind."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from tests.insight.recording import record
from tests.server import RunningServer

READING = [
    "annotations list",
    "buckets",
    "categories explain --app Code",
    "categories export",
    "categories history",
    "categories list",
    "categories suggest",
    "events aw-watcher-window_laptop",
    "goals",
    "goals hours",
    "goals list",
    "report --month",
    "search Code",
    "status",
    "today",
    "top --week",
    "yesterday",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a server has left that was stopped."""
    with RunningServer(tmp_path_factory.mktemp("reading") / "days.db") as server:
        record(server, ("2026-03-05T09:00:00Z", "2026-03-05T11:00:00Z", "Code"))
    return server.database


def contents(database: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in database.parent.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_leaves_everything_as_it_is(database: Path, command: str) -> None:
    before = contents(database)

    result = CliRunner().invoke(commands, [*command.split(), "--database", str(database)])

    assert result.exit_code == (command == "status"), result.exception  # which tells that nothing records
    assert contents(database) == before


@pytest.mark.parametrize("command", ["buckets", "today"])
def test_nothing_is_still_at_work_when_a_command_ends(
    database: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the loop has to cancel at its end it cancels all at once: a process that is just being started then is
    # never seen to end.
    left: list[set[asyncio.Task[object]]] = []
    close = asyncio.Runner.close

    def noted(runner: asyncio.Runner) -> None:
        left.append(asyncio.all_tasks(runner.get_loop()))
        close(runner)

    monkeypatch.setattr(asyncio.Runner, "close", noted)

    CliRunner().invoke(commands, [*command.split(), "--database", str(database)])

    assert left == [set()]
