"""`/api/1/retention` and `dayline space retention`, with a server and without one."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import Invalid
from dayline.storage.sqlite.database import SqliteDatabase
from tests.support.server import RunningServer
from tests.support.storage.engine_upkeep import APPLIED_OFTEN
from tests.support.storage.file_upkeep import lasting, play
from tests.support.storage.opened import bucket
from tests.support.waiting import eventually

RETENTION = "/api/1/retention"
EVENTS = [
    {"timestamp": f"2026-01-01T10:{minute:02}:00Z", "duration": 30, "data": {"app": "editor"}} for minute in range(10)
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """With two buckets of ten events each that become one."""
    path = tmp_path / "days.db"

    async def fill_without_a_server(database: SqliteDatabase) -> None:
        for bucket_id in ("window_laptop", "afk_laptop"):
            await database.store().create_bucket(bucket(bucket_id))
            await database.store().insert(bucket_id, [lasting(minute, 30) for minute in range(10)])
        await database.store().trash.empty(await database.store().delete_bucket("window"))

    play(path, fill_without_a_server)
    return path


@pytest.fixture
def filled(server: RunningServer) -> RunningServer:
    fill(server)
    return server


def fill(server: RunningServer) -> None:
    for bucket_id in ("window_laptop", "afk_laptop"):
        server.create(bucket_id)
        server.post(f"/api/0/buckets/{bucket_id}/events", EVENTS)


def run(database: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(commands, ["space", "retention", *arguments, "--database", str(database)], input=answer)


def test_nothing_is_downsampled_by_default(filled: RunningServer) -> None:
    assert filled.get(RETENTION).json == {"rules": []}
    assert filled.post(f"{RETENTION}/preview", {}).json == []
    assert filled.post(f"{RETENTION}/apply").json == []
    assert filled.get("/api/0/buckets/window_laptop/events/count").json == 10


def test_the_first_rule_that_fits_a_bucket_counts(filled: RunningServer) -> None:
    rules = [{"bucket": "window_*", "days": 1}, {"bucket": "*", "days": 5000}]

    answer = filled.call("PUT", RETENTION, rules)

    assert answer.json == filled.get(RETENTION).json
    assert answer.json["rules"] == [
        {"bucket": "window_*", "days": 1, "buckets": ["window_laptop"]},
        {"bucket": "*", "days": 5000, "buckets": ["afk_laptop"]},
    ]
    preview = filled.post(f"{RETENTION}/preview", {}).json
    assert [(each["bucket"], each["events"], each["after"]) for each in preview] == [
        ("window_laptop", 10, 1),
        ("afk_laptop", 10, 10),
    ]


def test_what_was_downsampled_is_undone_by_its_number(filled: RunningServer) -> None:
    before = filled.get("/api/0/export").body
    filled.call("PUT", RETENTION, [{"bucket": "window_*", "days": 1}])

    [downsampled] = filled.post(f"{RETENTION}/apply").json

    assert (downsampled["bucket"], downsampled["removed"]) == ("window_laptop", 9)
    [event] = filled.get("/api/0/buckets/window_laptop/events").json
    assert (event["timestamp"], event["duration"]) == ("2026-01-01T10:00:00Z", 300)
    assert filled.get("/api/1/trash").json[0]["kind"] == "thin_bucket"
    assert filled.post(f"/api/1/undo/{downsampled['undo']}").status == 200
    assert filled.get("/api/0/export").body == before


def test_rules_that_cannot_be_meant_are_rejected(server: RunningServer) -> None:
    for rule in ({"bucket": "window", "days": 0}, {"bucket": "", "days": 1}, {"bucket": "window"}, {"days": 1}):
        assert server.call("PUT", RETENTION, [rule]).status == 422
    assert server.get(RETENTION).json == {"rules": []}


def test_the_server_applies_the_rules_automatically(tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "days.db")
    server.constants = APPLIED_OFTEN
    with server:
        fill(server)
        server.call("PUT", RETENTION, [{"bucket": "afk_*", "days": 1}])

        eventually(lambda: server.get("/api/0/buckets/afk_laptop/events/count").json == 1)

        assert server.get("/api/0/buckets/window_laptop/events/count").json == 10


def test_the_commands_set_preview_and_apply(database: Path) -> None:
    assert "no events are downsampled" in run(database, "show").stderr
    assert run(database, "set", "window_*=1").stdout.splitlines()[1].split() == ["window_*", "1", "window_laptop"]
    assert run(database, "show").stdout == run(database, "set", "window_*=1").stdout
    assert run(database, "preview").stdout.splitlines()[1].split()[:4] == ["window_laptop", "1", "10", "1"]
    assert run(database, "preview", "afk_*=1").stdout.splitlines()[1].split()[:4] == ["afk_laptop", "1", "10", "1"]
    assert run(database, "apply", answer="n\n").exit_code == 1
    assert run(database, "apply", "--yes").stdout.splitlines()[1].split() == ["window_laptop", "9", "2"]
    assert "nothing to downsample" in run(database, "apply", "--yes").stderr
    assert "no events are downsampled" in run(database, "set").stderr


def test_the_commands_speak_to_a_running_server(database: Path) -> None:
    with RunningServer(database) as server:
        run(database, "set", "*=1")

        done = msgspec.json.decode(run(database, "apply", "--yes", "--json").stdout)

        assert [each["removed"] for each in done] == [9, 9]
        assert server.get("/api/0/buckets/afk_laptop/events/count").json == 1


def test_a_rule_in_another_form_is_reported(database: Path) -> None:
    result = run(database, "set", "window")

    assert isinstance(result.exception, Invalid)
    assert "BUCKET=DAYS" in (result.exception.hint or "")
