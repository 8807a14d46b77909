"""How times are written: UTC with `Z`, the shortest exact fraction of 0, 3 or 6 digits."""

import pytest

from dayline.model.time import LATEST, format_timestamp

SECOND = 1_770_106_531_000_000  # 2026-02-03T08:15:31Z


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (0, "2026-02-03T08:15:31Z"),
        (250_000, "2026-02-03T08:15:31.250Z"),
        (1_000, "2026-02-03T08:15:31.001Z"),
        (1, "2026-02-03T08:15:31.000001Z"),
        (123_456, "2026-02-03T08:15:31.123456Z"),
        (123_450, "2026-02-03T08:15:31.123450Z"),
        (999_999, "2026-02-03T08:15:31.999999Z"),
    ],
)
def test_fraction_has_no_more_digits_than_it_needs(extra: int, text: str) -> None:
    assert format_timestamp(SECOND + extra) == text


@pytest.mark.parametrize(("moment", "text"), [(0, "1970-01-01T00:00:00Z"), (LATEST, "2261-12-31T23:59:59.999999Z")])
def test_both_ends_of_the_range_are_written(moment: int, text: str) -> None:
    assert format_timestamp(moment) == text
