"""What a create request makes of a bucket."""

import pytest

from dayline.model.bucket import Bucket, NewBucket, check_bucket_id, created_bucket
from dayline.model.data import decode_body
from dayline.model.errors import Invalid

NOW = 1_770_106_531_000_000


def made(**fields: object) -> Bucket:
    new = NewBucket(**{"type": "t", "client": "c", "hostname": "h", **fields})  # type: ignore[arg-type]
    return created_bucket("b", new, now=NOW, hostname="here", device_id="device")


def test_created_is_now_unless_it_is_given() -> None:
    assert made().created == NOW
    assert made(created="2020-01-01T00:00:00+01:00").created == 1_577_833_200_000_000


@pytest.mark.parametrize("created", ["", "yesterday", "1969-12-31T23:59:59Z", "2262-01-01T00:00:00Z"])
def test_created_that_no_event_could_have_is_rejected(created: str) -> None:
    with pytest.raises(Invalid, match="created") as caught:
        made(created=created)

    assert caught.value.field == "created"


def test_local_mark_becomes_this_computer_and_its_device() -> None:
    bucket = made(hostname="!local", data={"kept": 1, "device_id": "spoofed"})

    assert (bucket.hostname, bucket.data) == ("here", {"kept": 1, "device_id": "device"})


def test_any_other_hostname_is_kept_as_it_is() -> None:
    bucket = made(hostname="!LOCAL")

    assert (bucket.hostname, bucket.data) == ("!LOCAL", {})


def test_request_is_not_changed_by_what_is_made_of_it() -> None:
    data: dict[str, object] = {}

    made(hostname="!local", data=data)

    assert data == {}


@pytest.mark.parametrize("field", ["type", "client", "hostname"])
def test_missing_field_is_named(field: str) -> None:
    fields = {"type", "client", "hostname"} - {field}
    body = "{" + ",".join(f'"{name}": "x"' for name in fields) + "}"

    with pytest.raises(Invalid, match=f"{field} is missing") as caught:
        decode_body(body.encode(), NewBucket)

    assert caught.value.field == field


@pytest.mark.parametrize("bucket_id", ["a", "a b", "a/b", ".", "..", "ä", "日本", "\U0001f600", "a\nb", "x" * 512])
def test_bucket_may_be_called_nearly_anything(bucket_id: str) -> None:
    check_bucket_id(bucket_id)


@pytest.mark.parametrize("bucket_id", ["", "\0", "a\0b", "x" * 513])
def test_bucket_may_not_be_called_this(bucket_id: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_bucket_id(bucket_id)

    assert caught.value.field == "id"
