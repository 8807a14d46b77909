"""`dayline database` as it is typed: the tables of a database, and copies there and back."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg
import pytest

from dayline.maintenance.database_copy import copy_database, prove
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.transfer.copying import CopiedTenant, copied_tenant, new_tenant
from dayline.storage.sqlite.transfer.copying import copied_file
from tests.support.maintenance.documents import document
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.server import RunningServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.long  # the suites of tests/storage hold the rest every day

EVENTS: Final = 5000
# What is compared of a server, in addition to its export.
SHOWN: Final = (
    "/api/0/buckets/", "/api/0/settings", "/api/1/settings/history", "/api/1/trash", "/api/1/aliases",
    "/api/1/privacy/redactions",
)  # fmt: skip


class Ended(msgspec.Struct, frozen=True):
    status: int
    said: str
    complained: str


def begun(*arguments: str, home: Path, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "dayline", "database", *arguments],
        env={**os.environ, "HOME": str(home), "DAYLINE_DATABASE": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> Ended:
    said, complained = process.communicate(timeout=60)
    assert "Traceback" not in complained, complained
    return Ended(process.returncode, said, complained)


def run(*arguments: str, home: Path, **environment: str) -> Ended:
    return ended(begun(*arguments, home=home, **environment))


def bare_database(postgres: Cluster, name: str) -> str:
    """A database without tables."""
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute(f'CREATE DATABASE "{name}"'.encode())
    return postgres.address(name)


def shown(server: RunningServer) -> dict[str, Any]:
    """Everything that a copy is to have, as a client sees it."""
    found = {path: server.get(path).json for path in SHOWN}
    buckets = server.get("/api/0/export").json["buckets"]
    ids = {bucket: server.get(f"/api/0/buckets/{bucket}/events?limit=-1").json for bucket in buckets}
    return {**found, "export": buckets, "ids": ids}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A file with something of everything, and what its server showed of it."""
    folder = tmp_path_factory.mktemp("filled")
    with RunningServer(folder / "days.db") as server:
        for name in ("window", "gone", "old"):
            events, values = (EVENTS, 1000) if name == "window" else (100, 7)
            server.call("POST", "/api/0/import", raw=document(name, events=events, values=values))
        server.call("PUT", "/api/1/retention", [{"bucket": "old", "days": 1}])
        assert server.post("/api/1/retention/apply").json[0]["removed"] == 93
        for second in range(20):
            beat = {"timestamp": f"2027-01-01T00:00:{second:02}Z", "data": {"title": 'ünïcode "\\ \u0000'}}
            assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", beat).status == 200
        _, second_last, _ = server.get("/api/0/buckets/window/events?limit=3").json
        assert server.call("DELETE", f"/api/0/buckets/window/events/{second_last['id']}").status == 200
        # Some texts are changed where they are, some events are moved and some removed: all of it can be undone.
        for action, pattern in (("rewrite", "· 1(.)"), ("redact", "· 2"), ("drop", "· 3")):
            rule = {"field": "title", "pattern": pattern, "action": action, "replacement": ""}
            assert server.post("/api/1/privacy/apply", {"rules": [rule], "buckets": ["window"]}).status == 200
        assert server.post("/api/1/buckets/old/rename", {"id": "new"}).status == 200
        assert server.call("DELETE", "/api/0/buckets/gone").status == 200
        for value in (1, 2):
            assert server.post("/api/0/settings/color", {"n": value}).status in (200, 201)
        found = shown(server)
    return folder / "days.db", found


@pytest.fixture(scope="module")
def copy_of_filled(
    postgres: Cluster, filled: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> str:
    address = postgres.new_database()
    home = tmp_path_factory.mktemp("home")
    assert run("copy", "--from", str(filled[0]), "--to", address, home=home).status == 0
    return address


def test_tables_are_made_once_however_many_make_them(postgres: Cluster, tmp_path: Path) -> None:
    address = bare_database(postgres, "bare")
    empty = run("status", "--database", address, home=tmp_path)
    assert (empty.status, "no tables yet" in empty.said) == (1, True)

    both = [begun("init", home=tmp_path, DAYLINE_DATABASE=address) for _ in range(2)]

    assert [ended(each).status for each in both] == [0, 0]
    assert "exist already" in run("init", "--database", address, home=tmp_path).said
    assert "up to date" in run("upgrade", "--database", address, home=tmp_path).said
    found = run("status", "--database", address, "--json", home=tmp_path)
    assert found.status == 0
    assert msgspec.json.decode(found.said)["state"] == "current"


def test_an_upgrade_makes_no_tables(postgres: Cluster, tmp_path: Path) -> None:
    refused = run("upgrade", "--database", bare_database(postgres, "bare_upgrade"), home=tmp_path)

    assert (refused.status, "dayline database init" in refused.complained) == (75, True)


def test_a_file_has_no_tables_to_be_made(tmp_path: Path) -> None:
    refused = run("init", "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert (refused.status, "postgresql://" in refused.complained) == (65, True)


def test_a_database_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    refused = run("status", "--database", f"postgresql://user:secret@/x?host={tmp_path}", home=tmp_path)

    assert refused.status == 75
    assert "secret" not in refused.complained


def test_without_the_library_it_explains_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])

    for arguments in (("status", "--database"), ("copy", "--to", str(tmp_path / "new.db"), "--from")):
        refused = run(*arguments, "postgresql:///x", home=tmp_path, PYTHONPATH=path)

        assert (refused.status, "psycopg[binary,pool]" in refused.complained) == (65, True)


def test_a_copy_there_and_back_has_everything(
    address: str, filled: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    file, before = filled
    there = run("copy", "--from", str(file), "--to", address, home=tmp_path)
    assert (there.status, there.complained) == (0, "Copied everything: source and target are equal.\n")
    assert "DIFFERS" not in there.said

    with PostgresServer(address, tmp_path) as server:
        assert shown(server) == before
        # Numbers continue where they were.
        highest = max(event["id"] for events in before["ids"].values() for event in events)
        added = server.post("/api/0/buckets/window/events", {"timestamp": "2027-02-01T00:00:00Z", "data": {}}).json
        assert added["id"] > highest
        for act in before["/api/1/trash"]:
            assert server.post(f"/api/1/undo/{act['id']}").status == 200
        changed = shown(server)
        assert set(changed["export"]) == {"window", "gone", "old"}

    back = run("copy", "--from", address, "--to", str(tmp_path / "back.db"), "--json", home=tmp_path)
    assert (back.status, msgspec.json.decode(back.said)["is_proven"]) == (0, True)
    with RunningServer(tmp_path / "back.db") as server:
        assert shown(server) == changed
    assert [path.name for path in tmp_path.glob("*copy-part*")] == []


def test_what_is_in_use_or_not_empty_is_refused(
    address: str, filled: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    with RunningServer(tmp_path / "used.db"), PostgresServer(address, tmp_path):
        for source, target in ((str(tmp_path / "used.db"), address), (str(filled[0]), address)):
            refused = run("copy", "--from", source, "--to", target, home=tmp_path)
            assert (refused.status, "in use" in refused.complained) == (75, True)

    with psycopg.connect(address, autocommit=True) as db:
        db.execute("INSERT INTO dayline.setting VALUES('', 'color', '1')")
    refused = run("copy", "--from", str(filled[0]), "--to", address, home=tmp_path)
    assert "is not empty: there are rows in setting" in refused.complained
    refused = run("copy", "--from", address, "--to", str(filled[0]), home=tmp_path)
    assert "already exists" in refused.complained


def test_a_copy_that_is_killed_has_left_nothing(
    address: str, filled: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    process = begun("copy", "--from", str(filled[0]), "--to", address, home=tmp_path)
    with psycopg.connect(address, autocommit=True) as db:
        is_writing = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT%%'"
        while db.execute(is_writing).fetchone() is None:
            assert process.poll() is None
    process.kill()
    process.communicate()

    with psycopg.connect(address, autocommit=True) as db:
        is_connected = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'dayline'"
        eventually(lambda: db.execute(is_connected).fetchone() is None)
        assert db.execute("SELECT count(*) FROM dayline.event").fetchone() == (0,)
    assert run("copy", "--from", str(filled[0]), "--to", address, home=tmp_path).status == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET duration = duration + 1 WHERE id = 7",
        "UPDATE event SET id = 1000000 WHERE id = 7",
        "DELETE FROM event WHERE id = 7",
        "UPDATE value SET json = '{}' WHERE key = 7",
        "UPDATE bucket SET client = 'another' WHERE id = 'window'",
        "DELETE FROM setting_history",
        "UPDATE redacted_value SET json = '{}' WHERE json IS NOT NULL",
        "UPDATE redacted_event SET target = 7",
        "UPDATE operation SET detail = '{}'",
    ],
)
def test_the_proof_fails_for_anything_that_is_not_as_it_was(
    copy_of_filled: str, filled: tuple[Path, dict[str, Any]], change: str
) -> None:
    with connect(copy_of_filled, is_owner=True) as db, transaction(db, ""), copied_file(filled[0]) as file:
        copy = CopiedTenant(db, copy_of_filled, "")
        assert prove(file, copy, on_events=lambda _: None).is_proven

        assert db.execute(change.encode()).rowcount
        assert not prove(file, copy, on_events=lambda _: None).is_proven

        db.rollback()


def test_what_is_not_kept_is_not_there(address: str, filled: tuple[Path, dict[str, Any]]) -> None:
    with copied_file(filled[0]) as file, new_tenant(address) as made:
        copy_database(file, made, on_events=lambda _: None)
        assert made.count_events() > EVENTS // 2

    with copied_tenant(address) as found:
        assert (found.buckets(), found.count_events()) == ([], 0)


def test_a_redaction_is_undone_or_made_final_in_a_copy_as_well(address: str, tmp_path: Path) -> None:
    secrets = [{"timestamp": f"2026-02-01T10:00:{n:02}Z", "data": {"title": f"secret {n % 7}"}} for n in range(30)]
    rules = [
        {"field": "title", "pattern": "secret [123]", "action": "redact"},
        {"field": "title", "pattern": "secret 4", "action": "drop"},
        {"field": "title", "pattern": "secret", "action": "rewrite", "replacement": ""},
    ]
    with PostgresServer(address, tmp_path) as server:
        server.create("window")
        assert server.post("/api/0/buckets/window/events", secrets).status == 200
        before = server.get("/api/0/export").json
        assert server.post("/api/1/privacy/apply", {"rules": rules}).json["state"] == "applied"
        after = server.get("/api/0/export").json
    for name in ("undo", "final"):
        assert run("copy", "--from", address, "--to", str(tmp_path / f"{name}.db"), home=tmp_path).status == 0
        with RunningServer(tmp_path / f"{name}.db") as copy:
            assert copy.post(f"/api/1/privacy/redactions/1/{name}").status == 200
            assert copy.get("/api/0/export").json == (before if name == "undo" else after)
    assert b"secret 5" not in (tmp_path / "final.db").read_bytes()
