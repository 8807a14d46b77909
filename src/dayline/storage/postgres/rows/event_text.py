"""Events as text: in SQL, since the database writes pages itself, and in Python for the cells that it cannot write.

The same text as that of the SQLite store, to the byte. In SQL an event is `id`, `moment`, `span` and `json`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, LiteralString

import msgspec

from dayline.model.event_table import cell

_FIELDS: Final = ("app", "title", "url")

# Shortest exact fraction of 0, 3 or 6 digits, as format_timestamp writes it. to_char, since the text of a timestamp
# follows the DateStyle of a session.
_TIMESTAMP: Final[LiteralString] = """
to_char(to_timestamp(moment / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') || CASE
    WHEN mod(moment, 1000000) = 0 THEN 'Z'
    WHEN mod(moment, 1000) = 0 THEN '.' || lpad(mod(moment / 1000, 1000)::text, 3, '0') || 'Z'
    ELSE '.' || lpad(mod(moment, 1000000)::text, 6, '0') || 'Z' END
"""
# Seconds as SQLite writes a double: at least one digit behind the point, an exponent below 0.0001. From 31 years on,
# the text of a double would not be exact there.
_DURATION: Final[LiteralString] = """
CASE WHEN span < 0 THEN '-' ELSE '' END || CASE
    WHEN mod(span, 1000000) = 0 AND abs(span) < 1000000000000000 THEN (abs(span) / 1000000)::text || '.0'
    WHEN abs(span) < 10 THEN abs(span)::text || '.0e-06'
    WHEN abs(span) < 100 THEN (abs(span) / 10)::text || '.' || mod(abs(span), 10)::text || 'e-05'
    WHEN abs(span) < 1000000000000000 THEN
        rtrim((abs(span) / 1000000)::text || '.' || lpad(mod(abs(span), 1000000)::text, 6, '0'), '0')
    ELSE (abs(span) / 1000000)::text || '.' || lpad(mod(abs(span), 1000000)::text, 6, '0') END
"""
# An event's JSON without its first bracket and its id.
MEMBERS: Final[LiteralString] = (
    f"""'"timestamp":"' || {_TIMESTAMP} || '","duration":' || {_DURATION} || ',"data":' || json || '}}'"""
)
# Start, end and seconds, as they stand in a table.
EXTENT: Final[LiteralString] = (
    f"{_TIMESTAMP} || ',' || {_TIMESTAMP.replace('moment', '(moment + span)')} || ',' || {_DURATION}"
)

_object = msgspec.json.Decoder(dict[str, Any])


def table_lines(head: str, events: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a table from events: EXTENT and the JSON text of each.

    PostgreSQL could not write the cells of the fields: a text may have a NUL in it, which JSON has an escape for.
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
