"""Which event counts at which time, if events overlap."""

import numpy as np
from msgspec import Struct

from dayline.query.columns.table import Table
from dayline.storage.columns.source import Ids, Times


class Covered(Struct, frozen=True, eq=False):
    """Disjoint, ascending time spans, and the row of the event that counts in each."""

    start: Times
    end: Times
    row: Ids


def covered_by(events: Table) -> Covered:
    """The time that events cover. If several overlap, the last to start counts, then the last to end."""
    rows = np.lexsort((events.end, events.start))
    rows = rows[events.end[rows] > events.start[rows]]
    start, end = events.start[rows], events.end[rows]
    if (end[:-1] <= start[1:]).all():
        return Covered(start, end, rows)
    start, end, row = swept(start.tolist(), end.tolist(), rows.tolist()).T
    return Covered(start, end, row)


def swept(starts: list[int], ends: list[int], rows: list[int]) -> Times:
    """Start, end and row of the spans of events by start: each takes precedence over earlier ones."""
    stretches: list[tuple[int, int, int]] = []
    running: list[tuple[int, int]] = []  # end and row; the last one counts
    now = starts[0]

    def run_until(moment: int) -> None:
        nonlocal now
        while running and now < moment:
            end, row = running[-1]
            if now < min(end, moment):
                stretches.append((now, min(end, moment), row))
                now = min(end, moment)
            if end <= moment:
                running.pop()

    for start, end, row in zip(starts, ends, rows, strict=True):
        run_until(start)
        now = start
        running.append((end, row))
    run_until(max(ends))
    return np.array(stretches, dtype=np.int64).reshape(-1, 3)
