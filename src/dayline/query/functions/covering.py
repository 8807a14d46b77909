"""Which event counts at which time, where events may overlap."""

import numpy as np
from msgspec import Struct

from dayline.query.table import Table
from dayline.storage.columns.source import Ids, Times


class Covered(Struct, frozen=True, eq=False):
    """Stretches of time, ascending and apart, and the row of the event that counts there."""

    start: Times
    end: Times
    row: Ids


def covered_by(events: Table) -> Covered:
    """The time that events cover. Of several at once the last to start counts, of those the last to end."""
    rows = np.lexsort((events.end, events.start))
    rows = rows[events.end[rows] > events.start[rows]]
    start, end = events.start[rows], events.end[rows]
    if (end[:-1] <= start[1:]).all():
        return Covered(start, end, rows)
    start, end, row = swept(start.tolist(), end.tolist(), rows.tolist()).T
    return Covered(start, end, row)


def swept(starts: list[int], ends: list[int], rows: list[int]) -> Times:
    """Start, end and row of the stretches of events by start: each goes before all that began earlier."""
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
