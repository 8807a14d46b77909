"""Days, weeks and months of zones, across the changes of their clocks."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.insight.calendar import Bin, Calendar, edges_of, week_hours
from dayline.insight.periods import (
    PeriodName,
    days_of,
    label_of,
    named_period,
    previous_span,
    unit_around,
    year_before_span,
)
from dayline.model.errors import Invalid
from dayline.model.settings.preferences import WeekStart

SECOND = 1_000_000
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia")
BINS: tuple[Bin, ...] = ("5m", "hour", "day", "week", "month", "weekhour")
DAY_STARTS = ("00:00", "01:30", "02:00", "02:30", "04:00", "23:45")


def span(calendar: Calendar, first: str, after: str) -> tuple[int, int]:
    return calendar.span(date.fromisoformat(first), date.fromisoformat(after))


def texts(calendar: Calendar, moments: list[int]) -> list[str]:
    return [calendar.text(moment) for moment in moments]


def test_a_day_has_23_or_25_hours_where_clocks_change() -> None:
    calendar = Calendar("Europe/Berlin", day_start="00:00")
    lengths = {
        day: len(edges_of(calendar, "hour", *span(calendar, day, after))) - 1
        for day, after in (("2026-03-28", "2026-03-29"), ("2026-03-29", "2026-03-30"), ("2026-10-25", "2026-10-26"))
    }
    assert lengths == {"2026-03-28": 24, "2026-03-29": 23, "2026-10-25": 25}


def test_where_clocks_change_by_half_an_hour_two_bins_are_as_short() -> None:
    calendar = Calendar("Australia/Lord_Howe", day_start="00:00")
    autumn = edges_of(calendar, "hour", *span(calendar, "2026-04-05", "2026-04-06"))
    assert texts(calendar, autumn[1:5]) == [
        "2026-04-05T01:00:00+11:00",
        "2026-04-05T01:30:00+10:30",
        "2026-04-05T02:00:00+10:30",
        "2026-04-05T03:00:00+10:30",
    ]
    spring = edges_of(calendar, "hour", *span(calendar, "2026-10-04", "2026-10-05"))
    assert texts(calendar, spring[1:5]) == [
        "2026-10-04T01:00:00+10:30",
        "2026-10-04T02:30:00+11:00",
        "2026-10-04T03:00:00+11:00",
        "2026-10-04T04:00:00+11:00",
    ]


def test_a_start_of_the_day_that_is_skipped_is_the_moment_of_the_change_and_one_shown_twice_the_first() -> None:
    calendar = Calendar("Europe/Berlin", day_start="02:30")
    assert calendar.text(calendar.day_edge(date(2026, 3, 29))) == "2026-03-29T03:00:00+02:00"
    assert calendar.text(calendar.day_edge(date(2026, 10, 25))) == "2026-10-25T02:30:00+02:00"


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 10, 25, 0, 29, tzinfo=UTC), date(2026, 10, 24)),  # clocks show 02:29
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), date(2026, 10, 25)),  # 02:30
        (datetime(2026, 10, 25, 1, 15, tzinfo=UTC), date(2026, 10, 25)),  # 02:15, for the second time
    ],
)
def test_a_time_that_clocks_show_again_is_within_the_day_that_has_begun(moment: datetime, day: date) -> None:
    calendar = Calendar("Europe/Berlin", day_start="02:30")
    assert calendar.day_of(round(moment.timestamp()) * SECOND) == day


def test_a_day_that_a_zone_left_out_has_no_bin() -> None:
    calendar = Calendar("Pacific/Apia", day_start="00:00")
    days = edges_of(calendar, "day", *span(calendar, "2011-12-29", "2012-01-01"))
    assert texts(calendar, days) == [
        "2011-12-29T00:00:00-10:00",
        "2011-12-31T00:00:00+14:00",
        "2012-01-01T00:00:00+14:00",
    ]


@given(
    st.sampled_from(ZONES),
    st.sampled_from(DAY_STARTS),
    st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),  # noqa: DTZ001 the zone is drawn too
)
def test_every_time_is_within_its_day(zone: str, day_start: str, when: datetime) -> None:
    calendar = Calendar(zone, day_start=day_start)
    moment = round(when.replace(tzinfo=UTC).timestamp() * SECOND)
    day = calendar.day_of(moment)
    first, after = calendar.span(day, day + timedelta(days=1))
    assert first <= moment < after
    shown = datetime.fromtimestamp(first / SECOND, ZoneInfo(zone))
    clock = shown.strftime("%H:%M")
    is_change = calendar.offset_at(first - 1) != calendar.offset_at(first)
    assert (shown.date() == day and clock == day_start) or is_change


@given(
    st.sampled_from(ZONES),
    st.sampled_from(DAY_STARTS),
    st.sampled_from(BINS),
    st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)),  # noqa: DTZ001 the zone is drawn too
    st.integers(1, 40 * 86_400),
)
def test_bins_tile_the_range_and_begin_where_clocks_say(
    zone: str, day_start: str, bin_: Bin, when: datetime, seconds: int
) -> None:
    calendar = Calendar(zone, day_start=day_start)
    start = round(when.replace(tzinfo=UTC).timestamp()) * SECOND
    end = start + seconds * SECOND
    edges = edges_of(calendar, bin_, start, end)
    assert (edges[0], edges[-1]) == (start, end)
    assert all(low < high for low, high in pairwise(edges))
    minutes = {"5m": 5, "hour": 60, "weekhour": 60}.get(bin_)
    for edge in edges[1:-1]:
        if calendar.offset_at(edge - 1) != calendar.offset_at(edge):
            continue
        shown = datetime.fromtimestamp(edge // SECOND, ZoneInfo(zone))
        if minutes is not None:
            assert (shown.hour * 60 + shown.minute) % minutes == 0
        else:
            assert shown.strftime("%H:%M") == day_start
            assert bin_ != "week" or shown.weekday() == 0
            assert bin_ != "month" or shown.day == 1


def test_the_hours_of_a_week_begin_with_monday_at_midnight() -> None:
    calendar = Calendar("Australia/Lord_Howe", day_start="04:00")
    edges = edges_of(calendar, "weekhour", *span(calendar, "2026-04-04", "2026-04-07"))
    hours = week_hours(calendar, edges)
    assert hours[:2] == [5 * 24 + 4, 5 * 24 + 5]
    shown = {edge: datetime.fromtimestamp(edge // SECOND, ZoneInfo("Australia/Lord_Howe")) for edge in edges}
    assert hours == [shown[edge].weekday() * 24 + shown[edge].hour for edge in edges[:-1]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("today", ("Thu 5 Mar 2026", "Wed 4 Mar 2026", "Wed 5 Mar 2025")),
        ("yesterday", ("Wed 4 Mar 2026", "Tue 3 Mar 2026", "Tue 4 Mar 2025")),
        ("week", ("2 to 8 Mar 2026", "23 Feb to 1 Mar 2026", "3 to 9 Mar 2025")),
        ("last-week", ("23 Feb to 1 Mar 2026", "16 to 22 Feb 2026", "24 Feb to 2 Mar 2025")),
        ("month", ("March 2026", "February 2026", "March 2025")),
        ("last-month", ("February 2026", "January 2026", "February 2025")),
        ("year", ("2026", "2025", "2025")),
        ("last-year", ("2025", "2024", "2024")),
        ("last-7-days", ("27 Feb to 5 Mar 2026", "20 to 26 Feb 2026", "27 Feb to 5 Mar 2025")),
        ("last-30-days", ("4 Feb to 5 Mar 2026", "5 Jan to 3 Feb 2026", "4 Feb to 5 Mar 2025")),
    ],
)
def test_periods_by_name_with_their_neighbors(name: PeriodName, expected: tuple[str, str, str]) -> None:
    calendar = Calendar("Europe/Berlin", day_start="04:00")
    days = named_period(calendar, name, date(2026, 3, 5))
    start, end = calendar.span(days.first, days.after)
    spans = [(start, end), *(other(calendar, start, end) for other in (previous_span, year_before_span))]
    assert tuple(label_of(calendar, *each) for each in spans) == expected


def test_weeks_begin_on_the_preferred_day() -> None:
    first_days: dict[WeekStart, int] = {"monday": 2, "sunday": 1, "saturday": 28}
    for week_start, expected in first_days.items():
        calendar = Calendar("UTC", week_start=week_start)
        assert unit_around(calendar, "week", date(2026, 3, 5)).first.day == expected


def test_a_range_between_two_days_has_neighbors_as_long_as_itself() -> None:
    calendar = Calendar("Europe/Berlin", day_start="04:00")
    start = calendar.day_edge(date(2026, 3, 5)) + 3600 * SECOND
    end = start + 7200 * SECOND
    assert days_of(calendar, start, end) is None
    assert previous_span(calendar, start, end) == (start - 7200 * SECOND, start)
    assert label_of(calendar, start, end) == "5 Mar 2026 05:00 to 5 Mar 2026 07:00"
    assert label_of(calendar, *year_before_span(calendar, start, end)) == "5 Mar 2025 05:00 to 5 Mar 2025 07:00"


def test_a_range_that_ends_or_begins_where_clocks_change_has_no_bin_without_length() -> None:
    calendar = Calendar("Europe/Berlin")
    change = round(datetime(2026, 3, 29, 1, tzinfo=UTC).timestamp()) * SECOND
    hour = 3600 * SECOND

    assert edges_of(calendar, "hour", change - hour, change) == [change - hour, change]
    assert edges_of(calendar, "hour", change, change + hour) == [change, change + hour]


def test_too_many_bins_are_rejected() -> None:
    calendar = Calendar("UTC")
    with pytest.raises(Invalid, match="more than 100,000 bins"):
        edges_of(calendar, "5m", *span(calendar, "2020-01-01", "2026-01-01"))


def test_a_zone_comes_from_the_package_and_a_path_is_none() -> None:
    with pytest.raises(Invalid, match="unknown time zone"):
        Calendar("../../etc/passwd")
