"""How the bodies of heartbeats and inserts become events, and what each refusal says."""

import msgspec
import pytest

from dayline.model.errors import Invalid, Malformed
from dayline.model.event import MAX_EVENT_ID, Event, decode_events, decode_heartbeat

TIME = "2026-02-03T08:15:31Z"
START = 1_770_106_531_000_000


def body(**fields: object) -> bytes:
    return msgspec.json.encode({"timestamp": TIME, **fields})


def test_duration_and_data_may_be_left_out() -> None:
    assert decode_heartbeat(body()) == Event(start=START, duration=0, data=b"{}")


def test_unknown_keys_are_ignored() -> None:
    assert decode_heartbeat(body(name="x", tags=[1], end=None)) == Event(start=START)


@pytest.mark.parametrize("event_id", [7, None, "seven", [1]])
def test_id_of_a_heartbeat_is_ignored_whatever_it_is(event_id: object) -> None:
    assert decode_heartbeat(body(id=event_id)) == Event(start=START)


def test_bare_event_and_list_of_one_are_distinguished() -> None:
    assert decode_events(body(id=7)) == Event(start=START, id=7)
    assert decode_events(b"[%s]" % body(id=7)) == [Event(start=START, id=7)]


@pytest.mark.parametrize("blank", [b" ", b"\n\t\r "])
def test_blanks_before_a_bare_event_change_nothing(blank: bytes) -> None:
    assert decode_events(blank + body()) == Event(start=START)


def test_null_id_means_a_new_event() -> None:
    assert decode_events(body(id=None)) == Event(start=START, id=0)


@pytest.mark.parametrize("event_id", [0, -1, MAX_EVENT_ID + 1, 2**63, 2**70, 1.5, 1.0, "1", True, [], {}])
def test_id_that_is_no_positive_integer_is_rejected(event_id: object) -> None:
    with pytest.raises(Invalid, match="id") as caught:
        decode_events(body(id=event_id))

    assert caught.value.field == "id"


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"timestamp": None}, "timestamp", "must be a string"),
        ({"timestamp": 1770106531}, "timestamp", "must be a string"),
        ({"timestamp": ""}, "timestamp", "is not a time like"),
        ({"timestamp": "yesterday"}, "timestamp", "is not a time like"),
        ({"timestamp": "1969-12-31T23:59:59Z"}, "timestamp", "outside the years 1970 to 2261"),
        ({"timestamp": "2262-01-01T00:00:00Z"}, "timestamp", "outside the years 1970 to 2261"),
        ({"timestamp": "9999-12-31T23:59:59Z"}, "timestamp", "outside the years 1970 to 2261"),
        ({"duration": None}, "duration", r"must be a number \(got null\)"),
        ({"duration": "5"}, "duration", r"must be a number \(got '5'\)"),
        ({"duration": True}, "duration", r"must be a number \(got true\)"),
        ({"duration": []}, "duration", r"must be a number \(got a list\)"),
        ({"duration": 1e300}, "duration", "is too long"),
        ({"duration": 8e9}, "duration", "outside the years 1970 to 2261"),
        ({"duration": -2e9}, "duration", "outside the years 1970 to 2261"),
        ({"data": None}, "data", "must be an object, not null"),
        ({"data": []}, "data", "must be an object, not an array"),
        ({"data": "x"}, "data", "must be an object, not a string"),
        ({"data": 1}, "data", "must be an object, not a number"),
    ],
)
def test_rejection_names_the_field_and_the_reason(fields: dict[str, object], field: str, reason: str) -> None:
    with pytest.raises(Invalid, match=reason) as caught:
        decode_heartbeat(body(**fields))

    assert caught.value.field == field
    assert field in caught.value.message


def test_missing_timestamp_is_named() -> None:
    with pytest.raises(Invalid, match="timestamp is missing") as caught:
        decode_heartbeat(b'{"data": {}}')

    assert caught.value.field == "timestamp"


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"1" + b"0" * 400])
def test_duration_that_no_double_holds_is_rejected(number: bytes) -> None:
    with pytest.raises(Invalid):
        decode_heartbeat(b'{"timestamp": "%s", "duration": %s}' % (TIME.encode(), number))


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"nan", b"inf"])
def test_duration_that_json_does_not_know_is_malformed(number: bytes) -> None:
    with pytest.raises(Malformed, match="not valid JSON"):
        decode_heartbeat(b'{"timestamp": "%s", "duration": %s}' % (TIME.encode(), number))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "the body is empty"),
        (b"  \n", "the body is empty"),
        (b"{", "not valid JSON"),
        (b'{"timestamp": "2026-02-03T08:15:31Z"', "unexpected end"),
        (b'{"timestamp": "2026-02-03T08:15:31Z"} x', "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b'{"timestamp": "\xff"}', "not valid UTF-8"),
        (b'\xef\xbb\xbf{"timestamp": "2026-02-03T08:15:31Z"}', "not valid JSON"),
    ],
)
def test_bytes_that_are_no_json_are_malformed(text: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        decode_heartbeat(text)


@pytest.mark.parametrize("text", [b"[]", b"null", b"1", b'"x"', b"true"])
def test_heartbeat_that_is_no_object_is_invalid(text: bytes) -> None:
    with pytest.raises(Invalid, match="the body must be an object"):
        decode_heartbeat(text)


@pytest.mark.parametrize("text", [b"null", b"1", b'"x"', b"[1]", b"[null]", b"[[]]"])
def test_insert_that_is_neither_event_nor_list_is_invalid(text: bytes) -> None:
    with pytest.raises(Invalid):
        decode_events(text)


def test_fault_in_a_list_names_its_place() -> None:
    good, late = body(), body(timestamp="2300-01-01T00:00:00Z")

    with pytest.raises(Invalid, match="event 2: timestamp is outside") as caught:
        decode_events(b"[%s]" % b",".join([good, good, late, good]))

    assert caught.value.field == "[2].timestamp"


def test_wrong_type_in_a_list_names_its_place() -> None:
    with pytest.raises(Invalid) as caught:
        decode_events(b"[%s, %s]" % (body(), body(duration="5")))

    assert caught.value.field is not None
    assert "duration" in caught.value.field
    assert "1" in caught.value.message or "[...]" in caught.value.message
