"""How much of each column of a timeline is covered. Only query processes import this."""

from typing import Final

import numpy as np

from dayline.insight.timeline.coverage import Coverage
from dayline.insight.timeline.dominance import Shares
from dayline.insight.timeline.grid import Grid

MOST_COLUMNS: Final = 240


def columns_of(grid: Grid) -> int:
    """How many columns an overview of a grid has."""
    return min(grid.px, MOST_COLUMNS)


def density(coverage: Coverage, grid: Grid) -> Shares:
    """For each column of the overview the share of it in which there is an event."""
    edges = grid.edges(columns_of(grid))
    width = np.diff(edges)
    covered = np.diff(coverage.until(edges))
    shares: Shares = np.divide(covered, width, out=np.zeros(len(width)), where=width > 0)
    return shares
