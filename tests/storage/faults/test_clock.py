"""A clock that is set back, or far ahead, while the server runs: it is reported, and nothing breaks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dayline.maintenance.health import AHEAD, BACK, REPORTED, ClockWatch
from dayline.model.time import SECOND, Microseconds
from tests.storage.faults.impatient_server import BEATS, EVENTS, event, logged, problems, until_reported
from tests.support.server import RunningServer

HOUR: Final[Microseconds] = 3600 * SECOND
YEAR: Final[Microseconds] = 365 * 24 * HOUR
BEGIN: Final[Microseconds] = 1_800_000_000 * SECOND


class ServerWithClock(RunningServer):
    """The test says how far its clock is off."""

    def __init__(self, folder: Path) -> None:
        self._control = folder / "clock"
        super().__init__(folder / "days.db")
        self.change = (
            f"import pathlib, time; true = time.time_ns; control = pathlib.Path({str(self._control)!r})\n"
            "time.time_ns = lambda: true() + int(control.read_text())"
        )
        self.set(0)

    def set(self, off: Microseconds) -> None:
        unfinished = self._control.with_suffix(".new")
        unfinished.write_text(str(off * 1000))
        unfinished.replace(self._control)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerWithClock]:
    with ServerWithClock(tmp_path) as server:
        server.create("window")
        assert server.post(BEATS, event(0)).status == 200
        yield server


def use(server: RunningServer, number: int) -> None:
    """What depends on the clock in one way or another, and what does not."""
    token = {"Idempotency-Key": f"token-{number}"}
    assert server.post(BEATS, event(number)).status == 200
    assert server.create(f"made-{number}").status == 200
    assert server.call("POST", f"/api/0/buckets/made-{number}/events", [event(0)], headers=token).status == 200
    assert server.call("POST", f"/api/0/buckets/made-{number}/events", [event(0)], headers=token).status == 409
    assert server.post("/api/1/backups").status == 201
    for path in ("/api/0/export", "/api/1/audit", "/api/1/backups", "/api/0/buckets/"):
        assert server.get(path).status == 200
    assert server.call("DELETE", f"/api/0/buckets/made-{number}").status == 200


def deleted(server: RunningServer) -> set[str]:
    """The buckets whose end the audit reports."""
    return {
        entry["bucket"]
        for entry in server.get("/api/1/audit").json["lines"]
        if entry["call"].startswith("delete_bucket")
    }


def test_a_clock_that_is_set_back_is_reported_once_and_recording_continues(server: ServerWithClock) -> None:
    use(server, 1)
    server.set(-2 * HOUR)

    reported = until_reported(server, "was set back by 2 hours")

    assert (reported["kind"], "timedatectl" in reported["hint"]) == ("clock", True)
    use(server, 2)
    assert len(logged(server, "was set back")) == 1
    assert server.get(f"{EVENTS}").json[0]["duration"] == 2.0


def test_a_clock_that_is_years_ahead_and_right_again_loses_nothing(server: ServerWithClock) -> None:
    use(server, 1)
    server.set(10 * YEAR)
    until_reported(server, "was set ahead by 3,650 days")
    use(server, 2)
    server.set(0)
    until_reported(server, "was set back by 3,650 days")
    use(server, 3)

    assert deleted(server) == {"made-1", "made-2", "made-3"}
    assert server.get(f"{EVENTS}").json[0]["duration"] == 3.0


def test_a_server_without_jumps_reports_nothing(server: ServerWithClock) -> None:
    server.set(BACK // 2)
    server.set(0)

    assert problems(server) == []


class Clocks:
    """A clock that can be set, and the time that really passes."""

    def __init__(self) -> None:
        self.clock, self.steady = BEGIN, 0
        self.watch = ClockWatch(clock=lambda: self.clock, steady=lambda: self.steady)

    def pass_(self, time: Microseconds) -> None:
        self.clock += time
        self.steady += time
        self.watch.tick()


def test_a_jump_is_forgotten_after_an_hour() -> None:
    clocks = Clocks()
    clocks.clock -= 2 * BACK
    clocks.watch.tick()

    clocks.pass_(REPORTED)
    assert [problem.kind for problem in clocks.watch.problems()] == ["clock"]
    clocks.pass_(SECOND)
    assert clocks.watch.problems() == []


def test_a_correction_of_less_than_a_minute_is_nothing_to_report() -> None:
    clocks = Clocks()
    clocks.clock -= BACK - SECOND
    clocks.watch.tick()

    assert clocks.watch.problems() == []


def test_a_machine_is_awake_since_it_started_or_woke_up() -> None:
    clocks = Clocks()
    for _ in range(100):
        clocks.pass_(SECOND)
    assert clocks.watch.awake_since() == BEGIN

    clocks.pass_(8 * HOUR)
    woke = clocks.clock
    clocks.pass_(SECOND)

    assert clocks.watch.awake_since() == woke


def test_a_clock_that_was_set_ahead_deletes_nothing() -> None:
    clocks = Clocks()
    clocks.pass_(HOUR)
    clocks.clock += 10 * AHEAD

    assert clocks.watch.for_ages() == BEGIN + HOUR


def test_deletion_follows_a_clock_that_was_set_back() -> None:
    clocks = Clocks()
    clocks.clock -= HOUR

    assert clocks.watch.for_ages() == BEGIN - HOUR
