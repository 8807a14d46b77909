"""Two lists of events, theirs and ours, and how they compare: in a file, so that their length does not matter.

An event has a place, its start and data, and a duration. Of the same place and different durations are the states of
one event that was being extended when it was copied: the longer one is the later one.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.event import Event
from dayline.model.time import Microseconds

_COLUMNS: Final = "(place BLOB, duration INTEGER, digest BLOB, id INTEGER, PRIMARY KEY(place, duration)) WITHOUT ROWID"
_TABLES: Final = f"CREATE TABLE theirs{_COLUMNS}; CREATE TABLE ours{_COLUMNS};"
_IN_OURS: Final = "EXISTS (SELECT 1 FROM ours WHERE place = theirs.place AND duration = theirs.duration)"
_IN_THEIRS: Final = "EXISTS (SELECT 1 FROM theirs WHERE place = ours.place AND duration = ours.duration)"
# Theirs went on here: ours is the later state of the same event.
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


class Sums(Struct, frozen=True, kw_only=True):
    """What stands for a set of events: how many, how long together, and the sum of their digests."""

    events: int
    duration: Microseconds
    checksum: str


class Adding:
    """Adds up a set of events, or of whatever else has a digest."""

    def __init__(self) -> None:
        self._count = self._duration = self._checksum = 0

    def add(self, digest: bytes, duration: Microseconds = 0) -> None:
        self._count += 1
        self._duration += duration
        self._checksum += int.from_bytes(digest)

    @property
    def sums(self) -> Sums:
        return Sums(events=self._count, duration=self._duration, checksum=f"{self._checksum % _MODULUS:032x}")


class Comparison(Struct, frozen=True, kw_only=True):
    """Their events that are to be here, the same events as they are here, and what else there is.

    `continued` counts those of theirs that are here as the beginning of a longer one, and in neither sum; `others` the
    events of ours that are none of theirs.
    """

    theirs: Sums
    ours: Sums
    continued: int
    others: int

    @property
    def is_proven(self) -> bool:
        return self.theirs == self.ours


class Ledger:
    """The lists of one bucket at a time."""

    def __init__(self, folder: Path) -> None:
        self._db = apsw.Connection(str(folder / "ledger.db"))
        # If it does not come to its end, the file is thrown away: it needs no protection.
        self._db.pragma("journal_mode", "OFF")
        self._db.pragma("synchronous", "OFF")
        self._db.execute(_TABLES)
        self._has_ours = False

    def clear(self) -> None:
        """Begin another bucket."""
        self._db.execute("DELETE FROM theirs; DELETE FROM ours;")
        self._has_ours = False

    def note_theirs(self, events: Iterable[Event]) -> int:
        """Take their events in; how many there are, each counted once however often it comes."""
        self._insert("theirs", events)
        return int(self._db.execute("SELECT count(*) FROM theirs").get)

    def note_ours(self, events: Iterable[Event]) -> None:
        """Take in what Dayline has, in place of what was noted of it before."""
        self._db.execute("DELETE FROM ours")
        self._insert("ours", events)
        self._has_ours = self._db.execute("SELECT 1 FROM ours LIMIT 1").fetchone() is not None

    def grown(self) -> list[tuple[int, Microseconds]]:
        """The events of ours that have become longer there, by id, and how long they are now."""
        return msgspec.convert(self._db.execute(_GROWN).fetchall(), list[tuple[int, int]])

    def is_wanted(self, event: Event) -> bool:
        """Whether an event of theirs is missing here, and not the beginning of one that is longer here."""
        if not self._has_ours:
            return True  # the usual case, the first time: it spares a search for every event
        return self._db.execute(_WANTED, (_place(event), event.duration)).fetchone() is not None

    def compared(self) -> Comparison:
        """What the two lists say of each other."""
        continued = int(self._db.execute(f"SELECT count(*) FROM theirs WHERE {_CONTINUED}").get)
        total = int(self._db.execute("SELECT count(*) FROM ours").get)
        ours = self._sums(f"SELECT digest, duration FROM ours WHERE {_IN_THEIRS}")
        return Comparison(
            theirs=self._sums(f"SELECT digest, duration FROM theirs WHERE NOT ({_CONTINUED})"),
            ours=ours,
            continued=continued,
            others=total - ours.events,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

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
