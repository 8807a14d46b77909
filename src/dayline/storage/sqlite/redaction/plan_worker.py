"""Plans a redaction in a new file. Call it in a child process."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import msgspec

from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.model.time import start_of_month
from dayline.runtime.files import flush_file
from dayline.storage.redaction.planner import make_plan, new_plan_file
from dayline.storage.redaction.survey import VALUES_PER_PAGE, EventCount, Value
from dayline.storage.sqlite.file.connection import open_without_trace
from dayline.storage.sqlite.file.schema import ORIGIN

_BUCKETS = "SELECT key, id FROM bucket WHERE creator IS NULL OR creator NOT LIKE 'device:%'"  # not mirrors
_VALUES = "SELECT key, bucket, json FROM value WHERE key > ? ORDER BY key LIMIT ?"
_TEXTS = "SELECT key, json FROM value WHERE key IN (SELECT value FROM json_each(?))"
_MONTHS = "SELECT month FROM month WHERE bucket = ? AND events > 0 ORDER BY month"
_COUNTS = """
SELECT count(*), sum(max(duration, 0)), value FROM event WHERE bucket = ? AND start >= ? AND start < ? GROUP BY value
"""


class SqliteValues:
    """See StoredValues."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def buckets(self) -> dict[int, str]:
        return dict(msgspec.convert(self._db.execute(_BUCKETS).fetchall(), list[tuple[int, str]]))

    def pages(self, buckets: Collection[int]) -> Iterator[list[Value]]:
        last = 0
        while rows := self._db.execute(_VALUES, (last, VALUES_PER_PAGE)).fetchall():
            values = msgspec.convert(rows, list[Value])
            yield values
            last = values[-1][0]

    def event_counts(self, bucket: int) -> Iterator[list[EventCount]]:
        months = self._db.execute(_MONTHS, (bucket,)).fetchall()
        for (month,) in msgspec.convert(months, list[tuple[int]]):
            terms = (bucket, start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN)
            yield msgspec.convert(self._db.execute(_COUNTS, terms).fetchall(), list[EventCount])

    def texts(self, buckets: Collection[int], keys: Sequence[int]) -> Mapping[int, str]:
        rows = self._db.execute(_TEXTS, (msgspec.json.encode(keys).decode(),)).fetchall()
        return dict(msgspec.convert(rows, list[tuple[int, str]]))


def plan(database: Path, path: Path, order: RedactionOrder, *, is_preview: bool) -> RedactionPreview:
    """Write a plan to a new file, and return what it would change.

    A power cut does not damage the file, unless it is for a preview, which does not use it further.
    """
    with closing(new_plan_file(path)) as file, closing(open_without_trace(database)) as db:
        preview = make_plan(SqliteValues(db), file, order)
    if not is_preview:
        flush_file(path)
    return preview
