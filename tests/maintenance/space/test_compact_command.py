"""`dayline space compact` and `/api/1/compact`, and the server that compacts on its own."""

from pathlib import Path

import msgspec
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from tests.support.server import RunningServer
from tests.support.storage.file_upkeep import read
from tests.support.waiting import eventually

COMPACT = "/api/1/compact"
EVENTS = 2000


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["space", "compact", *arguments, "--database", str(database)])


def fill(server: RunningServer, bucket_id: str) -> None:
    server.create(bucket_id)
    events = [
        {"timestamp": f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z", "data": {"n": second}}
        for second in range(EVENTS)
    ]
    server.post(f"/api/0/buckets/{bucket_id}/events", events)


def release(server: RunningServer, bucket_id: str) -> None:
    server.call("DELETE", f"/api/0/buckets/{bucket_id}")
    server.call("DELETE", "/api/1/trash")
    eventually(lambda: read(server.database, "SELECT 1 FROM bucket WHERE deleted IS NOT NULL") == [])


def test_the_server_compacts_on_request(server: RunningServer) -> None:
    fill(server, "window")
    fill(server, "gone")
    release(server, "gone")
    assert server.get(COMPACT).json == {"state": "idle", "done": 0, "of": 0, "last": None}

    done = server.post(COMPACT).json

    assert done["after"] < done["before"]
    assert server.database.stat().st_size == done["after"]
    assert server.get(COMPACT).json["last"] == done
    assert server.get("/api/1/space").json["database"]["parts"]["free"] == 0
    assert server.get("/api/0/buckets/window/events/count").json == EVENTS


def test_the_command_works_with_a_server_and_without_one(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        fill(server, "gone")
        release(server, "gone")
        done = msgspec.json.decode(run(database, "--json").stdout)
        assert done["after"] < done["before"]

    assert "Deleted 0 unreferenced values." in run(database).stdout


def test_the_server_compacts_automatically(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[trash]\ndays = 0\n")
    server = RunningServer(tmp_path / "days.db", "--config", str(settings))
    server.constants = {
        "dayline.maintenance.space:SpaceScheduler.initial_delay_s": 0,
        "dayline.maintenance.space:SpaceScheduler.interval_s": 0.1,
        "dayline.maintenance.space:SpaceScheduler.min_free_bytes": 50_000,
    }
    with server:
        fill(server, "gone")

        server.call("DELETE", "/api/0/buckets/gone")

        eventually(lambda: server.get(COMPACT).json["last"] is not None)
