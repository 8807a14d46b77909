"""The time that counts for a goal, month by month, kept while nothing of a month changes. For query processes."""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from msgspec import Struct

from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Span
from dayline.insight.chunks import Chunk, chunks_of
from dayline.insight.common_request import CommonRequest
from dayline.insight.meter import Meter
from dayline.model.categories import Path
from dayline.model.goals import Goal, GoalBy
from dayline.model.timestamps import Microseconds, month_of, start_of_month
from dayline.storage.columns.source import MISSING, ColumnSource, Flags, Times

Target: TypeAlias = tuple[GoalBy, Path | None, str | None]  # what counts: see Goal

_EVERYTHING: Final[Target] = ("all", None, None)


class GoalTime(Struct, frozen=True, eq=False):
    """Stretches of time that count for a goal, ascending and apart."""

    start: Times
    end: Times

    @property
    def nbytes(self) -> int:
        return self.start.nbytes + self.end.nbytes


class GoalTimes:
    """The active time of a range, by what goals are about."""

    def __init__(self, source: ColumnSource, common: CommonRequest, span: Span, goals: Sequence[Goal]) -> None:
        self._range_start = span[0]
        parts: dict[Target, list[GoalTime]] = {target: [] for target in (_EVERYTHING, *map(_target, goals))}
        # From the start of a month on: what is found of it is kept, and tomorrow's range begins within it, too.
        for chunk in chunks_of(source, common, (start_of_month(month_of(span[0])), span[1])):
            for target, of_target in parts.items():
                of_target.append(_goal_time(chunk, target))
        self._meters = {target: _meter(of_target) for target, of_target in parts.items()}

    def meter(self, goal: Goal) -> Meter:
        """What adds up the time that counts for a goal."""
        return self._meters[_target(goal)]

    @property
    def everything(self) -> Meter:
        """What adds up all active time."""
        return self._meters[_EVERYTHING]

    @property
    def first(self) -> Microseconds | None:
        """Where active time begins within the range; None where there is none."""
        return self.everything.first_after(self._range_start)


def _target(goal: Goal) -> Target:
    return goal.by, goal.category, goal.value


def _meter(parts: Sequence[GoalTime]) -> Meter:
    return Meter(_joined([part.start for part in parts]), _joined([part.end for part in parts]))


def _goal_time(chunk: Chunk, target: Target) -> GoalTime:
    return chunk.kept(("goal", target), GoalTime, lambda which: _stretches(which.found.pieces, target))


def _stretches(pieces: Pieces, target: Target) -> GoalTime:
    which = _belongs(pieces, target)
    start, end = pieces.start[which], pieces.end[which]
    if len(start) < 2:
        return GoalTime(start, end)
    is_gap = start[1:] > end[:-1]  # pieces that adjoin are one stretch: a tenth is left of them
    return GoalTime(start[np.concatenate([[True], is_gap])], end[np.concatenate([is_gap, [True]])])


def _belongs(pieces: Pieces, target: Target) -> Flags:
    """Which pieces count."""
    by, category, value = target
    if by == "all":
        return np.ones(len(pieces), dtype=np.bool_)
    if by == "category" and category is not None:
        keys = pieces.keys("category")
        wanted = [tuple(name[: len(category)]) == category for name in keys.names]
    else:
        keys = pieces.keys("app" if by == "app" else "domain")
        wanted = [name == value for name in keys.names]
    found: Flags = np.array([*wanted, False])[keys.codes] & (keys.codes != MISSING)
    return found


def _joined(columns: Sequence[Times]) -> Times:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])
