"""How events become intervals: the edge cases that random worlds rarely have."""

import numpy as np

from dayline.insight.active.intervals import GAP, flood_gaps


def covered(gap: int) -> list[tuple[int, int]]:
    """The time covered by two events of a minute with a gap between them, from the start of the first."""
    minute = 60_000_000
    start = np.array([0, minute + gap])
    spans, _ = flood_gaps(start, start + minute)
    return list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))


def test_a_gap_of_exactly_five_seconds_stays_a_gap() -> None:
    assert GAP == 5_000_000
    assert covered(GAP) == [(0, 60_000_000), (65_000_000, 125_000_000)]


def test_a_gap_that_is_a_microsecond_shorter_is_split_and_the_later_event_gets_the_odd_one() -> None:
    assert covered(GAP - 1) == [(0, 62_499_999), (62_499_999, 124_999_999)]
