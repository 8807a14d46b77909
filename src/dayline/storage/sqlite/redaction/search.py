"""Reads of what a redaction changes: its rows, and the events to drop, a page at a time.

A plan is opened with the database attached as `store`.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from dayline.config.data_folder import DataFile, data_file, data_files
from dayline.model.data import EMPTY
from dayline.model.time import start_of_month
from dayline.runtime.sqlite_file import READ_ONLY, attach, connect
from dayline.storage.redaction.records import Part, PlannedEvent, PlannedText, RedactionRecord
from dayline.storage.sqlite.file.connection import BUSY_TIMEOUT_MS, ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.redaction.tables import read_records

EVENTS_PER_PAGE: Final = 10_000
_TEXTS_PER_PAGE: Final = 1000

_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 0 ORDER BY month"
_PAGE = """
event.bucket = :bucket AND event.start >= :start AND event.start < :end
AND (event.start, event.id) > (:start, :id) ORDER BY event.start, event.id LIMIT :limit
"""
_PLANNED_EVENTS = f"""
SELECT event.bucket, event.start, event.id, event.value FROM store.event AS event
WHERE EXISTS (SELECT 1 FROM main.change WHERE change.key = event.value AND change.json IS NULL) AND {_PAGE}
"""
# A value whose new text is longer is emptied first, see tables.py.
_TEXTS = f"""
SELECT new.bucket, new.key, iif(octet_length(new.json) <= octet_length(old.json), new.json, '{EMPTY.decode()}'),
    iif(new.json IS NULL, 0, new.events)
FROM change AS new CROSS JOIN store.value AS old WHERE new.key > :after AND old.key = new.key
ORDER BY new.key LIMIT :limit
"""
_LONGER_TEXTS = """
SELECT new.bucket, new.key, new.json, new.events FROM change AS new CROSS JOIN store.redacted_value AS old
WHERE new.key > :after AND old.redaction = :redaction AND old.value = new.key
AND octet_length(new.json) > octet_length(old.json) ORDER BY new.key LIMIT :limit
"""


def plan_file(database: Path, plan: str) -> Path:
    """Where a plan is, which the database knows by a name that ends with a number in hexadecimal.

    What is before the number is different in plans of earlier versions, and if a database was renamed.
    """
    return data_file(database, DataFile.REDACTION, plan.rpartition("-")[2])


class SqliteRedactionReads:
    """See RedactionReads. A redaction has one part: the whole file."""

    def __init__(self, path: Path, readers: ReaderPool) -> None:
        self._path = path
        self._readers = readers

    def records(self) -> list[RedactionRecord]:
        with self._readers.connection() as db:
            return read_records(db)

    def abandoned_plans(self) -> list[str]:
        # First the files: a plan that is finished in between is then in use.
        files = [file.name for file in data_files(self._path, DataFile.REDACTION)]
        used = {plan_file(self._path, record.plan).name for record in self.records() if record.state == "applying"}
        return [name for name in files if name not in used]

    def is_leased(self) -> bool:
        return False

    def planned_parts(self, key: int, plan: str) -> list[Part] | None:
        if not plan or not plan_file(self._path, plan).exists():
            return None
        return [Part(redaction=key, plan=plan)]

    def changed_parts(self, key: int) -> list[Part]:
        return [Part(redaction=key)]

    def planned_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        return self._texts(part, _TEXTS)

    def longer_texts(self, part: Part) -> Iterator[list[PlannedText]]:
        return self._texts(part, _LONGER_TEXTS)

    def planned_events(self, part: Part) -> Iterator[list[PlannedEvent]]:
        with closing(self._open(part.plan)) as plan:
            rows = plan.execute("SELECT DISTINCT bucket FROM change WHERE json IS NULL ORDER BY bucket").fetchall()
        for (bucket,) in msgspec.convert(rows, list[tuple[int]]):
            for month in self._months(bucket):
                yield from self._events(month, part.plan)

    def _texts(self, part: Part, statement: str) -> Iterator[list[PlannedText]]:
        terms = {"redaction": part.redaction, "after": 0, "limit": _TEXTS_PER_PAGE}
        while rows := self._page(part.plan, statement, terms):
            page = msgspec.convert(rows, list[PlannedText])
            yield page
            terms["after"] = page[-1].value

    def _events(self, month: dict[str, int], plan: str) -> Iterator[list[PlannedEvent]]:
        terms = {**month, "id": -1, "limit": EVENTS_PER_PAGE}
        while rows := self._page(plan, _PLANNED_EVENTS, terms):
            page = msgspec.convert(rows, list[PlannedEvent])
            yield page
            terms |= {"start": page[-1].start, "id": page[-1].id}

    def _page(self, plan: str, statement: str, terms: dict[str, int]) -> list[Any]:
        with closing(self._open(plan)) as db:
            return db.execute(statement, terms).fetchall()

    def _open(self, plan: str) -> apsw.Connection:
        db = connect(plan_file(self._path, plan), READ_ONLY)
        try:
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
            attach(db, self._path, "store", options="mode=ro")
        except BaseException:
            db.close()
            raise
        return db

    def _months(self, bucket: int) -> Iterator[dict[str, int]]:
        for month in self._numbers(_MONTHS, bucket):
            start, end = start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN
            yield {"bucket": bucket, "start": start, "end": end}

    def _numbers(self, statement: str, *terms: int) -> list[int]:
        with self._readers.connection() as db:
            return [number for (number,) in msgspec.convert(db.execute(statement, terms).fetchall(), list[tuple[int]])]
