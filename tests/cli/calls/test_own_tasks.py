"""A command that reads a small file answers in its own process, exactly as a query process does."""

import signal
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayline.cli.calls import own_tasks
from dayline.cli.main import commands
from dayline.cli.serve.query_process import Answers
from dayline.query.processes.process import QueryProcess, start_process
from tests.support.server import RunningServer

COMMANDS = ["today --date 2026-03-05", "top --date 2026-03-05 --by app", "report --date 2026-03-05 --by app"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a server has left that was stopped."""
    with RunningServer(tmp_path_factory.mktemp("own") / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        for day, app in ((5, "Code"), (4, "Mail")):
            event = {"timestamp": f"2026-03-0{day}T09:00:00Z", "duration": 3600, "data": {"app": app, "title": "x"}}
            assert server.post("/api/0/buckets/aw-watcher-window_laptop/events", [event]).status == 200
    return server.database


class Starts:
    """Counts the query processes that are started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        monkeypatch.setattr("dayline.query.processes.pool.start_process", self._counted)

    async def _counted(self, command: list[str], environment: dict[str, str]) -> QueryProcess:
        self.count += 1
        return await start_process(command, environment)


@pytest.mark.parametrize("command", COMMANDS)
def test_both_ways_give_the_same_answer(database: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(monkeypatch)
    arguments = [*command.split(), "--json", "--database", str(database)]

    own = CliRunner().invoke(commands, arguments)
    started_for_own = starts.count
    monkeypatch.setattr("dayline.cli.calls.opened.MAX_BYTES", 0)
    other = CliRunner().invoke(commands, arguments)

    assert (own.exit_code, own.output) == (0, other.output)
    assert "Code" in own.output
    assert (started_for_own, starts.count > 0) == (0, True)


def test_a_program_of_the_user_still_runs_in_a_process(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Starts(monkeypatch)
    (tmp_path / "one.dayline").write_text("RETURN = 1;")

    result = CliRunner().invoke(commands, ["query", str(tmp_path / "one.dayline"), "--database", str(database)])

    assert (result.exit_code, starts.count) == (0, 1), result.output


def slow_answer(*_: object) -> None:
    """A task that takes longer than anybody waits."""
    time.sleep(30)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_a_task_has_the_time_limit_of_queries(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("[query]\nseconds = 0.05\n")
    monkeypatch.setattr(Answers, "answer", slow_answer)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)

    result = CliRunner().invoke(
        commands, ["today", "--database", str(database), "--config", str(tmp_path / "config.toml")]
    )

    assert result.exit_code != 0
    assert "the query took longer than 0.05 s" in str(result.exception)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before


def test_the_limit_is_lifted_after_a_task() -> None:
    with own_tasks.limited(60.0):
        pass

    if hasattr(signal, "setitimer"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
