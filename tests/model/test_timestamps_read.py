"""Which texts are times, and which moment each means (protocol 1.3)."""

from datetime import UTC, datetime

import pytest

from dayline.model.time import parse_parameter, parse_timestamp


def micros(*date: int, extra: int = 0) -> int:
    """Microseconds since 1970 of a UTC date, by way of whole seconds, which a double holds exactly."""
    return int(datetime(*date, tzinfo=UTC).timestamp()) * 1_000_000 + extra  # type: ignore[misc, arg-type]  # year, month, …


NOON = micros(2026, 2, 3, 12, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-03T12:00:00Z",
        "2026-02-03T12:00:00+00:00",
        "2026-02-03T12:00:00-00:00",
        "2026-02-03T13:00:00+01:00",
        "2026-02-03T06:30:00-05:30",
        "2026-02-03T12:00:00.0Z",
        "2026-02-03T12:00:00.000000000000Z",
        "2026-02-03 12:00:00Z",
        "2026-02-03 13:00:00+01:00",
        "2026-02-03t12:00:00z",
        "2026-02-03T12:00:00z",
        "2026-02-03T12:00:00",
        "2026-02-03 12:00:00",
        "2026-02-03T13:00:00+0100",
        "2026-02-03T13:00:00+01",
        "2026-02-03T07:00:00-05",
        "2026-02-03T11:59:60Z",
        "2026-02-04T11:59:00+23:59",
    ],
)
def test_every_accepted_form_means_the_same_moment(text: str) -> None:
    assert parse_timestamp(text) == NOON


def test_date_alone_is_its_midnight_in_utc() -> None:
    assert parse_timestamp("2026-02-03") == micros(2026, 2, 3)


def test_fraction_beyond_microseconds_is_cut_off_never_rounded(subtests: pytest.Subtests) -> None:
    for fraction, kept in [
        ("1", 100_000),
        ("25", 250_000),
        ("123456", 123_456),
        ("1234567", 123_456),
        ("1234569", 123_456),
        ("999999999", 999_999),
        ("0000009", 0),
        ("123456789012345678901234567890", 123_456),
    ]:
        for zone in ["Z", "", "z", "+00:00", "+0000"]:
            with subtests.test(fraction=fraction, kept=kept, zone=zone):
                assert parse_timestamp(f"2026-02-03T12:00:00.{fraction}{zone}") == NOON + kept


def test_leap_day_exists_in_leap_years_only() -> None:
    assert parse_timestamp("2028-02-29T00:00:00Z") == micros(2028, 2, 29)
    with pytest.raises(ValueError, match="not a valid date"):
        parse_timestamp("2026-02-29T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1500-01-01T00:00:00Z", micros(1500, 1, 1)),
        ("9999-12-31T23:59:59.999999Z", micros(9999, 12, 31, 23, 59, 59, extra=999_999)),
        ("9999-12-31T23:59:59-23:59", micros(9999, 12, 31, 23, 59, 59) + (23 * 60 + 59) * 60_000_000),
        ("0001-01-01T00:00:00+23:59", micros(1, 1, 1) - (23 * 60 + 59) * 60_000_000),
    ],
)
def test_any_year_of_four_digits_is_read(text: str, moment: int) -> None:
    assert parse_timestamp(text) == moment


def test_anything_else_is_not_a_time(subtests: pytest.Subtests) -> None:
    for text in [
        "",
        " ",
        "now",
        "1770120000",
        "1770120000.5",
        "2026",
        "2026-02",
        "20260203T120000Z",
        "2026-W06-2",
        "2026-034",
        "2026-02-03T",
        "2026-02-03T12",
        "2026-02-03T12:00",
        "2026-02-03T12:00Z",
        "2026-02-03T12:00:00,5Z",
        "2026-02-03T12:00:00.Z",
        "2026-02-03T12:00:00.5.5Z",
        "2026-02-03T12:00:00 Z",
        "2026-02-03T12:00:00UTC",
        "2026-02-03T12:00:00 UTC",
        "2026-02-03T12:00:00+1",
        "2026-02-03T12:00:00+1:00",
        "2026-02-03T12:00:00+01:0",
        "2026-02-03T12:00:00+01:00:00",
        "2026-02-03T12:00:00Z ",
        " 2026-02-03T12:00:00Z",
        "2026-02-03T12:00:00Z\n",
        "2026-02-03\n",
        "2026-2-3T12:00:00Z",
        "26-02-03T12:00:00Z",
        "+2026-02-03T12:00:00Z",
        "-2026-02-03T12:00:00Z",
        "12026-02-03T12:00:00Z",
        "2026/02/03T12:00:00Z",
        "2026-02-03_12:00:00Z",
        "2026-02-03Z",
        "2026-02-03+01:00",
        "\u0662\u0660\u0662\u0666-02-03T12:00:00Z",  # digits, but not of ASCII
        "2026-02-03T12:00:00\u22120100",
        "2026-02-03T12:00:00Z\0",
        "2026-02-03T12:00:00Z\udcff",  # bytes of a command line that are no UTF-8
    ]:
        with subtests.test(text=text), pytest.raises(ValueError, match="is not a time like"):
            parse_timestamp(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0000-01-01T00:00:00Z", "not a valid date"),
        ("2026-00-03T12:00:00Z", "not a valid date"),
        ("2026-13-03T12:00:00Z", "not a valid date"),
        ("2026-02-00T12:00:00Z", "not a valid date"),
        ("2026-02-30", "not a valid date"),
        ("2026-02-03T24:00:00Z", "not a valid time of day"),
        ("2026-02-03T24:00:00", "not a valid time of day"),
        ("2026-02-03T12:60:00Z", "not a valid time of day"),
        ("2026-02-03T12:00:61Z", "not a valid time of day"),
        ("2026-02-03T12:00:00+24:00", "an invalid time zone"),
        ("2026-02-03T12:00:00-99:00", "an invalid time zone"),
        ("2026-02-03T12:00:00+01:60", "an invalid time zone"),
        ("2026-02-03T12:00:00+0160", "an invalid time zone"),
    ],
)
def test_impossible_time_is_rejected_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_timestamp(text)


def test_long_text_is_quoted_only_in_part() -> None:
    with pytest.raises(ValueError, match="is not a time like") as caught:
        parse_timestamp("x" * 1_000_000)

    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-03T13:00:00 01:00",
        "2026-02-03 13:00:00 01:00",
        "2026-02-03T13:00:00.000 0100",
        "2026-02-03T13:00:00 01",
        "2026-02-03T13:00:00+01:00",
        "2026-02-03 12:00:00",
        "2026-02-03 12:00:00Z",
    ],
)
def test_blank_where_the_zone_begins_is_a_plus_in_a_parameter(text: str) -> None:
    assert parse_parameter(text) == NOON


@pytest.mark.parametrize("text", ["2026-02-03T12:00:00 ", "2026-02-03T12:00:00Z 01:00", " ", "2026-02-03 01:00"])
def test_blank_elsewhere_in_a_parameter_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time like"):
        parse_parameter(text)
