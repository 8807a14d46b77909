"""The task `goals_progress`: how far somebody is with each goal. Only query processes import this."""

from collections.abc import Sequence
from datetime import date
from typing import Final

import msgspec

from dayline.insight.calendar import Calendar, Span, shifted
from dayline.insight.common_request import range_answer
from dayline.insight.goal_progress import is_met, pace_of, standing_of
from dayline.insight.goal_spans import (
    common_spans,
    counted_spans,
    earliest_day,
    is_for,
    periods_of,
    remaining_spans,
    work_spans,
)
from dayline.insight.goal_time import GoalTimes
from dayline.insight.goals_answer import (
    GoalPeriodAnswer,
    GoalProgress,
    GoalsAnswer,
    GoalsRequest,
    WorkAnswer,
    WorkTime,
)
from dayline.model.goals import Goal, WorkHours
from dayline.model.timestamps import Microseconds
from dayline.storage.columns.source import ColumnSource

RECENT: Final = 7
_request = msgspec.json.Decoder(GoalsRequest)


def goals_progress(request: bytes, source: ColumnSource) -> bytes:
    """Progress on the goals of a GoalsRequest, as a GoalsAnswer."""
    asked = _request.decode(request)
    common, calendar = asked.common, asked.common.calendar
    day = calendar.day_of(common.start)
    first = earliest_day(calendar, asked.goals, day)
    start, end = calendar.day_edge(first), _last_end(calendar, asked.goals, day)
    # Not beyond now: an entry of this evening is not done yet.
    times = GoalTimes(source, common, (start, min(end, max(common.scope.now, start))), asked.goals)
    progress = _Progress(calendar, times, asked.hours, day, common.scope.now)
    answer = GoalsAnswer(
        range=range_answer(calendar, common.start, common.end),
        goals=[progress.of(goal) for goal in asked.goals],
        work=None if asked.hours is None else progress.work(asked.hours),
    )
    return msgspec.json.encode(answer)


class _Progress:
    """What is the same for all goals of an answer."""

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
        """How far somebody is with one goal."""
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
        """Time inside and outside the hours of work."""
        week = self._calendar.first_day("week", self._day)
        return WorkAnswer(
            day=self._work_time(hours, (self._day, shifted("day", self._day, 1))),
            week=self._work_time(hours, (week, shifted("week", week, 1))),
        )

    def _work_time(self, hours: WorkHours, days: tuple[date, date]) -> WorkTime:
        whole, work = [self._calendar.span(*days)], work_spans(self._calendar, hours, days)
        return WorkTime(
            inside=self._all.seconds(common_spans(whole, work)),
            outside=self._all.seconds(remaining_spans(whole, work)),
        )

    def _is_recorded(self, days: tuple[date, date]) -> bool:
        """Whether a period is not from before anything was recorded, which says nothing about a person."""
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
    """Where the last of the periods around a day ends."""
    ends = [calendar.day_edge(periods_of(calendar, goal, day)[-1][1]) for goal in goals]
    return max(calendar.day_edge(shifted("week", calendar.first_day("week", day), 1)), *ends, calendar.day_edge(day))


def _length(spans: list[Span]) -> Microseconds:
    return sum(end - start for start, end in spans)
