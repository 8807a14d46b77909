"""What a database says when no one has it open, and whether it agrees with itself."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.time import Microseconds, month_of
from dayline.runtime.sqlite_file import connect as open_file
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.sqlite.file.schema import ORIGIN
from tests.support.calls.load import Memory, Stored
from tests.support.waiting import eventually

_OTHERS: Final = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND backend_type = 'client backend'"
)
Range = tuple[Microseconds, Microseconds]


class Month(Struct, frozen=True):
    """The figures of one bucket and month: how many events, no longer than this, none reaching beyond that."""

    events: int
    longest: Microseconds
    reach: Microseconds


class Contents(Struct, frozen=True, kw_only=True):
    """Everything in the file that clients can ask for, and what is kept about it."""

    integrity: str
    buckets: set[str]
    events: dict[int, Stored]
    rows: int  # more than `events` where an id was given twice
    months: dict[tuple[str, int], Month]
    settings: dict[str, Any]

    def wrong_months(self) -> list[str]:
        """Every month whose stored count differs from its rows, or whose bounds they exceed, in words."""
        counted = self._months_by_rows()
        wrong = [f"{place}: no rows" for place, kept in self.months.items() if kept.events and place not in counted]
        for place, rows in counted.items():
            kept = self.months.get(place)
            if kept is None or kept.events != rows.events or kept.longest < rows.longest or kept.reach < rows.reach:
                wrong.append(f"{place}: {kept} is kept, {rows} is there")
        return wrong

    def _months_by_rows(self) -> dict[tuple[str, int], Month]:
        months: dict[tuple[str, int], Month] = {}
        for event in self.events.values():
            place = (event.bucket_id, month_of(event.start))
            known = months.get(place, Month(0, 0, 0))
            end = event.start + event.duration
            months[place] = Month(known.events + 1, max(known.longest, event.duration), max(known.reach, end))
        return months

    def ranges(self) -> dict[str, Range]:
        """From the first start to the last end of each bucket that has events."""
        ranges: dict[str, Range] = {}
        for event in self.events.values():
            start, end = ranges.get(event.bucket_id, (event.start, event.start + event.duration))
            ranges[event.bucket_id] = (min(start, event.start), max(end, event.start + event.duration))
        return ranges

    def missing(self, memory: Memory) -> list[str]:
        """Every acknowledged write that the file does not have, in words."""
        missing = [f"bucket {bucket_id}" for bucket_id in sorted(memory.buckets - self.buckets)]
        missing += [f"deletion of event {number}" for number in sorted(memory.deleted & self.events.keys())]
        for number, acknowledged in memory.exact.items():
            if self.events.get(number) != acknowledged:
                missing.append(f"insert {number}: {acknowledged} was acknowledged, {self.events.get(number)} is there")
        for number, acknowledged in memory.at_least.items():
            found = self.events.get(number)
            if found is None or not _covers(found, acknowledged):
                missing.append(f"heartbeat {number}: {acknowledged} was acknowledged, {found} is there")
        counts = Counter(event.bucket_id for event in self.events.values())
        for bucket_id, count in memory.imported.items():
            if counts[bucket_id] != count:
                missing.append(
                    f"import of {bucket_id}: {count} events were acknowledged, {counts[bucket_id]} are there"
                )
        for key, value in memory.settings.items():
            if self.settings.get(key, 0) < value:
                missing.append(f"setting {key}: {value} was acknowledged, {self.settings.get(key)} is there")
        return missing


def contents_of(database: Path, *, folder: Path) -> Contents:
    """Examine a copy, so that the server later finds the file just as it was left, its log included."""
    folder.mkdir(exist_ok=True)
    copy = folder / database.name
    for suffix in ("", "-wal", "-shm"):
        (folder / f"{database.name}{suffix}").unlink(missing_ok=True)
    for suffix in ("", "-wal"):
        if database.with_name(f"{database.name}{suffix}").exists():
            shutil.copyfile(database.with_name(f"{database.name}{suffix}"), folder / f"{database.name}{suffix}")
    db = open_file(copy)
    try:
        integrity = str(db.execute("PRAGMA integrity_check").get)
        return _read(lambda query: db.execute(query).fetchall(), ORIGIN, integrity)
    finally:
        db.close()


def contents_at(address: str) -> Contents:
    """Examine a database of PostgreSQL, when the last connection of a server that was killed has ended."""
    with connect(address) as db, transaction(db, ""):
        eventually(lambda: not db.execute(_OTHERS).fetchall())
        return _read(lambda query: db.execute(query.encode()).fetchall(), 0, "ok")


def _read(select: Callable[[str], list[Any]], origin: Microseconds, integrity: str) -> Contents:
    # LEFT JOIN: a row whose bucket or value is missing must be noticed, not left out.
    events = msgspec.convert(
        select(
            "SELECT event.id, bucket.id, start, duration, json FROM event "
            "LEFT JOIN bucket ON bucket.key = event.bucket "
            "LEFT JOIN value ON value.key = event.value AND value.bucket = event.bucket"
        ),
        list[tuple[int, str, int, int, str]],
    )
    months = msgspec.convert(
        select("SELECT bucket.id, month, events, longest, reach FROM month JOIN bucket ON bucket.key = month.bucket"),
        list[tuple[str, int, int, int, int]],
    )
    settings = msgspec.convert(select("SELECT key, json FROM setting"), list[tuple[str, str]])
    buckets = msgspec.convert(select("SELECT id FROM bucket WHERE deleted IS NULL"), list[tuple[str]])
    return Contents(
        integrity=integrity,
        buckets={bucket_id for (bucket_id,) in buckets},
        events={
            number: Stored(bucket_id, start + origin, duration, msgspec.json.decode(json))
            for number, bucket_id, start, duration, json in events
        },
        rows=len(events),
        months={
            (bucket_id, month): Month(events, longest, reach + origin)
            for bucket_id, month, events, longest, reach in months
        },
        settings={key: msgspec.json.decode(json) for key, json in settings},
    )


def _covers(found: Stored, acknowledged: Stored) -> bool:
    same = (found.bucket_id, found.start, found.data) == (acknowledged.bucket_id, acknowledged.start, acknowledged.data)
    return same and found.duration >= acknowledged.duration
