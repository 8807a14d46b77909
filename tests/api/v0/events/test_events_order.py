"""The order of events, ties, and the limit (protocol 3.7)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at


def seconds(bucket: RemoteBucket, **parameters: object) -> list[str]:
    return [timestamp[17:-1] for timestamp, _, _ in bucket.stored(**parameters)]


@pytest.fixture
def five(bucket: RemoteBucket) -> RemoteBucket:
    """Seconds 01 to 05, inserted out of order."""
    bucket.insert(*(event(at(f"10:00:0{second}"), 0.5) for second in (3, 1, 5, 2, 4)))
    return bucket


def test_newest_come_first_in_whatever_order_they_were_inserted(five: RemoteBucket) -> None:
    assert seconds(five) == ["05", "04", "03", "02", "01"]


def test_equal_starts_come_in_the_order_of_their_ids(bucket: RemoteBucket) -> None:
    stored = bucket.insert(*(event(at("10:00:00"), duration) for duration in (5.0, 1.0, 3.0, 0.0)))

    assert bucket.ids() == [item["id"] for item in stored]


def test_order_goes_by_the_stored_start_before_clipping(bucket: RemoteBucket) -> None:
    old, new = bucket.insert(event(at("10:00:02"), 60.0), event(at("10:00:01"), 60.0))

    assert bucket.ids(start=at("10:00:30")) == [old["id"], new["id"]]


def test_limit_keeps_the_newest_by_stored_start(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:01"), 60.0), event(at("10:00:02"), 60.0))

    assert bucket.stored(start=at("10:00:30"), limit=1) == [(at("10:00:30"), 32.0, {"a": 1})]


def test_limit_among_equal_starts_keeps_the_smallest_ids(bucket: RemoteBucket) -> None:
    stored = bucket.insert(*(event(at("10:00:00")) for _ in range(4)))

    assert bucket.ids(limit=2) == [item["id"] for item in stored[:2]]


@pytest.mark.parametrize(("limit", "expected"), [(1, ["05"]), (2, ["05", "04"]), (5, 5), (6, 5), (1000, 5)])
def test_limit_keeps_the_newest(five: RemoteBucket, limit: int, expected: list[str] | int) -> None:
    found = seconds(five, limit=limit)

    assert found == expected if isinstance(expected, list) else len(found) == expected


def test_limit_0_returns_nothing(five: RemoteBucket) -> None:
    assert seconds(five, limit=0) == []


@pytest.mark.parametrize(
    "limit", [-1, -5, "", "all", "1.5", "null", "NaN", "0x1", "1" + "0" * 30, -(10**30), "9" * 5000, "\0", "٣x"]
)
def test_negative_unparsable_and_huge_limits_return_everything(five: RemoteBucket, limit: object) -> None:
    assert len(seconds(five, limit=limit)) == 5


def test_limit_applies_after_the_selection(five: RemoteBucket) -> None:
    assert seconds(five, end=at("10:00:03.5"), limit=2) == ["03", "02"]
    assert seconds(five, start=at("10:00:02"), end=at("10:00:03.5"), limit=10) == ["03", "02"]


def test_limit_counts_selected_events_not_those_looked_at(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("09:00:00"), 7200.0, {"long": 1}), *(event(at(f"09:30:{n:02}"), 1.0) for n in range(50)))

    assert bucket.stored(start=at("10:00:00"), limit=1) == [(at("10:00:00"), 3600.0, {"long": 1})]
