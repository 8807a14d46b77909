"""`dayline today` and `top` against a real server, and against the file where none runs."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.processes.terminal import piped, shown
from tests.support.server import RunningServer

DAY = datetime(2026, 3, 5, 8, tzinfo=UTC)  # a Thursday; 09:00 in Berlin


def event(start: datetime, minutes: float, **data: str) -> dict[str, object]:
    return {"timestamp": start.isoformat(), "duration": minutes * 60, "data": data}


def day_of(start: datetime, code: float, mail: float) -> tuple[list[object], list[object]]:
    """Windows of one day, one after the other, and the time that someone was there."""
    later = start + timedelta(minutes=code)
    windows: list[object] = [
        event(start, code, app="Code", title="main.py"),
        event(later, mail, app="Mail", title="Inbox"),
    ]
    return windows, [event(start, code + mail, status="not-afk")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Two Thursdays, and an hour until now."""
    with RunningServer(tmp_path_factory.mktemp("insight") / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        server.create("aw-watcher-afk_laptop", type="afkstatus", hostname="laptop")
        now = datetime.now(UTC) - timedelta(seconds=1)
        days = [(DAY, 90, 30), (DAY - timedelta(weeks=1), 60, 30), (now - timedelta(minutes=4), 3, 1)]
        for start, code, mail in days:
            windows, present = day_of(start, code, mail)
            server.post("/api/0/buckets/aw-watcher-window_laptop/events", windows)
            server.post("/api/0/buckets/aw-watcher-afk_laptop/events", present)
        yield server


def test_a_day_is_shown_with_what_is_usual(server: RunningServer) -> None:
    lines = piped(server.database, "today", "--date", "2026-03-05").out.splitlines()

    assert lines[0].split() == ["Thursday,", "5", "March", "2026", "Europe/Berlin"]
    assert lines[2].split() == ["2h", "00m", "active", "▲", "+30m", "usual:", "1h", "30m"]
    assert lines[3].split(" · ")[:2] == ["  09:00 to 11:00", "longest focus 1h 30m"]
    assert ["Code", "1h", "30m", "75", "%"] in [line.split()[:5] for line in lines]
    assert ["main.py", "1h", "30m"] in [line.split()[:3] for line in lines]


def test_today_goes_until_now(server: RunningServer) -> None:
    found = piped(server.database, "today")

    assert "until now, " in found.out.splitlines()[0]
    assert "Code" in found.out


def test_yesterday_is_the_day_before(server: RunningServer) -> None:
    found = piped(server.database, "today", "--date", "yesterday", "--json").json
    today = piped(server.database, "today", "--json").json

    assert found["summary"]["range"]["end"] == today["summary"]["range"]["start"]
    assert len(found["series"]["edges"]) == len(found["series"]["total"]) + 1


def test_a_day_without_events_is_reported_as_empty(server: RunningServer) -> None:
    assert piped(server.database, "today", "--date", "2025-03-05").out.splitlines()[2:] == [
        "  Nothing was recorded on that day.",
        "  → see when there is something: dayline top --month --by device",
    ]


def test_the_top_of_a_week_is_compared_with_the_week_before(server: RunningServer) -> None:
    lines = piped(server.database, "top", "--week", "--date", "2026-03-05").out.splitlines()

    assert lines[0].startswith("Top apps · 2 to 8 Mar 2026")
    assert lines[0].endswith("23 Feb to 1 Mar 2026: 1h 30m")
    axis, code, mail = (line.split() for line in lines[2:])
    assert axis == ["MTWTFSS"]
    assert (code[:5], code[-2:]) == (["Code", "1h", "30m", "75", "%"], ["▲", "+30m"])
    assert (mail[0], mail[-1]) == ("Mail", "=")


def test_a_week_that_continues_is_compared_with_as_much_of_the_one_before(server: RunningServer) -> None:
    found = piped(server.database, "top", "--week", "--json").json

    passed = datetime.now(UTC) - datetime.fromisoformat(found["range"]["start"])
    compared, whole = found["compare"]["range"], found["compare"]["whole"]
    length = datetime.fromisoformat(compared["end"]) - datetime.fromisoformat(compared["start"])
    assert abs(passed - length) < timedelta(hours=2)  # the clocks may have been set in between
    assert (whole["start"], whole["end"]) == (compared["start"], found["range"]["start"])


@pytest.mark.parametrize(
    ("by", "first"),
    [("category", "Uncategorized"), ("title", "main.py"), ("device", "laptop"), ("bucket", "aw-watcher-window_laptop")],
)
def test_the_top_is_reported_by_any_field(server: RunningServer, by: str, first: str) -> None:
    found = piped(server.database, "top", "--by", by, "--from", "2026-03-05", "--to", "2026-03-05", "--json").json

    key = found["lists"][by][0]["key"]
    assert (key if isinstance(key, str) else key[0]) == first


def test_a_filter_and_a_device_leave_less(server: RunningServer) -> None:
    def active(*arguments: str) -> float:
        return float(
            piped(server.database, "top", "--date", "2026-03-05", *arguments, "--json").json["totals"]["active"]
        )

    assert active() == 7200
    assert active("--filter", "app:is:Mail") == 1800
    assert active("--device", "laptop") == 7200
    unknown = piped(server.database, "top", "--device", "desktop")
    assert (unknown.code, "no device named 'desktop'" in unknown.err) == (66, True)
    refused = piped(server.database, "top", "--filter", "nonsense")
    assert (refused.code, "is not a filter" in refused.err, "→ write" in refused.err) == (65, True, True)


def test_what_no_watcher_records_is_reported(server: RunningServer) -> None:
    out = piped(server.database, "top", "--by", "project", "--date", "2026-03-05").out

    assert "This time has no projects: no watcher records them." in out


def test_in_a_terminal_it_is_in_color_and_as_wide_as_that(server: RunningServer) -> None:
    narrow = shown(server.database, "today", "--date", "2026-03-05", width=60)

    assert narrow.code == 0
    assert "\x1b[1m" in narrow.out
    assert "38;5;" in narrow.out


def test_without_a_server_the_file_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        server.create("aw-watcher-afk_laptop", type="afkstatus", hostname="laptop")
        windows, present = day_of(DAY, 90, 30)
        server.post("/api/0/buckets/aw-watcher-window_laptop/events", windows)
        server.post("/api/0/buckets/aw-watcher-afk_laptop/events", present)
        running = piped(server.database, "today", "--date", "2026-03-05")
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    assert piped(server.database, "today", "--date", "2026-03-05") == running
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_before_the_first_event_the_output_explains_how_to_begin(server: RunningServer, tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as empty:
        for command in ("today", "top"):
            assert "no watcher has sent anything" in piped(empty.database, command).out
        assert "There are no buckets" in piped(empty.database, "buckets").out
