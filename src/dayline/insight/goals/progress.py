"""The task `goals_progress`: the progress of each goal. Only query processes import this."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from dayline.insight.calendar import Calendar, Span, add_units
from dayline.insight.goals.model import (
    GoalPeriodResponse,
    GoalProgress,
    GoalsRequest,
    GoalsResponse,
    WorkResponse,
    WorkTime,
)
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
from dayline.insight.goals.times import GoalTimes
from dayline.insight.request import range_answer
from dayline.model.settings.goal import Goal, WorkHours
from dayline.model.time import Microseconds
from dayline.storage.columns.source import ColumnSource

RECENT: Final = 7


def goals_progress(asked: GoalsRequest, source: ColumnSource) -> GoalsResponse:
    """The task: the progress of each goal."""
    common, calendar = asked.common, asked.common.calendar
    day = calendar.day_of(common.start)
    first = earliest_day(calendar, asked.goals, day)
    start, end = calendar.day_edge(first), _last_end(calendar, asked.goals, day)
    # Not beyond now: an entry for this evening does not count yet.
    times = GoalTimes(source, common, (start, min(end, max(common.scope.now, start))), asked.goals)
    progress = _GoalProgress(calendar, times, asked.hours, day, common.scope.now)
    return GoalsResponse(
        range=range_answer(calendar, common.start, common.end),
        goals=[progress.of(goal) for goal in asked.goals],
        work=None if asked.hours is None else progress.work(asked.hours),
    )


class _GoalProgress:
    """What all goals of a response share."""

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
        before = meter.seconds_of(spans)
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

    def work(self, hours: WorkHours) -> WorkResponse:
        """Time inside and outside working hours."""
        week = self._calendar.first_day("week", self._day)
        return WorkResponse(
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
            gone=sum(self._all.seconds_of(gone)),
            whole=sum(self._all.seconds_of([spans for _, spans in past])),
            elapsed_share=_length(common_spans(counted, [(start, start + elapsed)])) / whole if whole else 0.0,
        )

    def _period(self, goal: Goal, days: tuple[date, date], seconds: float) -> GoalPeriodResponse:
        start, end = self._texts(days)
        return GoalPeriodResponse(start=start, end=end, seconds=seconds, is_met=is_met(goal, seconds))

    def _texts(self, days: tuple[date, date]) -> tuple[str, str]:
        start, end = self._calendar.span(*days)
        return self._calendar.text(start), self._calendar.text(end)


def _last_end(calendar: Calendar, goals: Sequence[Goal], day: date) -> Microseconds:
    """The end of the last period that contains the day."""
    ends = [calendar.day_edge(periods_of(calendar, goal, day)[-1][1]) for goal in goals]
    return max(calendar.day_edge(add_units("week", calendar.first_day("week", day), 1)), *ends, calendar.day_edge(day))


def _length(spans: list[Span]) -> Microseconds:
    return sum(end - start for start, end in spans)
