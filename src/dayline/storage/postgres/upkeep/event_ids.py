"""Finds and repairs event ids that several events have. No index prevents them, because the table is partitioned."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Final

from dayline.model.time import now_us
from dayline.storage.engine.rows import EventRow
from dayline.storage.history.undo_log import RENUMBERED
from dayline.storage.postgres.connection import Connection, set_up, transaction
from dayline.storage.postgres.rows.arrays import as_array
from dayline.storage.postgres.schema.exclusive import opened, refuse_others
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.values import ValueDictionary

_TENANTS: Final = "SELECT '' UNION SELECT tenant FROM access_key ORDER BY 1"
# Of events with the same id, the copy of a merge keeps it, which undoing the merge needs; then one in the undo log,
# then one in the trash. No other event keeps an id that a merge in progress has reserved.
_REPEATED: Final = """
WITH merge AS MATERIALIZED (
    SELECT bucket_key AS source, (detail::json ->> 'target')::bigint AS target,
        (detail::json ->> 'first')::bigint AS first, (detail::json ->> 'count')::bigint AS count,
        CASE WHEN state = 'doing' THEN (detail::json ->> 'done')::bigint END AS done
    FROM operation WHERE tenant = %(tenant)s AND kind = 'merge_buckets' AND state <> 'undone'
), repeated AS MATERIALIZED (
    SELECT id, bool_or(is_reserved) AS is_reserved FROM (
        SELECT id, false AS is_reserved FROM event WHERE tenant = %(tenant)s GROUP BY id HAVING count(*) > 1
        UNION ALL
        SELECT id, true FROM merge
        JOIN event ON tenant = %(tenant)s AND id BETWEEN first + done AND first + count - 1
    ) AS found GROUP BY id
), copy AS MATERIALIZED (
    SELECT id, target AS bucket, start FROM (
        SELECT target, start, first - 1 + row_number() OVER (PARTITION BY first ORDER BY start, event.id) AS id
        FROM merge JOIN event ON tenant = %(tenant)s AND bucket = source
        WHERE EXISTS (SELECT 1 FROM repeated WHERE repeated.id BETWEEN first AND first + count - 1)
    ) AS ranked WHERE id IN (SELECT id FROM repeated)
)
SELECT bucket, start, id, duration, value FROM (
    SELECT event.*, is_reserved, row_number() OVER (
        PARTITION BY id ORDER BY (id, bucket, start) IN (SELECT id, bucket, start FROM copy) DESC,
        EXISTS (
            SELECT 1 FROM operation_event AS logged WHERE logged.tenant = %(tenant)s AND logged.id = event.id
            AND logged.bucket = event.bucket AND logged.new_start = event.start
        ) DESC,
        bucket IN (SELECT key FROM bucket WHERE tenant = %(tenant)s AND deleted IS NOT NULL) DESC, start, bucket
    ) AS place FROM repeated JOIN event USING (id) WHERE tenant = %(tenant)s
) AS placed WHERE place > 1 OR is_reserved ORDER BY bucket, start, id
"""
_RENUMBERED: Final = "unnest(%(starts)s::bigint[], %(ids)s::bigint[], %(new_ids)s::bigint[]) AS old(start, id, new_id)"
_RENUMBER_REDACTED: Final = f"""
UPDATE redacted_event SET id = new_id FROM {_RENUMBERED}
WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND redacted_event.start = old.start AND redacted_event.id = old.id
"""


def count_repeated_ids(address: str) -> int:
    """The number of events that have the id of another one, of all tenants. Raises Unavailable errors."""
    with _tenants(address) as (db, tenants):
        return sum(len(_found(db, tenant)) for tenant in tenants)


def renumber_events(address: str) -> int:
    """Give new ids to events that have the id of another one; returns how many.

    Each tenant is one transaction. The undo log names the events. Raises StoreLocked while a server is connected, and
    Unavailable errors.
    """
    with _tenants(address) as (db, tenants):
        refuse_others(db, address)
        return sum(_renumber(db, tenant) for tenant in tenants)


@contextmanager
def _tenants(address: str) -> Generator[tuple[Connection, list[str]]]:
    with opened(address) as db:
        set_up(db)
        yield db, [tenant for (tenant,) in db.execute(_TENANTS).fetchall()]


def _found(db: Connection, tenant: str) -> list[EventRow]:
    """The events of a tenant that need another id, ordered by bucket."""
    with transaction(db, tenant):
        return _repeated(db, tenant)


def _repeated(db: Connection, tenant: str) -> list[EventRow]:
    return [EventRow(*row) for row in db.execute(_REPEATED, {"tenant": tenant}).fetchall()]


def _renumber(db: Connection, tenant: str) -> int:
    with transaction(db, tenant):
        tx = PostgresTransaction(db, tenant, ValueDictionary())
        found = _repeated(db, tenant)
        for bucket, rows in groupby(found, key=lambda row: row.bucket):
            _renumber_bucket(tx, bucket, list(rows))
        tx.finish()
    return len(found)


def _renumber_bucket(tx: PostgresTransaction, bucket: int, rows: Sequence[EventRow]) -> None:
    state = tx.lock_any(bucket)
    assert state is not None, "a bucket that has events"
    first = tx.take_event_ids(len(rows))
    new = [EventRow(bucket, row.start, number, row.duration, row.value) for number, row in enumerate(rows, first)]
    tx.remove_events(state, rows)
    tx.put_events(state, new)
    terms = {
        "tenant": tx.tenant,
        "bucket": bucket,
        "starts": as_array(row.start for row in rows),
        "ids": as_array(row.id for row in rows),
        "new_ids": as_array(row.id for row in new),
    }
    tx.db.execute(_RENUMBER_REDACTED.encode(), terms)
    tx.add_operation(
        "fix_events",
        now=now_us(),
        bucket=state.bucket.id,
        bucket_key=bucket,
        events=len(rows),
        detail={RENUMBERED: {str(after.id): before.id for before, after in zip(rows, new, strict=True)}},
    )
