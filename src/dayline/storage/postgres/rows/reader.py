"""Reading events and settings, each read in a short transaction of its own."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from dayline.model.data import CanonicalJson
from dayline.model.errors import BucketNotFound, EventNotFound
from dayline.model.event import Event
from dayline.model.setting_change import HistoryFilter, SettingChange
from dayline.model.timestamps import EARLIEST, LATEST, Microseconds
from dayline.storage.base import LineForm
from dayline.storage.postgres.connections.connection import Connection, Readers
from dayline.storage.postgres.rows.pages import FOR_EXPORT, IN_RANGE, IN_RANGE_WHOLE, LINES, Bounds, ReadPage
from dayline.storage.postgres.rows.setting_rows import history_of
from dayline.storage.postgres.rows.spans import Span, begin_spans

PAGE: Final = 2000  # events; some 300 KiB of JSON
_FAR: Final = 2**62  # beyond every time and every count

_KEY: Final = """
SELECT coalesce(
    (SELECT key FROM bucket WHERE tenant = %(tenant)s AND id = %(id)s AND deleted IS NULL),
    (SELECT key FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL
        AND key = (SELECT bucket FROM alias WHERE tenant = %(tenant)s AND id = %(id)s))
)
"""
_EVENT: Final = """
SELECT start, duration, json FROM event
JOIN value ON value.tenant = event.tenant AND value.bucket = event.bucket AND value.key = event.value
WHERE event.tenant = %s AND event.bucket = %s AND event.id = %s
"""
_NEWEST: Final = "SELECT max(id) FROM event WHERE tenant = %s"
_COUNT: Final = """
SELECT count(*) FROM unnest(%s::bigint[], %s::bigint[]) AS span(low, high)
JOIN event ON start BETWEEN low AND high
WHERE tenant = %s AND bucket = %s AND start + duration >= %s::bigint
"""
_COUNTS: Final = """
SELECT (SELECT count(*) FROM event WHERE tenant = %s AND bucket = %s AND start >= low AND start < high)
FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS part(low, high, number) ORDER BY number
"""


class Reader:
    """The reading half of the store. Every method may be called on any thread."""

    def __init__(self, readers: Readers, tenant: str, *, page: int = PAGE) -> None:
        self._readers = readers
        self._tenant = tenant
        self._page = page

    def event(self, bucket_id: str, event_id: int) -> Event:
        with self._readers.transaction(self._tenant) as db:
            row = db.execute(_EVENT, (self._tenant, self._key(db, bucket_id), event_id)).fetchone()
        if row is None:
            raise EventNotFound(bucket_id, event_id)
        return Event(id=event_id, start=row[0], duration=row[1], data=row[2].encode())

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        return self._in_range(IN_RANGE, bucket_id, start, end, _FAR if limit is None else limit)

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        return self._in_range(IN_RANGE_WHOLE, bucket_id, start, end, _FAR)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        return self._exported(FOR_EXPORT, bucket_id, {})

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        return self._exported(LINES[form], bucket_id, {"head": head})

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        with self._readers.transaction(self._tenant) as db:
            key = self._key(db, bucket_id)
            if start is None and end is None:
                all_of_it = "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s AND bucket = %s"
                return _number(db.execute(all_of_it, (self._tenant, key)).fetchone())
            first, last = EARLIEST if start is None else start, LATEST if end is None else end
            spans = begin_spans(db, self._tenant, key, first, last)
            lows, highs = [low for low, _ in spans], [high for _, high in spans]
            touching = -_FAR if start is None else start
            return _number(db.execute(_COUNT, (lows, highs, self._tenant, key, touching)).fetchone())

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        parts = list(pairwise(edges))
        lows, highs = [low for low, _ in parts], [high for _, high in parts]
        with self._readers.transaction(self._tenant) as db:
            rows = db.execute(_COUNTS, (self._tenant, self._key(db, bucket_id), lows, highs)).fetchall()
        return [count for (count,) in rows]

    def settings(self) -> dict[str, CanonicalJson]:
        with self._readers.transaction(self._tenant) as db:
            statement = 'SELECT key, json FROM setting WHERE tenant = %s ORDER BY key COLLATE "C"'
            rows = db.execute(statement, (self._tenant,)).fetchall()
        return {key: json.encode() for key, json in rows}

    def setting(self, key: str) -> CanonicalJson | None:
        if "\0" in key:
            return None
        with self._readers.transaction(self._tenant) as db:
            row = db.execute("SELECT json FROM setting WHERE tenant = %s AND key = %s", (self._tenant, key)).fetchone()
        return None if row is None else row[0].encode()

    def setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        with self._readers.transaction(self._tenant) as db:
            return history_of(db, which, tenant=self._tenant)

    def _key(self, db: Connection, bucket_id: str) -> int:
        return bucket_key(db, self._tenant, bucket_id)

    def _in_range(
        self, read: ReadPage, bucket_id: str, start: Microseconds | None, end: Microseconds | None, limit: int
    ) -> Iterator[bytes]:
        first, last = EARLIEST if start is None else start, LATEST if end is None else end
        with self._readers.transaction(self._tenant) as db:
            key = self._key(db, bucket_id)
            spans = begin_spans(db, self._tenant, key, first, last)
        bounds = {"from": -_FAR if start is None else start, "to": _FAR if end is None else end}
        return self._pages(read, spans, limit, {**bounds, "bucket": key})

    def _exported(self, read: ReadPage, bucket_id: str, more: Bounds) -> Iterator[bytes]:
        with self._readers.transaction(self._tenant) as db:
            key = self._key(db, bucket_id)
            # Ids are given under a lock that is held until the commit: what is not to be seen yet has higher ones.
            newest = db.execute(_NEWEST, (self._tenant,)).fetchone()
        bounds = {**more, "bucket": key, "newest": None if newest is None else newest[0]}
        return self._pages(read, [(EARLIEST, LATEST)], _FAR, bounds)

    def _pages(self, read: ReadPage, spans: Sequence[Span], limit: int, bounds: Bounds) -> Iterator[bytes]:
        """One short read transaction a page: nothing is held while the client takes its time."""
        left, rest = limit, list(spans)
        while rest and left > 0:
            text: bytes | None = None
            with self._readers.transaction(self._tenant) as db:
                while rest and text is None and left > 0:
                    (low, high), size = rest.pop(0), min(self._page, left)
                    place: Bounds = {"tenant": self._tenant, "low": low, "high": high, "size": size, "left": left}
                    text, count, bottom = read(db, {**bounds, **place})
                    left -= count
                    if bottom is not None and count >= size and bottom > low:
                        rest.insert(0, (low, bottom - 1))
            if text is not None:
                yield text


def bucket_key(db: Connection, tenant: str, bucket_id: str) -> int:
    """What rows call a bucket that has this id, or else this alias. Raises BucketNotFound."""
    row = None if "\0" in bucket_id else db.execute(_KEY, {"tenant": tenant, "id": bucket_id}).fetchone()
    if row is None or row[0] is None:
        raise BucketNotFound(bucket_id)
    return int(row[0])


def _number(row: tuple[Any, ...] | None) -> int:
    assert row is not None
    return int(row[0])
