"""Finds which values are used by events, logged operations, redactions, or nothing.

Reads in many short transactions, so that the write-ahead log can be reset. A reference that moves from one table to
another between two of them may be missed; `compaction.py` checks for that before it deletes values.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.sqlite.file.connection import open_reader

BY_EVENTS: Final = 1
BY_TRASH: Final = 2
BY_REDACTIONS: Final = 4

_ROWS: Final = 20_000  # some hundredths of a second
_EVENTS = """
SELECT bucket, start, id, value FROM event
WHERE (bucket, start, id) > (?, ?, ?) ORDER BY bucket, start, id LIMIT ?
"""
_KEPT = """
SELECT operation, id, value, new_value FROM operation_event
WHERE (operation, id) > (?, ?) ORDER BY operation, id LIMIT ?
"""
_REDACTED_VALUES = "SELECT number, value FROM redacted_value WHERE number > ? ORDER BY number LIMIT ?"
_REDACTED_EVENTS = (
    "SELECT redaction, bucket, start, id, value FROM redacted_event "
    "WHERE (redaction, bucket, start, id) > (?, ?, ?, ?) ORDER BY redaction, bucket, start, id LIMIT ?"
)


def unused_values(database: Path) -> list[int]:
    """The keys of unused values, ascending. Takes a while: call it in a child process."""
    with closing(open_reader(database)) as db:
        return ValueUse(db).unused()


class ValueUse:
    """Use flags by the keys of values."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._marks = bytearray(int(db.execute("SELECT coalesce(max(key), 0) FROM value").get) + 1)
        self._read()

    def unused(self) -> list[int]:
        """Existing keys that nothing references."""
        rows = msgspec.convert(self._db.execute("SELECT key FROM value ORDER BY key").fetchall(), list[tuple[int]])
        return [key for (key,) in rows if not self.of(key)]

    def of(self, value: int) -> int:
        """What uses a value, as bits; 0 if it is unused. Values added since always count as `BY_EVENTS`."""
        return self._marks[value] if value < len(self._marks) else BY_EVENTS

    def _read(self) -> None:
        # The rows themselves, not the statistics of months: values are deleted based on this.
        rows = self._db.execute("SELECT key FROM bucket WHERE deleted IS NOT NULL").fetchall()
        deleted = {key for (key,) in msgspec.convert(rows, list[tuple[int]])}
        for page in self._pages(_EVENTS, 3):
            for bucket, _, _, value in page:
                self._mark(BY_TRASH if bucket in deleted else BY_EVENTS, value)
        for page in self._pages(_KEPT, 2):
            for _, _, value, new_value in page:
                self._mark(BY_TRASH, value)
                self._mark(BY_TRASH, new_value)
        for page in self._pages(_REDACTED_VALUES, 1):
            for _, value in page:
                self._mark(BY_REDACTIONS, value)
        for page in self._pages(_REDACTED_EVENTS, 4):
            for *_, value in page:
                self._mark(BY_REDACTIONS, value)

    def _pages(self, statement: str, places: int) -> Iterator[list[tuple[int | None, ...]]]:
        """All rows in pages; the first columns are the position of a row."""
        after: tuple[int | None, ...] = (-(2**62),) * places
        while rows := self._db.execute(statement, (*after, _ROWS)).fetchall():
            page = msgspec.convert(rows, list[tuple[int | None, ...]])
            after = page[-1][:places]
            yield page

    def _mark(self, mark: int, value: int | None) -> None:
        if value is not None and value < len(self._marks):
            self._marks[value] |= mark
