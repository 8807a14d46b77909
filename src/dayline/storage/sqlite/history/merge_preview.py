"""What merging two buckets would do, read from the rows page by page."""

from collections.abc import Iterator
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.bucket import Merged
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.rows.reader import bucket_key

PAGE: Final = 2000
_FAR: Final = 2**62

_FIELDS = "SELECT id, type, client, hostname FROM bucket WHERE key = ?"
_MOVING = """
SELECT start, event.id, duration, EXISTS (
    SELECT 1 FROM event AS same JOIN value AS theirs ON theirs.key = same.value
    WHERE same.bucket = :target AND same.start = event.start AND same.duration = event.duration
    AND theirs.hash = value.hash AND theirs.json = value.json
)
FROM event JOIN value ON value.key = event.value
WHERE event.bucket = :source AND (start, event.id) > (:start, :id) ORDER BY start, event.id LIMIT :rows
"""
# An event of no length overlaps with nothing.
_THERE = """
SELECT start, start + duration FROM event WHERE bucket = :target AND start BETWEEN :low AND :high AND duration > 0
ORDER BY start
"""
_NEXT = "SELECT min(start) FROM event WHERE bucket = :target AND start > :high AND duration > 0"
_REACH = "SELECT max(start + duration) FROM event WHERE bucket = :target AND start < :low"


class _Moving(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    is_there: bool


class _Fields(Struct, frozen=True, array_like=True):
    id: str
    type: str
    client: str
    hostname: str


def preview_merge(readers: ReaderPool, bucket_id: str, into: str) -> Merged:
    """Count what would go over. Raises BucketNotFound."""
    with readers.transaction() as db:
        source, target = bucket_key(db, bucket_id), bucket_key(db, into)
        fields = [_fields(db, key) for key in (source, target)]
    events = skipped = overlapping = 0
    for is_there, overlaps in _compared(readers, source, target):
        events += 1
        skipped += is_there
        overlapping += overlaps and not is_there
    return Merged(
        bucket=fields[0].id,
        into=fields[1].id,
        events=events,
        moved=events - skipped,
        skipped=skipped,
        overlapping=overlapping,
        warnings=_warnings(*fields),
        undo=None,
    )


def _compared(readers: ReaderPool, source: int, target: int) -> Iterator[tuple[bool, bool]]:
    """For each event of the source, whether the target has it already, and whether it overlaps with one there."""
    place = {"source": source, "target": target, "start": -_FAR, "id": 0, "rows": PAGE}
    reach: int | None = None  # how far the target's events reach that begin before the page
    while True:
        with readers.transaction() as db:  # one for each page: none may last long
            moving = msgspec.convert(db.execute(_MOVING, place).fetchall(), list[_Moving], strict=False)
            if not moving:
                return
            bounds = {"target": target, "low": moving[0].start, "high": moving[-1].start}
            if reach is None:
                reach = _number(db.execute(_REACH, {"target": target, "low": moving[0].start}).get, -_FAR)
            there = msgspec.convert(db.execute(_THERE, bounds).fetchall(), list[tuple[int, int]])
            after = _number(db.execute(_NEXT, {"target": target, "high": moving[-1].start}).get, _FAR)
        number = 0
        for event in moving:
            while number < len(there) and there[number][0] <= event.start:
                reach = max(reach, there[number][1])
                number += 1
            following = there[number][0] if number < len(there) else after
            is_long = event.duration > 0
            yield event.is_there, is_long and (reach > event.start or following < event.start + event.duration)
        place |= {"start": moving[-1].start, "id": moving[-1].id}


def _number(found: object, otherwise: int) -> int:
    return found if isinstance(found, int) else otherwise


def _fields(db: apsw.Connection, key: int) -> _Fields:
    return msgspec.convert(db.execute(_FIELDS, (key,)).fetchone(), _Fields)


def _warnings(source: _Fields, target: _Fields) -> list[str]:
    named = (("type", "types"), ("client", "clients"), ("hostname", "host names"))
    return [
        f"different {words}: {getattr(source, field)!r} and {getattr(target, field)!r}"
        for field, words in named
        if getattr(source, field) != getattr(target, field)
    ]
