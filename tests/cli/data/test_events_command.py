"""`dayline events`: what is stored, and what comes in."""

import signal
import subprocess
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec
import pytest

from dayline.cli.calls import interruption
from dayline.cli.data import events as following
from tests.support.processes.terminal import DAYLINE, Terminal, environment, piped, shown
from tests.support.server import RunningServer
from tests.support.tracing import before_each_line

BUCKET = "aw-watcher-window_laptop"


def event(hour: int, app: str, **data: object) -> dict[str, object]:
    return {"timestamp": f"2026-03-05T{hour:02}:00:00Z", "duration": 600, "data": {"app": app, "title": "x", **data}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("events") / "days.db") as server:
        server.create(BUCKET, type="currentwindow", hostname="laptop")
        server.post(f"/api/0/buckets/{BUCKET}/events", [event(hour, f"app-{hour}") for hour in range(8, 12)])
        server.create("empty")
        server.create("beats")
        yield server


def test_the_newest_come_last_in_the_zone_of_this_computer(server: RunningServer) -> None:
    lines = piped(server.database, "events", BUCKET, "--limit", "2").out.splitlines()

    assert [line.split() for line in lines] == [
        ["time", "duration", "app", "title"],
        ["2026-03-05", "11:00:00", "10m", "app-10", "x"],
        ["2026-03-05", "12:00:00", "10m", "app-11", "x"],
    ]


def test_the_preferred_zone_goes_before_that_of_the_computer(server: RunningServer) -> None:
    server.call("PATCH", "/api/1/settings", {"time_zone": "Asia/Kathmandu"})
    try:
        assert "2026-03-05 16:45:00" in piped(server.database, "events", BUCKET).out
    finally:
        server.call("PATCH", "/api/1/settings", {"time_zone": None})


def test_a_period_gives_all_of_it_and_a_day_that_is_named_last_is_included(server: RunningServer) -> None:
    def apps(*arguments: str) -> list[str]:
        return [each["data"]["app"] for each in piped(server.database, "events", BUCKET, *arguments, "--json").json]

    assert apps("--from", "2026-03-05", "--to", "2026-03-05") == ["app-11", "app-10", "app-9", "app-8"]
    assert apps("--date", "2026-03-05") == ["app-11", "app-10", "app-9", "app-8"]
    assert apps("--from", "2026-03-05T10:30", "--to", "2026-03-05T11:05") == ["app-10"]
    assert apps("--date", "2026-03-06") == []


def test_an_empty_result_has_a_reason_and_a_hint(server: RunningServer) -> None:
    assert piped(server.database, "events", "empty").out.splitlines() == [
        "  empty has no events yet.",
        "  → see what is recording: dayline status",
    ]
    assert "in this period" in piped(server.database, "events", BUCKET, "--last", "week").out


def test_an_unknown_bucket_is_reported_with_the_fix(server: RunningServer) -> None:
    found = piped(server.database, "events", "nowhere")

    assert (found.code, found.out) == (66, "")
    assert found.err == "dayline: no bucket named 'nowhere'\n  → dayline buckets lists them\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reported"),
    [
        (["--from", "someday"], 65, "--from: 'someday' is not a time"),
        (["--date", "2026-02-30"], 65, "--date: '2026-02-30' is not a day"),
        (["--from", "2026-03-06", "--to", "2026-03-05"], 64, "the range is empty"),
        (["--from", "2026-03-06T10:00", "--to", "2026-03-06T09:00"], 64, "is not after"),
        (["--week", "--last", "month"], 64, "--week and --last contradict each other"),
        (["--date", "2026-03-05", "--to", "2026-03-05"], 64, "--to and --date contradict each other"),
    ],
)
def test_a_period_that_cannot_be_is_reported(
    server: RunningServer, arguments: list[str], code: int, reported: str
) -> None:
    found = piped(server.database, "events", BUCKET, *arguments)

    assert found.code == code
    assert reported in found.err


def test_without_a_server_they_are_read_from_the_file_which_stays_as_it_is(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create(BUCKET)
        server.post(f"/api/0/buckets/{BUCKET}/events", [event(8, "Code")])
    (tmp_path / "device_id").unlink()
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()}

    found = piped(tmp_path / "days.db", "events", BUCKET)

    assert "Code" in found.out
    assert {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()
    } == before
    followed = piped(tmp_path / "days.db", "events", BUCKET, "--follow")
    assert followed.code == 75
    assert "dayline serve" in followed.err


def test_a_database_that_is_not_there_is_reported_and_not_made(tmp_path: Path) -> None:
    found = piped(tmp_path / "nowhere.db", "events", BUCKET)

    assert found.code == 66
    assert "no database at" in found.err
    assert list(tmp_path.iterdir()) == []


def test_following_shows_what_comes_in_and_ends_quietly(server: RunningServer) -> None:
    with Terminal(server.database, "events", BUCKET, "--follow", "--limit", "1") as terminal:
        terminal.read_until("app-11")
        server.post(f"/api/0/buckets/{BUCKET}/events", [event(12, "newcomer")])
        terminal.read_until("newcomer")
        terminal.send_signal(signal.SIGINT)
        ended = terminal.ended()

    assert ended.code == 130
    assert "Traceback" not in ended.out
    assert "Aborted" not in ended.out


@pytest.mark.parametrize("moment", range(40))
def test_ctrl_c_at_any_moment_of_following_writes_the_last_event_once_and_ends(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    monkeypatch.setattr(following, "INTERVAL_S", 0.001)

    with ctrl_c_at_line(moment):
        found = piped(server.database, "events", BUCKET, "--follow", "--limit", "1", "--json")

    assert found.code == 130
    assert len(found.out.splitlines()) == 1


@contextmanager
def ctrl_c_at_line(moment: int) -> Generator[None]:
    """Ctrl-C before the line of this number of those that run while `dayline events` handles it, also when it waits."""
    lines = count()

    def press() -> None:
        is_handled = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        if is_handled and next(lines) == moment:
            signal.raise_signal(signal.SIGINT)

    with before_each_line(press, of={following.__file__, interruption.__file__, threading.__file__}.__contains__):
        yield


def test_following_as_json_gives_a_line_when_an_event_is_over(server: RunningServer) -> None:
    with Terminal(server.database, "events", "beats", "--follow", "--limit", "1", "--json") as terminal:
        for app in ("first", "second", "third"):
            beat = {"timestamp": "2026-03-05T20:00:00Z", "duration": 1, "data": {"app": app}}
            server.post("/api/0/buckets/beats/heartbeat?pulsetime=0", beat)
        terminal.read_until("second")
        terminal.send_signal(signal.SIGINT)
        lines = [line for line in terminal.ended().out.splitlines() if line.startswith("{")]

    assert [msgspec.json.decode(line)["data"]["app"] for line in lines] == ["first", "second", "third"]


def test_in_a_terminal_there_are_colors_unless_disabled(server: RunningServer) -> None:
    assert "\x1b[1m" in shown(server.database, "events", BUCKET).out
    assert "\x1b" not in shown(server.database, "events", BUCKET, NO_COLOR="1").out
    assert "\x1b" not in piped(server.database, "events", BUCKET).out


def test_a_reader_that_goes_away_is_no_error(server: RunningServer) -> None:
    server.create("many")
    server.post("/api/0/buckets/many/events", [event(hour % 24, "x" * 500) for hour in range(2000)])

    done = subprocess.run(
        ["sh", "-c", f"{' '.join(DAYLINE)} events many --limit 2000 | head -1"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(server.database),
    )

    assert (done.stdout.split(), done.stderr) == (["time", "duration", "app", "title"], "")
