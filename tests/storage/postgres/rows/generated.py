"""Events that try what is difficult: turns of months, equal starts, negative durations, texts of all kinds."""

from datetime import UTC, datetime
from typing import Any, Final

from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import DAY, EARLIEST, LATEST, SECOND, Microseconds

# Around the turns of three months in a row, so that events reach from one into another.
TURNS: Final = [int(datetime(2020, month, 1, tzinfo=UTC).timestamp()) * SECOND for month in (2, 3, 4)]
NEAR_TURNS: Final = [turn + halves * SECOND // 2 for turn in TURNS for halves in range(-3, 4)]
MOMENTS = st.sampled_from([*NEAR_TURNS, TURNS[0] + 10 * DAY + 1, TURNS[0] + 25 * DAY + 120_000])
BOUNDS = st.none() | MOMENTS | st.sampled_from([EARLIEST, LATEST])
DURATIONS = st.sampled_from(
    [0, 1, 12, 99, 100, 123_456, SECOND // 2, SECOND, 5 * SECOND, -1, -15, -SECOND, -40 * DAY, 12 * DAY, 40 * DAY]
)
TEXTS = st.sampled_from(["x", "", "=1", "-2", "\ttab", "a\0b", 'say "so"', "a,b\r\nc", "ü ✓", "\\", "'", "%s {id}"])
DATA = st.dictionaries(st.sampled_from(["app", "title", "url", "b", "ü"]), TEXTS | st.sampled_from([1, 1.0, None, [2]]))


def _event(start: Microseconds, duration: Microseconds, data: dict[str, Any]) -> Event:
    return Event(start=start, duration=duration, data=canonical_json(data))


EVENTS = st.builds(_event, MOMENTS, DURATIONS, DATA)
