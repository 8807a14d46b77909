"""The periods of a goal, the parts of them that count, and the progress of a goal. Pure, no numpy."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.insight.calendar import Calendar, Span, add_units
from dayline.model.settings.goal import WEEKDAYS, Goal, GoalPeriod, WorkHours
from dayline.model.time import DAY, SECOND, Microseconds

# Number of earlier periods that are shown.
LOOK_BACK: Final[dict[GoalPeriod, int]] = {"day": 60, "week": 12, "month": 3}
_EPOCH: Final = date(1970, 1, 1)
_ONE_DAY: Final = timedelta(days=1)


def periods_of(calendar: Calendar, goal: Goal, day: date) -> list[tuple[date, date]]:
    """The period of a goal that contains the day, and earlier ones, the earliest first; each is a first day and an end.

    If a goal is only for some weekdays, other days are left out, except the last one.
    """
    first = calendar.first_day(goal.per, day)
    firsts = [add_units(goal.per, first, -count) for count in range(LOOK_BACK[goal.per], 0, -1)]
    if goal.per == "day":
        firsts = [each for each in firsts if is_for(goal, each)]
    return [(each, add_units(goal.per, each, 1)) for each in (*firsts, first)]


def earliest_day(calendar: Calendar, goals: tuple[Goal, ...], day: date) -> date:
    """The first day that progress on these goals needs: at least the week of the day, for working hours."""
    firsts = [periods_of(calendar, goal, day)[0][0] for goal in goals]
    return min(calendar.first_day("week", day), *firsts, day)


def is_for(goal: Goal, day: date) -> bool:
    """Whether the time of this day counts."""
    return WEEKDAYS[day.weekday()] in goal.weekdays


def counted_spans(calendar: Calendar, goal: Goal, hours: WorkHours | None, days: tuple[date, date]) -> list[Span]:
    """The parts of some days that count for a goal, ascending and disjoint."""
    first, after = days
    spans = united_spans([calendar.span(day, day + _ONE_DAY) for day in _days(first, after) if is_for(goal, day)])
    match goal.hours:
        case "any":
            return spans
        case "inside":
            return common_spans(spans, work_spans(calendar, hours, days))
        case "outside":
            return remaining_spans(spans, work_spans(calendar, hours, days))


def work_spans(calendar: Calendar, hours: WorkHours | None, days: tuple[date, date]) -> list[Span]:
    """The working hours that overlap some days, ascending and disjoint. They may start on the evening before."""
    if hours is None:
        return []
    first, after = days
    spans = [_hours_on(calendar, hours, day) for day in _days(first - _ONE_DAY, after + _ONE_DAY)]
    return united_spans([span for span in spans if span is not None])


def united_spans(spans: list[Span]) -> list[Span]:
    """Merge spans that overlap or touch. They must be sorted by start."""
    united: list[Span] = []
    for start, end in spans:
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return united


def common_spans(ones: list[Span], others: list[Span]) -> list[Span]:
    """The intersection."""
    common: list[Span] = []
    for start, end in ones:
        for other_start, other_end in others:
            low, high = max(start, other_start), min(end, other_end)
            if low < high:
                common.append((low, high))
    return common


def remaining_spans(spans: list[Span], others: list[Span]) -> list[Span]:
    """The time of the first that is not in the second."""
    rest: list[Span] = []
    for start, end in spans:
        low = start
        for other_start, other_end in others:
            if other_end <= low or other_start >= end:
                continue
            if other_start > low:
                rest.append((low, other_start))
            low = max(low, other_end)
        if low < end:
            rest.append((low, end))
    return rest


def _hours_on(calendar: Calendar, hours: WorkHours, day: date) -> Span | None:
    text: str | None = getattr(hours, WEEKDAYS[day.weekday()])
    if text is None:
        return None
    midnight = (day - _EPOCH).days * DAY
    begin, end = (_clock(part) for part in text.split("-"))
    if end <= begin:
        end += DAY
    return calendar.moment_at(midnight + begin), calendar.moment_at(midnight + end)


def _clock(text: str) -> Microseconds:
    hour, minute = text.split(":")
    return (int(hour) * 60 + int(minute)) * 60 * SECOND


def _days(first: date, after: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((after - first).days)]


GoalState: TypeAlias = Literal["reached", "on_track", "behind", "within", "exceeded", "off"]

_ROUNDING = 1e-6  # seconds are floating-point sums of microseconds


class Standing(Struct, frozen=True, kw_only=True):
    """The state of a goal, and for how many periods in a row it was met."""

    state: GoalState
    share: float
    streak: int


def standing_of(
    goal: Goal, *, before: Sequence[float], seconds: float, pace: float | None, is_counted: bool = True
) -> Standing:
    """The state of a goal, from the seconds of earlier periods and of the current one.

    `pace` is the elapsed share of the period, from 0 to 1; None if it is over. `is_counted` is False on a day that the
    goal is not for.
    """
    state: GoalState = state_of(goal, seconds, pace) if is_counted else "off"
    return Standing(state=state, share=seconds / goal.seconds, streak=_streak(goal, before, state, pace))


def state_of(goal: Goal, seconds: float, pace: float | None) -> GoalState:
    """The state of a goal in one period."""
    if goal.kind == "at_most":
        return "within" if is_met(goal, seconds) else "exceeded"
    if is_met(goal, seconds):
        return "reached"
    return "on_track" if pace is not None and seconds + _ROUNDING >= goal.seconds * pace else "behind"


def is_met(goal: Goal, seconds: float) -> bool:
    """Whether a period with this many seconds meets the goal."""
    if goal.kind == "at_most":
        return seconds <= goal.seconds + _ROUNDING
    return seconds >= goal.seconds - _ROUNDING


def pace_of(*, gone: float, whole: float, elapsed_share: float) -> float:
    """The elapsed share of a period by active time: the share of earlier periods' time before this point.

    If there are no earlier records: the elapsed share of the hours that count.
    """
    return min(max(gone / whole if whole > 0 else elapsed_share, 0.0), 1.0)


def _streak(goal: Goal, before: Sequence[float], state: GoalState, pace: float | None) -> int:
    """The number of periods in a row up to now. The current one breaks the streak only if it can no longer be met."""
    is_over = pace is None and state != "off"
    if state == "exceeded" or (is_over and state == "behind"):
        return 0
    streak = 0
    for seconds in reversed(before):
        if not is_met(goal, seconds):
            break
        streak += 1
    return streak + (state == "reached" or (is_over and state == "within"))
