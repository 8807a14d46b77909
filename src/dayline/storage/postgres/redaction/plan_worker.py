"""Plans a redaction: compares every value with the rules, surveying the values in a file.

The plan itself goes into the database; one that no redaction uses is removed after a while. Call it in a child process.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.model.time import start_of_month
from dayline.runtime.sqlite_file import connect as open_file
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.redaction.seam import Planned
from dayline.storage.redaction.survey import CHANGES, VALUES_PER_PAGE, Survey, Value

_BUCKETS: Final = "SELECT key, id FROM bucket WHERE tenant = %(tenant)s"
_VALUES: Final = """
SELECT key, bucket, json FROM value
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key > %(after)s ORDER BY key LIMIT %(rows)s
"""
_TEXTS: Final = "SELECT key, json FROM value WHERE tenant = %s AND bucket = ANY(%s) AND key = ANY(%s)"
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
_COUNT: Final = """
SELECT count(*), sum(greatest(duration, 0))::bigint, value FROM event
WHERE tenant = %s AND bucket = %s AND start >= %s AND start < %s GROUP BY value
"""
_NEW_PLAN: Final = f"INSERT INTO redaction_plan(tenant, made) VALUES(%s, {NOW}) RETURNING number"
_STORE: Final = """
INSERT INTO redaction_change(tenant, plan, bucket, value, json, events)
SELECT %s, %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bigint[])
"""
_PLANNED = "SELECT bucket, key, json, events FROM change ORDER BY bucket, key"


class PlanJob(Struct, frozen=True, kw_only=True):
    """What to plan, and where. A preview writes nothing to the database."""

    address: str
    tenant: str
    order: RedactionOrder
    is_preview: bool


class _Planner:
    """The plan of one redaction. Reads in short transactions."""

    def __init__(self, db: Connection, file: apsw.Connection, job: PlanJob) -> None:
        self._db = db
        self._file = file
        self._tenant = job.tenant
        self._file.execute(CHANGES)
        buckets = {int(key): str(name) for key, name in self._read(_BUCKETS, {"tenant": job.tenant})}
        self._survey = Survey(file, job.order, buckets)

    def make(self) -> None:
        """Compare every value with the rules, and count the events."""
        for bucket in self._survey.buckets:
            if any([self._survey.note(values) for values in self._pages(bucket)]):
                self._count_events(bucket)

    def store(self) -> str:
        """Write the plan to the database, in one transaction, and return its number."""
        with transaction(self._db, self._tenant) as db:
            row = db.execute(_NEW_PLAN.encode(), (self._tenant,)).fetchone()
            assert row is not None
            planned = iter(self._file.execute(_PLANNED))
            while rows := list(islice(planned, VALUES_PER_PAGE)):
                buckets, keys, texts, events = zip(*rows, strict=True)
                columns = (as_array(buckets), as_array(keys), list(texts), as_array(events))
                db.execute(_STORE, (self._tenant, row[0], *columns))
        return str(row[0])

    def preview(self) -> RedactionPreview:
        return self._survey.preview(self._texts)

    def _pages(self, bucket: int) -> Iterator[list[Value]]:
        after = 0
        place = {"tenant": self._tenant, "bucket": bucket, "rows": VALUES_PER_PAGE}
        while rows := self._read(_VALUES, {**place, "after": after}):
            yield msgspec.convert(rows, list[Value])
            after = rows[-1][0]

    def _count_events(self, bucket: int) -> None:
        for (month,) in self._read(_MONTHS, (self._tenant, bucket)):
            span = (start_of_month(month), start_of_month(month + 1))
            counts = self._read(_COUNT, (self._tenant, bucket, *span))
            with self._file:
                add = "UPDATE change SET events = events + ?, duration = duration + ? WHERE key = ?"
                self._file.executemany(add, counts)

    def _texts(self, keys: Sequence[int]) -> Mapping[int, str]:
        rows = self._read(_TEXTS, (self._tenant, list(self._survey.buckets), list(keys)))
        return dict(msgspec.convert(rows, list[tuple[int, str]]))

    def _read(self, statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with transaction(self._db, self._tenant, is_snapshot=True) as db:
            return db.execute(statement.encode(), values, prepare=False).fetchall()


def plan(folder: Path, job: PlanJob) -> Planned:
    """Make a plan, or only a preview of it."""
    with closing(open_file(folder / "survey.db")) as file, connect(job.address) as db:
        for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("temp_store", "MEMORY")):
            file.pragma(pragma, value)  # an unfinished file is thrown away
        planner = _Planner(db, file, job)
        planner.make()
        return Planned(plan="" if job.is_preview else planner.store(), preview=planner.preview())
