"""Thinning, where the rows are: which events become one, and the slices in which they do.

    events of one hour   [a][b][a]  [a][c]        a three times 5 min, b, c
    become               [a          ][b] [c]     a 15 min from where the first began, with the lowest id

Merging some of a group and then the rest gives the same event as merging all at once, so a group of any size is done in
slices.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.timestamps import DAY, SECOND, Microseconds, start_of_month
from dayline.storage.sqlite import acts
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.schema import ORIGIN

HOUR: Final[Microseconds] = 3600 * SECOND
# ORIGIN is the beginning of an hour and of a day, so stored times need not be moved to find theirs. Division rounds
# towards zero, hence the detour for times before it.
_BEFORE: Final = 60_000 * DAY
# Events with values that a redaction has changed, or has moved events to, stay apart until it is final: to undo it,
# those that it changed have to be told from the others.
_IS_THINNED: Final = "duration >= 0 AND value NOT IN (SELECT value FROM redacted_value)"
_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 1 ORDER BY month"
DAYS = f"""
SELECT DISTINCT (start + {_BEFORE}) / {DAY} FROM (
    SELECT min(start) AS start FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_IS_THINNED}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value HAVING count(*) > 1
) ORDER BY 1
"""
_FEWER = f"""
SELECT coalesce(sum(events - 1), 0) FROM (
    SELECT count(*) AS events FROM event
    WHERE bucket = :bucket AND start >= :first AND start < :after AND {_IS_THINNED}
    GROUP BY (start + {_BEFORE}) / {HOUR}, value
)
"""
_EVENTS = f"""
SELECT id, start, duration, value FROM event
WHERE bucket = ? AND start >= ? AND start < ? AND {_IS_THINNED} ORDER BY start, id
"""
_IS_THERE = "SELECT 1 FROM event WHERE bucket = ? AND start = ? AND id = ? AND duration = ? AND value = ?"
_DELETE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"


class OldEvent(Struct, frozen=True, array_like=True):
    """An event that is to be merged with others; `start` since ORIGIN."""

    id: int
    start: int
    duration: int
    value: int


def cutoff_of(now: Microseconds, days: int) -> int:
    """Events that began before this are thinned: whole hours only, since ORIGIN."""
    return (now - days * DAY - ORIGIN) // HOUR * HOUR


def note_thinned(db: apsw.Connection, bucket: int, cutoff: int) -> None:
    """Note up to when a bucket is thinned: within an hour its events then lie where they lie by chance."""
    db.execute(
        "INSERT INTO meta(key, value) VALUES('thinned:' || ?, ?) "
        "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
        (bucket, cutoff),
    )


def months_to_thin(db: apsw.Connection, bucket: int, cutoff: int) -> list[tuple[int, int]]:
    """From when to when the months go that may hold something to thin, since ORIGIN."""
    months = [month for (month,) in msgspec.convert(db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int]])]
    spans = [(start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN) for month in months]
    return [(first, min(after, cutoff)) for first, after in spans if first < cutoff]


def days_to_thin(db: apsw.Connection, bucket: int, span: tuple[int, int]) -> list[tuple[int, int]]:
    """The days of a span in which events are to be merged."""
    first, after = span
    rows = db.execute(DAYS, {"bucket": bucket, "first": first, "after": after}).fetchall()
    starts = [day * DAY - _BEFORE for (day,) in msgspec.convert(rows, list[tuple[int]])]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def removed_by_thinning(db: apsw.Connection, bucket: int, span: tuple[int, int]) -> int:
    """How many events fewer a span would have."""
    return int(db.execute(_FEWER, {"bucket": bucket, "first": span[0], "after": span[1]}).get)


def groups_of(db: apsw.Connection, bucket: int, span: tuple[int, int]) -> list[list[OldEvent]]:
    """The events of a span that are to become one each."""
    groups: dict[tuple[int, int], list[OldEvent]] = defaultdict(list)
    for event in msgspec.convert(db.execute(_EVENTS, (bucket, *span)).fetchall(), list[OldEvent]):
        groups[event.start // HOUR, event.value].append(event)
    return [group for group in groups.values() if len(group) > 1]


def merged(events: Sequence[OldEvent]) -> OldEvent:
    """One event in place of several."""
    return OldEvent(
        id=min(event.id for event in events),
        start=min(event.start for event in events),
        duration=sum(event.duration for event in events),
        value=events[0].value,
    )


def parts_of(group: Sequence[OldEvent], rows: int) -> Iterator[list[OldEvent]]:
    """A group in parts of so many events, each of which begins with what the one before has become."""
    before: OldEvent | None = None
    for first in range(0, len(group), rows):
        part = [*([] if before is None else [before]), *group[first : first + rows]]
        if len(part) > 1:
            yield part
        before = merged(part)


def merge_slice(changes: Changes, parts: Sequence[Sequence[OldEvent]], *, act: int, bucket: int) -> int:
    """Merge events as far as they are as they were seen; how many there are fewer. Parts of one group come in order."""
    state = changes.catalogue.by_key(bucket)
    if state is None:
        return 0
    removed = 0
    for part in parts:
        if all(_is_there(changes.db, bucket, event) for event in part):
            _merge(changes.db, part, act=act, bucket=bucket)
            whole = merged(part)
            start = whole.start + ORIGIN
            changes.touch_part(state.bucket.id, start=start, removed=len(part) - 1)
            changes.cover_part(
                state.bucket.id, events=0, start=start, max_duration=whole.duration, max_end=start + whole.duration
            )
            removed += len(part) - 1
    return removed


def _is_there(db: apsw.Connection, bucket: int, event: OldEvent) -> bool:
    place = (bucket, event.start, event.id, event.duration, event.value)
    return db.execute(_IS_THERE, place).get is not None


def _merge(db: apsw.Connection, part: Sequence[OldEvent], *, act: int, bucket: int) -> None:
    whole = merged(part)
    for event in part:
        before = (event.start, event.duration, event.value)
        after = (whole.start, whole.duration, whole.value) if event.id == whole.id else None
        acts.note_event(db, act, event.id, bucket, before=before, after=after)
    db.executemany(_DELETE, [(bucket, event.start, event.id) for event in part])
    db.execute(_INSERT, (bucket, whole.start, whole.id, whole.duration, whole.value))
