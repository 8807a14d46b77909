"""Plans a redaction, in a separate process: compares every value with the rules.

    python -m dayline.storage.postgres.redaction.plan_worker FOLDER

It reads a PlanJob from its standard input, surveys the values in a file in the folder, and writes Planned to its
standard output. The plan itself goes into the database; one that no redaction uses is removed after a while.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.privacy import RedactionOrder, RedactionPreview
from dayline.model.time import start_of_month
from dayline.runtime.sqlite_file import connect as open_file
from dayline.storage.postgres.connection import Connection, as_array, connect, transaction
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.postgres.writing.dictionary import TAKEN_HASHES
from dayline.storage.redaction.lifecycle import OPEN
from dayline.storage.redaction.seam import Planned
from dayline.storage.redaction.survey import CHANGES, VALUES_PER_PAGE, Change, Survey, Value

_BUCKETS: Final = "SELECT key, id FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL"
_VALUES: Final = """
SELECT key, bucket, json FROM value
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key > %(after)s ORDER BY key LIMIT %(rows)s
"""
_TEXTS: Final = "SELECT key, json FROM value WHERE tenant = %s AND bucket = ANY(%s) AND key = ANY(%s)"
_HELD: Final = f"""
SELECT value FROM redacted_value WHERE tenant = %(tenant)s AND bucket = %(bucket)s
AND redaction = ANY(ARRAY(SELECT key FROM redaction WHERE tenant = %(tenant)s AND state IN {OPEN}))
AND value BETWEEN %(first)s AND %(last)s
"""
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
_COUNT: Final = """
SELECT count(*), sum(greatest(duration, 0))::bigint, value FROM event
WHERE tenant = %s AND bucket = %s AND start >= %s AND start < %s GROUP BY value
"""
_NEW_PLAN: Final = f"""
INSERT INTO redaction_plan(tenant, made, next_id)
SELECT %(tenant)s, {NOW}, next_event_id FROM tenant WHERE id = %(tenant)s RETURNING number
"""
_STORE: Final = """
INSERT INTO redaction_change(tenant, plan, bucket, is_moved, value, hash, json, events)
SELECT %s, %s, * FROM unnest(
    %s::bigint[], %s::boolean[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[]
)
"""
_PLANNED = "SELECT bucket, is_moved, key, hash, json, events FROM change ORDER BY bucket, is_moved, key"


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
        self._survey = Survey(file, job.order, buckets, fits=lambda old, new: True)

    def make(self) -> None:
        """Compare every value with the rules, and count the events."""
        for bucket in self._survey.buckets:
            has_changes = False
            for values in self._pages(bucket):
                found = self._survey.note(values)
                if found:
                    has_changes = True
                    self._note_known(bucket, found)
                    self._note_held(bucket, values)
            if has_changes:
                self._count_events(bucket)

    def store(self) -> str:
        """Write the plan to the database, in one transaction, and return its number."""
        self._survey.choose()
        with transaction(self._db, self._tenant) as db:
            row = db.execute(_NEW_PLAN, {"tenant": self._tenant}).fetchone()
            assert row is not None
            planned = iter(self._file.execute(_PLANNED))
            while rows := list(islice(planned, VALUES_PER_PAGE)):
                buckets, moved, keys, hashes, texts, events = zip(*rows, strict=True)
                numbers = (as_array(keys), as_array(hashes), list(texts), as_array(events))
                db.execute(_STORE, (self._tenant, row[0], as_array(buckets), list(map(bool, moved)), *numbers))
        return str(row[0])

    def preview(self) -> RedactionPreview:
        return self._survey.preview(self._texts)

    def _pages(self, bucket: int) -> Iterator[list[Value]]:
        after = 0
        place = {"tenant": self._tenant, "bucket": bucket, "rows": VALUES_PER_PAGE}
        while rows := self._read(_VALUES, {**place, "after": after}):
            yield msgspec.convert(rows, list[Value])
            after = rows[-1][0]

    def _note_known(self, bucket: int, found: Sequence[Change]) -> None:
        """Another text with the same hash also counts: two values with one hash cannot be changed in place."""
        hashes = as_array(each.hash for each in found if each.hash is not None)
        place = {"tenant": self._tenant, "bucket": bucket, "hashes": hashes}
        known = {hash_ for (hash_,) in self._read(TAKEN_HASHES, place)}
        keys = [(each.key,) for each in found if each.hash in known]
        self._file.executemany("UPDATE change SET is_known = 1 WHERE key = ?", keys)

    def _note_held(self, bucket: int, values: Sequence[Value]) -> None:
        place = {"tenant": self._tenant, "bucket": bucket, "first": values[0][0], "last": values[-1][0]}
        self._file.executemany("UPDATE change SET is_held = 1 WHERE key = ?", self._read(_HELD, place))

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
    """Make a plan, or only a preview of it. Call it on a thread or in a process."""
    with closing(open_file(folder / "survey.db")) as file, connect(job.address) as db:
        for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("temp_store", "MEMORY")):
            file.pragma(pragma, value)  # an unfinished file is thrown away
        planner = _Planner(db, file, job)
        planner.make()
        return Planned(plan="" if job.is_preview else planner.store(), preview=planner.preview())


def main() -> None:
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=PlanJob)
    sys.stdout.buffer.write(msgspec.json.encode(plan(Path(sys.argv[1]), job)))


if __name__ == "__main__":
    main()
