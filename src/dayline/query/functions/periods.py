"""The time that events cover."""

import numpy as np

from dayline.query.functions.joining import concatenate
from dayline.query.functions.ordering import sort_by_timestamp
from dayline.query.table import NO_DATA, Table


def period_union(one: Table, other: Table) -> Table:
    """The time that events of either list cover, as events without data. What touches becomes one.

    one      [  ]      [ ]
    other      [   ][]      []
    result   [       ] [ ]  []
    """
    events = sort_by_timestamp(concatenate([one, other]))
    if not len(events):
        return events
    latest_end = np.maximum.accumulate(events.end)
    begins = np.flatnonzero(np.append(True, events.start[1:] > latest_end[:-1]))
    finishes = np.append(begins[1:], len(events)) - 1
    no_data = np.zeros(len(begins), dtype=np.int32)
    return Table(events.start[begins], latest_end[finishes], events.id[begins], no_data, NO_DATA)
