"""SQL for merging two buckets: copying events, and finding the copies again."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.time import month_of
from dayline.storage.engine.merge import Merge, MergePair
from dayline.storage.engine.rows import EventRow, SelectedRow
from dayline.storage.sqlite.file.schema import ORIGIN

_SLICE = """
SELECT start, id, duration, value FROM event
WHERE bucket = :source AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""
# A value that a redaction has changed has no hash: the target gets the text as if it had been recorded.
_HASH = "iif(old.hash = old.key, text_hash(old.json), old.hash)"
_COPY_VALUES = f"""
INSERT INTO value(bucket, hash, json)
SELECT :target, {_HASH}, old.json
FROM (SELECT DISTINCT value FROM ({_SLICE})) AS used CROSS JOIN value AS old
WHERE old.key = used.value
AND NOT EXISTS (
    SELECT 1 FROM value AS same WHERE same.hash = {_HASH} AND same.bucket = :target AND same.json = old.json
)
GROUP BY {_HASH}, old.json
"""
# Each event with the target's value for its data. Events that the target had before the merge are skipped.
_COPYING = f"""
SELECT start, id, duration, new_value, EXISTS (
    SELECT 1 FROM event AS same WHERE same.bucket = :target AND same.start = moving.start
    AND same.duration = moving.duration AND same.id NOT BETWEEN :first AND :last
    AND (same.value = new_value OR (SELECT json FROM value WHERE key = same.value) = moving.json)
) FROM (
    SELECT moving.start, moving.id, moving.duration, old.json, (
        SELECT min(same.key) FROM value AS same
        WHERE same.hash = {_HASH} AND same.bucket = :target AND same.json = old.json
    ) AS new_value
    FROM ({_SLICE}) AS moving CROSS JOIN value AS old WHERE old.key = moving.value
) AS moving ORDER BY start, id
"""
_FAR: Final = 2**62
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_ORIGINALS = """
SELECT event.start, event.id, event.duration, event.value, json FROM event JOIN value ON value.key = event.value
WHERE event.bucket = :source AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""
# The plus keeps SQLite from scanning the whole bucket: the copies are found by id.
_COPIES = """
SELECT start, event.id, duration, event.value, json FROM event JOIN value ON value.key = event.value
WHERE event.id BETWEEN ? AND ? AND +event.bucket = ?
"""


class Copying(Struct, frozen=True, array_like=True):
    """An event of the source with the target's key for its data."""

    start: int
    id: int
    duration: int
    value: int
    is_there: bool


class CopiedMonth(Struct, frozen=True):
    """The copies that start in one month: their number and bounds."""

    events: int
    start: int
    max_duration: int
    max_end: int


def copy_slice(db: apsw.Connection, source: int, merge: Merge, *, rows: int) -> tuple[Merge | None, list[CopiedMonth]]:
    """Copy the next events that the target does not have; returns the new progress, None if there are no more."""
    place = _place(source, merge, rows)
    db.execute(_COPY_VALUES, place)
    events = msgspec.convert(db.execute(_COPYING, place).fetchall(), list[Copying], strict=False)
    if not events:
        return None, []
    new = [(event, merge.next + rank) for rank, event in enumerate(events) if not event.is_there]
    db.executemany(
        _INSERT, [(merge.target, event.start, event_id, event.duration, event.value) for event, event_id in new]
    )
    further = msgspec.structs.replace(
        merge,
        done=merge.done + len(events),
        moved=merge.moved + len(new),
        start=events[-1].start + ORIGIN,
        id=events[-1].id,
    )
    return further, list(_months([event for event, _ in new]))


def merge_pairs(db: apsw.Connection, source: int, merge: Merge, *, rows: int) -> list[MergePair]:
    """The next events of the source, each with the target's event that has the id reserved for its copy."""
    originals = msgspec.convert(db.execute(_ORIGINALS, _place(source, merge, rows)).fetchall(), list[SelectedRow])
    ids = merge.next, merge.next + len(originals) - 1
    found = msgspec.convert(db.execute(_COPIES, (*ids, merge.target)).fetchall(), list[SelectedRow])
    copies = {copy.id: copy for copy in found}
    return [
        _pair(source, original, merge.target, copies.get(merge.next + rank)) for rank, original in enumerate(originals)
    ]


def _pair(source: int, original: SelectedRow, target: int, copy: SelectedRow | None) -> MergePair:
    row = EventRow(source, original.start + ORIGIN, original.id, original.duration, original.value)
    if copy is None:
        return MergePair(row, None, is_same=False)
    is_same = (copy.start, copy.json) == (original.start, original.json) and copy.duration >= original.duration
    return MergePair(row, EventRow(target, copy.start + ORIGIN, copy.id, copy.duration, copy.value), is_same)


def _months(events: list[Copying]) -> Iterator[CopiedMonth]:
    for _, group in groupby(events, key=lambda event: month_of(event.start + ORIGIN)):
        part = list(group)
        yield CopiedMonth(
            len(part),
            part[0].start + ORIGIN,
            max(event.duration for event in part),
            max(event.start + event.duration for event in part) + ORIGIN,
        )


def _place(source: int, merge: Merge, rows: int) -> dict[str, int]:
    """The SQL parameters of the next slice."""
    return {
        "source": source,
        "target": merge.target,
        "first": merge.first,
        "last": merge.last,
        "start": max(merge.start - ORIGIN, -_FAR),
        "id": merge.id,
        "rows": rows,
    }
