"""Where the events that touch a range can begin, month by month."""

import apsw
import msgspec

from dayline.model.timestamps import Microseconds, month_of, start_of_month
from dayline.storage.segments.month_span import MonthSpan
from dayline.storage.sqlite.file.schema import ORIGIN


def spans_of(db: apsw.Connection, bucket: int, first: Microseconds, last: Microseconds) -> list[MonthSpan]:
    """The parts of months in which events that touch first..last can begin, oldest first.

    range asked for                                 [          ]
    the month it begins in                    |··─[··········]···
    an older month with an event that reaches into it   |───···|
    """
    if first > last:
        return []
    rows = db.execute(
        "SELECT month, events, longest, is_sealed, changes FROM month "
        "WHERE bucket = ? AND month <= ? AND (month >= ? OR reach >= ?) AND events > 0 ORDER BY month",
        (bucket, month_of(last), month_of(first), first - ORIGIN),
    ).fetchall()
    return [
        MonthSpan(
            month=month,
            low=max(start_of_month(month), first - longest),
            high=min(start_of_month(month + 1) - 1, last),
            events=events,
            version=changes if is_sealed else None,
        )
        for month, events, longest, is_sealed, changes in msgspec.convert(rows, list[tuple[int, int, int, int, int]])
    ]
