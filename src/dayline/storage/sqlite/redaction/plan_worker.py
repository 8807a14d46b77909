"""Plans a redaction: compares every value with the rules, and writes the plan to a new file.

It only reads from the database, in short transactions, a month of events at a time. Call it in a child process.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import msgspec

from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.model.time import start_of_month
from dayline.runtime.files import flush_file
from dayline.runtime.sqlite_file import attach, connect
from dayline.storage.redaction.survey import CHANGES, VALUES_PER_PAGE, Survey, Value
from dayline.storage.sqlite.file.connection import BUSY_TIMEOUT_MS, options_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN

_VALUES = "SELECT key, bucket, json FROM store.value WHERE key > ? ORDER BY key LIMIT ?"
_TEXTS = "SELECT key, json FROM store.value WHERE key IN (SELECT value FROM json_each(?))"
_MONTHS = "SELECT month FROM store.month WHERE bucket = ? AND events > 0 ORDER BY month"
# CROSS JOIN sets the order of the loops: from the events, which are many, to the changes.
_COUNT = """
UPDATE change SET events = change.events + found.events, duration = change.duration + found.duration FROM (
    SELECT event.value, count(*) AS events, sum(max(event.duration, 0)) AS duration
    FROM store.event AS event CROSS JOIN change
    WHERE event.bucket = ? AND event.start >= ? AND event.start < ? AND change.key = event.value
    GROUP BY event.value
) AS found WHERE change.key = found.value
"""


class _Planner:
    """The plan of one redaction, in a file to which the database is attached as `store`."""

    def __init__(self, db: apsw.Connection, order: RedactionOrder) -> None:
        self._db = db
        self._db.execute(CHANGES)
        rows = db.execute("SELECT key, id FROM store.bucket").fetchall()
        buckets = dict(msgspec.convert(rows, list[tuple[int, str]]))
        self._survey = Survey(db, order, buckets)

    def make(self) -> RedactionPreview:
        for values in self._pages():
            self._survey.note(values)
        for (bucket,) in self._numbers("SELECT DISTINCT bucket FROM change ORDER BY bucket"):
            for (month,) in self._numbers(_MONTHS, bucket):
                span = (start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN)
                self._db.execute(_COUNT, (bucket, *span))
        return self._survey.preview(self._texts)

    def _pages(self) -> Iterator[list[Value]]:
        last = 0
        while rows := self._db.execute(_VALUES, (last, VALUES_PER_PAGE)).fetchall():
            values = msgspec.convert(rows, list[Value])
            yield values
            last = values[-1][0]

    def _texts(self, keys: Sequence[int]) -> Mapping[int, str]:
        rows = self._db.execute(_TEXTS, (msgspec.json.encode(keys).decode(),)).fetchall()
        return dict(msgspec.convert(rows, list[tuple[int, str]]))

    def _numbers(self, statement: str, *terms: int) -> list[tuple[int]]:
        return msgspec.convert(self._db.execute(statement, terms).fetchall(), list[tuple[int]])


def plan(database: Path, path: Path, order: RedactionOrder, *, is_preview: bool) -> RedactionPreview:
    """Write a plan to a new file, and return what it would change.

    A power cut does not damage the file, unless it is for a preview, which does not use it further.
    """
    with closing(connect(path)) as db:
        db.set_busy_timeout(BUSY_TIMEOUT_MS)
        # An unfinished file is thrown away: it needs no protection.
        for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("temp_store", "MEMORY")):
            db.pragma(pragma, value)
        attach(db, database, "store", options=options_without_trace(database))
        preview = _Planner(db, order).make()
    if not is_preview:
        flush_file(path)
    return preview
