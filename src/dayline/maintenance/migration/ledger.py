"""Compares the events of a source bucket with ours. Uses a file, so that memory does not depend on their number.

An event is identified by its start and data (`place`), and has a duration. Events with the same start and data but
different durations are states of one event that was being extended when it was copied: the longer one is the later one.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from dayline.maintenance.migration.model import Comparison, Sums
from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.runtime.sqlite_file import connect

_COLUMNS: Final = "(place BLOB, duration INTEGER, digest BLOB, id INTEGER, PRIMARY KEY(place, duration)) WITHOUT ROWID"
_TABLES: Final = f"CREATE TABLE theirs{_COLUMNS}; CREATE TABLE ours{_COLUMNS};"
_IN_OURS: Final = "EXISTS (SELECT 1 FROM ours WHERE place = theirs.place AND duration = theirs.duration)"
_IN_THEIRS: Final = "EXISTS (SELECT 1 FROM theirs WHERE place = ours.place AND duration = ours.duration)"
# The event continued here: ours is a later state of the same event.
_CONTINUED: Final = f"""
NOT {_IN_OURS} AND EXISTS (
    SELECT 1 FROM ours WHERE place = theirs.place AND duration > theirs.duration AND NOT {_IN_THEIRS}
)
"""
_WANTED: Final = f"SELECT 1 FROM theirs WHERE place = ? AND duration = ? AND NOT {_IN_OURS} AND NOT ({_CONTINUED})"
_GROWN: Final = f"""
SELECT ours.id, max(theirs.duration) FROM ours JOIN theirs ON theirs.place = ours.place
WHERE theirs.duration > ours.duration AND NOT {_IN_OURS} AND NOT EXISTS (
    SELECT 1 FROM theirs AS same WHERE same.place = ours.place AND same.duration = ours.duration
)
GROUP BY ours.id
"""
_MODULUS: Final = 1 << 128


class Adding:
    """Computes the checksum of a set of events, or of anything else with a digest."""

    def __init__(self) -> None:
        self._count = self._duration = self._checksum = 0

    def add(self, digest: bytes, duration: Microseconds = 0) -> None:
        self._count += 1
        self._duration += duration
        self._checksum += int.from_bytes(digest)

    @property
    def sums(self) -> Sums:
        return Sums(events=self._count, duration=self._duration, checksum=f"{self._checksum % _MODULUS:032x}")


class Ledger:
    """The events of one bucket at a time."""

    def __init__(self, folder: Path) -> None:
        self._db = connect(folder / "ledger.db")
        self.close = self._db.close
        # A temporary file, which is deleted after a failure: it needs no durability.
        self._db.pragma("journal_mode", "OFF")
        self._db.pragma("synchronous", "OFF")
        self._db.execute(_TABLES)
        self._has_target = False

    def clear(self) -> None:
        """Start with another bucket."""
        self._db.execute("DELETE FROM theirs; DELETE FROM ours;")
        self._has_target = False

    def note_source(self, events: Iterable[Event]) -> int:
        """Add the source's events. Returns the number of distinct ones."""
        self._insert("theirs", events)
        return int(self._db.execute("SELECT count(*) FROM theirs").get)

    def note_target(self, events: Iterable[Event]) -> None:
        """Replace our events by these."""
        self._db.execute("DELETE FROM ours")
        self._insert("ours", events)
        self._has_target = self._db.execute("SELECT 1 FROM ours LIMIT 1").fetchone() is not None

    def extended(self) -> list[tuple[int, Microseconds]]:
        """The ids of our events that are longer in the source, with their new duration."""
        return msgspec.convert(self._db.execute(_GROWN).fetchall(), list[tuple[int, int]])

    def is_missing(self, event: Event) -> bool:
        """Whether a source event is missing here, and is not an earlier state of one of ours."""
        if not self._has_target:
            return True  # the first import: skips a lookup for every event
        return self._db.execute(_WANTED, (_place(event), event.duration)).fetchone() is not None

    def compare(self) -> Comparison:
        """Compare both sides."""
        continued = int(self._db.execute(f"SELECT count(*) FROM theirs WHERE {_CONTINUED}").get)
        total = int(self._db.execute("SELECT count(*) FROM ours").get)
        ours = self._sums(f"SELECT digest, duration FROM ours WHERE {_IN_THEIRS}")
        return Comparison(
            source=self._sums(f"SELECT digest, duration FROM theirs WHERE NOT ({_CONTINUED})"),
            target=ours,
            continued=continued,
            others=total - ours.events,
        )

    def _insert(self, table: str, events: Iterable[Event]) -> None:
        with self._db:
            self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES(?, ?, ?, ?)", _rows(events))

    def _sums(self, query: str) -> Sums:
        adding = Adding()
        for digest, length in self._db.execute(query):
            assert isinstance(digest, bytes)
            assert isinstance(length, int)
            adding.add(digest, length)
        return adding.sums


def _rows(events: Iterable[Event]) -> Iterator[tuple[bytes, int, bytes, int]]:
    for event in events:
        digest = sha256(b"%d %d %b" % (event.start, event.duration, event.data)).digest()[:16]
        yield _place(event), event.duration, digest, event.id


def _place(event: Event) -> bytes:
    return sha256(b"%d %b" % (event.start, event.data)).digest()[:16]
