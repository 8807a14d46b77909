"""Events lie in the years 1970 to 2261 (decision 4)."""

import pytest

from dayline.model.errors import Invalid
from dayline.model.time import EARLIEST, LATEST, check_range, month_of, parse_timestamp, start_of_month


def test_range_is_the_years_1970_to_2261() -> None:
    assert parse_timestamp("1970-01-01T00:00:00Z") == EARLIEST
    assert parse_timestamp("2261-12-31T23:59:59.999999Z") == LATEST


@pytest.mark.parametrize("moment", [EARLIEST, LATEST])
def test_ends_of_the_range_belong_to_it(moment: int) -> None:
    check_range(moment, field="timestamp")


@pytest.mark.parametrize("moment", [EARLIEST - 1, LATEST + 1])
def test_one_microsecond_outside_is_rejected_by_field(moment: int) -> None:
    with pytest.raises(Invalid, match="timestamp is outside the years 1970 to 2261") as caught:
        check_range(moment, field="timestamp")

    assert caught.value.field == "timestamp"


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-31T23:59:59.999999Z", 0),
        ("1970-02-01T00:00:00Z", 1),
        ("1970-12-31T23:59:59Z", 11),
        ("2024-02-29T12:00:00Z", 54 * 12 + 1),
        ("2261-12-31T23:59:59.999999Z", 291 * 12 + 11),
    ],
)
def test_months_are_counted_from_january_1970(text: str, month: int) -> None:
    assert month_of(parse_timestamp(text)) == month


def test_month_starts_at_midnight_of_its_first_day() -> None:
    assert start_of_month(54 * 12 + 2) == parse_timestamp("2024-03-01T00:00:00Z")
