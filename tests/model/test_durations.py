"""Durations: seconds in JSON, whole microseconds inside, rounded to the nearest (decision 4)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.model.errors import Invalid
from dayline.model.event import Event, duration_of, encode_event

LONGEST = 9_214_646_400


@pytest.mark.parametrize(
    ("seconds", "microseconds"),
    [
        (0, 0),
        (1, 1_000_000),
        (2.25, 2_250_000),
        (0.1 + 0.2, 300_000),
        (0.0000014, 1),
        (0.0000016, 2),
        (0.0000004, 0),
        (-0.0000004, 0),
        (-1.5, -1_500_000),
        (1e-300, 0),
        (LONGEST, LONGEST * 1_000_000),
    ],
)
def test_seconds_are_rounded_to_the_nearest_microsecond(seconds: float, microseconds: int) -> None:
    assert duration_of(seconds) == microseconds


@pytest.mark.parametrize("seconds", [LONGEST + 1, -LONGEST - 1, 1e300, -1e300, float("inf"), float("nan")])
def test_more_than_events_can_span_is_rejected(seconds: float) -> None:
    with pytest.raises(Invalid, match="is too long") as caught:
        duration_of(seconds)

    assert caught.value.field == "duration"


@given(st.integers(-(2**52), 2**52))
def test_duration_sent_back_by_a_client_is_the_same_duration(microseconds: int) -> None:
    written = msgspec.json.decode(encode_event(Event(id=1, start=0, duration=microseconds)))

    assert isinstance(written["duration"], float)
    assert duration_of(written["duration"]) == microseconds


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, b"0.0"),
        (5_000_000, b"5.0"),
        (8_500_000, b"8.5"),
        (-1_000_000, b"-1.0"),
        (123_456_789_000_001, b"123456789.000001"),
    ],
)
def test_duration_is_written_as_a_decimal_number(microseconds: int, text: bytes) -> None:
    assert b'"duration":%s,' % text in encode_event(Event(id=1, start=0, duration=microseconds))
