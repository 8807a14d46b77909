"""Clients of a server that is killed, stopped and run out of space; each keeps a model of what it has changed.

Every change has a token and is sent until it is answered. Where the response was lost, the token shows that the change
was made, and what the response would have said is looked up.
"""

import http.client
import random
import re
import threading
import time
from secrets import token_hex
from typing import Any, Final
from urllib.parse import quote

import msgspec

from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp, parse_timestamp
from tests.support.server import Answer
from tests.support.storage.models import Diary, Entry
from tests.support.waiting import PATIENCE_S

_BEGIN: Final[Microseconds] = parse_timestamp("2026-01-01T00:00:00Z")
_BUSY: Final = re.compile("try again when that is finished|is still running")
_GONE: Final = (OSError, http.client.HTTPException)
_RESUMED_S: Final = 60.0  # at the start of the server, and soon over; the lease is 30 seconds
_PULSETIME: Final = 5 * SECOND
_APPS: Final = ("editor", "mail", "browser", "terminal")
_PERIOD: Final = "2025-01-01T00:00:00Z/2030-01-01T00:00:00Z"


class Caller:
    """One thread that makes changes until it is stopped. `failure` says what was wrong with a response."""

    def __init__(self, port: int, seed: int) -> None:
        self.failure: str | None = None
        self.changes = 0
        self.answered = 0  # calls
        self._port = port
        self._chance = random.Random(seed)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join(timeout=2 * PATIENCE_S)
        if self._thread.is_alive():
            self.failure = self.failure or "it waits for a response without end"

    def check(self) -> None:
        """Fail if the server does not hold what it should."""
        raise NotImplementedError

    def _begin(self) -> None:
        """What is done once."""
        raise NotImplementedError

    def _do(self) -> None:
        """Make one change, or look at the data."""
        raise NotImplementedError

    def _run(self) -> None:
        try:
            self._begin()
            while not self._is_over.is_set():
                self._do()
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"

    def _change(self, method: str, path: str, body: object = None, accepts: tuple[int, ...] = (200,)) -> Answer | None:
        """Make a change once; None if it was made and the response lost.

        It is repeated while it meets another operation: one that a kill interrupted is resumed, or its lease expires.
        """
        self.changes += 1
        headers = {"Idempotency-Key": token_hex(16)}
        deadline = time.monotonic() + _RESUMED_S
        while True:
            answer = self._call(method, path, body, headers=headers, accepts=(*accepts, 409))
            if answer.status != 409 or not _BUSY.search(answer.message):
                break
            assert time.monotonic() < deadline, f"{method} {path}: {answer.message}"
            time.sleep(0.02)
        is_repeated = answer.status == 409 and "already made" in answer.message
        assert is_repeated or answer.status in accepts, f"{method} {path}: {answer.status} {answer.body!r}"
        return None if is_repeated else answer

    def _call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: dict[str, str] | None = None,
        accepts: tuple[int, ...] = (200, 304),
    ) -> Answer:
        """Call until there is a response other than that it cannot be done now."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self._try(method, path, body, headers or {})
            if answer is not None and answer.status != 503:
                assert answer.status in accepts, f"{method} {path}: {answer.status} {answer.body!r}"
                self.answered += 1
                return answer
            assert time.monotonic() < deadline, f"{method} {path} was not answered for {PATIENCE_S:.0f} s"
            time.sleep(0.02)

    def _try(self, method: str, path: str, body: object, headers: dict[str, str]) -> Answer | None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        try:
            content = None if body is None else msgspec.json.encode(body)
            kind = {} if content is None else {"Content-Type": "application/json"}
            connection.request(method, path, body=content, headers=headers | kind)
            response = connection.getresponse()
            reported = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, reported, response.read())
        except _GONE:
            return None
        finally:
            connection.close()


class Person(Caller):
    """One bucket, and what must be in it."""

    def __init__(self, port: int, number: int, seed: int) -> None:
        super().__init__(port, seed)
        self.bucket_id = f"aw-watcher-window_person {number}"
        self.diary = Diary()
        self._moment = _BEGIN

    def check(self) -> None:
        assert self.failure is None, f"{self.bucket_id}: {self.failure}"
        assert self.stored() == self.diary.events, f"{self.bucket_id} does not hold what it should"

    def stored(self) -> dict[int, Entry]:
        """What the server has."""
        answer = self._call("GET", f"{self._path}/events")
        return {event["id"]: entry_of(event) for event in answer.json}

    @property
    def _path(self) -> str:
        return f"/api/0/buckets/{quote(self.bucket_id, safe='')}"

    def _begin(self) -> None:
        self._call("POST", self._path, {"client": "person", "type": "currentwindow", "hostname": "laptop"})

    def _do(self) -> None:
        doings = (
            self._beat, self._insert, self._replace, self._delete, self._undo, self._lose_bucket, self._import,
            self._query, self._read,
        )  # fmt: skip
        self._chance.choices(doings, weights=(60, 8, 6, 6, 8, 1, 2, 2, 4))[0]()

    def _beat(self) -> None:
        self._moment += self._chance.choice((1, 1, 1, 4, 30)) * SECOND
        beat = Entry(self._moment, 0, {"app": self._chance.choice(_APPS[:2])})
        answer = self._change("POST", f"{self._path}/heartbeat?pulsetime=5", event_of(beat))
        event_id = self.diary.merged(beat, _PULSETIME)
        if event_id is None:
            self.diary.events[answer.json["id"] if answer else self._new_ids()[0]] = beat
        elif answer:
            assert answer.json["id"] == event_id, f"a heartbeat extended event {answer.json['id']}, not {event_id}"

    def _insert(self) -> None:
        entries = [self._past() for _ in range(self._chance.randint(1, 5))]
        answer = self._change("POST", f"{self._path}/events", [event_of(entry) for entry in entries])
        if answer:
            self.diary.events |= {event["id"]: entry_of(event) for event in answer.json}
        else:
            self._take_over()

    def _replace(self) -> None:
        if not self.diary.events:
            return
        event_id, entry = self._chance.choice([*self.diary.events]), self._past()
        answer = self._change("POST", f"{self._path}/events", event_of(entry) | {"id": event_id})
        self.diary.change(self._undo_id(answer), {event_id: entry})

    def _delete(self) -> None:
        if not self.diary.events:
            return
        event_id = self._chance.choice([*self.diary.events])
        answer = self._change("DELETE", f"{self._path}/events/{event_id}")
        self.diary.change(self._undo_id(answer), {event_id: None})

    def _undo(self) -> None:
        if not self.diary.acts:
            return
        act = self._chance.choice(self.diary.acts[-5:])
        is_possible = self.diary.can_undo(act)
        answer = self._change("POST", f"/api/1/undo/{act.number}", accepts=(200,) if is_possible else (409,))
        if is_possible:
            self.diary.undo(act)
        elif answer:
            assert "changed again" in answer.message, answer.message

    def _lose_bucket(self) -> None:
        number = self._undo_id(self._change("DELETE", self._path))
        assert self._call("GET", self._path, accepts=(404,)).status == 404
        self._change("POST", f"/api/1/undo/{number}")

    def _import(self) -> None:
        fields = {"client": "person", "type": "currentwindow", "hostname": "laptop"}
        events = [event_of(self._past()) for _ in range(self._chance.randint(10, 400))]
        self._change("POST", "/api/0/import", {"buckets": {self.bucket_id: fields | {"events": events}}})
        self._take_over()

    def _query(self) -> None:
        program = [f"RETURN = sum_durations(query_bucket({msgspec.json.encode(self.bucket_id).decode()}));"]
        answer = self._call("POST", "/api/0/query/", {"query": program, "timeperiods": [_PERIOD]})
        assert abs(answer.json[0] * SECOND - self.diary.total()) < SECOND / 1000, "a query has another total"

    def _read(self) -> None:
        assert self.stored() == self.diary.events, "the bucket does not hold what it should"

    def _past(self) -> Entry:
        """An event that is older than the heartbeats, each at a time of its own."""
        start = _BEGIN - self._chance.randint(1, 300 * DAY)
        return Entry(start, self._chance.randint(0, 3600) * SECOND, {"app": self._chance.choice(_APPS)})

    def _new_ids(self) -> list[int]:
        return sorted(self.stored().keys() - self.diary.events.keys())

    def _take_over(self) -> None:
        """Learn the ids of what was stored without a response; nothing else may have changed."""
        stored = self.stored()
        assert {event_id: stored.get(event_id) for event_id in self.diary.events} == self.diary.events
        self.diary.events = stored

    def _undo_id(self, answer: Answer | None) -> int:
        if answer is not None:
            return int(answer.headers["undo-id"])
        items = self._call("GET", "/api/1/trash").json
        return int(next(item["id"] for item in items if item["bucket"] == self.bucket_id))


def event_of(entry: Entry) -> dict[str, Any]:
    return {"timestamp": format_timestamp(entry.start), "duration": entry.duration / SECOND, "data": entry.data}


def entry_of(event: dict[str, Any]) -> Entry:
    return Entry(parse_timestamp(event["timestamp"]), round(event["duration"] * SECOND), event["data"])
