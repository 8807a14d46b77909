"""Creating a bucket that is there already: 304 without a single byte of body (protocol 3.4, traps 1)."""

import msgspec

from tests.api.remote_bucket import RemoteBucket
from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import RunningServer

BODY = msgspec.json.encode({"client": "other", "type": "other", "hostname": "other", "data": {"other": 1}})


def test_second_create_is_304_and_empty(bucket: RemoteBucket) -> None:
    answer = bucket.create()

    assert (answer.status, answer.body) == (304, b"")


def test_304_has_neither_length_nor_type_nor_encoding(bucket: RemoteBucket) -> None:
    headers = bucket.create().headers

    assert headers.keys() & {"content-length", "content-type", "transfer-encoding"} == set()
    assert headers["x-request-id"]


def test_304_changes_nothing(bucket: RemoteBucket) -> None:
    before = bucket.view()

    assert bucket.create(client="other", type="other", hostname="other", data={"other": 1}).status == 304

    assert bucket.view() == before


def test_next_request_on_the_connection_is_answered_cleanly(shared_server: RunningServer, bucket: RemoteBucket) -> None:
    with RawConnection(shared_server) as connection:
        for _ in range(3):
            connection.send(request("POST", bucket.path, BODY))
            assert connection.answer().status == 304

        connection.send(request("GET", "/api/0/info"))
        assert connection.answer().json["testing"] is False


def test_bad_body_is_refused_even_where_the_bucket_exists(bucket: RemoteBucket) -> None:
    assert bucket.server.post(bucket.path, {"client": "c"}).status == 422


def test_bucket_of_another_case_is_another_bucket(shared_server: RunningServer) -> None:
    assert shared_server.create("Case").status == 200
    assert shared_server.create("case").status == 200
