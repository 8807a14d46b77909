"""Progress on goals equals what the slow reference adds up, for every target, zone and start of the day."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.goals.model import GoalProgress, GoalsRequest
from dayline.insight.goals.periods import counted_spans, periods_of
from dayline.insight.goals.progress import goals_progress
from dayline.model.settings.goal import WEEKDAYS, Goal, GoalBy, WorkHours
from tests.insight.reference.active_time import Moment
from tests.insight.worlds import HOUR, SECOND, Drawn, worlds
from tests.support.profile import examples

NIGHTS = WorkHours(**dict.fromkeys(WEEKDAYS, "19:00-02:00"))
TARGETS: list[tuple[GoalBy, tuple[str, ...] | None, str | None]] = [
    ("all", None, None),
    ("category", ("Work",), None),
    ("category", ("Trips",), None),
    ("app", None, "Code"),
    ("domain", None, "docs.example.org"),
]


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    by, category, value = draw(st.sampled_from(TARGETS))
    return Goal(
        id=1,
        name="a goal",
        kind=draw(st.sampled_from(["at_least", "at_most"])),
        seconds=draw(st.sampled_from([600.0, 3600.0, 4 * 3600.0])),
        per=draw(st.sampled_from(["day", "week", "month"])),
        by=by,
        category=category,
        value=value,
        weekdays=draw(st.sampled_from([WEEKDAYS, ("saturday",), ("monday", "sunday")])),
        hours=draw(st.sampled_from(["any", "inside", "outside"])),
    )


def counts(moment: Moment, goal: Goal) -> bool:
    """Whether a moment is what a goal is about."""
    match goal.by:
        case "all":
            return True
        case "category":
            assert goal.category is not None
            path: Any = moment.keys["category"]
            return tuple(path[: len(goal.category)]) == goal.category
        case "app" | "domain":
            return bool(moment.keys[goal.by] == goal.value)


def seconds_in(moments: list[Moment], spans: list[tuple[int, int]]) -> float:
    """How much of them lies within spans."""
    overlaps = (
        min(moment.end, end) - max(moment.start, start)
        for moment in moments
        for start, end in spans
        if moment.start < end and start < moment.end
    )
    return sum(overlaps) / SECOND


@settings(max_examples=examples(60), deadline=None)
@given(drawn=worlds(), goal=goals(), day_offset=st.integers(0, 2), now=st.integers(-30, 80))
def test_progress_equals_the_reference(drawn: Drawn, goal: Goal, day_offset: int, now: int) -> None:
    scope = replace(drawn.scope, now=drawn.base + now * HOUR)
    calendar = drawn.common(0, 1).calendar
    day = calendar.day_of(drawn.base) + timedelta(days=day_offset)
    start, end = calendar.span(day, day + timedelta(days=1))
    common = replace(drawn.common(0, 1), scope=scope, start=start, end=end)
    request = GoalsRequest(common=common, goals=(goal,), hours=NIGHTS)

    answer = goals_progress(request, drawn.source)

    *earlier, current = periods_of(calendar, goal, day)
    low, high = calendar.day_edge(earlier[0][0] if earlier else current[0]), calendar.day_edge(current[1])
    moments = drawn.world.united(low, max(low, min(high, scope.now)))
    about = [moment for moment in moments if counts(moment, goal)]
    [progress] = answer.goals
    assert progress.seconds == seconds_in(about, counted_spans(calendar, goal, NIGHTS, current))
    by_start = {calendar.text(calendar.day_edge(days[0])): days for days in earlier}
    for period in progress.recent:
        days = by_start[period.start]
        assert period.seconds == seconds_in(about, counted_spans(calendar, goal, NIGHTS, days))
    check_pace(progress, calendar.day_edge(current[0]), high, scope.now)


def check_pace(progress: GoalProgress, start: int, end: int, now: int) -> None:
    """It is there while the period continues."""
    assert (progress.pace is None) == (now >= end or progress.state == "off")
    if progress.pace is not None:
        assert 0 <= progress.pace <= 1
        assert now > start or progress.pace == 0
