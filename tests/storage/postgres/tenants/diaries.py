"""What a person does with the API, and a model of what they have: whatever they read has to agree with it."""

from typing import Any, Final

from dayline.model.data import canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET
from dayline.model.time import SECOND, format_timestamp, parse_timestamp
from tests.support.keyed_server import KeyedServer
from tests.support.postgres.servers import TEXT, Person
from tests.support.storage.models import ModelBucket, ModelEvent, ModelStore

BEGIN: Final = parse_timestamp("2026-02-03T08:00:00Z")
PERIOD: Final = "start=2026-02-03T00:00:00Z&end=2026-02-04T00:00:00Z"
BUCKETS: Final = ("window", "tabs")  # the same names for every user
PULSETIME_S: Final = 5

Row = tuple[int, int, str]  # start, duration and data of an event

# Answered for everybody, and looked through for the marks of others; what is in them is tested elsewhere.
LOOKS: Final = (
    "/api/0/settings", f"/api/1/summary?{PERIOD}&by=category,app,title", f"/api/1/series?{PERIOD}&bin=hour&by=title",
    f"/api/1/timeline?{PERIOD}", f"/api/1/reports/timesheet?{PERIOD}&by=title", "/api/1/now", "/api/1/buckets",
    "/api/1/devices", "/api/1/trash", "/api/1/audit", "/api/1/jobs", "/api/1/reports", "/api/1/goals",
    "/api/1/goals/progress", "/api/1/annotations", "/api/1/categories", "/api/1/categories/versions",
    "/api/1/categories/export", f"/api/1/categories/suggestions?{PERIOD}", "/api/1/settings", "/api/1/settings/history",
    "/api/1/settings/history?of=client", "/api/1/privacy/rules", "/api/1/retention", "/api/1/aliases", "/api/1/welcome",
    "/api/1/health", "/api/1/stream?follow=0", "/api/1/export?format=csv", "/api/1/session", "/api/1/sessions",
    "/api/1/doctor",
)  # fmt: skip


class Diary(Person):
    """A person, and a model of their buckets, settings and rules."""

    def __init__(self, server: KeyedServer, name: str) -> None:
        super().__init__(server, name)
        self.model = ModelStore()
        self.trash: list[tuple[int, str, ModelBucket]] = []
        self.settings: dict[str, object] = {}
        self.categories: list[str] = []
        self.said = 0  # about spans
        self.is_redacting = False

    def step(self, kind: str, *details: Any) -> None:
        """One of the methods below, by its name."""
        getattr(self, kind)(*details)

    def write(self, bucket_id: str, kind: str, events: list[tuple[int, int, bool]]) -> None:
        """Events by second, length and whether they have the mark: sent as heartbeats, inserted or imported."""
        if bucket_id not in self.model.buckets:
            assert self.create(bucket_id).status == 200
            self.model.buckets[bucket_id] = ModelBucket()
        made = [
            ModelEvent(BEGIN + at * SECOND, length * SECOND, self._data(is_marked)) for at, length, is_marked in events
        ]
        match kind:
            case "beats":
                for event in made:
                    path = f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime={PULSETIME_S}"
                    self.done("POST", path, _sent(event))
                    self.model.heartbeat(bucket_id, self._kept(event), PULSETIME_S * SECOND)
            case "insert":
                self.done("POST", f"/api/0/buckets/{bucket_id}/events", [_sent(event) for event in made])
                self.model.insert(bucket_id, [self._kept(event) for event in made])
            case _:
                self._import(bucket_id, made)

    def delete(self, bucket_id: str) -> None:
        answer = self.call("DELETE", f"/api/0/buckets/{bucket_id}")
        bucket = self.model.buckets.pop(bucket_id, None)
        assert answer.status == (404 if bucket is None else 200)
        if bucket is not None:
            self.trash.append((int(answer.headers["undo-id"]), bucket_id, bucket))

    def undo(self) -> None:
        """The last deletion, unless the bucket was made again."""
        if self.trash and self.trash[-1][1] not in self.model.buckets:
            act, bucket_id, bucket = self.trash.pop()
            self.done("POST", f"/api/1/undo/{act}")
            self.model.buckets[bucket_id] = ModelBucket(bucket.events)

    def set(self, key: str, is_kept: bool) -> None:
        path, value = f"/api/0/settings/{key}", [self.mark, key]
        if is_kept:
            self.done("POST", path, value)
            self.settings[key] = value
        else:
            self.done("DELETE", path)
            self.settings.pop(key, None)

    def keep(self) -> None:
        """What is kept of a tenant in addition to events: rules, reports, goals, what they say about spans."""
        names = [self.mark, f"other {self.mark}"][: 2 - len(self.categories) % 2]
        rules = [{"name": [name], "rule": {"regex": name}} for name in names]
        self.done("PUT", "/api/1/categories", {"categories": rules, "comment": f"said by {self.mark}"})
        self.categories = names
        self.done("PUT", f"/api/1/reports/{self.mark}", {"by": "title", "title": self.mark})
        self.done("POST", "/api/1/goals", {"name": self.mark, "kind": "at_least", "seconds": 60})
        span = {"start": format_timestamp(BEGIN), "end": format_timestamp(BEGIN + 60 * SECOND)}
        self.done("POST", "/api/1/annotations", {"kind": "label", "label": f"about {self.mark}", **span})
        self.said += 1

    def redact(self, is_on: bool) -> None:
        """A privacy rule for what everybody records: it holds for one of them."""
        rule = {"field": "title", "pattern": f"^{TEXT}$", "action": "redact", "replacement": f"hidden {self.mark}"}
        self.done("PUT", "/api/1/privacy/rules", [rule] if is_on else [])
        self.is_redacting = is_on

    def look(self, place: int) -> None:
        assert self.call("GET", LOOKS[place]).status == 200

    def search(self) -> None:
        words = self.get(f"/api/1/search?q={self.mark}&{PERIOD}&group=none&limit=100")
        having = [event for bucket in self.model.buckets.values() for event in bucket.events if self._has_mark(event)]
        assert len(words["hits"]) == len(having) + self.said

    def check(self) -> None:
        """Everything is as in the model, by whichever call it is read."""
        assert set(self.get("/api/0/buckets/")) - {ANNOTATIONS_BUCKET} == set(self.model.buckets)
        exported = self.get("/api/0/export")["buckets"]
        for bucket_id, bucket in self.model.buckets.items():
            expected = sorted(map(_row, bucket.events))
            assert sorted(map(_read, self.get(f"/api/0/buckets/{bucket_id}/events"))) == expected
            assert sorted(map(_read, exported[bucket_id]["events"])) == expected
            assert self._queried(bucket_id) == expected
        settings = self.get("/api/0/settings")
        assert {key: value for key, value in settings.items() if key != "classes"} == self.settings
        assert [each["name"] for each in self.get("/api/1/categories")["categories"]] == [
            [name] for name in self.categories
        ]
        assert [key["id"] for key in self.get("/api/1/keys")] == [self.key_id]
        assert {line["key_id"] for line in self.get("/api/1/audit?limit=1000")["lines"]} <= {self.key_id}

    def _queried(self, bucket_id: str) -> list[Row]:
        lines = [f'RETURN = query_bucket("{bucket_id}");']
        periods = ["2026-02-01T00:00:00Z/2026-02-10T00:00:00Z"]
        [events] = self.done("POST", "/api/0/query/", {"query": lines, "timeperiods": periods}).json
        return sorted(map(_read, events))

    def _import(self, bucket_id: str, events: list[ModelEvent]) -> None:
        """What is there already is skipped, and so is what comes twice."""
        bucket = {"id": bucket_id, "client": self.mark, "type": "currentwindow", "hostname": self.mark}
        sent = [_sent(event) for event in events]
        self.done("POST", "/api/0/import", {"buckets": {bucket_id: {**bucket, "events": sent}}})
        known = {_row(event) for event in self.model.buckets[bucket_id].events}
        for event in map(self._kept, events):
            if _row(event) not in known:
                known.add(_row(event))
                self.model.insert(bucket_id, [event])

    def _data(self, is_marked: bool) -> dict[str, Any]:
        return {"app": "Editor", "title": f"page of {self.mark}" if is_marked else TEXT}

    def _kept(self, event: ModelEvent) -> ModelEvent:
        """As the rules leave it."""
        if not self.is_redacting or event.data["title"] != TEXT:
            return event
        return ModelEvent(event.start, event.duration, {**event.data, "title": f"hidden {self.mark}"})

    def _has_mark(self, event: ModelEvent) -> bool:
        return self.mark in event.data["title"]


def _sent(event: ModelEvent) -> dict[str, Any]:
    return {"timestamp": format_timestamp(event.start), "duration": event.duration / SECOND, "data": event.data}


def _row(event: ModelEvent) -> Row:
    return event.start, event.duration, canonical_json(event.data).decode()


def _read(event: dict[str, Any]) -> Row:
    return (
        parse_timestamp(event["timestamp"]),
        round(event["duration"] * SECOND),
        canonical_json(event["data"]).decode(),
    )
