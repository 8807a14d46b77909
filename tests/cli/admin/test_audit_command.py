"""`dayline logs audit` and `dayline open`, as a user types them."""

from pathlib import Path

import msgspec

from tests.support.keyed_server import KeyedServer
from tests.support.processes.command import run
from tests.support.server import RunningServer
from tests.support.storage.opened import make_database


def test_the_audit_log_shows_who_did_what(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.create("window")
        key = server.made_key("append", name="laptop")
        beat = {"timestamp": "2026-02-03T08:15:31Z"}
        for _ in range(3):
            server.with_key(key["key"], "POST", "/api/0/buckets/window/heartbeat?pulsetime=5", beat)

        done = run("logs", "audit", "--database", str(server.database), "--key", key["id"], home=tmp_path)

        assert done.returncode == 0, done.stderr
        [line] = done.stdout.splitlines()[1:]
        assert line.split()[2:] == ["3", "key", key["id"], "(laptop)", "127.0.0.1", "send_heartbeat", "window", "200"]


def test_rejections_can_be_asked_for_alone(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.call("GET", "/api/0/export")

        done = run("logs", "audit", "--database", str(server.database), "--rejected", "--json", home=tmp_path)

    lines = msgspec.json.decode(done.stdout)
    assert [(line["who"], line["call"], line["status"]) for line in lines] == [("nobody", "export_all", 401)]


def test_the_audit_log_can_be_read_without_a_server(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.create("window")
        server.call("DELETE", "/api/0/buckets/window")

    done = run("logs", "audit", "--database", str(tmp_path / "days.db"), "--bucket", "window", home=tmp_path)

    assert "delete_bucket" in done.stdout


def test_an_empty_audit_log_is_reported_as_empty(tmp_path: Path) -> None:
    make_database(tmp_path / "days.db")

    done = run("logs", "audit", "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert (done.returncode, done.stdout) == (0, "")
    assert "The audit log has no matching lines" in done.stderr


def test_open_prints_a_link_that_signs_in(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        done = run("open", "--print", "--database", str(server.database), home=tmp_path)

        url, _, code = done.stdout.strip().partition("/#code=")
        assert url == server.url
        assert server.post("/api/1/session", {"code": code}).status == 201


def test_open_without_a_server_reports_how_to_start_one(tmp_path: Path) -> None:
    done = run("open", "--print", "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert done.returncode == 75
    assert "dayline serve" in done.stderr
