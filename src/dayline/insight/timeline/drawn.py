"""A lane as it is drawn. Only query processes import this."""

from collections.abc import Sequence

from msgspec import Struct

from dayline.insight.timeline.coverage import coverage_of
from dayline.insight.timeline.density import density
from dayline.insight.timeline.dominance import Shares
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.lanes import Lane
from dayline.insight.timeline.pieces import Pieces, pieces_of
from dayline.model.categories import Path


class Drawn(Struct, frozen=True, eq=False):
    """The pieces of a lane, what their codes mean, and how much of each column of the overview is covered."""

    bucket: str | None
    device: str
    type: str
    keys: Sequence[str]
    categories: Sequence[Path]
    pieces: Pieces
    density: Shares


def drawn(lane: Lane, grid: Grid) -> Drawn:
    """A lane on a grid."""
    coverage = coverage_of(lane.spans.start, lane.spans.end)
    pieces = pieces_of(lane.spans, coverage, grid)
    return Drawn(lane.bucket, lane.device, lane.type, lane.keys, lane.categories, pieces, density(coverage, grid))
