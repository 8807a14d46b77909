"""Reads events: the rows that overlap a range, and their JSON, formatted by SQLite.

SQLite formats a page of events in one call. That is two to three times as fast as in Python, and the interpreter is
free for heartbeats while it runs.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Final

import apsw
import msgspec

from dayline.model.errors import EventNotFound
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, Microseconds, month_of
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID
from dayline.runtime.text import FORMULA_STARTS, INVISIBLE
from dayline.storage.columns.months import MonthStatistics, Span, start_spans
from dayline.storage.history.contract import LineForm
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.rows.buckets import bucket_key

_FIELDS: Final = ("app", "title", "url")
# As `cell` does. `unicode` has no number for a NUL, which is a control character, nor for an empty text.
_VISIBLE: Final = f"ltrim({{text}}, char({', '.join(str(ord(one)) for one in INVISIBLE)}))"
_STARTS: Final = ", ".join(str(ord(start)) for start in sorted(FORMULA_STARTS))
_FORMULA: Final = f"coalesce(unicode({_VISIBLE}) IN ({_STARTS}), {_VISIBLE} > '')"
_QUOTED: Final = """'"' || replace({text}, '"', '""') || '"'"""


def line_forms(timestamp: str, duration: str, json: str) -> dict[LineForm, tuple[str, str]]:
    """The SQL of a line in each format, and the separator between lines. `:head` is the start of every line."""
    end = timestamp.replace("moment", "(moment + span)")
    fields = " || ',' || ".join(
        _cell(f"(json ->> '$.{name}')", f"json_type(json, '$.{name}') = 'text'") for name in _FIELDS
    )
    data = _QUOTED.format(text="json")
    table = f":head || ',' || {timestamp} || ',' || {end} || ',' || {duration} || ',' || {fields} || ',' || {data}"
    return {"csv": (table, "\r\n"), "ndjson": (f":head || {json}", "\n")}


def _cell(text: str, condition: str) -> str:
    quoted = _QUOTED.format(text=text)
    formula = _QUOTED.format(text=f"('''' || {text})")
    return f"CASE WHEN {condition} THEN iif({_FORMULA.format(text=text)}, {formula}, {quoted}) ELSE '' END"


PAGE: Final = 2000  # events; some 300 KiB of JSON, and a read of a few milliseconds
_PAGES_AT_ONCE: Final = 2  # of an export: SQLite formats them while the interpreter is free
_THREADS: Final = 4  # of all exports together: clients that read slowly keep none of them
_FAR: Final = 2**62  # larger than every time and every count

# The shortest exact fraction of 0, 3 or 6 digits, as in format_timestamp.
TIMESTAMP = (
    "replace(datetime(moment / 1000000, 'unixepoch'), ' ', 'T') || CASE WHEN moment % 1000000 = 0 THEN 'Z' "
    "WHEN moment % 1000 = 0 THEN printf('.%03dZ', moment / 1000 % 1000) ELSE printf('.%06dZ', moment % 1000000) END"
)
# A double has 15 digits: exact to the microsecond below 31 years, so only longer durations are formatted the slow way.
DURATION = (
    "CASE WHEN abs(span) < 1000000000000000 THEN span / 1e6 "
    "ELSE printf('%s%d.%06d', iif(span < 0, '-', ''), abs(span) / 1000000, abs(span) % 1000000) END"
)
# An event's JSON without its opening brace and its id, for `concat`, which is quicker than many operators.
JSON_MEMBERS = f"""'"timestamp":"', {TIMESTAMP}, '","duration":', {DURATION}, ',"data":', json, '}}'"""

# One page: the rows between two starts (both included), formatted and joined. As a blob, which avoids decoding and
# encoding the text again. {tie} stays open: see Query.
_PAGE = """
SELECT CAST(group_concat({json}, {comma}) AS BLOB), count(*) FROM (
    SELECT event.id, {moment} AS moment, {span} AS span, json
    FROM event JOIN value ON value.key = event.value
    WHERE event.bucket = :bucket AND start BETWEEN :low AND :high {condition}
    ORDER BY start DESC, event.id {tie} LIMIT :limit
)
"""
_ROWS = "FROM event WHERE bucket = :bucket AND start BETWEEN :low AND :high"
# DISTINCT compares neighbors here; count(DISTINCT start) would collect all starts.
_TIES = f"SELECT (SELECT count(*) {_ROWS}) > (SELECT count(*) FROM (SELECT DISTINCT start {_ROWS}))"
_WHOLE = {"moment": "start + :origin", "span": "duration"}
_CLIPPED = {
    "moment": "max(start, :from) + :origin",
    # A negative duration is not clipped.
    "span": "iif(duration < 0, duration, min(start + duration, :to) - max(start, :from))",
}


class Query:
    """A page's SQL in two forms.

    Events with equal start are ordered by id, for which rows have to be sorted. If all starts differ, as they nearly
    always do, the table's own order is enough, which is a fifth faster.
    """

    def __init__(self, *, json: str, moment: str, span: str, condition: str, comma: str = "','") -> None:
        text = _PAGE.replace("{json}", json).replace("{moment}", moment).replace("{span}", span)
        text = text.replace("{condition}", condition).replace("{comma}", comma)
        self.sorted = text.replace("{tie}", "ASC")
        self.unsorted = text.replace("{tie}", "DESC")


_WITH_ID = f"""concat('{{"id":', id, ',', {JSON_MEMBERS})"""
_TOUCHES = "AND start + duration >= :from"
_IN_RANGE = Query(json=_WITH_ID, condition=_TOUCHES, **_CLIPPED)
_IN_RANGE_WHOLE = Query(json=_WITH_ID, condition=_TOUCHES, **_WHOLE)
_NEWEST_FIRST = Query(json=_WITH_ID, condition="", **_WHOLE)
# Ids of mirrors do not ascend with time.
_OLD: Final = f"AND (event.id <= :newest OR event.id >= {FIRST_MIRROR_ID})"
_NEWEST: Final = f"SELECT max(id) FROM event WHERE id < {FIRST_MIRROR_ID}"
_FOR_EXPORT = Query(json=f"concat('{{', {JSON_MEMBERS})", condition=_OLD, **_WHOLE)

LINES: Final = {
    form: Query(json=text, comma=f"'{end}'", condition=_OLD, **_WHOLE)
    for form, (text, end) in line_forms(TIMESTAMP, DURATION, f"concat({JSON_MEMBERS})").items()
}


class Reader:
    """Reads events. Every method may be called on any thread."""

    def __init__(self, pool: ReaderPool) -> None:
        self._pool = pool

    def event(self, bucket_id: str, event_id: int) -> Event:
        with self._pool.connection() as db:
            row = db.execute(
                "SELECT start, duration, json FROM event JOIN value ON value.key = event.value "
                "WHERE event.id = ? AND event.bucket = ?",
                (event_id, bucket_key(db, bucket_id)),
            ).fetchone()
        if row is None:
            raise EventNotFound(bucket_id, event_id)
        start, duration, json = msgspec.convert(row, tuple[int, int, str])
        return Event(id=event_id, start=start + ORIGIN, duration=duration, data=json.encode())

    def events(
        self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None, limit: int | None
    ) -> Iterator[bytes]:
        query = _NEWEST_FIRST if start is None and end is None else _IN_RANGE  # without a range, nothing is clipped
        return self._in_range(query, bucket_id, start, end, _FAR if limit is None else limit)

    def whole_events(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> Iterator[bytes]:
        return self._in_range(_IN_RANGE_WHOLE, bucket_id, start, end, _FAR)

    def exported_events(self, bucket_id: str) -> Iterator[bytes]:
        with self._pool.connection() as db:
            key = bucket_key(db, bucket_id)
            newest = db.execute(_NEWEST).get
        return self._all_pages(_FOR_EXPORT, key, {"newest": newest})

    def exported_lines(self, bucket_id: str, form: LineForm, head: str) -> Iterator[bytes]:
        with self._pool.connection() as db:
            key = bucket_key(db, bucket_id)
            newest = db.execute(_NEWEST).get
        return self._all_pages(LINES[form], key, {"newest": newest, "head": head})

    def count(self, bucket_id: str, *, start: Microseconds | None, end: Microseconds | None) -> int:
        with self._pool.transaction() as db:
            key = bucket_key(db, bucket_id)
            if start is None and end is None:
                return int(db.execute("SELECT coalesce(sum(events), 0) FROM month WHERE bucket = ?", (key,)).get)
            first, last = EARLIEST if start is None else start, LATEST if end is None else end
            condition = "bucket = ? AND start BETWEEN ? AND ? AND start + duration >= ?"
            return sum(
                int(
                    db.execute(
                        f"SELECT count(*) FROM event WHERE {condition}",
                        (key, low - ORIGIN, high - ORIGIN, -_FAR if start is None else start - ORIGIN),
                    ).get
                )
                for low, high in begin_spans(db, key, first, last)
            )

    def counts(self, bucket_id: str, edges: Sequence[Microseconds]) -> list[int]:
        with self._pool.transaction() as db:
            key = bucket_key(db, bucket_id)
            condition = "bucket = ? AND start >= ? AND start < ?"
            return [
                int(db.execute(f"SELECT count(*) FROM event WHERE {condition}", (key, low - ORIGIN, high - ORIGIN)).get)
                for low, high in pairwise(edges)
            ]

    def _in_range(
        self, query: Query, bucket_id: str, start: Microseconds | None, end: Microseconds | None, limit: int
    ) -> Iterator[bytes]:
        first, last = EARLIEST if start is None else start, LATEST if end is None else end
        with self._pool.connection() as db:
            key = bucket_key(db, bucket_id)
            spans = begin_spans(db, key, first, last)
        bounds = {
            "from": -_FAR if start is None else start - ORIGIN,
            "to": _FAR if end is None else end - ORIGIN,
        }
        return self._pages(query, key, spans, limit, bounds)

    def _pages(
        self, query: Query, key: int, spans: list[Span], limit: int, bounds: Mapping[str, int | str | None]
    ) -> Iterator[bytes]:
        left = limit
        for low, high in spans:
            cursor: Microseconds | None = high
            while cursor is not None and left > 0:
                # One short read transaction per page: nothing stays open while the client reads slowly.
                with self._pool.transaction() as db:
                    bottom = _page_bottom(db, key, low, cursor, min(PAGE, left))
                    text, count = _page(db, query, key, (bottom, cursor), {**bounds, "limit": left})
                if text is not None:
                    yield text
                left -= count
                cursor = bottom - 1 if bottom > low else None

    def _all_pages(self, query: Query, key: int, bounds: Mapping[str, int | str | None]) -> Iterator[bytes]:
        """All events of a bucket; the next pages are formatted on other threads while one is in use."""
        pages: deque[Future[bytes | None]] = deque()

        def read(span: Span) -> bytes | None:
            with self._pool.transaction() as db:
                return _page(db, query, key, span, {**bounds, "limit": _FAR})[0]

        try:
            for span in self._page_spans(key):
                pages.append(_threads().submit(read, span))
                if len(pages) > _PAGES_AT_ONCE and (text := pages.popleft().result()) is not None:
                    yield text
            yield from (text for page in pages if (text := page.result()) is not None)
        finally:
            for page in pages:
                page.cancel()

    def _page_spans(self, key: int) -> Iterator[Span]:
        """The range of starts of each page, newest first."""
        bottom = LATEST + 1
        while bottom > EARLIEST:
            cursor = bottom - 1
            with self._pool.transaction() as db:
                bottom = _page_bottom(db, key, EARLIEST, cursor, PAGE)
            yield bottom, cursor


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="export")


def _page(
    db: apsw.Connection, query: Query, key: int, span: Span, bounds: Mapping[str, int | str | None]
) -> tuple[bytes | None, int]:
    """The events of a bucket that start in this range, formatted, and how many they are."""
    low, high = span
    place = {"bucket": key, "low": low - ORIGIN, "high": high - ORIGIN, "origin": ORIGIN}
    sql = query.sorted if _has_ties(db, key, low, high) else query.unsorted
    return msgspec.convert(db.execute(sql, {**bounds, **place}).fetchone(), tuple[bytes | None, int])


def begin_spans(db: apsw.Connection, key: int, first: Microseconds, last: Microseconds) -> list[Span]:
    """The ranges in which events that overlap first..last can start, newest first."""
    rows = db.execute(
        "SELECT month, longest FROM month WHERE bucket = ? AND month <= ? AND reach >= ? ORDER BY month DESC",
        (key, month_of(first), first - ORIGIN),
    )
    return start_spans(msgspec.convert(rows.fetchall(), list[tuple[int, int]]), first, last)


def _page_bottom(db: apsw.Connection, key: int, low: Microseconds, high: Microseconds, size: int) -> Microseconds:
    """The start of the last row of a page, chosen so that events with equal start are never split over two pages."""
    start = db.execute(
        "SELECT start FROM event WHERE bucket = ? AND start BETWEEN ? AND ? ORDER BY start DESC LIMIT 1 OFFSET ?",
        (key, low - ORIGIN, high - ORIGIN, size - 1),
    ).get
    return low if not isinstance(start, int) else start + ORIGIN


def _has_ties(db: apsw.Connection, key: int, low: Microseconds, high: Microseconds) -> bool:
    return bool(db.execute(_TIES, {"bucket": key, "low": low - ORIGIN, "high": high - ORIGIN}).get)


# A sealed month may have a segment; only the derived file knows.
_MONTHS: Final = """
SELECT month, events, longest, reach + :origin, iif(is_sealed, changes, NULL), iif(is_sealed, changes, NULL)
FROM month WHERE bucket = :bucket AND month <= :until AND (month >= :since OR reach + :origin >= :first) AND events > 0
ORDER BY month
"""


def months_of(db: apsw.Connection, bucket: int, first: Microseconds, last: Microseconds) -> list[MonthStatistics]:
    """The months in which events of a bucket that overlap first..last may start, ascending."""
    where = {"origin": ORIGIN, "bucket": bucket, "first": first, "since": month_of(first), "until": month_of(last)}
    return msgspec.convert(db.execute(_MONTHS, where).fetchall(), list[MonthStatistics])
