"""A store of ten million events: the seeded year over and over, each time in another year.

It is built once, segments included, and kept in the cache under a name that changes with the schema.
"""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, Final, cast

from benchmarks.asking import wait_for_rest, wait_for_segments
from benchmarks.seeded_year import FIRST_DAY, seeded_export
from benchmarks.server import dayline_server
from benchmarks.workbench import Workbench, import_body
from dayline.storage.sqlite.derived.file import FORMAT

YEARS: Final = range(FIRST_DAY.year - 8, FIRST_DAY.year + 1)  # nine times 1,169,105 events
ALL_TIME: Final = (datetime(YEARS[0], 1, 1, tzinfo=UTC), datetime(YEARS[-1] + 1, 1, 1, tzinfo=UTC))


def a_copy_of_ten_million(bench: Workbench) -> Path:
    """A database of one's own with ten million events and their segments."""
    copied = bench.database("ten-million")
    shutil.copytree(_kept(bench), copied.parent, dirs_exist_ok=True)
    return copied


def _kept(bench: Workbench) -> Path:
    """The folder in the cache; filled on the first call."""
    folder = bench.cache / f"ten-million-{_schema_digest(bench)}"
    if folder.exists():
        return folder
    database = bench.database("ten-million")
    year = seeded_export(bench.cache)
    with dayline_server(bench.command, database) as server:
        for number in YEARS:
            with year.open("rb") as file:
                # http.client asks only for `read`; a raw stream is not a BinaryIO to the type checker.
                body = cast(BinaryIO, YearShift(file, number))
                import_body(server, body, size=year.stat().st_size)
        wait_for_segments(server, *ALL_TIME)
        wait_for_rest(server)  # and with it for the full text
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    for part in database.parent.glob(f"{database.name}*"):
        if part.suffix != ".lock":
            shutil.move(part, unfinished / part.name)
    return unfinished.rename(folder)


def _schema_digest(bench: Workbench) -> str:
    """A short name for the schema that this program makes, and for what it derives of the rows."""
    database = bench.database("schema")
    with dayline_server(bench.command, database):
        pass
    with closing(sqlite3.connect(database)) as db:
        version = db.execute("PRAGMA user_version").fetchone()
        statements = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql").fetchall()
    return hashlib.sha256(repr((version, statements, FORMAT)).encode()).hexdigest()[:12]


class YearShift(RawIOBase):
    """A seeded export with its events moved to another year, as it is read."""

    def __init__(self, file: BinaryIO, year: int) -> None:
        super().__init__()
        self._file = file
        self._from = f'"timestamp": "{FIRST_DAY.year}-'.encode()
        self._to = f'"timestamp": "{year}-'.encode()
        self._held = b""

    def read(self, size: int = -1, /) -> bytes:
        """About `size` bytes; what could be the first part of a timestamp is held back until its rest is there."""
        block = self._file.read(size)
        text = (self._held + block).replace(self._from, self._to)
        keep = min(len(self._from) - 1, len(text)) if block else 0
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]
