"""A server that is killed in the middle of a redaction: it goes on at the next start, and can be undone."""

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

from tests.server import RunningServer
from tests.waiting import eventually

EVENTS: Final = 12_000
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

    def call_and_kill(self, path: str, body: object, is_time: Callable[[apsw.Connection], bool]) -> None:
        """Make a call, and kill the server as soon as the file says that it is time."""

        def call() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.server.post(path, body)

        caller = threading.Thread(target=call)
        caller.start()
        db = apsw.Connection(str(self.server.database), flags=apsw.SQLITE_OPEN_READONLY)
        db.set_busy_timeout(1000)
        try:
            while not is_time(db):
                time.sleep(0.001)  # the time is short
        finally:
            db.close()
            self.server.kill()
            caller.join()

    def restart(self) -> None:
        self.server.start()


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    life = Life(tmp_path / "days.db")
    yield life
    life.server.stop()


def rows(db: apsw.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").get)


def is_past(moment: float, _db: apsw.Connection) -> bool:
    return time.monotonic() > moment


def test_applying_goes_on_and_can_be_undone(life: Life) -> None:
    life.call_and_kill("/api/1/privacy/apply", RULES, lambda db: rows(db, "redacted_event") > 0)

    life.restart()
    eventually(lambda: life.state() == "applied")

    titles = {event["data"]["title"] for event in life.events()}
    assert not any("secret" in title for title in titles)
    assert "REDACTED" in titles
    assert list(life.server.database.parent.glob("*-redaction-*")) == []

    assert life.server.post(f"{REDACTIONS}/1/undo").status == 200
    assert life.events() == life.before


def test_applying_can_be_undone_from_the_middle(life: Life) -> None:
    life.call_and_kill("/api/1/privacy/apply", RULES, lambda db: rows(db, "redacted_event") > 0)
    for plan in life.server.database.parent.glob("*-redaction-*"):
        plan.unlink()  # nobody knows any more what was to follow

    life.restart()
    assert life.state() == "applying"
    assert life.server.post(f"{REDACTIONS}/1/undo").json["state"] == "undone"

    assert life.events() == life.before


def test_undoing_goes_on(life: Life) -> None:
    assert life.server.post("/api/1/privacy/apply", RULES).status == 200
    moved = EVENTS * 2 // 3
    life.call_and_kill(f"{REDACTIONS}/1/undo", None, lambda db: 0 < rows(db, "redacted_event") < moved)

    life.restart()
    eventually(lambda: life.state() == "undone")

    assert life.events() == life.before


def test_making_final_goes_on(life: Life) -> None:
    assert life.server.post("/api/1/privacy/apply", RULES).status == 200
    after = life.events()
    life.call_and_kill(f"{REDACTIONS}/1/final", None, lambda db: rows(db, "redacted_event") == 0)

    life.restart()
    db = apsw.Connection(str(life.server.database), flags=apsw.SQLITE_OPEN_READONLY)
    eventually(lambda: not db.execute("SELECT has_rest FROM redaction").get)
    db.close()

    assert life.state() == "final"
    assert life.events() == after
    files = [life.server.database, Path(f"{life.server.database}-wal")]
    assert not any(b"secret 1" in file.read_bytes() for file in files if file.exists())


@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.long)], ids=["a few rounds", "many rounds"])
def test_it_comes_to_its_end_and_can_be_undone_whenever_it_was_killed(tmp_path: Path, rounds: int) -> None:
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
