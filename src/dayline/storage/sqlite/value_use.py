"""Who has the values of the dictionary: events, acts of the trash, redactions, or nobody.

It is read in many short transactions, so that the write-ahead log can begin anew meanwhile. What moves from one place
to another between two of them may be missed: whoever removes values looks for that (`value_clearing`).
"""

from collections.abc import Iterable, Iterator
from typing import Final

import apsw
import msgspec

from dayline.model.timestamps import start_of_month
from dayline.storage.sqlite.schema import ORIGIN

BY_EVENTS: Final = 1
BY_TRASH: Final = 2
BY_REDACTIONS: Final = 4

_ROWS: Final = 20_000  # some hundredths of a second
_MONTHS = (
    "SELECT month.bucket, month FROM month JOIN bucket ON bucket.key = month.bucket "
    "WHERE events > 0 AND (deleted IS NOT NULL) = ?"
)
_EVENTS = "SELECT value FROM event WHERE bucket = ? AND start >= ? AND start < ?"
_KEPT = "SELECT act, id, value, new_value FROM act_event WHERE (act, id) > (?, ?) ORDER BY act, id LIMIT ?"
_REDACTED_VALUES = "SELECT number, value FROM redacted_value WHERE number > ? ORDER BY number LIMIT ?"
_REDACTED_EVENTS = (
    "SELECT redaction, bucket, start, id, value, target FROM redacted_event "
    "WHERE (redaction, bucket, start, id) > (?, ?, ?, ?) ORDER BY redaction, bucket, start, id LIMIT ?"
)


class ValueUse:
    """Marks by the numbers of values."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._marks = bytearray(int(db.execute("SELECT coalesce(max(key), 0) FROM value").get) + 1)
        self._read()

    def of(self, value: int) -> int:
        """Who has it, as bits; 0 for nobody. Values that came since have no answer but `BY_EVENTS`."""
        return self._marks[value] if value < len(self._marks) else BY_EVENTS

    def _read(self) -> None:
        for is_deleted, mark in ((False, BY_EVENTS), (True, BY_TRASH)):
            for bucket, month in self._months(is_deleted):
                first, after = start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN
                self._mark(mark, self._db.execute(_EVENTS, (bucket, first, after)).fetchall())
        for rows in self._pages(_KEPT, 2):
            self._mark(BY_TRASH, rows)
        for rows in self._pages(_REDACTED_VALUES, 1):
            self._mark(BY_REDACTIONS, rows)
        for rows in self._pages(_REDACTED_EVENTS, 4):
            self._mark(BY_REDACTIONS, rows)

    def _months(self, is_deleted: bool) -> list[tuple[int, int]]:
        return msgspec.convert(self._db.execute(_MONTHS, (is_deleted,)).fetchall(), list[tuple[int, int]])

    def _pages(self, statement: str, places: int) -> Iterator[list[tuple[int | None, ...]]]:
        """The values of rows, page after page; the first columns say where a row stands."""
        after: tuple[int | None, ...] = (-(2**62),) * places
        while rows := self._db.execute(statement, (*after, _ROWS)).fetchall():
            found = msgspec.convert(rows, list[tuple[int | None, ...]])
            after = found[-1][:places]
            yield [row[places:] for row in found]

    def _mark(self, mark: int, rows: Iterable[Iterable[object]]) -> None:
        marks = self._marks
        for row in rows:
            for value in row:
                if isinstance(value, int) and value < len(marks):
                    marks[value] |= mark
