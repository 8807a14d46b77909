"""`flood`: closes small gaps between events."""

import numpy as np

from dayline.query.columns.table import Table
from dayline.query.functions.ordering import sort_by_timestamp
from dayline.storage.columns.source import Codes, Flags, Times

DEFAULT_PULSETIME_S = 5.0
_MAX_PULSETIME_S = 1e12  # longer than any time range, and still exact in microseconds


def flood(events: Table, pulsetime: float = DEFAULT_PULSETIME_S) -> Table:
    """Merge neighbors with equal data and share gaps between different ones, if the gap is below the pulsetime.

       events   [a] [a][b]  [c]        [d]
       result   [a    ][b  ][ c]       [d]

    Overlapping neighbors with equal data are merged too; different ones are unchanged.
    """
    events = sort_by_timestamp(events)
    if len(events) < 2:
        return events
    pulse = round(min(max(0.0, pulsetime), _MAX_PULSETIME_S) * 1e6)
    begins, start, end = _runs(events, pulse)
    _share_gaps(start, end, pulse)
    return Table(start, end, events.id[begins], events.value[begins], events.data)


def _runs(events: Table, pulse: int) -> tuple[Flags, Times, Times]:
    """Runs of equal data without a gap of the pulsetime: which events start one, and its start and end."""
    classes = events.data.classes().take(events.value)
    is_same = classes[1:] == classes[:-1]
    latest_end = _latest_ends(events.end, is_same)
    parts = np.ones(len(events) + 1, dtype=np.bool_)  # whether a run starts at an event, and so ends before it
    parts[1:-1] = ~is_same | (events.start[1:] - latest_end[:-1] >= pulse)
    begins, ends = parts[:-1], parts[1:]
    return begins, events.start[begins], latest_end[ends]


def _share_gaps(start: Times, end: Times, pulse: int) -> None:
    """Close small gaps between runs from both sides, in place.

    Gaps between runs of equal data are at least the pulsetime; otherwise they would be one run.
    """
    gap = start[1:] - end[:-1]
    is_small = (gap >= 0) & (gap < pulse)
    gap >>= 1  # in place from here on: with a year of events, allocating memory takes longer than the arithmetic
    gap *= is_small
    start[1:] -= gap
    end[:-1] += gap


def _latest_ends(end: Times, is_same: Flags) -> Times:
    """For each event the latest end in its group so far; `is_same` marks events in the group of their neighbor.

    It may extend over a gap that separates the group: later events end later anyway.
    """
    falls = is_same & (end[1:] < end[:-1])
    if not falls.any():
        return end
    group = np.append(0, np.cumsum(~is_same))
    affected = np.flatnonzero(np.isin(group, group[1:][falls]))
    latest = end.copy()
    latest[affected] = _latest_in_groups(end[affected], group[affected])
    return latest


def _latest_in_groups(end: Times, group: Times | Codes) -> Times:
    # One running maximum for all groups: the rank of an end, raised above every rank of earlier groups.
    ends, rank = np.unique(end, return_inverse=True)
    floor = group * len(ends)
    latest: Times = ends[np.maximum.accumulate(floor + rank) - floor]
    return latest
