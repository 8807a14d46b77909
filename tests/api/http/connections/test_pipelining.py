"""Requests sent without waiting: answered in order, whichever path each takes (decision 20)."""

from collections.abc import Sequence

import msgspec
import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import Answer, RunningServer


def beat(bucket: RemoteBucket, second: int, *, kind: str = "application/json", **fields: object) -> bytes:
    body = msgspec.json.encode({**event(at(f"10:{second // 60:02}:{second % 60:02}"), data={"n": second}), **fields})
    return request("POST", f"{bucket.path}/heartbeat?pulsetime=0", body, Content_Type=kind)


def answers(server: RunningServer, requests: Sequence[bytes]) -> list[Answer]:
    """Send everything at once, then read."""
    with RawConnection(server) as connection:
        connection.send(b"".join(requests))
        return [connection.answer() for _ in requests]


def test_pipelined_heartbeats_are_answered_in_order(bucket: RemoteBucket) -> None:
    found = answers(bucket.server, [beat(bucket, second) for second in range(50)])

    assert [answer.json["data"]["n"] for answer in found] == list(range(50))
    assert bucket.count() == 50


def test_more_heartbeats_than_a_connection_may_have_open_are_all_answered(bucket: RemoteBucket) -> None:
    found = answers(bucket.server, [beat(bucket, second) for second in range(1500)])

    assert [answer.json["data"]["n"] for answer in found] == list(range(1500))


def test_pipelined_heartbeats_merge_as_if_sent_one_by_one(bucket: RemoteBucket) -> None:
    requests = [
        request("POST", f"{bucket.path}/heartbeat?pulsetime=5", msgspec.json.encode(event(at(f"10:00:{second:02}"))))
        for second in range(30)
    ]

    found = answers(bucket.server, requests)

    assert [answer.json["duration"] for answer in found] == [float(second) for second in range(30)]
    assert bucket.stored() == [(at("10:00:00"), 29.0, {"a": 1})]


def test_heartbeats_and_other_calls_are_answered_in_order(bucket: RemoteBucket) -> None:
    count = request("GET", f"{bucket.path}/events/count")
    requests = [beat(bucket, 0), count, beat(bucket, 1), beat(bucket, 2), count, count, beat(bucket, 3), count]

    found = [answer.json for answer in answers(bucket.server, requests)]

    assert [item if isinstance(item, int) else f"beat {item['data']['n']}" for item in found] == [
        "beat 0", 1, "beat 1", "beat 2", 3, 3, "beat 3", 4,
    ]  # fmt: skip


def test_both_paths_are_answered_in_order(bucket: RemoteBucket) -> None:
    kinds = ["application/json", "application/json; charset=utf-8"]
    requests = [beat(bucket, second, kind=kinds[second * 7 % 3 % 2]) for second in range(40)]

    assert [answer.json["data"]["n"] for answer in answers(bucket.server, requests)] == list(range(40))


def test_refused_heartbeat_among_good_ones_is_answered_in_its_turn(bucket: RemoteBucket) -> None:
    requests = [
        beat(bucket, 0),
        beat(bucket, 1, timestamp="no"),
        beat(bucket, 2),
        beat(bucket, 3, duration="x"),
        beat(bucket, 4),
    ]

    found = answers(bucket.server, requests)

    assert [answer.status for answer in found] == [200, 422, 200, 422, 200]
    assert bucket.count() == 3


def test_heartbeat_of_an_unknown_bucket_is_answered_in_its_turn(bucket: RemoteBucket) -> None:
    unknown = RemoteBucket(bucket.server, "nowhere")

    found = answers(bucket.server, [beat(bucket, 0), beat(unknown, 1), beat(bucket, 2)])

    assert [answer.status for answer in found] == [200, 404, 200]


def test_bucket_created_and_used_in_one_go(shared_server: RunningServer) -> None:
    bucket = RemoteBucket(shared_server, "in-one-go")
    create = request("POST", bucket.path, b'{"type":"t","client":"c","hostname":"h"}')
    delete = request("DELETE", bucket.path)

    found = answers(
        shared_server, [beat(bucket, 0), create, create, beat(bucket, 1), beat(bucket, 2), delete, beat(bucket, 3)]
    )

    assert [answer.status for answer in found] == [404, 200, 304, 200, 200, 200, 404]


def test_streamed_answer_is_whole_before_the_next_begins(bucket: RemoteBucket) -> None:
    bucket.insert(*(event(at("10:00:00"), data={"n": n, "text": "x" * 200}) for n in range(5000)))
    export = request("GET", f"{bucket.path}/export")

    found = answers(bucket.server, [beat(bucket, 1), export, beat(bucket, 2), export])

    assert [len(found[place].json["buckets"][bucket.id]["events"]) for place in (1, 3)] == [5001, 5002]
    assert [found[place].json["data"]["n"] for place in (0, 2)] == [1, 2]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_requests_cut_into_small_pieces_are_understood(bucket: RemoteBucket, size: int) -> None:
    text = beat(bucket, 0) + request("GET", f"{bucket.path}/events/count") + beat(bucket, 1)

    with RawConnection(bucket.server) as connection:
        for place in range(0, len(text), size):
            connection.send(text[place : place + size])
        found = [connection.answer() for _ in range(3)]

    assert [answer.status for answer in found] == [200, 200, 200]
    assert found[1].json == 1


def test_last_request_may_ask_to_close(bucket: RemoteBucket) -> None:
    with RawConnection(bucket.server) as connection:
        body = msgspec.json.encode(event(at("11:00:00")))
        closing = request("POST", f"{bucket.path}/heartbeat?pulsetime=0", body, Connection="close")
        connection.send(beat(bucket, 0) + closing)

        assert [connection.answer().status for _ in range(2)] == [200, 200]
        assert connection.is_closed()


def test_client_that_sends_and_hangs_up_at_once_is_still_recorded(bucket: RemoteBucket) -> None:
    with RawConnection(bucket.server) as connection:
        connection.send(beat(bucket, 0) + beat(bucket, 1))

    # The next call is served after what was read before it.
    for _ in range(200):
        if bucket.count() == 2:
            break
    assert bucket.count() == 2


def test_answer_to_a_good_heartbeat_comes_before_the_refusal_of_what_follows(bucket: RemoteBucket) -> None:
    with RawConnection(bucket.server) as connection:
        connection.send(beat(bucket, 0) + b"this is not HTTP\r\n\r\n")

        first, second = connection.answer(), connection.answer()

    assert (first.status, first.json.get("data")) == (200, {"n": 0})
    assert second.status == 400


def test_answer_to_a_good_call_comes_before_the_refusal_of_what_follows(bucket: RemoteBucket) -> None:
    with RawConnection(bucket.server) as connection:
        connection.send(request("GET", f"{bucket.path}/events/count") + b"this is not HTTP\r\n\r\n")

        first, second = connection.answer(), connection.answer()

    assert (first.status, first.json) == (200, 0)
    assert second.status == 400


def test_refusal_of_a_request_line_behind_a_heartbeat_leaves_no_traceback(server: RunningServer) -> None:
    # What went wrong: the placeholder for heartbeats under way stayed behind when the request after them had a bad
    # path, and closing the connection then failed on it. `RunningServer` looks for tracebacks at its end.
    bucket = RemoteBucket(server, "a")
    bucket.create()

    with RawConnection(server) as connection:
        connection.send(beat(bucket, 0) + b"GET http://localhost:99999/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.rest()

    assert server.get("/api/0/info").status == 200
