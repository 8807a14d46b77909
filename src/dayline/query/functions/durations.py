"""Durations added up."""

import numpy as np

from dayline.query.errors import QueryFunctionError
from dayline.query.table import Table
from dayline.storage.columns.source import Codes, Ids, Times

_EXACT_AS_FLOAT = 2**53
_MOST = 2.0**62  # leaves room for the start of an event


def sum_durations(events: Table) -> float:
    """Seconds, exact to the microsecond."""
    return _total(events.duration) / 1e6


def sums(durations: Times, group: Ids | Codes, groups: int) -> Times:
    """The durations of each group added up."""
    longest = int(durations.max()) if len(durations) else 0
    if longest * len(durations) < _EXACT_AS_FLOAT or _total(durations) < _EXACT_AS_FLOAT:
        return np.bincount(group, weights=durations, minlength=groups).astype(np.int64)
    added = np.zeros(groups, dtype=np.int64)
    np.add.at(added, group, durations)
    return added


def _total(durations: Times) -> int:
    if float(durations.sum(dtype=np.float64)) >= _MOST:
        raise QueryFunctionError(
            "the durations add up to more than 140,000 years", hint="leave out the events whose duration is wrong"
        )
    return int(durations.sum())
