"""Responses of many events come in pages inside the server, which no one sees."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.server import RunningServer

COUNT = 5000  # more than two pages
TIES = 4500  # of one start: more than two pages that cannot be cut in time


def second(number: int) -> str:
    return f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"


@pytest.fixture(scope="module")
def many(shared_server: RunningServer) -> RemoteBucket:
    bucket = RemoteBucket(shared_server, "many")
    bucket.create()
    bucket.insert(*(event(second(number), 1.0, {"n": number}) for number in range(COUNT)))
    return bucket


@pytest.fixture(scope="module")
def ties(shared_server: RunningServer) -> RemoteBucket:
    bucket = RemoteBucket(shared_server, "ties")
    bucket.create()
    bucket.insert(
        event(second(3), data={"n": "after"}),
        *(event(second(2), data={"n": number}) for number in range(TIES)),
        event(second(1), data={"n": "before"}),
    )
    return bucket


def numbers(bucket: RemoteBucket, **parameters: object) -> list[object]:
    return [item["data"]["n"] for item in bucket.events(**parameters)]


def test_all_events_come_once_and_in_order(many: RemoteBucket) -> None:
    assert numbers(many) == list(range(COUNT))[::-1]


@pytest.mark.parametrize("limit", [1, 1999, 2000, 2001, 3999, 4000, 4001, 4999, 5000, 5001])
def test_limit_is_exact_wherever_a_page_ends(many: RemoteBucket, limit: int) -> None:
    assert numbers(many, limit=limit) == list(range(COUNT))[::-1][:limit]


def test_range_over_several_pages_is_exact(many: RemoteBucket) -> None:
    assert numbers(many, start=second(500), end=second(4500)) == list(range(499, 4501))[::-1]
    assert many.count(start=second(500), end=second(4500)) == 4002


def test_events_of_one_start_come_once_and_in_the_order_of_their_ids(ties: RemoteBucket) -> None:
    assert numbers(ties) == ["after", *range(TIES), "before"]


@pytest.mark.parametrize("limit", [1, 2, 2000, 2001, 2002, 4000, 4501, 4502, 4503])
def test_limit_is_exact_among_events_of_one_start(ties: RemoteBucket, limit: int) -> None:
    assert numbers(ties, limit=limit) == ["after", *range(TIES), "before"][:limit]


def test_events_a_microsecond_apart_come_once_and_in_order(shared_server: RunningServer) -> None:
    bucket = RemoteBucket(shared_server, "dense")
    bucket.create()
    bucket.insert(*(event(f"2026-01-01T00:00:00.{number:06}Z", data={"n": number}) for number in range(COUNT)))

    assert numbers(bucket) == list(range(COUNT))[::-1]


def test_export_holds_every_event_once(shared_server: RunningServer, many: RemoteBucket) -> None:
    exported = shared_server.get(f"{many.path}/export").json["buckets"]["many"]["events"]

    assert [item["data"]["n"] for item in exported] == list(range(COUNT))[::-1]
