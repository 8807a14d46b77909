"""`/api/0/buckets`: list, get, create, update, delete."""

from typing import Final

from dayline.access.limits import creator_name, is_creator, usage_name
from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET, DONE, NEW_BUCKET, Answer, Body, Route
from dayline.model.bucket import (
    BucketChange,
    BucketView,
    NewBucket,
    created_bucket,
    view_of,
)
from dayline.model.errors import BucketExists, NotFound
from dayline.model.time import now_us

METADATA_BYTES: Final = 64 << 10  # small, because every list of buckets contains it


async def list_buckets(call: Call) -> None:
    """Without their events. Returns `{}` if there are no buckets."""
    call.answer_value({bucket_id: view_of(bucket) for bucket_id, bucket in call.store.buckets().items()})


async def get_bucket(call: Call) -> None:
    """Its fields and the time range of its events, without the events."""
    call.answer_value(view_of(call.store.bucket(call.params["bucket_id"])))


async def create_bucket(call: Call) -> None:
    """Watchers call this on every start: an existing bucket does not change, and the response is 304.

    The host name `!local` is replaced by that of the server's computer; `data` then contains its device id. The body
    may have up to 64 KiB.
    """
    new = await call.decoded(NewBucket, limit=METADATA_BYTES)
    who = usage_name(call.caller)
    if who is not None:
        _check_new_bucket(call, who)
    await call.store.create_bucket(
        created_bucket(
            call.params["bucket_id"],
            new,
            now=now_us(),
            hostname=call.server.hostname,
            device_id=call.server.device_id,
            creator=creator_name(call.caller),
        )
    )
    call.answer_json(b"{}")


async def update_bucket(call: Call) -> None:
    """Changes only the given fields; `data` is replaced as a whole."""
    change = await call.decoded(BucketChange, limit=METADATA_BYTES)
    call.set_undo(await call.store.update_bucket(call.params["bucket_id"], change))
    call.answer_json(b"{}")


async def delete_bucket(call: Call) -> None:
    """Heartbeats to the bucket fail afterwards, until it is created again.

    The bucket and its events move to the trash; use the header `Undo-Id` to restore them.
    """
    call.set_undo(await call.store.delete_bucket(call.params["bucket_id"]))
    call.answer_json(b"{}")


def _check_new_bucket(call: Call, who: str) -> None:
    """Raise Forbidden if the bucket is new and the caller has reached its limit of buckets."""
    store = call.tenant.store
    buckets = store.buckets()
    if store.own_id(call.params["bucket_id"]) not in buckets:
        created = sum(is_creator(who, bucket.creator) for bucket in buckets.values())
        call.server.key_usages.check_new_bucket(who, created)


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/buckets/", handler=list_buckets, tag="buckets", scope="read",
        summary="List all buckets", answer=Answer(type=dict[str, BucketView], description="the buckets by id"),
    ),
    Route(
        method="GET", path=BUCKET, handler=get_bucket, tag="buckets", scope="read", audience="extensions",
        summary="Get a bucket", answer=Answer(type=BucketView, description="the bucket"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=BUCKET, handler=create_bucket, tag="buckets", scope="append",
        summary="Create a bucket", body=Body(type=NewBucket, example=NEW_BUCKET), answer=DONE,
        errors=(BucketExists,),
    ),
    Route(
        method="PUT", path=BUCKET, handler=update_bucket, tag="buckets", scope="full",
        summary="Change a bucket's fields", body=Body(type=BucketChange, example={"hostname": "desktop"}),
        answer=DONE, errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=BUCKET, handler=delete_bucket, tag="buckets", scope="full", is_destructive=True,
        summary="Delete a bucket and its events", answer=DONE, errors=(NotFound,),
    ),
)  # fmt: skip
