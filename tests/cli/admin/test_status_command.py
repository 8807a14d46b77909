"""`dayline status`: the exit code means the same as the screen."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.processes.terminal import piped, shown
from tests.support.server import RunningServer
from tests.support.waiting import eventually


def beat(server: RunningServer, bucket_id: str, at: datetime, duration: float, **data: object) -> None:
    body = {"timestamp": at.isoformat(), "duration": duration, "data": data}
    assert server.post(f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=60", body).status == 200


def test_it_shows_which_watchers_record_or_are_silent_and_that_none_does_without_a_server(
    server: RunningServer,
) -> None:
    database, now = server.database, datetime.now(UTC)
    empty = piped(database, "status")
    assert (empty.code, "No watcher has sent anything yet." in empty.out) == (0, True)

    server.create("window", type="currentwindow", hostname="laptop")
    server.create("afk", type="afkstatus", hostname="laptop")
    beat(server, "window", now - timedelta(minutes=30), 30 * 60, app="Code", title="main.py")
    beat(server, "afk", now - timedelta(minutes=30), 30 * 60, status="not-afk")
    well = piped(database, "status")
    assert (well.code, well.out.splitlines()[0]) == (0, "● 2 watchers are recording.")
    assert "Code for " in well.out

    server.create("afk-desktop", type="afkstatus", hostname="desktop")
    server.create("window-desktop", type="currentwindow", hostname="desktop")
    beat(server, "window-desktop", now - timedelta(minutes=30), 5 * 60, app="Code", title="main.py")
    beat(server, "afk-desktop", now - timedelta(minutes=30), 30 * 60, status="not-afk")
    silent = piped(database, "status")
    assert (silent.code, silent.out.splitlines()[0]) == (1, "○ 1 watcher is silent.")
    assert "○ window-desktop  silent for 25m" in silent.out
    reported = piped(database, "status", "--json")
    assert (reported.code, reported.json["is_well"]) == (1, False)
    assert "\x1b[31m○ " in shown(database, "status").out

    server.stop()
    stopped = piped(database, "status")
    assert (stopped.code, stopped.out.splitlines()[0]) == (1, "○ Nothing is recorded: no server runs.")


def test_a_device_that_has_stopped_is_reported_with_the_day_it_recorded_last(server: RunningServer) -> None:
    server.create("window", type="currentwindow", hostname="laptop")
    # At noon, so that it is the same day in the zone of the command.
    last = (datetime.now(UTC) - timedelta(days=4)).replace(hour=12, minute=0)
    for day in range(6):
        beat(server, "window", last - timedelta(days=day, hours=1), 3600, app="Code", title="main.py")

    stopped = piped(server.database, "status")
    eventually(lambda: server.get("/api/1/health").json["status"] == "degraded")
    health, server_alone = piped(server.database, "status"), piped(server.database, "status", "--server")

    local = last.astimezone()
    assert (stopped.code, stopped.out.splitlines()[0]) == (
        1, f"○ Nothing is recorded on laptop: last recorded {local.day} {local:%b %Y}.",
    )  # fmt: skip
    assert (health.code, "Nothing is recorded on laptop" in health.out) == (1, True)
    assert (server_alone.code, server_alone.out) == (0, "The server is healthy.\n")


def test_without_a_database_the_output_explains_how_to_begin(tmp_path: Path) -> None:
    found = piped(tmp_path / "days.db", "status")

    assert found.code == 66
    assert "dayline serve" in found.err
