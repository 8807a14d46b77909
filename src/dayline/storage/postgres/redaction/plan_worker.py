"""Plans a redaction, surveying the values in a file. Call it in a child process.

The plan itself goes into the database; one that no redaction uses is removed after a while.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.privacy.redaction import RedactionOrder
from dayline.model.time import start_of_month
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.redaction.planner import make_plan, new_plan_file
from dayline.storage.redaction.records import Planned
from dayline.storage.redaction.survey import VALUES_PER_PAGE, EventCount, Value

# Without mirrors.
_BUCKETS: Final = """
SELECT key, id FROM bucket WHERE tenant = %(tenant)s AND coalesce(creator, '') NOT LIKE 'device:%%'
"""
_VALUES: Final = """
SELECT key, bucket, json FROM value
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND key > %(after)s ORDER BY key LIMIT %(rows)s
"""
_TEXTS: Final = "SELECT key, json FROM value WHERE tenant = %s AND bucket = ANY(%s) AND key = ANY(%s)"
_MONTHS: Final = "SELECT month FROM month WHERE tenant = %s AND bucket = %s AND events > 0 ORDER BY month"
_COUNTS: Final = """
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


class PostgresValues:
    """See StoredValues."""

    def __init__(self, db: Connection, tenant: str) -> None:
        self._db = db
        self._tenant = tenant

    def buckets(self) -> dict[int, str]:
        return {int(key): str(name) for key, name in self._read(_BUCKETS, {"tenant": self._tenant})}

    def pages(self, buckets: Collection[int]) -> Iterator[list[Value]]:
        for bucket in buckets:
            terms = {"tenant": self._tenant, "bucket": bucket, "rows": VALUES_PER_PAGE, "after": 0}
            while rows := self._read(_VALUES, terms):
                yield msgspec.convert(rows, list[Value])
                terms["after"] = rows[-1][0]

    def event_counts(self, bucket: int) -> Iterator[list[EventCount]]:
        for (month,) in self._read(_MONTHS, (self._tenant, bucket)):
            span = (start_of_month(month), start_of_month(month + 1))
            yield msgspec.convert(self._read(_COUNTS, (self._tenant, bucket, *span)), list[EventCount])

    def texts(self, buckets: Collection[int], keys: Sequence[int]) -> Mapping[int, str]:
        rows = self._read(_TEXTS, (self._tenant, list(buckets), list(keys)))
        return dict(msgspec.convert(rows, list[tuple[int, str]]))

    def _read(self, statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with transaction(self._db, self._tenant, is_snapshot=True) as db:
            return db.execute(statement.encode(), values, prepare=False).fetchall()


def plan(folder: Path, job: PlanJob) -> Planned:
    """Make a plan, or only a preview of it."""
    with closing(new_plan_file(folder / "survey.db")) as file, connect(job.address) as db:
        preview = make_plan(PostgresValues(db, job.tenant), file, job.order)
        return Planned(plan="" if job.is_preview else _stored(db, job.tenant, file), preview=preview)


def _stored(db: Connection, tenant: str, file: apsw.Connection) -> str:
    """Write the plan to the database, in one transaction, and return its number."""
    with transaction(db, tenant):
        row = db.execute(_NEW_PLAN.encode(), (tenant,)).fetchone()
        assert row is not None
        planned = iter(file.execute(_PLANNED))
        while rows := list(islice(planned, VALUES_PER_PAGE)):
            buckets, keys, texts, events = zip(*rows, strict=True)
            columns = (as_array(buckets), as_array(keys), list(texts), as_array(events))
            db.execute(_STORE, (tenant, row[0], *columns))
    return str(row[0])
