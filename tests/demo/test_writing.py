"""Parts of the demo that are ordered one after the other."""

from datetime import UTC, datetime

from dayline.demo.export import DemoOrder, history_of
from dayline.demo.lanes import DemoEvent

UNTIL = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)
ZONE = "Pacific/Auckland"  # where it is the next day already


def events_of(order: DemoOrder) -> dict[str, list[DemoEvent]]:
    return {bucket.id: list(bucket.events()) for bucket in history_of(order).buckets()}


def test_parts_make_up_the_same_history_as_one_piece() -> None:
    whole = events_of(DemoOrder(until=UNTIL, days=4, zone=ZONE))
    early = events_of(DemoOrder(until=UNTIL, days=3, skipped=1, zone=ZONE))
    late = events_of(DemoOrder(until=UNTIL, days=1, zone=ZONE))

    assert {bucket: early[bucket] + late[bucket] for bucket in whole} == whole
    assert all(early.values())


def test_nothing_goes_past_the_moment() -> None:
    until = int(UNTIL.timestamp() * 1_000_000)

    ends = [
        event.start + event.duration
        for events in events_of(DemoOrder(until=UNTIL, days=2, zone=ZONE)).values()
        for event in events
    ]

    assert 0 <= until - max(ends) < 24 * 3600 * 1_000_000
