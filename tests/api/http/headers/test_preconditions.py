"""Tags in headers are read as RFC 9110 writes them, and spare a response that the client has already."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("{tag}", 200), ('"a", W/"b" ,{tag}', 200), (', {tag}, ,', 200), (" * ", 200),
        ('"a"', 412), ("W/{tag}", 412), ('"a,b", ""', 412), ('"*"', 412),
        ("a", 400), ('"a" "b"', 400), ('"a', 400), ('w/"a"', 400), ('*, "a"', 400), ('"a b"', 400),
        ("a, b", 400), (",", 400),
    ],
)  # fmt: skip
def test_a_change_is_made_if_the_tag_is_among_those_of_a_list_as_the_standard_writes_it(
    bucket: RemoteBucket, text: str, status: int
) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 5))
    path = f"/api/1/events/{bucket.id}/{stored['id']}"
    tag = bucket.server.get(path).headers["etag"]

    headers = {"If-Match": text.replace("{tag}", tag)}

    assert bucket.server.call("PATCH", path, {"duration": 7}, headers=headers).status == status


def test_what_the_client_has_already_is_not_sent_again(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 5))
    paths = [f"/api/1/events/{bucket.id}/{stored['id']}", f"/api/1/buckets/{bucket.id}/events"]
    for path in paths:
        first = bucket.server.get(path)
        tag = first.headers["etag"]
        for header in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            again = bucket.server.call("GET", path, headers={"If-None-Match": header})
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        inner = tag.strip('"')
        for header in ('"x"', inner[:-1], f'"{inner}x"', ""):
            assert bucket.server.call("GET", path, headers={"If-None-Match": header}).body == first.body


def test_head_is_spared_like_get(bucket: RemoteBucket) -> None:
    path = f"/api/1/buckets/{bucket.id}/events"
    tag = bucket.server.get(path).headers["etag"]

    assert bucket.server.call("HEAD", path, headers={"If-None-Match": tag}).status == 304
