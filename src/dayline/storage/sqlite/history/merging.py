"""Merging a bucket into another, inside the writer's transaction: what begins it, and its slices.

begin     the source is set aside, its id becomes an alias of the target, ids for all its events are reserved
slices    its events are copied in order of start and id; the one of rank n gets the id first + n
end       the act is done, and the source stays in the trash as it was

From the beginning on, what a watcher sends to the source's id goes to the target. How far the slices are is noted in
the transaction of each, so that every event is copied once, whatever interrupts the work.
"""

from itertools import groupby
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.model.timestamps import Microseconds, month_of
from dayline.storage.history.act import Act
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.history import aliases
from dayline.storage.sqlite.history.aliases import Before
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.writing.bucket_changes import check_idle, set_aside
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import Changes

_BEFORE_ALL: Final = -(2**62)

_SLICE = """
SELECT start, id, duration, value FROM event
WHERE bucket = :source AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""
_COPY_VALUES = f"""
INSERT INTO value(bucket, hash, json)
SELECT :target, old.hash, old.json
FROM (SELECT DISTINCT value FROM ({_SLICE})) AS used CROSS JOIN value AS old
WHERE old.key = used.value
AND NOT EXISTS (
    SELECT 1 FROM value AS same WHERE same.hash = old.hash AND same.bucket = :target AND same.json = old.json
)
GROUP BY old.hash, old.json
"""
# Each event with the target's value for its data. What the target has already counts; what was copied here does not.
_EVENTS = f"""
SELECT start, id, duration, new_value, EXISTS (
    SELECT 1 FROM event AS same WHERE same.bucket = :target AND same.start = moving.start
    AND same.duration = moving.duration AND same.value = new_value AND same.id NOT BETWEEN :first AND :last
) FROM (
    SELECT moving.start, moving.id, moving.duration, (
        SELECT min(same.key) FROM value AS same
        WHERE same.hash = old.hash AND same.bucket = :target AND same.json = old.json
    ) AS new_value
    FROM ({_SLICE}) AS moving CROSS JOIN value AS old WHERE old.key = moving.value
) AS moving ORDER BY start, id
"""
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_IS_REDACTING = "SELECT 1 FROM redaction WHERE state IN ('applying', 'undoing')"


class Merge(Struct, frozen=True, kw_only=True):
    """What the act of a merge has to know: where to, which ids are reserved, and how far it is, or its undoing.

    `is_restoring`: the target came back from the trash with it, and had the same id.
    """

    target: int
    other: str
    first: int
    count: int
    aliases: Before
    is_restoring: bool = False
    moved: int = 0
    done: int = 0
    start: int = _BEFORE_ALL
    id: int = 0

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    def place(self, source: int, rows: int) -> dict[str, int]:
        """The next slice, as SQL has to know it."""
        return {
            "source": source,
            "target": self.target,
            "first": self.first,
            "last": self.last,
            "start": self.start,
            "id": self.id,
            "rows": rows,
        }


class _Moving(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    is_there: bool


def merge_of(act: Act) -> Merge:
    return msgspec.convert(act.detail, Merge)


def note(db: apsw.Connection, act: Act, merge: Merge) -> None:
    """Note how far it is."""
    db.execute("UPDATE act SET detail = ? WHERE key = ?", (msgspec.json.encode(merge).decode(), act.key))


def check(source: BucketState, target: BucketState, *, is_forced: bool) -> None:
    """Raise Conflict for what cannot be merged, or should not be."""
    if source is target:
        raise Conflict(f"bucket {source.bucket.id!r} cannot be merged into itself", field="into")
    types = source.bucket.type, target.bucket.type
    if types[0] != types[1] and not is_forced:
        raise Conflict(
            f"the buckets are of different types: {types[0]!r} and {types[1]!r}",
            hint='send "force": true where they belong together all the same',
            field="into",
        )


def begin(
    changes: Changes, source: BucketState, target: int, target_id: str, *, now: Microseconds, is_restoring: bool = False
) -> int:
    """Set the source aside, and let its ids lead to the target; the number of the act."""
    check_idle(changes, source.key, target)
    if changes.db.execute(_IS_REDACTING).get:
        raise Conflict("privacy rules are being applied to history, or undone", hint="merge when that is done")
    count = source.events
    first = changes.take_event_ids(count)
    names = aliases.aliases_of(changes.db, source.key)
    if source.bucket.id != target_id:
        names.append(source.bucket.id)
    set_aside(changes, source, now=now)
    changes.tell(source.bucket.id, "merged")
    changes.tell(target_id, "merged")
    before = aliases.set_aliases(changes, names, target, now=now)
    return acts.begin(
        changes.db,
        "merge_buckets",
        now=now,
        bucket=source.bucket.id,
        bucket_key=source.key,
        events=count,
        detail=Merge(
            target=target, other=target_id, first=first, count=count, aliases=before, is_restoring=is_restoring
        ),
        state="doing",
    )


def copy_slice(changes: Changes, act: Act, *, rows: int) -> bool:
    """Copy the next events of an act as it is in the file; whether there may be more. The last one ends it."""
    db, merge, source = changes.db, merge_of(act), act.bucket_key or 0
    target = changes.catalogue.by_key(merge.target)
    if target is None:
        raise AssertionError("a bucket that is being merged into cannot be deleted")
    place = merge.place(source, rows)
    db.execute(_COPY_VALUES, place)
    events = msgspec.convert(db.execute(_EVENTS, place).fetchall(), list[_Moving], strict=False)
    if not events:
        acts.set_state(db, act.key, "done")
        return False
    first = merge.first + merge.done
    new = [(event, first + rank) for rank, event in enumerate(events) if not event.is_there]
    db.executemany(
        _INSERT, [(merge.target, event.start, event_id, event.duration, event.value) for event, event_id in new]
    )
    _count(changes, target, [event for event, _ in new])
    note(
        db,
        act,
        msgspec.structs.replace(
            merge,
            moved=merge.moved + len(new),
            done=merge.done + len(events),
            start=events[-1].start,
            id=events[-1].id,
        ),
    )
    return True


def _count(changes: Changes, target: BucketState, events: list[_Moving]) -> None:
    """Take copied events into account, month by month."""
    for _, group in groupby(events, key=lambda event: month_of(event.start + ORIGIN)):
        part = list(group)
        changes.cover_part(
            target.bucket.id,
            events=len(part),
            start=part[0].start + ORIGIN,
            max_duration=max(event.duration for event in part),
            max_end=max(event.start + event.duration for event in part) + ORIGIN,
        )
