"""How goals are evaluated: states, streaks and pace, and which hours count, against slow and obvious references."""

from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.calendar import Calendar, Span
from dayline.insight.goals.periods import (
    counted_spans,
    earliest_day,
    is_met,
    pace_of,
    periods_of,
    standing_of,
    state_of,
    work_spans,
)
from dayline.insight.goals.times import Meter
from dayline.model.settings.goal import WEEKDAYS, CountedHours, Goal, WorkHours
from dayline.model.time import SECOND

HOUR = 3600.0
MONDAY = date(2026, 3, 2)
OFFICE = WorkHours(monday="09:00-17:00", tuesday="09:00-17:00", friday="22:00-06:00")
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")


def goal(**fields: Any) -> Goal:
    return replace(Goal(id=1, name="a goal", kind="at_least", seconds=4 * HOUR), **fields)


@pytest.mark.parametrize(
    ("kind", "hours", "pace", "state"),
    [
        ("at_least", 4.0, 0.5, "reached"),
        ("at_least", 2.0, 0.5, "on_track"),
        ("at_least", 1.9, 0.5, "behind"),
        ("at_least", 3.9, None, "behind"),  # the period is over
        ("at_least", 0.0, 0.0, "on_track"),
        ("at_most", 4.0, 0.5, "within"),
        ("at_most", 4.1, 0.5, "exceeded"),
        ("at_most", 0.0, None, "within"),
    ],
)
def test_state_reports_the_progress_of_a_goal(kind: str, hours: float, pace: float | None, state: str) -> None:
    assert state_of(goal(kind=kind), hours * HOUR, pace) == state


@pytest.mark.parametrize(
    ("kind", "before", "now", "pace", "streak"),
    [
        ("at_least", [5, 1, 5, 5], 4, 0.5, 3),  # reached already: today counts
        ("at_least", [5, 1, 5, 5], 1, 0.5, 2),  # not yet: today breaks nothing
        ("at_least", [5, 1, 5, 5], 1, None, 0),  # over, and missed
        ("at_most", [5, 1, 1], 0, 0.5, 2),  # still within: it may yet be exceeded
        ("at_most", [5, 1, 1], 0, None, 3),
        ("at_most", [5, 1, 1], 9, 0.5, 0),
        ("at_least", [], 0, 0.5, 0),
    ],
)
def test_streak_counts_periods_in_a_row(
    kind: str, before: list[float], now: float, pace: float | None, streak: int
) -> None:
    seconds = [hours * HOUR for hours in before]
    assert standing_of(goal(kind=kind), before=seconds, seconds=now * HOUR, pace=pace).streak == streak


def test_day_that_a_goal_is_not_for_neither_counts_nor_breaks_a_streak() -> None:
    standing = standing_of(goal(), before=[5 * HOUR, 5 * HOUR], seconds=0, pace=None, is_counted=False)

    assert (standing.state, standing.streak) == ("off", 2)


@given(
    kind=st.sampled_from(["at_least", "at_most"]),
    before=st.lists(st.integers(0, 8)),
    now=st.integers(0, 8),
    pace=st.none() | st.floats(0, 1),
)
def test_streak_is_what_counting_by_hand_gives(kind: Any, before: list[int], now: int, pace: float | None) -> None:
    aim = goal(kind=kind, seconds=4)
    standing = standing_of(aim, before=before, seconds=now, pace=pace)

    def met(seconds: int) -> bool:
        return seconds >= 4 if kind == "at_least" else seconds <= 4

    # A period that continues is decided only where nothing can change it: a target that is reached, a limit exceeded.
    is_decided = pace is None or (met(now) == (kind == "at_least"))
    days = [*map(met, before), *([met(now)] if is_decided else [])]
    by_hand = 0
    while by_hand < len(days) and days[-1 - by_hand]:
        by_hand += 1
    assert standing.streak == by_hand
    assert is_met(aim, now) == met(now)


def test_pace_is_the_usual_share_or_else_that_of_the_hours() -> None:
    assert pace_of(gone=2.0, whole=8.0, elapsed_share=0.9) == 0.25
    assert pace_of(gone=0.0, whole=0.0, elapsed_share=0.9) == 0.9


def test_periods_of_a_day_goal_are_the_days_it_is_for() -> None:
    periods = periods_of(Calendar("UTC"), goal(weekdays=("monday", "friday")), MONDAY + timedelta(days=2))

    assert [first.weekday() for first, _ in periods[-4:]] == [0, 4, 0, 2]  # and the day in question, in any case
    assert all(after - first == timedelta(days=1) for first, after in periods)


def test_periods_are_those_of_the_calendar() -> None:
    calendar = Calendar("UTC", week_start="sunday")

    assert periods_of(calendar, goal(per="week"), MONDAY)[-1] == (date(2026, 3, 1), date(2026, 3, 8))
    assert periods_of(calendar, goal(per="month"), MONDAY)[-2:] == [
        (date(2026, 2, 1), date(2026, 3, 1)), (date(2026, 3, 1), date(2026, 4, 1)),
    ]  # fmt: skip
    assert earliest_day(calendar, (), MONDAY) == date(2026, 3, 1)
    assert earliest_day(calendar, (goal(per="month"),), MONDAY) == date(2025, 12, 1)


def test_hours_of_a_night_reach_into_the_next_day() -> None:
    saturday = MONDAY + timedelta(days=5)
    calendar = Calendar("Europe/Berlin")

    spans = work_spans(calendar, OFFICE, (saturday, saturday + timedelta(days=1)))

    assert [(calendar.text(start), calendar.text(end)) for start, end in spans] == [
        ("2026-03-06T22:00:00+01:00", "2026-03-07T06:00:00+01:00")
    ]


@given(
    zone=st.sampled_from(ZONES),
    day_start=st.sampled_from(["00:00", "04:00"]),
    days=st.sampled_from(["2026-03-27", "2026-03-06", "2026-04-03", "2026-10-23"]).map(date.fromisoformat),
    weekdays=st.sets(st.sampled_from(WEEKDAYS), min_size=1),
    hours=st.sampled_from(["any", "inside", "outside"]),
    minute=st.integers(0, 4 * 24 * 60 - 1),
)
def test_every_minute_counts_as_the_clock_on_the_wall_says(
    zone: str, day_start: str, days: date, weekdays: set[Any], hours: CountedHours, minute: int
) -> None:
    calendar = Calendar(zone, day_start=day_start)
    aim = goal(weekdays=tuple(weekdays), hours=hours)
    first, after = days, days + timedelta(days=4)
    moment = calendar.day_edge(first) + minute * 60 * SECOND
    if moment >= calendar.day_edge(after):
        return

    spans = counted_spans(calendar, aim, OFFICE, (first, after))

    shown = datetime.fromtimestamp(moment // SECOND, ZoneInfo(zone))
    is_inside = at_work(shown)
    is_counted = WEEKDAYS[calendar.day_of(moment).weekday()] in weekdays and (
        hours == "any" or is_inside == (hours == "inside")
    )
    assert any(start <= moment < end for start, end in spans) == is_counted
    assert all(end < start for (_, end), (start, _) in pairwise(spans))


def at_work(shown: datetime) -> bool:
    """Whether a clock shows an hour of OFFICE."""
    clock, weekday = f"{shown:%H:%M}", shown.weekday()
    if weekday in (0, 1):
        return "09:00" <= clock < "17:00"
    return (weekday == 4 and clock >= "22:00") or (weekday == 5 and clock < "06:00")


moments = st.integers(0, 60)


@given(edges=st.sets(moments).map(sorted), bounds=st.sets(moments).map(sorted))
def test_meter_adds_up_what_a_loop_over_all_seconds_counts(edges: list[int], bounds: list[int]) -> None:
    pieces, spans = pairs(edges), pairs(bounds)
    meter = Meter(*(np.array([piece[side] * SECOND for piece in pieces], dtype=np.int64) for side in (0, 1)))

    counted = sum(
        any(start <= second < end for start, end in pieces) and any(start <= second < end for start, end in spans)
        for second in range(60)
    )

    assert meter.seconds([(start * SECOND, end * SECOND) for start, end in spans]) == counted


def pairs(edges: list[int]) -> list[Span]:
    """Spans that are apart."""
    return list(zip(edges[::2], edges[1::2], strict=False))
