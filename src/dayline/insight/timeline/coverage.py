"""The time that events cover, although they may overlap. Only query processes import this."""

import numpy as np
from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.columns.source import Ids, Times


class Coverage(Struct, frozen=True, eq=False):
    """For each event, by start: the latest end up to it, and the time that no earlier event covers."""

    start: Times
    end: Times
    reached: Times
    new: Times

    def of_runs(self, firsts: Ids) -> Times:
        """The time that each run of events covers on its own. `firsts` are the events that start a run."""
        covered: Times = np.add.reduceat(self.new, firsts)
        later = firsts[1:]
        lasts = np.append(later, len(self.start))
        # Time counts as covered already only if an earlier event extends into the run.
        for row in (np.flatnonzero(self.reached[later - 1] > self.start[later]) + 1).tolist():
            run = slice(firsts[row], lasts[row])
            covered[row] = _union(self.start[run], self.end[run])
        return covered

    def until(self, moments: Times) -> Times:
        """The covered time before each moment."""
        before = np.searchsorted(self.start, moments)
        covered = np.zeros(len(moments), dtype=np.int64)
        some = np.flatnonzero(before)
        # All that starts before a moment, minus what extends beyond it.
        last = before[some] - 1
        covered[some] = np.cumsum(self.new)[last] - np.maximum(self.reached[last] - moments[some], 0)
        return covered


def coverage_of(start: Times, end: Times) -> Coverage:
    """The coverage of events that are sorted by start."""
    reached = np.maximum.accumulate(end)
    new = end - start
    if len(start):
        np.maximum(start[1:], reached[:-1], out=new[1:])
        np.subtract(reached[1:], new[1:], out=new[1:])
        np.maximum(new, 0, out=new)
    return Coverage(start, end, reached, new)


def _union(start: Times, end: Times) -> Microseconds:
    return int(coverage_of(start, end).new.sum())
