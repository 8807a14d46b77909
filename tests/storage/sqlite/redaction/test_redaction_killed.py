"""A server that is killed in the middle of a redaction: it continues at the next start, and can be undone."""

import contextlib
import http.client
import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from tests.support.server import RunningServer
from tests.support.waiting import eventually

EVENTS: Final = 3_000
SMALL_SLICES: Final = {
    "dayline.storage.operations.background:SLICE_ROWS": 50
}  # many of them, of which each can be the last
REDACTIONS: Final = "/api/1/privacy/redactions"
RULES: Final = {
    "rules": [
        {"field": "title", "pattern": "secret [0-9]*[02468]$", "action": "redact"},
        {"field": "title", "pattern": "secret [0-9]*[13]$", "action": "drop"},
        {"field": "title", "pattern": "secret", "action": "rewrite", "replacement": ""},
    ]
}


class Life:
    """A database with many events, all of which the rules change."""

    def __init__(self, path: Path, *, events: int = EVENTS) -> None:
        self.server = RunningServer(path)
        self.server.constants = SMALL_SLICES
        self.server.start()
        self.server.create("window")
        stored = [
            {
                "timestamp": f"2026-03-{1 + n // 1000:02}T10:{n // 60 % 60:02}:{n % 60:02}.{n // 3600 % 10}Z",
                "duration": 1,
                "data": {"title": f"secret {n}"},
            }
            for n in range(events)
        ]
        assert self.server.post("/api/0/buckets/window/events", stored).status == 200
        self.before = self.events()

    def events(self) -> Any:
        return self.server.get("/api/0/buckets/window/events").json

    def state(self) -> str:
        return str(self.server.get(REDACTIONS).json[0]["state"])

    def newest(self) -> str:
        """The path of the latest redaction."""
        return f"{REDACTIONS}/{self.server.get(REDACTIONS).json[0]['id']}"

    def stored_state(self) -> str:
        """The state of the latest redaction as the file has it; no server is needed."""
        db = apsw.Connection(str(self.server.database))
        try:
            return str(db.execute("SELECT state FROM redaction ORDER BY key DESC LIMIT 1").get)
        finally:
            db.close()

    def kill_while_applying(self) -> None:
        """Apply the rules, and kill the server in the middle. On a busy machine that may need several tries."""
        while True:
            self.call_and_kill("/api/1/privacy/apply", RULES, lambda db: rows(db, "redacted_event") > 0)
            if self.stored_state() == "applying":
                return
            self.restart()
            assert self.server.post(f"{self.newest()}/undo").status == 200

    def call_and_kill(self, path: str, body: object, is_time: Callable[[apsw.Connection], bool]) -> bool:
        """Make a call, and kill the server as soon as the file says that it is time; whether it ever was."""

        def call() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.server.post(path, body)

        caller = threading.Thread(target=call)
        caller.start()
        db = apsw.Connection(str(self.server.database), flags=apsw.SQLITE_OPEN_READONLY)
        db.set_busy_timeout(1000)
        try:
            while not (was_time := is_time(db)) and caller.is_alive():
                time.sleep(0.001)  # the time is short
        finally:
            db.close()
            self.server.kill()
            caller.join()
        return was_time

    def restart(self) -> None:
        self.server.stop()
        self.server.start()


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    life = Life(tmp_path / "days.db")
    yield life
    life.server.stop()


def rows(db: apsw.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").get)


def redacted_events(life: Life) -> int:
    db = apsw.Connection(str(life.server.database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return rows(db, "redacted_event")
    finally:
        db.close()


def is_between(moved: int, db: apsw.Connection) -> bool:
    return 0 < rows(db, "redacted_event") < moved


def is_past(moment: float, _db: apsw.Connection) -> bool:
    return time.monotonic() > moment


def test_applying_continues_and_can_be_undone(life: Life) -> None:
    life.kill_while_applying()

    life.restart()
    eventually(lambda: life.state() == "applied")

    titles = {event["data"]["title"] for event in life.events()}
    assert not any("secret" in title for title in titles)
    assert "REDACTED" in titles
    assert list(life.server.database.parent.glob("*.d/redaction-*")) == []

    assert life.server.post(f"{life.newest()}/undo").status == 200
    assert life.events() == life.before


def test_applying_can_be_undone_from_the_middle(life: Life) -> None:
    life.kill_while_applying()
    for plan in life.server.database.parent.glob("*.d/redaction-*"):
        plan.unlink()  # no one knows any more what was to follow

    life.restart()
    assert life.state() == "applying"
    assert life.server.post(f"{life.newest()}/undo").json["state"] == "undone"

    assert life.events() == life.before


def test_undoing_continues(life: Life) -> None:
    is_half_undone = False
    while not is_half_undone:  # on a busy machine it may be over before it is seen
        life.restart()
        assert life.server.post("/api/1/privacy/apply", RULES).status == 200
        moved = redacted_events(life)
        life.call_and_kill(f"{life.newest()}/undo", None, partial(is_between, moved))
        is_half_undone = life.stored_state() == "undoing"

    life.restart()
    eventually(lambda: life.state() == "undone")

    assert life.events() == life.before


def test_making_final_continues(life: Life) -> None:
    assert life.server.post("/api/1/privacy/apply", RULES).status == 200
    after = life.events()
    assert life.call_and_kill(f"{REDACTIONS}/1/final", None, lambda db: rows(db, "redacted_event") == 0)

    life.restart()
    db = apsw.Connection(str(life.server.database), flags=apsw.SQLITE_OPEN_READONLY)
    eventually(lambda: not db.execute("SELECT has_rest FROM redaction").get)
    db.close()

    assert life.state() == "final"
    assert life.events() == after
    files = [life.server.database, Path(f"{life.server.database}-wal")]
    assert not any(b"secret 1" in file.read_bytes() for file in files if file.exists())


@pytest.mark.parametrize("rounds", [2, pytest.param(50, marks=pytest.mark.long)], ids=["a few rounds", "many rounds"])
def test_a_redaction_killed_at_any_point_completes_and_can_be_undone(tmp_path: Path, rounds: int) -> None:
    chance, life = random.Random(rounds), Life(tmp_path / "days.db", events=3000)
    for number in range(1, rounds + 1):
        moment = time.monotonic() + chance.uniform(0.2, 1.2)
        life.call_and_kill("/api/1/privacy/apply", RULES, partial(is_past, moment))
        life.restart()
        if life.server.get(REDACTIONS).json[:1] != [] and life.state() == "applying":
            eventually(lambda: life.state() == "applied")
        for redaction in life.server.get(REDACTIONS).json:
            if redaction["state"] != "undone":
                assert life.server.post(f"{REDACTIONS}/{redaction['id']}/undo").status == 200
        assert life.events() == life.before, number
    life.server.stop()
