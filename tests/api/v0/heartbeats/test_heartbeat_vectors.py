"""The test vectors of protocol 12.6, one after the other in one bucket."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, each_path

Row = tuple[str, float, dict[str, Any]]
Step = tuple[str, float, dict[str, Any], float, Sequence[Row]]  # time, duration, data, pulsetime, stored afterwards

ONE, TWO, Z = {"a": 1}, {"a": 2}, {"z": 1}

NINE: Row = ("09:00:00", 0.0, ONE)
FIRST: Row = ("10:00:00", 8.5, ONE)
SECOND: Row = ("10:00:13.501", 10.0, ONE)
THIRD: Row = ("10:00:20", 5.0, ONE)

STEPS: dict[str, Step] = {
    "1 the first heartbeat is stored": ("10:00:00", 0, ONE, 5, [("10:00:00", 0.0, ONE)]),
    "2 one within pulsetime extends it": ("10:00:03.5", 0, ONE, 5, [("10:00:00", 3.5, ONE)]),
    "3 one at the edge extends it": ("10:00:08.5", 0, ONE, 5, [FIRST]),
    "4 one a millisecond beyond the edge is new": ("10:00:13.501", 0, ONE, 5, [("10:00:13.501", 0.0, ONE), FIRST]),
    "5 its own duration counts": ("10:00:13.501", 10, ONE, 5, [SECOND, FIRST]),
    "6 one inside changes nothing": ("10:00:15", 1, ONE, 5, [SECOND, FIRST]),
    "7 an older one is new": ("09:00:00", 0, ONE, 5, [SECOND, FIRST, NINE]),
    "8 one outside the older one's window is new": (
        "10:00:20", 0, ONE, 5, [("10:00:20", 0.0, ONE), SECOND, FIRST, NINE],
    ),
    "9 one within a longer pulsetime extends it": ("10:00:25", 0, ONE, 100, [THIRD, SECOND, FIRST, NINE]),
    "10 one with other data is new": (
        "10:00:30", 0, TWO, 100, [("10:00:30", 0.0, TWO), THIRD, SECOND, FIRST, NINE],
    ),
    "11 the data before are new again": (
        "10:00:31", 0, ONE, 100, [("10:00:31", 0.0, ONE), ("10:00:30", 0.0, TWO), THIRD, SECOND, FIRST, NINE],
    ),
}  # fmt: skip


@pytest.fixture
def after(bucket: RemoteBucket) -> Callable[[int, str], RemoteBucket]:
    """A bucket into which the first this many steps were sent."""

    def send(count: int, content_type: str) -> RemoteBucket:
        for time, duration, data, pulsetime, _ in list(STEPS.values())[:count]:
            bucket.heartbeat(
                at(time), data, duration=duration, pulsetime=pulsetime, headers={"Content-Type": content_type}
            )
        return bucket

    return send


@each_path
@pytest.mark.parametrize("number", range(1, len(STEPS) + 1), ids=STEPS.keys())
def test_after_each_step_exactly_this_is_stored(
    after: Callable[[int, str], RemoteBucket], number: int, content_type: str
) -> None:
    expected = list(STEPS.values())[number - 1][-1]

    assert after(number, content_type).stored() == [(at(time), duration, data) for time, duration, data in expected]


@each_path
def test_12_heartbeat_after_an_insert_extends_the_inserted_event(
    after: Callable[[int, str], RemoteBucket], content_type: str
) -> None:
    bucket = after(len(STEPS), content_type)
    bucket.insert(event(at("10:00:50"), 1.0, Z))

    bucket.heartbeat(at("10:00:55"), Z, pulsetime=100, headers={"Content-Type": content_type})

    assert bucket.stored()[:2] == [(at("10:00:50"), 5.0, Z), (at("10:00:31"), 0.0, ONE)]
    assert bucket.count() == 7
