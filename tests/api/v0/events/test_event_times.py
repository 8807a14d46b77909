"""Timestamps and durations on the wire (protocol 1.3, 1.4)."""

from urllib.parse import quote

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at


@pytest.mark.parametrize(
    "sent",
    [
        "2026-01-01T10:00:00Z",
        "2026-01-01T10:00:00+00:00",
        "2026-01-01T11:00:00+01:00",
        "2026-01-01T11:00:00+0100",
        "2026-01-01T05:00:00-05",
        "2026-01-01 10:00:00Z",
        "2026-01-01t10:00:00z",
        "2026-01-01T10:00:00",
        "2026-01-01T10:00:00.000000000Z",
        "2026-01-01T09:59:60Z",
    ],
)
def test_every_form_is_stored_and_emitted_as_utc_with_z(bucket: RemoteBucket, sent: str) -> None:
    bucket.insert(event(sent))
    bucket.heartbeat(sent)

    assert bucket.stored() == [("2026-01-01T10:00:00Z", 0.0, {"a": 1})]


def test_date_alone_is_its_midnight(bucket: RemoteBucket) -> None:
    bucket.insert(event("2026-01-01"))

    assert bucket.stored() == [(at("00:00:00"), 0.0, {"a": 1})]


@pytest.mark.parametrize(
    ("fraction", "emitted"),
    [
        (".250", ".250"),
        (".25", ".250"),
        (".000", ""),
        (".123456", ".123456"),
        (".1234567", ".123456"),
        (".999999999", ".999999"),
        (".123450", ".123450"),
        (".000001", ".000001"),
    ],
)
def test_microseconds_are_kept_and_never_rounded_up(bucket: RemoteBucket, fraction: str, emitted: str) -> None:
    [stored] = bucket.insert(event(f"2026-01-01T10:00:00{fraction}Z"))

    assert stored["timestamp"] == f"2026-01-01T10:00:00{emitted}Z"
    assert bucket.stored()[0][0] == stored["timestamp"]
    assert bucket.event(stored["id"]).json["timestamp"] == stored["timestamp"]


@pytest.mark.parametrize("sent", ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z", "2261-12-31T23:59:59.999999Z"])
def test_first_and_last_moment_of_the_range_are_stored(bucket: RemoteBucket, sent: str) -> None:
    bucket.insert(event(sent))

    assert bucket.stored() == [(sent, 0.0, {"a": 1})]
    assert bucket.extent() == (sent, sent)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (0, 0.0),
        (2, 2.0),
        (2.5, 2.5),
        (0.000001, 0.000001),
        (0.0000014, 0.000001),
        (0.0000016, 0.000002),
        (0.1 + 0.2, 0.3),
        (86400.000001, 86400.000001),
        (-1.5, -1.5),
        (-1_700_000_000.000001, -1_700_000_000.000001),
        (-0.0, 0.0),
        (7_000_000_000.000001, 7_000_000_000.000001),
        (1e3, 1000.0),
    ],
)
def test_duration_is_kept_to_the_microsecond(bucket: RemoteBucket, sent: float, kept: float) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), sent))

    assert stored["duration"] == kept
    assert bucket.stored() == [(at("10:00:00"), kept, {"a": 1})]
    assert bucket.event(stored["id"]).json["duration"] == kept


def test_whole_seconds_are_emitted_as_decimal_numbers_everywhere(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 2))
    [event_id] = bucket.ids()

    for answer in (
        bucket.server.get(f"{bucket.path}/events"),
        bucket.event(event_id),
        bucket.server.get(f"{bucket.path}/export"),
        bucket.heartbeat(at("10:00:01")),
    ):
        assert b'"duration":2.0' in answer.body


@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T11:00:11+01:00",
        "2026-01-01T10:00:11Z",
        "2026-01-01 10:00:11",
        "2026-01-01T11:00:11+0100",
        "2026-01-01t10:00:11.000z",
    ],
)
def test_parameters_take_the_same_forms(bucket: RemoteBucket, name: str, text: str) -> None:
    bucket.insert(event(at("10:00:11")))

    assert bucket.count(**{name: text}) == 1


def test_plus_that_was_not_encoded_is_understood(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:11")))

    answer = bucket.server.get(f"{bucket.path}/events?start=2026-01-01T11:00:11+01:00&end=2026-01-01T11:00:11+01:00")

    assert len(answer.json) == 1


@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize("call", ["events", "events/count"])
@pytest.mark.parametrize(
    "text", ["", "yesterday", "1767261611", "2026-13-01T00:00:00Z", "2026-01-01T10:00", "\0", "é", "x" * 5000]
)
def test_bad_time_in_a_parameter_is_400_and_named(bucket: RemoteBucket, name: str, call: str, text: str) -> None:
    answer = bucket.server.get(f"{bucket.path}/{call}?{name}={quote(text)}")

    assert (answer.status, answer.json["field"]) == (400, name)
    assert answer.message.startswith(f"{name}: ")


def test_parameter_that_is_no_utf8_is_400(bucket: RemoteBucket) -> None:
    assert bucket.server.get(f"{bucket.path}/events?start=%ff%fe").status == 400


@pytest.mark.parametrize("bound", ["0001-01-01T00:00:00Z", "1677-01-01T00:00:00.5Z", "1969-12-31T23:59:59.999999Z"])
def test_lower_bound_before_1970_is_clamped(bucket: RemoteBucket, bound: str) -> None:
    bucket.insert(event("1970-01-01T00:00:00Z", 1.0), event(at("10:00:00")))

    assert bucket.count(start=bound) == 2
    assert bucket.stored(start=bound)[-1] == ("1970-01-01T00:00:00Z", 1.0, {"a": 1})


@pytest.mark.parametrize("bound", ["2262-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
def test_upper_bound_after_2261_is_clamped(bucket: RemoteBucket, bound: str) -> None:
    bucket.insert(event("2261-12-31T23:59:58Z", 1.0))

    assert bucket.count(end=bound) == 1
    assert bucket.stored(end=bound) == [("2261-12-31T23:59:58Z", 1.0, {"a": 1})]


def test_whole_range_of_the_calendar_reads_everything(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))

    assert bucket.stored(start="0001-01-01T00:00:00Z", end="9999-12-31T23:59:59Z") == bucket.stored()
