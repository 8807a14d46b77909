"""How much of each column of a timeline is covered. Only query processes import this."""

from typing import Final

import numpy as np

from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.pieces import Shares, Spans

MOST_COLUMNS: Final = 240


def columns_of(grid: Grid) -> int:
    """How many columns an overview of a grid has."""
    return min(grid.px, MOST_COLUMNS)


def density(spans: Spans, grid: Grid) -> Shares:
    """For each column of the overview the share of it in which there is an event."""
    columns = columns_of(grid)
    if not len(spans):
        return np.zeros(columns)
    edges = grid.edges(columns)
    reached = np.maximum.accumulate(spans.end)
    new = spans.end - spans.start
    new[1:] = np.maximum(reached[1:] - np.maximum(spans.start[1:], reached[:-1]), 0)
    covered = np.append(0, np.cumsum(new))
    # What events that begin before an edge cover, without what lies behind it.
    before = np.searchsorted(spans.start, edges)
    until = covered[before] - np.maximum(np.append(grid.start, reached)[before] - edges, 0)
    width = np.diff(edges)
    shares: Shares = np.divide(np.diff(until), width, out=np.zeros(columns), where=width > 0)
    return shares
