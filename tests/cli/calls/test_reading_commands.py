"""Commands that only read, on a database that no server has open: nothing is changed there, and nothing left behind."""

import asyncio
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from tests.support.calls.clients import record
from tests.support.processes.command import OF_RECORDING, READING
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a server has left that was stopped."""
    with RunningServer(tmp_path_factory.mktemp("reading") / "days.db") as server:
        record(server, ("2026-03-05T09:00:00Z", "2026-03-05T11:00:00Z", "Code"))
    return server.database


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_leaves_everything_as_it_is(database: Path, tmp_path: Path, command: str) -> None:
    shutil.copytree(database.parent, tmp_path / "data")
    before = contents(tmp_path)

    result = CliRunner().invoke(commands, [*command.split(), "--database", str(tmp_path / "data" / database.name)])

    assert result.exit_code == (command in OF_RECORDING), result.output
    assert contents(tmp_path) == before


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
