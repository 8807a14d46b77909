"""A page of events: read and formatted by one statement.

A page of 2,000 events takes some 8 ms either way, on one core. Where the database formats it, our interpreter is busy
for 0.8 ms of them, where Python does, for 4.4 ms: and meanwhile heartbeats wait.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, LiteralString, TypeAlias

from dayline.model.timestamps import Microseconds
from dayline.storage.base import LineForm
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.rows.event_text import EXTENT, MEMBERS, table_lines

# What is wanted: `tenant` and `bucket`; the starts `low`..`high`; about `size` events, and no more than `left`; and
# what the form of a page needs besides.
Bounds: TypeAlias = Mapping[str, int | str | None]
# A page's text, how many events it has, and where the last of them begins; nothing where there are none.
Page: TypeAlias = tuple[bytes | None, int, Microseconds | None]
ReadPage: TypeAlias = Callable[[Connection, Bounds], Page]

# The newest events of a span, with all that begin when the last one does: so none of equal start fall on two pages.
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
# The texts one by one, by their keys. Left to itself, and without statistics of a table that has just grown, PostgreSQL
# reads all texts of the bucket, once for every event.
_PAGE: Final[LiteralString] = """
SELECT convert_to(string_agg({line}, {comma} ORDER BY start DESC, id), 'UTF8'),
    (SELECT count(*) FROM page), (SELECT min(start) FROM page)
FROM (
    SELECT id, start, {moment} AS moment, {span} AS span, json FROM page
    CROSS JOIN LATERAL (
        SELECT json FROM value
        WHERE value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = page.value LIMIT 1
    ) AS text
) AS told
"""
_CELLS: Final[LiteralString] = """
SELECT start, {extent}, json FROM (SELECT id, start, start AS moment, duration AS span, value FROM page) AS told
LEFT JOIN LATERAL (
    SELECT json FROM value
    WHERE value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = told.value LIMIT 1
) AS text ON true
ORDER BY start DESC, id
"""
_TOUCHES: Final[LiteralString] = "start + duration >= %(from)s::bigint"
_OLD: Final[LiteralString] = "id <= %(newest)s::bigint"
_CLIPPED: Final[tuple[LiteralString, LiteralString]] = (
    "greatest(start, %(from)s::bigint)",
    # A negative duration has no part to cut off.
    "CASE WHEN duration < 0 THEN duration "
    "ELSE least(start + duration, %(to)s::bigint) - greatest(start, %(from)s::bigint) END",
)
_WHOLE: Final[tuple[LiteralString, LiteralString]] = ("start", "duration")
_WITH_ID: Final[LiteralString] = f"""'{{"id":' || id || ',' || {MEMBERS}"""
_TABLE: Final[LiteralString] = _ROWS.replace("{condition}", _OLD) + _CELLS.replace("{extent}", EXTENT)


def _page(
    line: LiteralString, condition: LiteralString, extent: tuple[LiteralString, LiteralString], comma: LiteralString
) -> ReadPage:
    rows = _ROWS.replace("{condition}", condition)
    text = _PAGE.replace("{line}", line).replace("{comma}", comma)
    statement = rows + text.replace("{moment}", extent[0]).replace("{span}", extent[1])

    def read(db: Connection, bounds: Bounds) -> Page:
        row = db.execute(statement, bounds, binary=True).fetchone()  # in binary form the text comes as it is
        assert row is not None
        return row[0], row[1], row[2]

    return read


def _read_table(db: Connection, bounds: Bounds) -> Page:
    rows: list[tuple[Any, ...]] = db.execute(_TABLE, bounds).fetchall()
    lines = table_lines(str(bounds["head"]), [row[1:] for row in rows if row[2] is not None])
    return "\r\n".join(lines).encode() if lines else None, len(rows), rows[-1][0] if rows else None


IN_RANGE: Final = _page(_WITH_ID, _TOUCHES, _CLIPPED, "','")
IN_RANGE_WHOLE: Final = _page(_WITH_ID, _TOUCHES, _WHOLE, "','")
FOR_EXPORT: Final = _page(f"'{{' || {MEMBERS}", _OLD, _WHOLE, "','")
LINES: Final[Mapping[LineForm, ReadPage]] = {
    "csv": _read_table,
    "ndjson": _page(f"%(head)s::text || {MEMBERS}", _OLD, _WHOLE, "E'\\n'"),
}
