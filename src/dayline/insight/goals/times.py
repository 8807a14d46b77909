"""The time that counts for a goal, cached per month until an event changes. Only query processes import this."""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from msgspec import Struct

from dayline.insight.active.months import RangeMonth, months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Span
from dayline.insight.request import CommonRequest
from dayline.model.category import Path
from dayline.model.settings.goal import Goal, GoalBy
from dayline.model.time import SECOND, Microseconds, month_of, start_of_month
from dayline.storage.columns.source import MISSING, ColumnSource, Flags, Times

Target: TypeAlias = tuple[GoalBy, Path | None, str | None]  # what counts: see Goal

_EVERYTHING: Final[Target] = ("all", None, None)


class Meter:
    """Adds up the time of pieces, which are ascending and disjoint, within spans."""

    def __init__(self, start: Times, end: Times) -> None:
        self._start, self._end = start, end
        self._before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(end - start)])

    def seconds(self, spans: Sequence[Span]) -> float:
        """Seconds of the pieces within these spans, which must be disjoint."""
        return self.seconds_of([spans])[0]

    def seconds_of(self, periods: Sequence[Sequence[Span]]) -> list[float]:
        """The same for each of some lists of spans."""
        edges = np.array([edge for spans in periods for span in spans for edge in span], dtype=np.int64)
        if not len(edges) or not len(self._start):
            return [0.0] * len(periods)
        until = self._until(edges)
        before = np.append(0, np.cumsum(until[1::2] - until[::2]))
        times: list[int] = np.diff(before[np.cumsum([0, *map(len, periods)])]).tolist()
        return [time / SECOND for time in times]

    def first_after(self, moment: Microseconds) -> Microseconds | None:
        """The first time at or after `moment` that is in a piece; None if there is none."""
        index = int(np.searchsorted(self._end, moment, side="right"))
        return max(int(self._start[index]), moment) if index < len(self._start) else None

    def _until(self, moments: Times) -> Times:
        """The total time of the pieces before each moment."""
        begun = np.searchsorted(self._start, moments)
        beyond = np.maximum(self._end[np.maximum(begun, 1) - 1] - moments, 0)
        return np.where(begun > 0, self._before[begun] - beyond, 0)


class GoalTime(Struct, frozen=True, eq=False):
    """Time that counts for a goal, ascending and disjoint."""

    start: Times
    end: Times

    @property
    def nbytes(self) -> int:
        return self.start.nbytes + self.end.nbytes


class GoalTimes:
    """The active time of a range, by the targets of goals."""

    def __init__(self, source: ColumnSource, common: CommonRequest, span: Span, goals: Sequence[Goal]) -> None:
        self._range_start = span[0]
        parts: dict[Target, list[GoalTime]] = {target: [] for target in (_EVERYTHING, *map(_target, goals))}
        # From the start of the month: results are cached per month, and tomorrow's range starts in the same month.
        whole = start_of_month(month_of(span[0])), span[1]
        for month in months_of(source, common, whole, is_summed=True):
            for target, of_target in parts.items():
                of_target.append(_goal_time(month, target))
        self._meters = {target: _meter(of_target) for target, of_target in parts.items()}

    def meter(self, goal: Goal) -> Meter:
        """Adds up the time that counts for a goal."""
        return self._meters[_target(goal)]

    @property
    def everything(self) -> Meter:
        """Adds up all active time."""
        return self._meters[_EVERYTHING]

    @property
    def first(self) -> Microseconds | None:
        """The start of the first active time in the range; None if there is none."""
        return self.everything.first_after(self._range_start)


def _target(goal: Goal) -> Target:
    return goal.by, goal.category, goal.value


def _meter(parts: Sequence[GoalTime]) -> Meter:
    return Meter(_concatenate([part.start for part in parts]), _concatenate([part.end for part in parts]))


def _goal_time(month: RangeMonth, target: Target) -> GoalTime:
    return month.get_or_make(("goal", target), GoalTime, lambda which: _stretches(which.activity.pieces, target))


def _stretches(pieces: Pieces, target: Target) -> GoalTime:
    which = _belongs(pieces, target)
    start, end = pieces.start[which], pieces.end[which]
    if len(start) < 2:
        return GoalTime(start, end)
    is_gap = start[1:] > end[:-1]  # pieces that touch are merged, which leaves a tenth of them
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
    belongs: Flags = np.array([*wanted, False])[keys.codes] & (keys.codes != MISSING)
    return belongs


def _concatenate(columns: Sequence[Times]) -> Times:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])
