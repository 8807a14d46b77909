"""Long events are found from ranges that begin months and years after them."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at

YEAR = 365 * 86400.0


def test_event_of_a_day_and_more_is_found_from_its_last_hour(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("00:00:00", date="2026-01-01"), 3 * 86400.0))

    assert bucket.stored(start=at("23:00:00", date="2026-01-03")) == [
        (at("23:00:00", date="2026-01-03"), 3600.0, {"a": 1})
    ]


def test_event_over_the_turn_of_a_month_is_found_on_both_sides(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("23:00:00", date="2026-01-31"), 7200.0))

    before = bucket.stored(start=at("22:00:00", date="2026-01-31"), end=at("23:30:00", date="2026-01-31"))
    after = bucket.stored(start=at("00:30:00", date="2026-02-01"), end=at("02:00:00", date="2026-02-01"))

    assert before == [(at("23:00:00", date="2026-01-31"), 1800.0, {"a": 1})]
    assert after == [(at("00:30:00", date="2026-02-01"), 1800.0, {"a": 1})]


def test_event_of_twelve_years_is_found_from_a_range_ten_years_later(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("00:00:00", date="2010-06-15"), 12 * YEAR))
    day = {"start": at("00:00:00", date="2020-02-29"), "end": at("00:00:00", date="2020-03-01")}

    assert bucket.stored(**day) == [(at("00:00:00", date="2020-02-29"), 86400.0, {"a": 1})]
    assert bucket.count(**day) == 1


def test_event_over_the_whole_calendar_is_found_from_any_day(bucket: RemoteBucket) -> None:
    bucket.insert(event("1970-01-01T00:00:00Z", 9_214_646_399.5))

    assert bucket.stored(start="2261-12-31T23:59:59Z") == [("2261-12-31T23:59:59Z", 0.5, {"a": 1})]
    assert bucket.stored() == [("1970-01-01T00:00:00Z", 9_214_646_399.5, {"a": 1})]


def test_long_event_is_found_among_many_short_ones_after_it(bucket: RemoteBucket) -> None:
    long = event(at("00:00:00", date="2025-01-10"), 400 * 86400.0, {"long": 1})
    months = [f"2025-{month:02}-15" for month in range(1, 13)] + ["2026-01-15"]
    bucket.insert(long, *(event(at("12:00:00", date=month), 1.0) for month in months))

    found = bucket.stored(start=at("11:00:00", date="2026-01-15"), end=at("13:00:00", date="2026-01-15"))

    assert found == [
        (at("12:00:00", date="2026-01-15"), 1.0, {"a": 1}),
        (at("11:00:00", date="2026-01-15"), 7200.0, {"long": 1}),
    ]


def test_long_events_of_several_months_come_newest_first(bucket: RemoteBucket) -> None:
    starts = ["2024-03-01", "2024-11-30", "2025-12-31", "2026-01-20"]
    bucket.insert(*(event(at("00:00:00", date=date), 3 * YEAR, {"from": date}) for date in starts))

    found = bucket.events(start=at("12:00:00", date="2026-01-20"), end=at("13:00:00", date="2026-01-20"))

    assert [item["data"]["from"] for item in found] == starts[::-1]
    assert [item["data"]["from"] for item in bucket.events(start=at("12:00:00", date="2026-01-20"), limit=2)] == starts[
        :1:-1
    ]


def test_event_that_ended_before_the_range_is_not_found_beside_a_longer_one(bucket: RemoteBucket) -> None:
    bucket.insert(
        event(at("00:00:00", date="2025-01-01"), 2 * YEAR, {"reaches": True}),
        event(at("00:00:00", date="2025-01-02"), 86400.0, {"reaches": False}),
    )

    assert [data for _, _, data in bucket.stored(start=at("00:00:00", date="2025-06-01"))] == [{"reaches": True}]
    assert bucket.count(start=at("00:00:00", date="2025-06-01")) == 1


def test_event_that_a_heartbeat_made_long_is_found_in_a_later_month(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("23:59:00", date="2026-01-31"))
    bucket.heartbeat(at("00:01:00", date="2026-02-01"), pulsetime=600)
    bucket.heartbeat(at("00:00:00", date="2026-04-01"), pulsetime=90 * 86400)

    assert bucket.stored(start=at("00:00:00", date="2026-03-31")) == [
        (at("00:00:00", date="2026-03-31"), 86400.0, {"a": 1})
    ]


def test_event_that_was_replaced_by_a_long_one_is_found_later(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00", date="2024-01-01"), 1.0))
    bucket.insert(event(at("10:00:00", date="2024-01-01"), 2 * YEAR, id=stored["id"]))

    assert bucket.count(start=at("00:00:00", date="2025-07-01"), end=at("00:00:00", date="2025-07-02")) == 1


def test_long_event_is_no_longer_found_once_it_is_shortened_or_deleted(bucket: RemoteBucket) -> None:
    first, second = bucket.insert(*(event(at("10:00:00", date="2024-01-01"), 2 * YEAR) for _ in range(2)))
    later = {"start": at("00:00:00", date="2025-07-01")}
    assert bucket.count(**later) == 2

    bucket.insert(event(at("10:00:00", date="2024-01-01"), 5.0, id=first["id"]))
    assert bucket.ids(**later) == [second["id"]]

    bucket.delete_event(second["id"])
    assert bucket.ids(**later) == []


@pytest.mark.parametrize("date", ["2026-02-28", "2028-02-29", "2027-12-31"])
def test_last_microsecond_of_a_month_belongs_to_it(bucket: RemoteBucket, date: str) -> None:
    bucket.insert(event(at("23:59:59.999999", date=date), 0.000001))

    assert bucket.count(start=at("23:59:59.999999", date=date), end=at("23:59:59.999999", date=date)) == 1
