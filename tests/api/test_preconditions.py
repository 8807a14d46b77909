"""Tags in headers are read as RFC 9110 writes them, and spare an answer that the client has already."""

import pytest

from dayline.api.http.headers import EntityTags, read_tags
from tests.api.moments import at
from tests.api.remote_bucket import RemoteBucket, event


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('"a"', EntityTags(strong=("a",))),
        ('W/"a"', EntityTags(weak=("a",))),
        ('"a", W/"b" ,"c"', EntityTags(strong=("a", "c"), weak=("b",))),
        ('"a,b", ""', EntityTags(strong=("a,b", ""))),
        (', "a", ,', EntityTags(strong=("a",))),
        (" * ", EntityTags(is_any=True)),
        ("", None),
        ("a", None),
        ('"a" "b"', None),
        ('"a', None),
        ('w/"a"', None),
        ('*, "a"', None),
        ('"a b"', None),
    ],
)
def test_tags_are_read_as_the_standard_writes_them(text: str, tags: EntityTags | None) -> None:
    assert read_tags(text) == tags


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
        for header in ('"x"', inner, inner[:-1], f'"{inner}x"', ""):
            assert bucket.server.call("GET", path, headers={"If-None-Match": header}).body == first.body


def test_head_is_spared_like_get(bucket: RemoteBucket) -> None:
    path = f"/api/1/buckets/{bucket.id}/events"
    tag = bucket.server.get(path).headers["etag"]

    assert bucket.server.call("HEAD", path, headers={"If-None-Match": tag}).status == 304
