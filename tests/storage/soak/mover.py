"""Long operations on a few buckets, one after the other, with a model of what the buckets hold.

What was not undone yet is a stack of states: undoing the newest operation restores the state before it exactly. A
change whose response was lost to a kill may have been made, not made, or made in part; then the data is looked at.
"""

from collections import Counter
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from dayline.model.time import SECOND, Microseconds, format_timestamp, parse_timestamp
from tests.storage.soak.clients import Caller, entry_of, event_of
from tests.support.storage.models import Entry
from tests.support.waiting import eventually

_BEGIN: Final[Microseconds] = parse_timestamp("2026-02-01T00:00:00Z")
_PREFIX: Final = "moved "
_DISTANCE: Final = 8  # seconds; downsampling closes gaps of less than five
_FIELDS: Final = {"client": "mover", "type": "currentwindow", "hostname": "laptop"}
_RULES: Final = {"rules": [{"field": "title", "pattern": "secret", "action": "redact"}]}
_UNFINISHED: Final = ("doing", "undoing", "applying")

Buckets = dict[str, dict[int, Entry]]


class Step(Struct, frozen=True):
    """The undo entries of an operation, oldest first, and the state before it."""

    undo_ids: list[int]
    before: Buckets


class Mover(Caller):
    """The buckets whose ids begin with `moved`."""

    def __init__(self, port: int, seed: int, *, events: int) -> None:
        super().__init__(port, seed)
        self._events = events  # of an import
        self._buckets: Buckets = {}
        self._steps: list[Step] = []
        self._names = 0
        self._second = 0
        self._last_undo = 0

    def check(self) -> None:
        assert self.failure is None, f"the mover: {self.failure}"
        assert self._stored() == self._buckets, "the buckets of the mover do not hold what they should"

    def _begin(self) -> None:
        self._call("PUT", "/api/1/retention", [{"bucket": f"{_PREFIX}*", "days": 1}])

    def _do(self) -> None:
        doings = [self._undo, self._undo, self._forget] if self._steps else [self._import, self._import, self._beat]
        if self._buckets:
            doings += [self._delete_events, self._merge, self._rename, self._delete, self._redact, self._downsample]
        self._chance.choice(doings)()

    def _import(self) -> None:
        bucket_id = self._chance.choice([*self._buckets, self._new_id()])
        entries = [self._new_entry() for _ in range(self._events)]
        document = {"buckets": {bucket_id: {**_FIELDS, "events": [event_of(entry) for entry in entries]}}}
        while self._change("POST", "/api/0/import", document) is None and not self._has(bucket_id, entries):
            pass  # an import that was interrupted is sent again
        self._take_over(_with(_entries(self._buckets), bucket_id, entries))

    def _beat(self) -> None:
        if self._buckets:
            bucket_id, entry = self._chance.choice([*self._buckets]), self._new_entry()
            self._change("POST", f"/api/0/buckets/{quote(bucket_id)}/heartbeat?pulsetime=0", event_of(entry))
            self._take_over(_with(_entries(self._buckets), bucket_id, [entry]))

    def _delete_events(self) -> None:
        bucket_id, low = self._some_bucket(), self._chance.randrange(self._second + 1)
        start, end = _BEGIN + low * SECOND, _BEGIN + (low + self._chance.randrange(_DISTANCE * self._events)) * SECOND
        kept = [entry for entry in self._buckets[bucket_id].values() if not start <= entry.start < end]
        selector = {"bucket": bucket_id, "start": format_timestamp(start), "end": format_timestamp(end)}
        self._operate(
            "/api/1/events/delete", selector, {**_entries(self._buckets), bucket_id: Counter(map(_key, kept))}
        )

    def _merge(self) -> None:
        if len(self._buckets) > 1:
            source, target = self._chance.sample([*self._buckets], 2)
            after = _with(_entries(self._buckets), target, self._buckets[source].values())
            del after[source]
            self._operate(f"/api/1/buckets/{quote(source)}/merge", {"into": target}, after)

    def _rename(self) -> None:
        bucket_id, new_id, after = self._some_bucket(), self._new_id(), _entries(self._buckets)
        after[new_id] = after.pop(bucket_id)
        self._operate(f"/api/1/buckets/{quote(bucket_id)}/rename", {"id": new_id}, after)

    def _delete(self) -> None:
        bucket_id, after = self._some_bucket(), _entries(self._buckets)
        del after[bucket_id]
        self._operate(f"/api/0/buckets/{quote(bucket_id)}", None, after, method="DELETE")

    def _redact(self) -> None:
        bucket_id = self._some_bucket()
        redacted = [
            Entry(entry.start, entry.duration, entry.data | {"title": "REDACTED"})
            if "secret" in entry.data["title"] else entry
            for entry in self._buckets[bucket_id].values()
        ]  # fmt: skip
        after = {**_entries(self._buckets), bucket_id: Counter(map(_key, redacted))}
        self._operate("/api/1/privacy/apply", {**_RULES, "buckets": [bucket_id]}, after)
        if len(self._steps) == 1 and self._chance.random() < 0.5:
            newest = self._call("GET", "/api/1/privacy/redactions").json[0]
            if newest["state"] == "applied":
                self._change("POST", f"/api/1/privacy/redactions/{newest['id']}/final")
                eventually(self._is_settled)
                self._steps.clear()

    def _downsample(self) -> None:
        """How events are merged is tested elsewhere; here, that no time is lost and that it can be undone."""
        before, total = self._stored(), _total(self._buckets)
        self._change("POST", "/api/1/retention/apply")
        eventually(self._is_settled)
        self._buckets = self._stored()
        assert _total(self._buckets) == total, "downsampling changed the total"
        self._note_step(before)

    def _undo(self) -> None:
        if self._steps:
            step = self._steps.pop()
            for undo_id in reversed(step.undo_ids):
                self._change("POST", f"/api/1/undo/{undo_id}", accepts=(200, 410))
            self._buckets = step.before
            eventually(lambda: self._stored() == step.before)
            self._last_undo = self._newest_undo()

    def _forget(self) -> None:
        """Nothing of what was done can be undone after this."""
        for undo_id in [undo_id for step in self._steps for undo_id in step.undo_ids]:
            self._change("DELETE", f"/api/1/trash/{undo_id}", accepts=(200, 404, 410))
        self._steps.clear()
        self.check()

    def _operate(self, path: str, body: object, after: "dict[str, Counter[bytes]]", *, method: str = "POST") -> None:
        """Make a change that can be undone. If its response was lost, it may be made, or a part of a deletion."""
        before = self._buckets
        answer = self._change(method, path, body)
        if answer is None:
            eventually(self._is_settled)
        found = self._stored()
        is_made = _entries(found) == after
        is_partial = answer is None and (found == before or _is_between(_entries(found), after, _entries(before)))
        assert is_made or is_partial, f"{method} {path} {body}: {_summary(before)} became {_summary(found)}"
        self._buckets = found
        self._note_step(before)

    def _note_step(self, before: Buckets) -> None:
        new = [item["id"] for item in self._own_items() if item["id"] > self._last_undo]
        if new:
            self._last_undo = max(new)
            self._steps.append(Step(sorted(new), before))

    def _take_over(self, entries: "dict[str, Counter[bytes]]") -> None:
        """Learn the ids of new events."""
        found = self._stored()
        assert _entries(found) == entries, "something else was stored than was sent"
        self._buckets = found

    def _own_items(self) -> list[dict[str, Any]]:
        items = self._call("GET", "/api/1/trash").json
        return [item for item in items if item["bucket"].startswith(_PREFIX) or item["kind"] == "redaction"]

    def _newest_undo(self) -> int:
        return max(self._last_undo, *(int(item["id"]) for item in self._own_items()), 0)

    def _is_settled(self) -> bool:
        redactions = self._call("GET", "/api/1/privacy/redactions").json
        return not any(item["state"] in _UNFINISHED for item in [*self._own_items(), *redactions])

    def _has(self, bucket_id: str, entries: list[Entry]) -> bool:
        stored = self._stored().get(bucket_id, {})
        return Counter(map(_key, stored.values())) >= Counter(map(_key, entries))

    def _stored(self) -> Buckets:
        ids = [bucket_id for bucket_id in self._call("GET", "/api/0/buckets/").json if bucket_id.startswith(_PREFIX)]
        return {bucket_id: self._stored_events(bucket_id) for bucket_id in sorted(ids)}

    def _stored_events(self, bucket_id: str) -> dict[int, Entry]:
        events = self._call("GET", f"/api/0/buckets/{quote(bucket_id)}/events").json
        assert len({event["id"] for event in events}) == len(events), "an id was given twice"
        return {event["id"]: entry_of(event) for event in events}

    def _some_bucket(self) -> str:
        return self._chance.choice([*self._buckets])

    def _new_id(self) -> str:
        self._names += 1
        return f"{_PREFIX}{self._names}"

    def _new_entry(self) -> Entry:
        """No two overlap or are close, so that any way to count time gives the same."""
        self._second += _DISTANCE
        title = self._chance.choice(("secret", "open")) + f" {self._chance.randrange(20)}"
        return Entry(_BEGIN + self._second * SECOND, SECOND, {"app": "mover", "title": title})


def _key(entry: Entry) -> bytes:
    return msgspec.json.encode(entry)


def _entries(buckets: Buckets) -> "dict[str, Counter[bytes]]":
    return {bucket_id: Counter(map(_key, events.values())) for bucket_id, events in buckets.items()}


def _with(entries: "dict[str, Counter[bytes]]", bucket_id: str, more: Any) -> "dict[str, Counter[bytes]]":
    return {**entries, bucket_id: entries.get(bucket_id, Counter()) + Counter(map(_key, more))}


def _is_between(
    found: "dict[str, Counter[bytes]]", less: "dict[str, Counter[bytes]]", more: "dict[str, Counter[bytes]]"
) -> bool:
    return found.keys() == less.keys() == more.keys() and all(less[key] <= found[key] <= more[key] for key in found)


def _total(buckets: Buckets) -> Microseconds:
    return sum(entry.duration for events in buckets.values() for entry in events.values())


def _summary(buckets: Buckets) -> dict[str, int]:
    return {bucket_id: len(events) for bucket_id, events in buckets.items()}
