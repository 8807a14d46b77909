"""`pulsetime`: required, a number of seconds, fractions and 0 allowed (protocol 4, traps 14)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at, each_path
from tests.support.server import Answer


def beat(bucket: RemoteBucket, query: str, *, time: str, content_type: str) -> Answer:
    return bucket.server.post(f"{bucket.path}/heartbeat{query}", event(at(time)), **{"Content-Type": content_type})


@each_path
@pytest.mark.parametrize("query", ["", "?", "?pulse=5", "?pulsetime", "?pulsetime=", "?PULSETIME=5"])
def test_missing_pulsetime_is_400_and_never_a_default(bucket: RemoteBucket, content_type: str, query: str) -> None:
    answer = beat(bucket, query, time="10:00:00", content_type=content_type)

    assert (answer.status, answer.json["field"]) == (400, "pulsetime")
    assert "pulsetime" in answer.message
    assert bucket.count() == 0


@each_path
@pytest.mark.parametrize(
    "value",
    ["five", "5s", "1,5", "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "0x10", "%00", "%ff", "5%205"],
)
def test_pulsetime_that_is_no_finite_number_is_400(bucket: RemoteBucket, content_type: str, value: str) -> None:
    answer = beat(bucket, f"?pulsetime={value}", time="10:00:00", content_type=content_type)

    assert (answer.status, answer.json["field"]) == (400, "pulsetime")
    assert bucket.count() == 0


@each_path
@pytest.mark.parametrize(
    ("pulsetime", "time", "is_merged"),
    [
        ("0", "10:00:00", True),
        ("0", "10:00:00.000001", False),
        ("0.5", "10:00:00.500", True),
        ("0.5", "10:00:00.500001", False),
        ("26.0", "10:00:26", True),
        ("5", "10:00:05", True),
        ("5", "10:00:05.000001", False),
        ("1e1", "10:00:10", True),
        ("%2B5", "10:00:05", True),
        ("-5", "10:00:00", True),
        ("-5", "10:00:00.000001", False),
        ("-1e300", "10:00:00", True),
        ("1e300", "23:59:59", True),
        ("1e308", "23:59:59", True),
        ("99999999999999999999", "23:59:59", True),
    ],
)
def test_pulsetime_is_the_longest_gap_that_merges(
    bucket: RemoteBucket, content_type: str, pulsetime: str, time: str, is_merged: bool
) -> None:
    beat(bucket, "?pulsetime=0", time="10:00:00", content_type=content_type)

    answer = beat(bucket, f"?pulsetime={pulsetime}", time=time, content_type=content_type)

    assert answer.status == 200
    assert bucket.count() == (1 if is_merged else 2)


@each_path
def test_other_parameters_are_ignored(bucket: RemoteBucket, content_type: str) -> None:
    assert beat(bucket, "?commit=1&pulsetime=5&x=%ff", time="10:00:00", content_type=content_type).status == 200
