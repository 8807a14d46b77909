"""Single buckets of a backup come back into the database in use, and nothing else changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.model.errors import NotFound
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
from tests.support.maintenance.backups import Clock, events_in, filled, made, scheduler_of
from tests.support.server import RunningServer


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail", bucket_id="window")
    filled(tmp_path / "days.db", "example.org", bucket_id="web")
    return tmp_path / "days.db"


@pytest.fixture
def server(database: Path) -> Iterator[RunningServer]:
    with RunningServer(database) as server:
        yield server


def restore(database: Path, name: str, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["backup", "restore", name, "--database", str(database), *arguments])


def restored_buckets(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, (result.exception, result.stderr)
    found: list[dict[str, Any]] = msgspec.json.decode(result.stdout)
    return found


def test_a_bucket_that_is_gone_comes_back_as_it_was_while_the_server_runs(server: RunningServer) -> None:
    before = server.get("/api/0/buckets/window/export").body
    name = server.post("/api/1/backups").json["name"]
    server.call("DELETE", "/api/0/buckets/window?force=1")
    others = server.get("/api/0/buckets/web/export").body

    (window,) = restored_buckets(restore(server.database, name, "--bucket", "window", "--json"))

    assert window == {
        "bucket": "window", "is_new": True, "events": 2, "added": 2, "extended": 0, "there": 0, "dropped": 0,
        "is_proven": True,
    }  # fmt: skip
    assert server.get("/api/0/buckets/window/export").body == before
    assert server.get("/api/0/buckets/web/export").body == others


def test_without_a_server_the_events_are_restored_into_the_file(database: Path) -> None:
    name = made(scheduler_of(database, Clock())).name
    with RunningServer(database) as server:
        server.call("DELETE", "/api/0/buckets/window?force=1")

    restored_buckets(restore(database, name, "--bucket", "window", "--json"))

    assert [event["data"]["app"] for event in events_in(database)] == ["editor", "mail"]


def test_where_the_bucket_exists_what_is_missing_is_added_and_the_rest_stays(server: RunningServer) -> None:
    name = server.post("/api/1/backups").json["name"]
    newest, oldest = server.get("/api/0/buckets/window/events").json
    server.call("DELETE", f"/api/0/buckets/window/events/{oldest['id']}")
    later = {"timestamp": "2026-02-01T10:00:00Z", "duration": 1, "data": {"app": "game"}}
    server.post("/api/0/buckets/window/events", [later])

    (window,) = restored_buckets(restore(server.database, name, "--bucket", "window", "--json"))

    assert (window["is_new"], window["added"], window["there"]) == (False, 1, 1)
    game, mail, editor = server.get("/api/0/buckets/window/events").json
    assert game["data"] == {"app": "game"}
    assert mail == newest
    assert {**editor, "id": oldest["id"]} == oldest


def test_a_second_time_nothing_is_added(server: RunningServer) -> None:
    name = server.post("/api/1/backups").json["name"]
    before = server.get("/api/0/export").body

    both = restored_buckets(restore(server.database, name, "--bucket", "window", "--bucket", "web", "--json"))

    assert [(each["added"], each["there"]) for each in both] == [(0, 2), (0, 1)]
    assert server.get("/api/0/export").body == before


def test_an_event_that_has_gone_on_since_is_not_added_again_as_it_was(server: RunningServer) -> None:
    # An import alone would add the shorter state beside the longer one.
    name = server.post("/api/1/backups").json["name"]
    beat = {"timestamp": "2026-01-01T10:01:03Z", "duration": 0, "data": {"app": "mail"}}
    server.post("/api/0/buckets/window/heartbeat?pulsetime=10", beat)

    (window,) = restored_buckets(restore(server.database, name, "--bucket", "window", "--json"))

    assert window["added"] == 0
    assert [event["duration"] for event in server.get("/api/0/buckets/window/events").json] == [3, 0]


def test_a_dry_run_shows_the_same_and_changes_nothing(server: RunningServer) -> None:
    name = server.post("/api/1/backups").json["name"]
    server.call("DELETE", "/api/0/buckets/window?force=1")

    (preview,) = restored_buckets(restore(server.database, name, "--bucket", "window", "--dry-run", "--json"))
    assert "window" not in server.get("/api/0/buckets/").json
    (window,) = restored_buckets(restore(server.database, name, "--bucket", "window", "--json"))

    assert {**preview, "is_proven": True} == window


def test_what_it_did_is_shown_in_a_table(server: RunningServer) -> None:
    name = server.post("/api/1/backups").json["name"]
    server.call("DELETE", "/api/0/buckets/window?force=1")

    result = restore(server.database, name, "--bucket", "window")

    assert result.stdout.splitlines()[1].split() == ["window", "new", "2", "2", "0", "0", "0"]
    assert "Everything in the backup of these buckets is in the database." in result.stderr


def test_a_bucket_that_the_backup_does_not_have_is_named_with_those_it_has(server: RunningServer) -> None:
    name = server.post("/api/1/backups").json["name"]

    refused = restore(server.database, name, "--bucket", "window", "--bucket", "afk").exception

    assert isinstance(refused, NotFound)
    assert refused.message == f"there is no bucket 'afk' in {name}"
    assert refused.hint == "it has window, web"


def test_nothing_is_left_beside_the_database(database: Path) -> None:
    name = made(scheduler_of(database, Clock())).name
    names = {path.name for path in database.parent.iterdir()}

    restored_buckets(restore(database, name, "--bucket", "window", "--json"))

    assert {path.name for path in database.parent.iterdir()} - names <= {"device_id"}


def test_a_backup_of_an_older_schema_is_understood(tmp_path: Path) -> None:
    open_current(tmp_path / "old.db", MIGRATIONS[:2]).close()
    path = (
        scheduler_of(tmp_path / "old.db", Clock()).folder.path / made(scheduler_of(tmp_path / "old.db", Clock())).name
    )
    filled(tmp_path / "days.db", "editor")

    refused = restore(tmp_path / "days.db", str(path), "--bucket", "window").exception

    assert isinstance(refused, NotFound)  # it was read: it has no buckets
    assert refused.hint == "it has none"
    assert list(tmp_path.glob("days-backups/*")) == []  # and nothing was made of it before its upgrade


@pytest.mark.parametrize("flags", [("--dry-run",), ("--bucket", "window", "--to", "other.db")])
def test_flags_that_do_not_go_together_are_rejected(database: Path, flags: tuple[str, ...]) -> None:
    name = made(scheduler_of(database, Clock())).name

    assert restore(database, name, *flags).exit_code == 64
