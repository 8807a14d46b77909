"""Reads events and settings, each in its own short transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, LiteralString, TypeAlias

import msgspec

from dayline.model.errors import BucketNotFound, EventNotFound
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, Microseconds
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID
from dayline.runtime.text import cell
from dayline.storage.columns.months import Span
from dayline.storage.history.contract import LineForm
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.rows.months import begin_spans

# Events as text: in SQL, because the database formats pages itself, and in Python for cells that it cannot format. The
# text is byte for byte the same as that of the SQLite store. In SQL an event is `id`, `moment`, `span` and `json`.


_FIELDS: Final = ("app", "title", "url")

# The shortest exact fraction of 0, 3 or 6 digits, as in format_timestamp. With to_char, because the text of a timestamp
# depends on the DateStyle of a session.
_TIMESTAMP: Final[LiteralString] = """
to_char(to_timestamp(moment / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') || CASE
    WHEN mod(moment, 1000000) = 0 THEN 'Z'
    WHEN mod(moment, 1000) = 0 THEN '.' || lpad(mod(moment / 1000, 1000)::text, 3, '0') || 'Z'
    ELSE '.' || lpad(mod(moment, 1000000)::text, 6, '0') || 'Z' END
"""
# Seconds as SQLite formats a double: at least one decimal, an exponent below 0.0001. From 31 years on, a double would
# not be exact.
_DURATION: Final[LiteralString] = """
CASE WHEN span < 0 THEN '-' ELSE '' END || CASE
    WHEN mod(span, 1000000) = 0 AND abs(span) < 1000000000000000 THEN (abs(span) / 1000000)::text || '.0'
    WHEN abs(span) < 10 THEN abs(span)::text || '.0e-06'
    WHEN abs(span) < 100 THEN (abs(span) / 10)::text || '.' || mod(abs(span), 10)::text || 'e-05'
    WHEN abs(span) < 1000000000000000 THEN
        rtrim((abs(span) / 1000000)::text || '.' || lpad(mod(abs(span), 1000000)::text, 6, '0'), '0')
    ELSE (abs(span) / 1000000)::text || '.' || lpad(mod(abs(span), 1000000)::text, 6, '0') END
"""
# An event's JSON without its opening brace and its id.
JSON_MEMBERS: Final[LiteralString] = (
    f"""'"timestamp":"' || {_TIMESTAMP} || '","duration":' || {_DURATION} || ',"data":' || json || '}}'"""
)
# Start, end and seconds for a table.
EXTENT: Final[LiteralString] = (
    f"{_TIMESTAMP} || ',' || {_TIMESTAMP.replace('moment', '(moment + span)')} || ',' || {_DURATION}"
)

_object = msgspec.json.Decoder(dict[str, Any])


def table_lines(head: str, events: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a table from events: EXTENT and the JSON text of each.

    PostgreSQL cannot format the cells of fields: a text may contain a NUL, which JSON escapes.
    """
    cells: dict[str, str] = {}
    lines: list[str] = []
    for extent, json in events:
        if json not in cells:
            cells[json] = _cells(json)
        lines.append(f"{head},{extent},{cells[json]}")
    return lines


def _cells(json: str) -> str:
    fields = _object.decode(json)
    return ",".join((*(_cell(fields.get(name)) for name in _FIELDS), _quoted(json)))


def _cell(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return _quoted(cell(value))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# A page of events, read and formatted by one statement. A page of 2,000 events takes some 8 ms of one core either way.
# If the database formats it, our interpreter is busy for 0.8 ms of that; if Python does, for 4.4 ms, during which
# heartbeats wait.


# The parameters: `tenant` and `bucket`; the starts `low`..`high`; about `size` events, and at most `left`; and what the
# format of a page needs.
Bounds: TypeAlias = Mapping[str, int | str | None]
# A page's text, the number of its events, and the start of the last one; None if there are none.
Page: TypeAlias = tuple[bytes | None, int, Microseconds | None]
ReadPage: TypeAlias = Callable[[Connection, Bounds], Page]

# The newest events of a span, with all that start together with the last one, so that events of equal start are never
# split over two pages.
_ROWS: Final[LiteralString] = """
WITH page AS MATERIALIZED (
    SELECT * FROM (
        SELECT id, start, duration, value FROM event
        WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND start BETWEEN %(low)s::bigint AND %(high)s::bigint
            AND {condition}
        ORDER BY start DESC FETCH FIRST (%(size)s::bigint) ROWS WITH TIES
    ) AS found ORDER BY start DESC, id LIMIT %(left)s::bigint
)
"""
# The texts one by one, by key. Otherwise, without statistics of a table that has just grown, PostgreSQL reads all texts
# of the bucket for every event.
_PAGE: Final[LiteralString] = """
SELECT convert_to(string_agg({line}, {comma} ORDER BY start DESC, id), 'UTF8'),
    (SELECT count(*) FROM page), (SELECT min(start) FROM page)
FROM (
    SELECT id, start, {moment} AS moment, {span} AS span, json FROM page
    CROSS JOIN LATERAL (
        SELECT json FROM value
        WHERE value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = page.value LIMIT 1
    ) AS text
) AS shown_page
"""
_CELLS: Final[LiteralString] = """
SELECT start, {extent}, json FROM (SELECT id, start, start AS moment, duration AS span, value FROM page) AS shown_page
LEFT JOIN LATERAL (
    SELECT json FROM value
    WHERE value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = shown_page.value LIMIT 1
) AS text ON true
ORDER BY start DESC, id
"""
_TOUCHES: Final[LiteralString] = "start + duration >= %(from)s::bigint"
# Ids of mirrors do not ascend with time.
_OLD: Final[LiteralString] = "(id <= %(newest)s::bigint OR id >= %(mirrors)s::bigint)"
_CLIPPED: Final[tuple[LiteralString, LiteralString]] = (
    "greatest(start, %(from)s::bigint)",
    # A negative duration is not clipped.
    "CASE WHEN duration < 0 THEN duration "
    "ELSE least(start + duration, %(to)s::bigint) - greatest(start, %(from)s::bigint) END",
)
_WHOLE: Final[tuple[LiteralString, LiteralString]] = ("start", "duration")
_WITH_ID: Final[LiteralString] = f"""'{{"id":' || id || ',' || {JSON_MEMBERS}"""
_TABLE: Final[LiteralString] = _ROWS.replace("{condition}", _OLD) + _CELLS.replace("{extent}", EXTENT)


def _page(
    line: LiteralString, condition: LiteralString, extent: tuple[LiteralString, LiteralString], comma: LiteralString
) -> ReadPage:
    rows = _ROWS.replace("{condition}", condition)
    text = _PAGE.replace("{line}", line).replace("{comma}", comma)
    statement = rows + text.replace("{moment}", extent[0]).replace("{span}", extent[1])

    def read(db: Connection, bounds: Bounds) -> Page:
        row = db.execute(statement, bounds, binary=True).fetchone()  # in binary format the text needs no decoding
        assert row is not None
        return row[0], row[1], row[2]

    return read


def _read_table(db: Connection, bounds: Bounds) -> Page:
    rows: list[tuple[Any, ...]] = db.execute(_TABLE, bounds).fetchall()
    lines = table_lines(str(bounds["head"]), [row[1:] for row in rows if row[2] is not None])
    return "\r\n".join(lines).encode() if lines else None, len(rows), rows[-1][0] if rows else None


IN_RANGE: Final = _page(_WITH_ID, _TOUCHES, _CLIPPED, "','")
IN_RANGE_WHOLE: Final = _page(_WITH_ID, _TOUCHES, _WHOLE, "','")
FOR_EXPORT: Final = _page(f"'{{' || {JSON_MEMBERS}", _OLD, _WHOLE, "','")
LINES: Final[Mapping[LineForm, ReadPage]] = {
    "csv": _read_table,
    "ndjson": _page(f"%(head)s::text || {JSON_MEMBERS}", _OLD, _WHOLE, "E'\\n'"),
}


PAGE: Final = 2000  # events; some 300 KiB of JSON
_FAR: Final = 2**62  # larger than every time and every count

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
_NEWEST: Final = "SELECT max(id) FROM event WHERE tenant = %s AND id < %s"
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
    """Reads events. Every method may be called on any thread."""

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
            # Ids are assigned under a lock that is held until the commit: uncommitted events have higher ones.
            newest = db.execute(_NEWEST, (self._tenant, FIRST_MIRROR_ID)).fetchone()
        bounds = {**more, "bucket": key, "newest": None if newest is None else newest[0], "mirrors": FIRST_MIRROR_ID}
        return self._pages(read, [(EARLIEST, LATEST)], _FAR, bounds)

    def _pages(self, read: ReadPage, spans: Sequence[Span], limit: int, bounds: Bounds) -> Iterator[bytes]:
        """One short read transaction per page: nothing stays open while the client reads slowly."""
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
    """The key of the bucket with this id or alias. Raises BucketNotFound."""
    row = None if "\0" in bucket_id else db.execute(_KEY, {"tenant": tenant, "id": bucket_id}).fetchone()
    if row is None or row[0] is None:
        raise BucketNotFound(bucket_id)
    return int(row[0])


def _number(row: tuple[Any, ...] | None) -> int:
    assert row is not None
    return int(row[0])
