"""The months of a file that nothing is recorded in any more."""

from typing import Final

import apsw
import msgspec

from dayline.storage.segments.closed_months import ClosedMonth

_CLOSED: Final = """
SELECT bucket, bucket.id, month, events, longest, reach, is_sealed, changes
FROM month JOIN bucket ON bucket.key = month.bucket
WHERE bucket.deleted IS NULL AND month < ? AND events >= ? ORDER BY bucket, month
"""


def closed_months(db: apsw.Connection, *, before: int, least_events: int) -> list[ClosedMonth]:
    """Every month before that one which has so many events."""
    return msgspec.convert(db.execute(_CLOSED, (before, least_events)).fetchall(), list[ClosedMonth], strict=False)
