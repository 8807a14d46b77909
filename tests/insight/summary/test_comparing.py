"""A range that is not over is compared with the same elapsed part of earlier ranges."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.insight.calendar import Calendar, Span, Unit
from dayline.insight.periods import PeriodName, days_of, named_period, previous_span, unit_around
from dayline.insight.summary.model import CompareWith, comparison_of, elapsed_part
from dayline.model.time import SECOND, Microseconds

BERLIN = "Europe/Berlin"
HOUR = 3600 * SECOND


def at(text: str, zone: str = BERLIN) -> Microseconds:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * SECOND


def compared(
    kind: CompareWith, period: PeriodName, now: str, *, day_start: str = "00:00", zone: str = BERLIN
) -> list[tuple[str, str]]:
    """The ranges that the period around a time is compared with, as clocks show them."""
    calendar = Calendar(zone, day_start=day_start)
    days = named_period(calendar, period, calendar.day_of(at(now, zone)))
    span = calendar.span(days.first, days.after)
    found = comparison_of(calendar, kind, span, now=at(now, zone))
    return [(calendar.text(start)[:16], calendar.text(end)[:16]) for start, end in found.spans]


@pytest.mark.parametrize(
    ("kind", "period", "now", "expected"),
    [
        ("previous", "month", "2026-11-16T11:20", ("2026-10-01T00:00", "2026-10-16T11:20")),
        ("previous", "month", "2026-10-31T11:20", ("2026-09-01T00:00", "2026-10-01T00:00")),  # September has 30 days
        ("previous", "month", "2026-03-30T11:20", ("2026-02-01T00:00", "2026-03-01T00:00")),
        ("previous", "week", "2026-11-18T15:00", ("2026-11-09T00:00", "2026-11-11T15:00")),
        ("previous", "week", "2026-03-31T15:00", ("2026-03-23T00:00", "2026-03-24T15:00")),  # clocks set in between
        ("previous", "today", "2026-11-16T11:20", ("2026-11-15T00:00", "2026-11-15T11:20")),
        ("previous", "today", "2026-10-26T10:00", ("2026-10-25T00:00", "2026-10-25T10:00")),  # 11 hours of a long day
        ("previous", "today", "2026-03-29T10:00", ("2026-03-28T00:00", "2026-03-28T10:00")),  # 9 hours of a short one
        ("previous", "year", "2025-11-16T11:20", ("2024-01-01T00:00", "2024-11-16T11:20")),  # 2024 was a leap year
        ("previous", "year", "2024-02-29T11:20", ("2023-01-01T00:00", "2023-03-01T00:00")),
        ("previous", "last-7-days", "2026-11-16T11:20", ("2026-11-03T00:00", "2026-11-09T11:20")),
        ("year", "month", "2026-11-16T11:20", ("2025-11-01T00:00", "2025-11-16T11:20")),
        ("year", "week", "2026-11-18T15:00", ("2025-11-17T00:00", "2025-11-19T15:00")),
        ("year", "today", "2026-11-16T11:20", ("2025-11-16T00:00", "2025-11-16T11:20")),
        ("year", "year", "2026-11-16T11:20", ("2025-01-01T00:00", "2025-11-16T11:20")),
    ],
)
def test_a_period_that_is_not_over_is_compared_with_the_same_elapsed_part(
    kind: CompareWith, period: PeriodName, now: str, expected: tuple[str, str]
) -> None:
    assert compared(kind, period, now) == [expected]


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("yesterday", ("2026-11-14T00:00", "2026-11-15T00:00")),
        ("last-week", ("2026-11-02T00:00", "2026-11-09T00:00")),
        ("last-month", ("2026-09-01T00:00", "2026-10-01T00:00")),
        ("last-year", ("2024-01-01T00:00", "2025-01-01T00:00")),
    ],
)
def test_a_period_that_is_over_is_compared_with_the_whole_one_before(
    period: PeriodName, expected: tuple[str, str]
) -> None:
    assert compared("previous", period, "2026-11-16T11:20") == [expected]


def test_before_the_day_begins_it_is_still_the_day_before() -> None:
    assert compared("previous", "today", "2026-11-16T02:30", day_start="04:00") == [
        ("2026-11-14T04:00", "2026-11-15T02:30")
    ]


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("today", [("2026-11-09T00:00", "2026-11-09T11:20"), ("2026-11-02T00:00", "2026-11-02T11:20"),
                   ("2026-10-26T00:00", "2026-10-26T11:20"), ("2026-10-19T00:00", "2026-10-19T11:20")]),
        ("week", [("2026-11-09T00:00", "2026-11-09T11:20"), ("2026-11-02T00:00", "2026-11-02T11:20"),
                  ("2026-10-26T00:00", "2026-10-26T11:20"), ("2026-10-19T00:00", "2026-10-19T11:20")]),
        ("month", [("2026-10-01T00:00", "2026-10-16T11:20"), ("2026-09-01T00:00", "2026-09-16T11:20"),
                   ("2026-08-01T00:00", "2026-08-16T11:20"), ("2026-07-01T00:00", "2026-07-16T11:20")]),
        ("year", [(f"{year}-01-01T00:00", f"{year}-11-16T11:20") for year in (2025, 2024, 2023, 2022)]),
        ("last-7-days", [("2026-11-03T00:00", "2026-11-09T11:20"), ("2026-10-27T00:00", "2026-11-02T11:20"),
                         ("2026-10-20T00:00", "2026-10-26T11:20"), ("2026-10-13T00:00", "2026-10-19T11:20")]),
        ("last-month", [(f"2026-{month:02}-01T00:00", f"2026-{month + 1:02}-01T00:00") for month in (9, 8, 7, 6)]),
    ],
)  # fmt: skip
def test_what_is_typical_are_the_last_four_such_periods(period: PeriodName, expected: list[tuple[str, str]]) -> None:
    assert compared("typical", period, "2026-11-16T11:20") == expected


def test_what_is_typical_of_some_hours_are_the_same_hours_of_that_weekday() -> None:
    calendar = Calendar(BERLIN)
    span = at("2026-10-26T09:00"), at("2026-10-26T12:00")  # clocks were set the day before

    found = comparison_of(calendar, "typical", span, now=at("2026-10-26T10:30"))

    assert found.spans[0] == (at("2026-10-19T09:00"), at("2026-10-19T10:30"))
    assert found.whole == (at("2026-10-19T09:00"), at("2026-10-19T12:00"))
    assert len(found.spans) == 4


def test_a_range_of_ones_own_is_cut_too() -> None:
    calendar = Calendar(BERLIN)
    span, now = calendar.span(date(2026, 11, 1), date(2026, 12, 1)), at("2026-11-16T11:20")

    whole = calendar.span(date(2026, 3, 1), date(2026, 4, 1))
    found = comparison_of(calendar, "custom", span, now=now, custom=whole)
    short = comparison_of(calendar, "custom", span, now=now, custom=(whole[0], whole[0] + HOUR))

    assert (found.spans, found.whole) == (((whole[0], at("2026-03-16T11:20")),), whole)
    assert (short.spans, short.whole) == (((whole[0], whole[0] + HOUR),), None)


def test_of_a_range_that_has_not_begun_nothing_has_elapsed() -> None:
    calendar = Calendar(BERLIN)
    span = calendar.span(date(2026, 12, 1), date(2027, 1, 1))

    found = comparison_of(calendar, "previous", span, now=at("2026-11-16T11:20"))

    assert found.spans == ((at("2026-11-01T00:00"), at("2026-11-01T00:00")),)


ZONES = st.sampled_from([BERLIN, "America/New_York", "Australia/Lord_Howe", "UTC", "Pacific/Apia"])
UNITS: list[Unit] = ["day", "week", "month", "year"]


@given(
    ZONES,
    st.sampled_from(["00:00", "02:30", "04:00"]),
    st.sampled_from(UNITS),
    st.dates(date(2011, 1, 1), date(2028, 12, 31)),
    st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted),
)
def test_the_elapsed_part_grows_with_time_and_ends_with_the_other_range(
    zone: str, day_start: str, unit: Unit, day: date, shares: list[float]
) -> None:
    calendar = Calendar(zone, day_start=day_start)
    days = unit_around(calendar, unit, day)
    span = calendar.span(days.first, days.after)
    other = previous_span(calendar, *span)
    earlier, later = (span[0] + int(share * (span[1] - span[0])) for share in shares)

    parts = [elapsed_part(calendar, span, other, now) for now in (earlier, later, span[1])]

    assert all(start == other[0] <= end <= other[1] for start, end in parts)
    assert parts[-1] == other
    # Where clocks are set back, they show an hour twice, and it has elapsed of the other day once.
    assert parts[1][1] >= parts[0][1] - HOUR


@given(ZONES, st.dates(date(2012, 1, 1), date(2028, 12, 31)), st.integers(0, 23), st.sampled_from(UNITS))
def test_clocks_show_the_same_time_at_both_ends(zone: str, day: date, hour: int, unit: Unit) -> None:
    calendar = Calendar(zone)
    days = unit_around(calendar, unit, day)
    span = calendar.span(days.first, days.after)
    now = calendar.day_edge(day) + hour * HOUR
    other: Span = previous_span(calendar, *span)

    start, end = elapsed_part(calendar, span, other, now)

    if start < end < other[1] and not _is_clock_change_near(calendar, end):
        assert calendar.text(end)[11:16] == calendar.text(now)[11:16]
        assert days_of(calendar, *other) is not None


def _is_clock_change_near(calendar: Calendar, moment: Microseconds) -> bool:
    day = timedelta(days=1) // timedelta(microseconds=1)
    return calendar.offset_at(moment - day) != calendar.offset_at(moment + day)
