"""Reads the statistics of a bucket's months."""

from typing import Final

from dayline.model.time import Microseconds, month_of
from dayline.storage.columns.months import MonthStatistics, Span, start_spans
from dayline.storage.postgres.connection import Connection

_REACHING: Final = """
SELECT month, longest FROM month
WHERE tenant = %s AND bucket = %s AND month <= %s AND reach >= %s AND events > 0 ORDER BY month DESC
"""
# A segment is identified by its generation.
_MONTHS: Final = """
SELECT month, events, longest, reach, CASE WHEN is_sealed THEN changes END, (
    SELECT generation FROM segment
    WHERE segment.tenant = %(tenant)s AND segment.bucket = %(bucket)s
        AND segment.month = month.month AND segment.version = month.changes AND month.is_sealed LIMIT 1
) FROM month WHERE tenant = %(tenant)s AND bucket = %(bucket)s AND events > 0 ORDER BY month
"""


def begin_spans(db: Connection, tenant: str, key: int, first: Microseconds, last: Microseconds) -> list[Span]:
    """The ranges in which events that overlap first..last can start, newest first."""
    return start_spans(db.execute(_REACHING, (tenant, key, month_of(first), first)).fetchall(), first, last)


def months_of(db: Connection, tenant: str, bucket: int) -> list[MonthStatistics]:
    """The months in which events of a bucket start, ascending."""
    rows = db.execute(_MONTHS, {"tenant": tenant, "bucket": bucket}).fetchall()
    return [MonthStatistics(*row) for row in rows]
