"""Where the events that touch a range can begin, as far as the figures of months tell."""

from typing import Final

from dayline.model.timestamps import Microseconds, month_of, start_of_month
from dayline.storage.postgres.connections.connection import Connection

Span = tuple[Microseconds, Microseconds]  # starts from..to, both included

_REACHING: Final = """
SELECT month, longest FROM month
WHERE tenant = %s AND bucket = %s AND month <= %s AND reach >= %s AND events > 0 ORDER BY month DESC
"""


def begin_spans(db: Connection, tenant: str, key: int, first: Microseconds, last: Microseconds) -> list[Span]:
    """Where events that touch first..last can begin, newest first.

    range asked for              [          ]
    the month it begins in    |··─[··········]···
    an older month with an event that reaches into it    |───···|
    """
    if first > last:
        return []
    spans: list[Span] = []
    main_low = first
    for month, longest in db.execute(_REACHING, (tenant, key, month_of(first), first)).fetchall():
        low, high = max(start_of_month(month), first - longest), start_of_month(month + 1) - 1
        if high >= first:
            main_low = min(low, first)
        elif low <= high:
            spans.append((low, high))
    return [(main_low, last), *spans]
