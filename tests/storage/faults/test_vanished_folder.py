"""A data folder that vanishes under a running server: nothing acknowledged is lost, nothing is made again."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from tests.storage.faults.impatient_server import (
    BEATS,
    EVENTS,
    LOOK_S,
    ImpatientServer,
    beat,
    event,
    logged,
    problems,
    until_reported,
    until_well,
)
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    (tmp_path / "data").mkdir()
    with ImpatientServer(tmp_path / "data" / "days.db") as server:
        record(server)
        yield server


def record(server: RunningServer) -> None:
    server.create("window")
    for second in range(10, 20):  # enough that commits are trusted to the event loop
        assert server.post(BEATS, event(second)).status == 200


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def test_a_change_is_rejected_and_a_heartbeat_held_until_the_folder_is_back(
    server: RunningServer, pool: ThreadPoolExecutor
) -> None:
    folder, elsewhere = server.database.parent, server.database.parent.with_name("elsewhere")
    folder.rename(elsewhere)

    held = beat(server, pool, 30)
    refused = server.post(EVENTS, [event(40, "refused")])
    again = server.post(EVENTS, [event(41, "refused")])

    assert (refused.status, again.status) == (503, 503)
    assert f"the data folder {folder} was removed" in refused.message
    assert int(again.headers["retry-after"]) > 0
    assert "nothing was stored" in again.json["hint"]
    assert not held.done()
    assert not folder.exists()  # nothing was made in its place
    elsewhere.rename(folder)
    assert held.result(timeout=PATIENCE_S).status == 200
    assert server.post(EVENTS, [event(50, "after")]).status == 200
    assert [item["data"]["app"] for item in server.get(EVENTS).json].count("after") == 1
    assert "refused" not in str(server.get(f"{EVENTS}?start=2026-01-01T10:00:41Z").json)


def test_a_change_that_was_being_committed_is_not_acknowledged_and_not_made_twice(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    folder.mkdir()
    with ImpatientServer(folder / "days.db", constants={LOOK_S: 60}) as server:
        record(server)
        folder.rename(elsewhere)

        # The server does not know it yet: the commit lands in files that no one can find.
        answer = server.post(EVENTS, [event(40, "unsure")])

        assert answer.status == 503
        assert "unknown whether this was stored" in answer.message
        elsewhere.rename(folder)
        until_well(server)
        assert str(server.get(EVENTS).json).count("unsure") == 1


def test_it_is_reported_without_writes_and_no_longer_when_it_is_back(server: RunningServer) -> None:
    folder, elsewhere = server.database.parent, server.database.parent.with_name("elsewhere")
    folder.rename(elsewhere)

    reported = until_reported(server, "was removed")

    assert (reported["kind"], reported["since"] is not None) == ("disk", True)
    assert str(folder) in reported["hint"]
    elsewhere.rename(folder)
    until_well(server)
    assert len(logged(server, "was removed")) == 1
    assert len(logged(server, "can be written again")) == 1


def test_health_counts_the_heartbeats_that_are_held(server: RunningServer, pool: ThreadPoolExecutor) -> None:
    folder, elsewhere = server.database.parent, server.database.parent.with_name("elsewhere")
    folder.rename(elsewhere)
    until_reported(server, "0 heartbeats are queued")

    held = [beat(server, pool, second) for second in (30, 31, 32)]

    until_reported(server, "3 heartbeats are queued")
    elsewhere.rename(folder)
    assert [answer.result(timeout=PATIENCE_S).status for answer in held] == [200, 200, 200]


def test_what_the_server_still_holds_can_be_exported_when_the_folder_was_removed(
    server: RunningServer, pool: ThreadPoolExecutor
) -> None:
    assert server.get("/api/0/export").status == 200  # a connection for reading is open from here on
    shutil.rmtree(server.database.parent)

    until_reported(server, "was removed")
    held = beat(server, pool, 30)
    until_reported(server, "1 heartbeat is queued")
    exported = server.get("/api/0/export").json

    assert exported["buckets"]["window"]["events"][0]["duration"] == 9.0
    assert not held.done()
    assert server.stop() == 0
    assert held.result().status == 503
    assert not server.database.parent.exists()


def test_a_read_that_needs_the_folder_reports_that_it_has_vanished(
    server: RunningServer, pool: ThreadPoolExecutor
) -> None:
    shutil.rmtree(server.database.parent)

    # One connection for reading is open; the others would have to be opened now.
    answers = list(pool.map(server.get, ["/api/0/settings"] * 40))

    assert {answer.status for answer in answers} <= {200, 503}
    assert all("was removed" in answer.message for answer in answers if answer.status == 503)


def test_another_file_of_the_same_name_is_not_taken_for_the_first(server: RunningServer, tmp_path: Path) -> None:
    folder = server.database.parent
    folder.rename(tmp_path / "elsewhere")
    folder.mkdir()
    shutil.copy(tmp_path / "elsewhere" / "days.db", server.database)

    until_reported(server, "was replaced by a different file while the server had it open")

    assert server.post(EVENTS, [event(40)]).status == 503
    assert [file.name for file in folder.iterdir()] == ["days.db"]


def test_a_removed_log_loses_nothing(server: RunningServer) -> None:
    # What was stored since the log was last moved into the database is in the log alone.
    server.database.with_name("days.db-wal").unlink()

    reported = until_reported(server, "days.db-wal was removed")

    assert "restart the server" in reported["hint"]
    server.stop()
    server.start()
    assert server.get(EVENTS).json[0]["duration"] == 9.0
    assert not problems(server)


def test_no_backup_creates_the_folder_again(server: RunningServer) -> None:
    shutil.rmtree(server.database.parent)

    assert server.post("/api/1/backups").status == 503

    assert not server.database.parent.exists()


def test_a_failed_import_names_its_missing_folder(server: RunningServer) -> None:
    shutil.rmtree(server.database.parent)

    answer = server.post("/api/0/import", {"buckets": {}})

    assert answer.status == 503
    assert f"the data folder {server.database.parent} was removed" in answer.message


def test_the_file_that_comes_back_is_whole(server: RunningServer, pool: ThreadPoolExecutor) -> None:
    folder, elsewhere = server.database.parent, server.database.parent.with_name("elsewhere")
    for round_ in range(3):
        folder.rename(elsewhere)
        held = beat(server, pool, 20 + round_)
        eventually(lambda: bool(problems(server)))
        elsewhere.rename(folder)
        assert held.result(timeout=PATIENCE_S).status == 200
        until_well(server)
    server.stop()

    db = apsw.Connection(str(server.database))

    assert db.pragma("integrity_check") == "ok"
    db.close()
