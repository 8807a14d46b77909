"""A server that is killed in the middle of a redaction: whichever server looks next continues it, or undoes it."""

import contextlib
import http.client
import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.support.postgres.servers import PostgresServer
from tests.support.waiting import eventually

EVENTS: Final = 3_000
# Many slices, of which each can be the last, and an owner that has ended is missed after a second.
SMALL: Final = {
    "dayline.storage.postgres.writing.writer:SLICE_ROWS": 100,
    "dayline.storage.postgres.writing.lease:LEASE_S": 1.0,
    "dayline.storage.postgres.writing.lease:_RENEW_S": 0.25,
}
REDACTIONS: Final = "/api/1/privacy/redactions"
APPLY: Final = "/api/1/privacy/apply"
APPLYING: Final = ("redaction", "state = 'applying'")
# Some texts are changed where they are, some events are moved, and some dropped.
RULES: Final = {
    "rules": [
        {"field": "title", "pattern": "secret [0-9]*[02468]$", "action": "redact"},
        {"field": "title", "pattern": "secret [0-9]*[13]$", "action": "drop"},
        {"field": "title", "pattern": "secret", "action": "rewrite", "replacement": ""},
    ]
}


class Lives:
    """Two servers on a database with many events, all of which the rules change. The second is started by need."""

    def __init__(self, address: str, folder: Path, *, events: int = EVENTS) -> None:
        self.address = address
        homes = [folder / "one", folder / "two"]
        for home in homes:
            home.mkdir()
        self.first, self.second = (PostgresServer(address, home) for home in homes)
        self.first.constants = self.second.constants = SMALL
        self._db = psycopg.connect(address, autocommit=True)
        self.first.start()
        self.first.create("window")
        stored = [
            {
                "timestamp": f"2026-{3 + n // 1500:02}-01T10:{n // 60 % 60:02}:{n % 60:02}.{n // 3600 % 10}Z",
                "duration": 1,
                "data": {"title": f"secret {n}"},
            }
            for n in range(events)
        ]
        assert self.first.post("/api/0/buckets/window/events", stored).status == 200
        self.before = events_of(self.first)

    def kill_while_applying(self) -> None:
        """Apply the rules, and kill the first server in the middle. On a busy machine that may need several tries."""
        while not self.call_and_kill(APPLY, RULES, self.is_half_moved) or not self.rows(*APPLYING):
            self.first.start()
            assert self.first.post(f"{newest_at(self.first)}/undo").status == 200

    def call_and_kill(self, path: str, body: object, is_time: Callable[[], bool]) -> bool:
        """Make a call to the first server, and kill it as soon as it is time; whether it ever was."""

        def call() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.first.post(path, body)

        caller = threading.Thread(target=call)
        caller.start()
        while not (was_time := is_time()) and caller.is_alive():
            time.sleep(0.001)  # the time is short
        self.first.kill()
        caller.join()
        return was_time

    def rows(self, table: str, where: str = "true") -> int:
        found = self._db.execute(f"SELECT count(*) FROM dayline.{table} WHERE {where}".encode()).fetchone()
        assert found is not None
        return int(found[0])

    def is_half_moved(self) -> bool:
        return 0 < self.rows("redacted_event") < EVENTS * 2 // 3

    def stop(self) -> None:
        self.first.stop()
        self.second.stop()
        self._db.close()


def events_of(server: PostgresServer) -> Any:
    return server.get("/api/0/buckets/window/events").json


def is_past(moment: float) -> bool:
    return time.monotonic() > moment


def newest_at(server: PostgresServer) -> str:
    """The path of the latest redaction."""
    return f"{REDACTIONS}/{server.get(REDACTIONS).json[0]['id']}"


def state_at(server: PostgresServer) -> str:
    return str(server.get(REDACTIONS).json[0]["state"])


@pytest.fixture
def lives(address: str, tmp_path: Path) -> Iterator[Lives]:
    lives = Lives(address, tmp_path)
    yield lives
    lives.stop()


def test_another_server_continues_with_applying_and_can_undo_it(lives: Lives) -> None:
    lives.kill_while_applying()

    lives.second.start()
    eventually(lambda: state_at(lives.second) == "applied")

    titles = {event["data"]["title"] for event in events_of(lives.second)}
    assert not any("secret" in title for title in titles)
    assert "REDACTED" in titles
    found = lives.second.get(REDACTIONS).json[0]
    assert (found["changed_events"], found["dropped_events"]) == (EVENTS * 8 // 10, EVENTS * 2 // 10)
    # The plan is deleted after the last step.
    eventually(lambda: [lives.rows(table) for table in ("redaction_plan", "redaction_change")] == [0, 0])

    assert lives.second.post(f"{newest_at(lives.second)}/undo").status == 200
    assert events_of(lives.second) == lives.before


@pytest.mark.long
def test_another_server_undoes_what_was_applied_by_half(lives: Lives) -> None:
    lives.second.start()
    lives.kill_while_applying()

    assert lives.second.post(f"{newest_at(lives.second)}/undo").json["state"] == "undone"

    assert events_of(lives.second) == lives.before
    kept = ("redaction_plan", "redaction_change", "redacted_value", "redacted_event")
    assert [lives.rows(table) for table in kept] == [0, 0, 0, 0]


@pytest.mark.long
def test_undoing_continues(lives: Lives) -> None:
    assert lives.first.post(APPLY, RULES).status == 200
    moved = lives.rows("redacted_event")
    lives.call_and_kill(f"{REDACTIONS}/1/undo", None, lambda: 0 < lives.rows("redacted_event") < moved)

    lives.first.start()
    eventually(lambda: state_at(lives.first) == "undone")

    assert events_of(lives.first) == lives.before


@pytest.mark.long
def test_making_final_continues(lives: Lives) -> None:
    assert lives.first.post(APPLY, RULES).status == 200
    after = events_of(lives.first)
    lives.call_and_kill(f"{REDACTIONS}/1/final", None, lambda: lives.rows("value", "salt < 0") > 0)

    lives.second.start()
    eventually(lambda: lives.rows("redaction", "has_rest") == 0)

    assert state_at(lives.second) == "final"
    assert events_of(lives.second) == after
    assert lives.rows("value", "json LIKE '%secret%'") == 0
    assert [lives.rows(table) for table in ("redacted_value", "redacted_event")] == [0, 0]


@pytest.mark.long
def test_a_redaction_killed_at_any_point_completes_and_can_be_undone(address: str, tmp_path: Path) -> None:
    chance, lives = random.Random(20), Lives(address, tmp_path, events=3000)
    for number in range(1, 21):
        moment = time.monotonic() + chance.uniform(0.2, 2.0)
        lives.call_and_kill(APPLY, RULES, partial(is_past, moment))
        lives.first.start()
        if lives.first.get(REDACTIONS).json[:1] != [] and state_at(lives.first) == "applying":
            eventually(lambda: state_at(lives.first) == "applied")
        for redaction in lives.first.get(REDACTIONS).json:
            if redaction["state"] != "undone":
                assert lives.first.post(f"{REDACTIONS}/{redaction['id']}/undo").status == 200
        assert events_of(lives.first) == lives.before, number
    lives.stop()
