"""Which events a range returns, and how they are clipped (protocol 3.7)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at


@pytest.fixture
def ab(bucket: RemoteBucket) -> RemoteBucket:
    """A (10:00:10, 2 s) and B (10:00:20, 5 s)."""
    bucket.insert(event(at("10:00:10"), 2.0, {"app": "a"}), event(at("10:00:20"), 5.0, {"app": "b"}))
    return bucket


A = (at("10:00:10"), 2.0, {"app": "a"})
B = (at("10:00:20"), 5.0, {"app": "b"})


def test_example_of_the_protocol(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:11"), end=at("10:00:22")) == [
        (at("10:00:20"), 2.0, {"app": "b"}),
        (at("10:00:11"), 1.0, {"app": "a"}),
    ]


def test_without_bounds_everything_comes_unclipped(ab: RemoteBucket) -> None:
    assert ab.stored() == [B, A]


def test_event_that_ends_exactly_at_start_is_included_with_nothing_left(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:12")) == [B, (at("10:00:12"), 0.0, {"app": "a"})]


def test_event_that_ended_a_microsecond_before_start_is_not(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:12.000001")) == [B]


def test_event_that_begins_exactly_at_end_is_included_with_nothing_left(ab: RemoteBucket) -> None:
    assert ab.stored(end=at("10:00:20")) == [(at("10:00:20"), 0.0, {"app": "b"}), A]


def test_event_that_begins_a_microsecond_after_end_is_not(ab: RemoteBucket) -> None:
    assert ab.stored(end=at("10:00:19.999999")) == [A]


def test_event_around_the_range_is_cut_on_both_sides(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:21.5"), end=at("10:00:23.25")) == [(at("10:00:21.500"), 1.75, {"app": "b"})]


def test_clipping_is_exact_to_the_microsecond(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:20.000001"), end=at("10:00:20.000003")) == [
        (at("10:00:20.000001"), 0.000002, {"app": "b"})
    ]


def test_range_of_one_instant_returns_the_event_around_it(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:21"), end=at("10:00:21")) == [(at("10:00:21"), 0.0, {"app": "b"})]


def test_range_in_a_gap_returns_nothing(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:13"), end=at("10:00:19")) == []


def test_start_after_end_returns_nothing_even_inside_an_event(ab: RemoteBucket) -> None:
    assert ab.stored(start=at("10:00:23"), end=at("10:00:21")) == []


def test_range_in_the_future_returns_nothing(ab: RemoteBucket) -> None:
    assert ab.stored(start="2200-01-01T00:00:00Z") == []


def test_zero_length_event_is_found_at_its_instant(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00")))

    assert bucket.stored(start=at("10:00:00"), end=at("10:00:00")) == [(at("10:00:00"), 0.0, {"a": 1})]


def test_clipped_event_keeps_its_id_and_data(ab: RemoteBucket) -> None:
    [whole] = ab.events(start=at("10:00:13"))
    [clipped] = ab.events(start=at("10:00:21"))

    assert (clipped["id"], clipped["data"]) == (whole["id"], whole["data"])


def test_clipping_does_not_change_what_is_stored(ab: RemoteBucket) -> None:
    ab.events(start=at("10:00:21"), end=at("10:00:22"))

    assert ab.stored() == [B, A]
    assert ab.event(ab.ids()[0]).json["duration"] == 5.0


@pytest.mark.parametrize(
    ("bounds", "is_found"),
    [
        ({}, True),
        ({"start": at("09:59:00")}, True),
        ({"start": at("09:59:00.000001")}, False),
        ({"start": at("10:00:00")}, False),
        ({"end": at("10:00:00")}, True),
        ({"end": at("09:59:59.999999")}, False),
    ],
)
def test_event_of_negative_duration_is_selected_by_its_own_start_and_end(
    bucket: RemoteBucket, bounds: dict[str, str], is_found: bool
) -> None:
    bucket.insert(event(at("10:00:00"), -60.0))

    assert bucket.stored(**bounds) == ([(at("10:00:00"), -60.0, {"a": 1})] if is_found else [])
    assert bucket.count(**bounds) == is_found


def test_unknown_parameters_are_ignored(ab: RemoteBucket) -> None:
    assert ab.stored(starttime=at("10:00:21"), endtime="nonsense", x="1") == [B, A]


def test_missing_bucket_is_404_whatever_the_range(bucket: RemoteBucket) -> None:
    bucket.delete()

    for query in ("", "?limit=0", f"?start={at('11:00:00')}&end={at('10:00:00')}"):
        assert bucket.server.get(f"{bucket.path}/events{query}").status == 404
        assert bucket.server.get(f"{bucket.path}/events/count{query}").status == 404
