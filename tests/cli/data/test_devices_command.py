"""`GET /api/1/devices` and `dayline buckets devices`, on a server with a computer that was renamed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from dayline.cli.main import commands
from dayline.cli.screens.amounts import local_time
from tests.support.keyed_server import KeyedServer
from tests.support.storage.opened import make_database

REASON = "aw-watcher-window stopped on 'laptop' and continued on 'new-laptop' 1 day later"
DEVICES = [
    {
        "hostname": "new-laptop", "buckets": ["window_new"], "first_seen": "2026-01-03T10:00:00Z",
        "last_seen": "2026-01-03T10:00:05Z", "events": 1,
        "looks_like": [{"hostname": "laptop", "is_newer": False, "reason": REASON}],
    },
    {
        "hostname": "laptop", "buckets": ["window_old", "afk_old"], "first_seen": "2026-01-01T10:00:00Z",
        "last_seen": "2026-01-02T09:00:05Z", "events": 2,
        "looks_like": [{"hostname": "new-laptop", "is_newer": True, "reason": REASON}],
    },
    {"hostname": "phone", "buckets": ["phone"], "first_seen": None, "last_seen": None, "events": 0, "looks_like": []},
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        made = {"window_old": ("laptop", ("2026-01-01T10:00:00Z", "2026-01-02T09:00:00Z")),
                "afk_old": ("laptop", ()),
                "window_new": ("new-laptop", ("2026-01-03T10:00:00Z",)), "phone": ("phone", ())}  # fmt: skip
        for bucket, (hostname, times) in made.items():
            client = "aw-watcher-afk" if bucket == "afk_old" else "aw-watcher-window"
            server.create(bucket, hostname=hostname, client=client)
            events: list[dict[str, Any]] = [{"timestamp": time, "duration": 5, "data": {}} for time in times]
            server.as_owner("POST", f"/api/0/buckets/{bucket}/events", events)
        yield server


def test_devices_are_reported_with_what_they_recorded_and_what_they_look_like(server: KeyedServer) -> None:
    assert server.as_owner("GET", "/api/1/devices").json == DEVICES


def test_a_key_for_some_buckets_sees_the_devices_of_those_alone(server: KeyedServer) -> None:
    [device] = server.with_key(server.key("read", "window_new"), "GET", "/api/1/devices").json

    assert (device["hostname"], device["looks_like"]) == ("new-laptop", [])


def test_the_command_prints_a_table_and_likely_duplicates(server: KeyedServer) -> None:
    result = CliRunner().invoke(commands, ["buckets", "devices", "--database", str(server.database)])

    heading, first, *_ = result.stdout.splitlines()
    assert heading.split() == ["host", "name", "buckets", "events", "first", "seen", "last", "seen"]
    seen = local_time("2026-01-03T10:00:00Z").split()
    assert first.split() == ["new-laptop", "1", "1", *seen, *seen]
    assert result.stderr == f"new-laptop may be the new name of laptop: {REASON}.\n"


def test_the_command_prints_json_for_programs(server: KeyedServer) -> None:
    result = CliRunner().invoke(commands, ["buckets", "devices", "--database", str(server.database), "--json"])

    assert msgspec.json.decode(result.stdout) == DEVICES


def test_a_new_database_has_no_devices(tmp_path: Path) -> None:
    make_database(tmp_path / "days.db")

    assert (
        "no buckets yet"
        in CliRunner().invoke(commands, ["buckets", "devices", "--database", str(tmp_path / "days.db")]).stderr
    )
