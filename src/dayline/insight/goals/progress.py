"""The task `goals_progress`: the progress of each goal. Only query processes import this."""

from collections.abc import Sequence
from datetime import date
from typing import Final, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from dayline.insight.active.months import RangeMonth, months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Calendar, Span, add_units
from dayline.insight.goals.model import GoalPeriodAnswer, GoalProgress, GoalsAnswer, GoalsRequest, WorkAnswer, WorkTime
from dayline.insight.goals.periods import (
    common_spans,
    counted_spans,
    earliest_day,
    is_for,
    is_met,
    pace_of,
    periods_of,
    remaining_spans,
    standing_of,
    work_spans,
)
from dayline.insight.request import CommonRequest, range_answer
from dayline.model.category import Path
from dayline.model.goal import Goal, GoalBy, WorkHours
from dayline.model.time import SECOND, Microseconds, month_of, start_of_month
from dayline.storage.columns.source import MISSING, ColumnSource, Flags, Times


class Meter:
    """Adds up the time of pieces, which are ascending and disjoint, within spans."""

    def __init__(self, start: Times, end: Times) -> None:
        self._start, self._end = start, end
        self._before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(end - start)])

    def seconds(self, spans: Sequence[Span]) -> float:
        """Seconds of the pieces within these spans, which must be disjoint."""
        if not spans or not len(self._start):
            return 0.0
        edges = np.array(spans, dtype=np.int64)
        return int((self._until(edges[:, 1]) - self._until(edges[:, 0])).sum()) / SECOND

    def first_after(self, moment: Microseconds) -> Microseconds | None:
        """The first time at or after `moment` that is in a piece; None if there is none."""
        place = int(np.searchsorted(self._end, moment, side="right"))
        return max(int(self._start[place]), moment) if place < len(self._start) else None

    def _until(self, moments: Times) -> Times:
        """The total time of the pieces before each moment."""
        begun = np.searchsorted(self._start, moments)
        beyond = np.maximum(self._end[np.maximum(begun, 1) - 1] - moments, 0)
        return np.where(begun > 0, self._before[begun] - beyond, 0)


# The time that counts for a goal, cached per month until an event changes.


Target: TypeAlias = tuple[GoalBy, Path | None, str | None]  # what counts: see Goal

_EVERYTHING: Final[Target] = ("all", None, None)


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
        for month in months_of(source, common, (start_of_month(month_of(span[0])), span[1])):
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
    found: Flags = np.array([*wanted, False])[keys.codes] & (keys.codes != MISSING)
    return found


def _concatenate(columns: Sequence[Times]) -> Times:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns])


RECENT: Final = 7
_request = msgspec.json.Decoder(GoalsRequest)


def goals_progress(request: bytes, source: ColumnSource) -> bytes:
    """Handle a GoalsRequest: returns a GoalsAnswer."""
    asked = _request.decode(request)
    common, calendar = asked.common, asked.common.calendar
    day = calendar.day_of(common.start)
    first = earliest_day(calendar, asked.goals, day)
    start, end = calendar.day_edge(first), _last_end(calendar, asked.goals, day)
    # Not beyond now: an entry for this evening does not count yet.
    times = GoalTimes(source, common, (start, min(end, max(common.scope.now, start))), asked.goals)
    progress = _GoalProgress(calendar, times, asked.hours, day, common.scope.now)
    answer = GoalsAnswer(
        range=range_answer(calendar, common.start, common.end),
        goals=[progress.of(goal) for goal in asked.goals],
        work=None if asked.hours is None else progress.work(asked.hours),
    )
    return msgspec.json.encode(answer)


class _GoalProgress:
    """What all goals of an answer share."""

    def __init__(
        self, calendar: Calendar, times: GoalTimes, hours: WorkHours | None, day: date, now: Microseconds
    ) -> None:
        self._calendar = calendar
        self._times = times
        self._hours = hours
        self._day = day
        self._now = now
        self._all = times.everything

    def of(self, goal: Goal) -> GoalProgress:
        """The progress of one goal."""
        *earlier, current = periods_of(self._calendar, goal, self._day)
        meter = self._times.meter(goal)
        past = [days for days in earlier if self._is_recorded(days)]
        spans = [counted_spans(self._calendar, goal, self._hours, days) for days in past]
        before = [meter.seconds(each) for each in spans]
        counted = counted_spans(self._calendar, goal, self._hours, current)
        is_counted = goal.per != "day" or is_for(goal, current[0])
        seconds = meter.seconds(counted)
        pace = self._pace(current, counted, list(zip(past, spans, strict=True))) if is_counted else None
        standing = standing_of(goal, before=before, seconds=seconds, pace=pace, is_counted=is_counted)
        start, end = self._texts(current)
        return GoalProgress(
            id=goal.id,
            name=goal.name,
            kind=goal.kind,
            per=goal.per,
            by=goal.by,
            category=goal.category,
            value=goal.value,
            hours=goal.hours,
            start=start,
            end=end,
            seconds=seconds,
            target=goal.seconds,
            share=standing.share,
            state=standing.state,
            pace=pace,
            streak=standing.streak,
            recent=[self._period(goal, *each) for each in list(zip(past, before, strict=True))[-RECENT:]],
        )

    def work(self, hours: WorkHours) -> WorkAnswer:
        """Time inside and outside working hours."""
        week = self._calendar.first_day("week", self._day)
        return WorkAnswer(
            day=self._work_time(hours, (self._day, add_units("day", self._day, 1))),
            week=self._work_time(hours, (week, add_units("week", week, 1))),
        )

    def _work_time(self, hours: WorkHours, days: tuple[date, date]) -> WorkTime:
        whole, work = [self._calendar.span(*days)], work_spans(self._calendar, hours, days)
        return WorkTime(
            inside=self._all.seconds(common_spans(whole, work)),
            outside=self._all.seconds(remaining_spans(whole, work)),
        )

    def _is_recorded(self, days: tuple[date, date]) -> bool:
        """Whether the period ended after the first record. Earlier periods say nothing about the user."""
        first = self._times.first
        return first is not None and first < self._calendar.day_edge(days[1])

    def _pace(
        self, current: tuple[date, date], counted: list[Span], past: list[tuple[tuple[date, date], list[Span]]]
    ) -> float | None:
        start, end = self._calendar.span(*current)
        if self._now >= end:
            return None
        elapsed = max(self._now - start, 0)
        edges = [self._calendar.day_edge(days[0]) for days, _ in past]
        gone = [common_spans(spans, [(edge, edge + elapsed)]) for edge, (_, spans) in zip(edges, past, strict=True)]
        whole = _length(counted)
        return pace_of(
            gone=sum(map(self._all.seconds, gone)),
            whole=sum(self._all.seconds(spans) for _, spans in past),
            elapsed_share=_length(common_spans(counted, [(start, start + elapsed)])) / whole if whole else 0.0,
        )

    def _period(self, goal: Goal, days: tuple[date, date], seconds: float) -> GoalPeriodAnswer:
        start, end = self._texts(days)
        return GoalPeriodAnswer(start=start, end=end, seconds=seconds, is_met=is_met(goal, seconds))

    def _texts(self, days: tuple[date, date]) -> tuple[str, str]:
        start, end = self._calendar.span(*days)
        return self._calendar.text(start), self._calendar.text(end)


def _last_end(calendar: Calendar, goals: Sequence[Goal], day: date) -> Microseconds:
    """The end of the last period that contains the day."""
    ends = [calendar.day_edge(periods_of(calendar, goal, day)[-1][1]) for goal in goals]
    return max(calendar.day_edge(add_units("week", calendar.first_day("week", day), 1)), *ends, calendar.day_edge(day))


def _length(spans: list[Span]) -> Microseconds:
    return sum(end - start for start, end in spans)
