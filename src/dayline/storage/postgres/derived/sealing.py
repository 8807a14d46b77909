"""Finds closed months, and seals them so that their next change is counted."""

from collections.abc import Sequence
from typing import Final

from dayline.storage.columns.segment_plan import ClosedMonth, SegmentKey
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.writing.transaction import PostgresTransaction

# A month with a valid segment, or with too few events for one, only has to be sealed.
_CLOSED: Final = """
SELECT month.bucket, bucket.id, month.month, month.events, month.longest, month.reach, month.is_sealed, month.changes
FROM bucket JOIN month ON month.tenant = %(tenant)s AND month.bucket = bucket.key
WHERE bucket.tenant = %(tenant)s AND bucket.deleted IS NULL AND month.month < %(before)s AND month.events > 0
    AND NOT (month.is_sealed AND (month.events < %(least)s OR EXISTS (
        SELECT 1 FROM segment WHERE segment.tenant = %(tenant)s AND segment.bucket = month.bucket
            AND segment.month = month.month AND segment.version = month.changes
    )))
ORDER BY month.bucket, month.month
"""
_HOLD: Final = "SELECT 1 FROM bucket WHERE tenant = %s AND key = %s AND deleted IS NULL FOR UPDATE"
_SEAL: Final = """
UPDATE month SET is_sealed = true
WHERE tenant = %s AND bucket = %s AND month = ANY(%s::integer[]) AND events > 0 RETURNING month, changes, events
"""
# What servers cached of the last event belongs to a month that was not sealed.
_PASS: Final = "UPDATE bucket SET version = version + 1 WHERE tenant = %s AND key = %s"


def missing_months(db: Connection, tenant: str, *, before: int, min_events: int) -> list[ClosedMonth]:
    """All months before that one that are not sealed, or have at least `min_events` events and no segment."""
    rows = db.execute(_CLOSED, {"tenant": tenant, "before": before, "least": min_events}).fetchall()
    return [ClosedMonth(*row) for row in rows]


def seal(turn: PostgresTransaction, *, bucket: int, months: Sequence[int], min_events: int) -> list[SegmentKey]:
    """Seal months for derived data; returns the current state of those with at least `min_events` events.

    Nothing is sealed if the bucket was deleted.
    """
    if turn.db.execute(_HOLD, (turn.tenant, bucket)).fetchone() is None:
        return []
    rows = turn.db.execute(_SEAL, (turn.tenant, bucket, list(months))).fetchall()
    turn.db.execute(_PASS, (turn.tenant, bucket))
    return [SegmentKey(bucket, month, changes) for month, changes, events in rows if events >= min_events]
