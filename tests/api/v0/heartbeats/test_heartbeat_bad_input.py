"""Bad heartbeats: refused with a reason, on both paths alike, and nothing is stored."""

from typing import Any

import pytest

from tests.api.remote_bucket import RemoteBucket
from tests.support.calls.clients import CONTENT_TYPES, at
from tests.support.server import Answer

TIME = at("10:00:00").encode()


def whole(**fields: str) -> bytes:
    """A heartbeat with these fields as JSON text."""
    given = {"timestamp": f'"{TIME.decode()}"', "duration": "0", "data": "{}", **fields}
    return ("{" + ",".join(f'"{name}":{text}' for name, text in given.items()) + "}").encode("utf-8", "surrogatepass")


BAD: dict[str, tuple[bytes, int, str | None]] = {
    "time before 1970": (whole(timestamp='"1969-12-31T23:59:59.999999Z"'), 422, "timestamp"),
    "time of the year 1500": (whole(timestamp='"1500-01-01T00:00:00Z"'), 422, "timestamp"),
    "time after 2261": (whole(timestamp='"2262-01-01T00:00:00Z"'), 422, "timestamp"),
    "time of the year 9999": (whole(timestamp='"9999-12-31T23:59:59Z"'), 422, "timestamp"),
    "end after 2261": (whole(duration="7500000000"), 422, "duration"),
    "end before 1970": (whole(duration="-1800000000"), 422, "duration"),
    "huge duration": (whole(duration="1e300"), 422, "duration"),
    "duration beyond a double": (whole(duration="1e999"), 422, "duration"),
    "duration NaN": (whole(duration="NaN"), 400, None),
    "duration Infinity": (whole(duration="Infinity"), 400, None),
    "duration -Infinity": (whole(duration="-Infinity"), 400, None),
    "NaN in data": (whole(data='{"n":NaN}'), 400, None),
    "number beyond a double in data": (whole(data='{"n":1e999}'), 422, "data"),
    "lone surrogate in data": (whole(data='{"t":"\\ud800 and more"}'), 400, None),
    "lone low surrogate in data": (whole(data='{"t":"\\udfff and more"}'), 400, None),
    "lone surrogate in a key": (whole(data='{"\\ud800 key":1}'), 400, None),
    "lone surrogate in the time": (whole(timestamp='"\\ud800 and more"'), 400, None),
    "200 levels of objects": (whole(data='{"a":' * 200 + "1" + "}" * 200), 422, None),
    "200 levels of lists": (whole(data='{"a":' + "[" * 200 + "]" * 200 + "}"), 422, None),
    "brackets without end": (whole(data="[" * 50_000), 422, None),
    "broken UTF-8 in data": (whole(data='{"t":"X"}').replace(b"X", b"\xff"), 400, "data"),
    "overlong UTF-8 in data": (whole(data='{"t":"X"}').replace(b"X", b"\xc0\xaf"), 400, "data"),
    "surrogate as UTF-8 in data": (whole(data='{"t":"\ud800"}'), 400, "data"),
    "broken UTF-8 in the time": (whole(timestamp='"X"').replace(b"X", b"\xff"), 400, None),
    "UTF-16": ('{"timestamp":"x"}'.encode("utf-16"), 400, None),
    "byte order mark": (b"\xef\xbb\xbf" + whole(), 400, None),
    "control character in a string": (whole(data='{"t":"\x01"}'), 400, None),
    "null byte": (whole(data='{"t":"\x00"}'), 400, None),
    "time as a number": (whole(timestamp="1767261600"), 422, "timestamp"),
    "time as null": (whole(timestamp="null"), 422, "timestamp"),
    "time as a list": (whole(timestamp="[]"), 422, "timestamp"),
    "empty time": (whole(timestamp='""'), 422, "timestamp"),
    "words for a time": (whole(timestamp='"tomorrow"'), 422, "timestamp"),
    "impossible date": (whole(timestamp='"2026-02-30T00:00:00Z"'), 422, "timestamp"),
    "impossible zone": (whole(timestamp='"2026-02-03T00:00:00+99:00"'), 422, "timestamp"),
    "duration as text": (whole(duration='"5"'), 422, "duration"),
    "duration as null": (whole(duration="null"), 422, "duration"),
    "duration as a boolean": (whole(duration="true"), 422, "duration"),
    "duration as an object": (whole(duration="{}"), 422, "duration"),
    "data as null": (whole(data="null"), 422, "data"),
    "data as a list": (whole(data="[]"), 422, "data"),
    "data as text": (whole(data='"x"'), 422, "data"),
    "data as a number": (whole(data="1"), 422, "data"),
    "empty body": (b"", 400, None),
    "blank body": (b" \r\n", 400, None),
    "half a body": (whole()[:-1], 400, None),
    "half a string": (b'{"timestamp":"20', 400, None),
    "text after the body": (whole() + b"x", 400, None),
    "two bodies": (whole() + whole(), 400, None),
    "trailing comma": (whole()[:-1] + b",}", 400, None),
    "single quotes": (whole().replace(b'"', b"'"), 400, None),
    "comment": (b"/* c */" + whole(), 400, None),
    "form": (b"timestamp=2026&data=x", 400, None),
    "leading zero": (whole(duration="01"), 400, None),
    "a bare comma": (b",", 400, None),
    "bytes of no meaning": (bytes(range(256)), 400, None),
}


def send(bucket: RemoteBucket, body: bytes, content_type: str) -> Answer:
    return bucket.server.call(
        "POST", f"{bucket.path}/heartbeat?pulsetime=5", raw=body, headers={"Content-Type": content_type}
    )


def without_request_id(answer: Answer) -> dict[str, Any]:
    return {key: value for key, value in answer.json.items() if key != "request_id"}


@pytest.mark.parametrize(("body", "status", "field"), BAD.values(), ids=BAD.keys())
def test_bad_heartbeat_is_refused_alike_on_both_paths(
    bucket: RemoteBucket, body: bytes, status: int, field: str | None
) -> None:
    fast, ordinary = (send(bucket, body, content_type) for content_type in CONTENT_TYPES.values())

    assert (fast.status, fast.json.get("field")) == (status, field)
    assert fast.message
    assert without_request_id(fast) == without_request_id(ordinary)
    assert (fast.status, fast.headers.keys()) == (ordinary.status, ordinary.headers.keys())


@pytest.mark.parametrize(("body", "status", "field"), BAD.values(), ids=BAD.keys())
def test_bad_heartbeat_changes_nothing(bucket: RemoteBucket, body: bytes, status: int, field: str | None) -> None:
    bucket.heartbeat(at("10:00:00"), duration=1)
    before = bucket.events(), bucket.view()

    for content_type in CONTENT_TYPES.values():
        send(bucket, body, content_type)

    assert (bucket.events(), bucket.view()) == before
    assert bucket.heartbeat(at("10:00:02")).json["duration"] == 2.0


@pytest.mark.parametrize("content_type", CONTENT_TYPES.values(), ids=CONTENT_TYPES.keys())
def test_large_body_goes_through_on_either_path(bucket: RemoteBucket, content_type: str) -> None:
    text = "x" * 200_000

    bucket.heartbeat(at("10:00:00"), {"t": text}, headers={"Content-Type": content_type})
    bucket.heartbeat(at("10:00:01"), {"t": text}, headers={"Content-Type": content_type})

    assert bucket.stored() == [(at("10:00:00"), 1.0, {"t": text})]
