"""`metadata.start/end` and `last_updated` are exact after every kind of write (protocol 1.1, traps 43)."""

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def assert_exact(bucket: RemoteBucket) -> None:
    """The metadata say what the events say."""
    view, events = bucket.view(), bucket.server.get(f"{bucket.path}/export").json["buckets"][bucket.id]["events"]
    starts = [item["timestamp"] for item in events]
    assert view["metadata"]["start"] == (min(starts) if starts else None)
    assert view["last_updated"] == view["metadata"]["end"]
    assert (view["metadata"]["end"] is None) == (not events)


def test_empty_bucket_has_neither(bucket: RemoteBucket) -> None:
    assert bucket.extent() == (None, None)
    assert bucket.view()["last_updated"] is None


def test_first_heartbeat_sets_both(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=2)

    assert bucket.extent() == (at("10:00:00"), at("10:00:02"))


def test_merged_heartbeat_moves_the_end(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    bucket.heartbeat(at("10:00:04"))

    assert bucket.extent() == (at("10:00:00"), at("10:00:04"))
    assert bucket.view()["last_updated"] == at("10:00:04")


def test_heartbeat_inside_the_last_event_moves_nothing(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=10)
    bucket.heartbeat(at("10:00:05"))

    assert bucket.extent() == (at("10:00:00"), at("10:00:10"))


def test_older_heartbeat_moves_the_start_alone(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"), duration=10)
    bucket.heartbeat(at("09:00:00"))

    assert bucket.extent() == (at("09:00:00"), at("10:00:10"))


def test_end_is_the_largest_end_not_the_newest_event_s(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 3600.0), event(at("10:30:00"), 60.0))

    assert bucket.extent() == (at("10:00:00"), at("11:00:00"))


def test_inserts_widen_both(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))
    bucket.insert(event(at("08:00:00"), 1.0), event(at("12:00:00"), 1.5))

    assert bucket.extent() == (at("08:00:00"), at("12:00:01.500"))


def test_deleting_the_first_event_moves_the_start(bucket: RemoteBucket) -> None:
    first, _ = bucket.insert(event(at("10:00:00"), 1.0), event(at("11:00:00"), 1.0))

    bucket.delete_event(first["id"])

    assert bucket.extent() == (at("11:00:00"), at("11:00:01"))


def test_deleting_the_last_event_moves_the_end_back(bucket: RemoteBucket) -> None:
    _, last = bucket.insert(event(at("10:00:00"), 1.0), event(at("11:00:00"), 1.0))

    bucket.delete_event(last["id"])

    assert bucket.extent() == (at("10:00:00"), at("10:00:01"))
    assert bucket.view()["last_updated"] == at("10:00:01")


def test_deleting_the_event_that_reaches_furthest_moves_the_end_back(bucket: RemoteBucket) -> None:
    long, _ = bucket.insert(event(at("10:00:00"), 7200.0), event(at("11:00:00"), 1.0))

    bucket.delete_event(long["id"])

    assert bucket.extent() == (at("11:00:00"), at("11:00:01"))


def test_deleting_one_of_two_equal_events_moves_nothing(bucket: RemoteBucket) -> None:
    first, _ = bucket.insert(event(at("10:00:00"), 1.0), event(at("10:00:00"), 1.0))

    bucket.delete_event(first["id"])

    assert bucket.extent() == (at("10:00:00"), at("10:00:01"))


def test_deleting_the_only_event_leaves_neither(bucket: RemoteBucket) -> None:
    [only] = bucket.insert(event(at("10:00:00"), 1.0))

    bucket.delete_event(only["id"])

    assert bucket.extent() == (None, None)
    assert bucket.view()["last_updated"] is None


def test_deleting_what_is_not_there_moves_nothing(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))

    bucket.delete_event(999_999_999)

    assert bucket.extent() == (at("10:00:00"), at("10:00:01"))


def test_replacing_by_a_shorter_event_moves_the_end_back(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 100.0))

    bucket.insert(event(at("10:00:00"), 1.0, id=stored["id"]))

    assert bucket.extent() == (at("10:00:00"), at("10:00:01"))


def test_replacing_by_a_later_event_moves_both(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 100.0))

    bucket.insert(event(at("12:00:00", date="2026-07-01"), 1.0, id=stored["id"]))

    assert bucket.extent() == (at("12:00:00", date="2026-07-01"), at("12:00:01", date="2026-07-01"))


def test_events_in_several_months_are_followed_as_they_go(bucket: RemoteBucket) -> None:
    dates = ["2024-02-29", "2025-12-31", "2026-01-01", "2026-06-15"]
    stored = bucket.insert(*(event(at("23:59:59", date=date), 2.0) for date in dates))
    starts = [at("23:59:59", date=date) for date in dates]

    for position, item in enumerate(stored):
        assert bucket.extent() == (starts[position], at("00:00:01", date="2026-06-16"))
        bucket.delete_event(item["id"])

    assert bucket.extent() == (None, None)


def test_event_that_spans_years_is_the_end_until_it_is_deleted(bucket: RemoteBucket) -> None:
    long, _ = bucket.insert(
        event(at("00:00:00", date="2020-01-01"), 3 * 365 * 86400.0), event(at("00:00:00", date="2021-01-01"))
    )

    assert bucket.extent() == (at("00:00:00", date="2020-01-01"), at("00:00:00", date="2022-12-31"))
    bucket.delete_event(long["id"])
    assert bucket.extent() == (at("00:00:00", date="2021-01-01"), at("00:00:00", date="2021-01-01"))


def test_end_of_an_event_of_negative_duration_is_before_its_start(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), -60.0))

    assert bucket.extent() == (at("10:00:00"), at("09:59:00"))


def test_event_of_negative_duration_hides_no_earlier_one_that_ends_later(bucket: RemoteBucket) -> None:
    events = event(at("10:00:00")), event(at("10:01:00")), event(at("10:01:30"), -60.0)
    first, *_ = bucket.insert(*events)

    bucket.delete_event(first["id"])

    assert bucket.extent() == (at("10:01:00"), at("10:01:00"))


def test_import_widens_both(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))
    events = [event(at("10:00:00", date="2025-05-05"), 1.0), event(at("10:00:00", date="2026-05-05"), 2.5)]
    head = {"id": bucket.id, "type": "t", "client": "c", "hostname": "h"}

    shared_server.post("/api/0/import", {"buckets": {bucket.id: {**head, "events": events}}})

    assert bucket.extent() == (at("10:00:00", date="2025-05-05"), at("10:00:02.500", date="2026-05-05"))


def test_refused_write_moves_nothing(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00")))
    bucket.insert(event(at("10:00:00"), 1.0))

    assert bucket.post_events([event(at("08:00:00"), 1.0), event(at("20:00:00"), id=elsewhere["id"])]).status == 409
    assert bucket.post_events([event(at("08:00:00"), 1.0), {"timestamp": "no"}]).status == 422

    assert bucket.extent() == (at("10:00:00"), at("10:00:01"))


def test_extent_is_exact_after_a_mixed_series_of_writes(bucket: RemoteBucket) -> None:
    bucket.heartbeat(at("10:00:00"))
    assert_exact(bucket)
    stored = bucket.insert(*(event(at(f"{hour:02}:00:00"), 60.0 * hour) for hour in range(8, 14)))
    assert_exact(bucket)
    for item in stored[::2]:
        bucket.delete_event(item["id"])
        assert_exact(bucket)
    bucket.heartbeat(at("13:00:00"), duration=9000)
    assert_exact(bucket)
    bucket.insert(event(at("07:00:00"), id=stored[1]["id"]))
    assert_exact(bucket)
