"""Times hold for all inputs: what is written is read back, and reading agrees with a slow, obvious reading."""

from contextlib import suppress
from datetime import datetime, timedelta, timezone
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dayline.model.time import (
    EARLIEST,
    LATEST,
    check_range,
    clamp,
    format_timestamp,
    month_of,
    parse_parameter,
    parse_timestamp,
    start_of_month,
)

MOMENTS = st.integers(EARLIEST, LATEST)
ZONES = st.integers(-(24 * 60 - 1), 24 * 60 - 1)  # minutes
WALL_CLOCKS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))  # noqa: DTZ001  # the zone is drawn separately


def slow_reading(wall_clock: datetime, fraction: str, zone_minutes: int) -> int:
    """Exact arithmetic on the parts, cut off at the microsecond."""
    zone = timezone(timedelta(minutes=zone_minutes))
    since_1970 = wall_clock.replace(microsecond=0, tzinfo=zone) - datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017  # the long way round, on purpose
    seconds = Fraction(since_1970.days * 86_400 + since_1970.seconds)
    part = Fraction(int(fraction), 10 ** len(fraction)) if fraction else Fraction(0)
    return int(seconds * 1_000_000) + int(part * 1_000_000)


def zone_text(minutes: int, style: str) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}{':' if style == 'colon' else ''}{rest:02}"


@given(MOMENTS)
def test_written_time_is_read_back_exactly(moment: int) -> None:
    assert parse_timestamp(format_timestamp(moment)) == moment


@given(MOMENTS)
def test_written_time_is_read_back_from_a_url_too(moment: int) -> None:
    assert parse_parameter(format_timestamp(moment)) == moment


@given(MOMENTS, MOMENTS)
def test_written_times_of_equal_length_sort_as_the_moments_do(one: int, other: int) -> None:
    first, second = format_timestamp(one), format_timestamp(other)

    if len(first) == len(second):
        assert (first < second) == (one < other)


@given(
    WALL_CLOCKS,
    st.text("0123456789", max_size=12),
    ZONES,
    st.sampled_from(["colon", "plain"]),
    st.sampled_from("Tt "),
)
def test_reading_agrees_with_the_slow_reading(
    wall_clock: datetime, fraction: str, zone: int, style: str, between: str
) -> None:
    head = f"{wall_clock.year:04}-{wall_clock:%m-%d}{between}{wall_clock:%H:%M:%S}"
    text = f"{head}{'.' if fraction else ''}{fraction}{zone_text(zone, style)}"

    assert parse_timestamp(text) == slow_reading(wall_clock, fraction, zone)


@given(WALL_CLOCKS, st.text("0123456789", min_size=7, max_size=30))
def test_more_digits_never_move_a_time_to_a_later_microsecond(wall_clock: datetime, fraction: str) -> None:
    head = f"{wall_clock.year:04}-{wall_clock:%m-%dT%H:%M:%S}"

    assert parse_timestamp(f"{head}.{fraction}Z") == parse_timestamp(f"{head}.{fraction[:6]}Z")


@given(st.text(max_size=40))
def test_no_text_raises_anything_but_a_value_error(text: str) -> None:
    for parse in (parse_timestamp, parse_parameter):
        with suppress(ValueError):
            parse(text)


@given(MOMENTS)
def test_time_is_within_its_month(moment: int) -> None:
    month = month_of(moment)

    assert start_of_month(month) <= moment < start_of_month(month + 1)


@given(st.integers(-(2**70), 2**70))
def test_clamped_bound_always_passes_the_range_check(moment: int) -> None:
    check_range(clamp(moment), field="start")


@given(MOMENTS)
def test_moment_within_the_range_is_not_clamped(moment: int) -> None:
    assert clamp(moment) == moment
