"""Files as aw-sync and aw-android write them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import apsw

from dayline.model.time import parse_timestamp

PHONE: Final = "7f3a9b52-5d1e-4c7b-9d55-0a4f8c1e6b21"  # as ActivityWatch calls it
BUCKET: Final = "aw-watcher-android_phone"
_SCHEMA: Final = """
CREATE TABLE buckets (
    id INTEGER PRIMARY KEY, name TEXT, type TEXT, client TEXT, hostname TEXT, created TEXT, data TEXT
);
CREATE TABLE events (id INTEGER PRIMARY KEY, bucketrow INTEGER, starttime INTEGER, endtime INTEGER, data TEXT);
"""

Row = tuple[str, float, str]  # start, seconds, app


def database(file: Path, rows: Iterable[Row], *, bucket: str = BUCKET, hostname: str = "phone") -> Path:
    """A database with one bucket, as aw-sync writes it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    db = apsw.Connection(str(file))
    db.execute(_SCHEMA)
    db.execute(
        "INSERT INTO buckets VALUES (1, ?, 'currentwindow', 'aw-android', ?, '2026-03-01T08:00:00Z', '{}')",
        (bucket, hostname),
    )
    db.close()
    add(file, rows)
    return file


def add(file: Path, rows: Iterable[Row]) -> None:
    """Add events to such a database."""
    db = apsw.Connection(str(file))
    for start, seconds, app in rows:
        first = parse_timestamp(start) * 1000
        db.execute(
            "INSERT INTO events (bucketrow, starttime, endtime, data) VALUES (1, ?, ?, ?)",
            (first, first + round(seconds * 1e9), f'{{"app": "{app}"}}'),
        )
    db.close()


def minute(number: int) -> str:
    return f"2026-03-18T{8 + number // 60:02}:{number % 60:02}:00Z"
