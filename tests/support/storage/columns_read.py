"""Events read as columns, and written out again so that they can be compared."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, Microseconds, parse_timestamp
from dayline.storage.columns.source import MISSING, Column, ColumnSource, Dictionary, EventColumns, ReadReport
from dayline.storage.sqlite.columns.source import SqliteColumns
from dayline.storage.store import Store

CACHE_BYTES: Final = 64 << 20

Shown = tuple[int, Microseconds, Microseconds, str]  # id, start, end, data


@contextmanager
def source_of(path: Path) -> Generator[ColumnSource]:
    """The columns of a database, for one query of a process that has just begun."""
    columns = SqliteColumns(path, cache_bytes=CACHE_BYTES)
    try:
        with columns.snapshot() as source:
            yield source
    finally:
        columns.close()


def read(
    source: ColumnSource, bucket_id: str, start: Microseconds = EARLIEST, end: Microseconds = LATEST
) -> tuple[list[Shown], ReadReport]:
    """The events that touch a range, and where they came from."""
    report = ReadReport()
    return shown(source.events(bucket_id, start, end, report)), report


def shown(events: EventColumns) -> list[Shown]:
    """Each event in one piece, its data put together from the fields."""
    data = objects_of(events.dictionary)
    times = zip(events.id.tolist(), events.start.tolist(), events.end.tolist(), strict=True)
    return [(*time, data[code]) for time, code in zip(times, events.value.tolist(), strict=True)]


def objects_of(dictionary: Dictionary) -> list[str]:
    """Every object of a dictionary as text, put together from the fields; `texts` must say the same."""
    objects: list[dict[str, Any]] = [{} for _ in range(len(dictionary))]
    for field in dictionary.fields():
        for number, value in _values(dictionary.column(field)):
            objects[number][field] = value
    found = [canonical_json(fields).decode() for fields in objects]
    every = np.arange(len(dictionary), dtype=np.int32)
    assert [text.decode() for text in dictionary.texts(every)] == found
    return found


def _values(column: Column) -> Iterator[tuple[int, Any]]:
    return ((number, column.items.value(code)) for number, code in enumerate(column.codes.tolist()) if code != MISSING)


def stored(store: Store, bucket_id: str, start: Microseconds = EARLIEST, end: Microseconds = LATEST) -> list[Shown]:
    """What the rows say: every event of the bucket, and of those the ones that touch the range.

    A negative duration counts as none.
    """
    pages = b",".join(store.events(bucket_id, start=None, end=None, limit=None))
    found: list[Shown] = []
    for view in msgspec.json.decode(b"[%b]" % pages, type=list[dict[str, Any]]):
        moment = parse_timestamp(view["timestamp"])
        event = Event(id=view["id"], start=moment, duration=round(view["duration"] * 1_000_000))
        found.append((event.id, event.start, max(event.start, event.end), canonical_json(view["data"]).decode()))
    touching = [event for event in found if event[1] <= end and event[2] >= start]
    return sorted(touching, key=lambda event: (event[1], event[0]))
