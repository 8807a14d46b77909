"""Thinning, where the rows are. Times of rows count from ORIGIN."""

from collections.abc import Sequence
from typing import Final

import apsw
import msgspec

from dayline.model.timestamps import DAY, Microseconds, start_of_month
from dayline.storage.retention.thinning import HOUR, OldEvent, Span, merged
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.writing.changes import Changes

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


def note_thinned(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> None:
    """Note up to when a bucket is thinned: within an hour its events then lie where they lie by chance."""
    db.execute(
        "INSERT INTO meta(key, value) VALUES('thinned:' || ?, ?) "
        "ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
        (bucket, cutoff - ORIGIN),
    )


def months_to_thin(db: apsw.Connection, bucket: int, cutoff: Microseconds) -> list[Span]:
    """The months that may hold something to thin."""
    months = [month for (month,) in msgspec.convert(db.execute(_MONTHS, (bucket,)).fetchall(), list[tuple[int]])]
    spans = [(start_of_month(month), min(start_of_month(month + 1), cutoff)) for month in months]
    return [(first - ORIGIN, after - ORIGIN) for first, after in spans if first < after]


def days_to_thin(db: apsw.Connection, bucket: int, span: Span) -> list[Span]:
    """The days of a span in which events are to be merged."""
    first, after = span
    rows = db.execute(DAYS, {"bucket": bucket, "first": first, "after": after}).fetchall()
    starts = [day * DAY - _BEFORE for (day,) in msgspec.convert(rows, list[tuple[int]])]
    return [(max(first, start), min(after, start + DAY)) for start in starts]


def removed_by_thinning(db: apsw.Connection, bucket: int, span: Span) -> int:
    """How many events fewer a span would have."""
    return int(db.execute(_FEWER, {"bucket": bucket, "first": span[0], "after": span[1]}).get)


def old_events(db: apsw.Connection, bucket: int, span: Span) -> list[OldEvent]:
    """The events of a span that may be merged."""
    return msgspec.convert(db.execute(_EVENTS, (bucket, *span)).fetchall(), list[OldEvent])


def merge_slice(changes: Changes, parts: Sequence[Sequence[OldEvent]], *, act: int, bucket: int) -> int:
    """Merge events as far as they are as they were seen; how many there are fewer."""
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
