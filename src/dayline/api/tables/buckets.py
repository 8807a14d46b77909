"""The calls about buckets."""

from dayline.api import buckets
from dayline.api.route import Answer, Body, Route
from dayline.api.tables.parts import BUCKET, DONE, NEW_BUCKET
from dayline.model.bucket import BucketChange, BucketView, NewBucket
from dayline.model.errors import BucketExists, NotFound

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/buckets/", handler=buckets.list_buckets, tag="buckets", scope="read",
        summary="List all buckets", answer=Answer(type=dict[str, BucketView], description="bucket id to bucket"),
    ),
    Route(
        method="GET", path=BUCKET, handler=buckets.get_bucket, tag="buckets", scope="read", is_for_extensions=True,
        summary="Get a bucket", answer=Answer(type=BucketView, description="the bucket"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=BUCKET, handler=buckets.create_bucket, tag="buckets", scope="append",
        summary="Create a bucket", body=Body(type=NewBucket, example=NEW_BUCKET), answer=DONE,
        errors=(BucketExists,),
    ),
    Route(
        method="PUT", path=BUCKET, handler=buckets.update_bucket, tag="buckets", scope="full",
        summary="Change a bucket's fields", body=Body(type=BucketChange, example={"hostname": "desktop"}),
        answer=DONE, errors=(NotFound,),
    ),
    Route(
        method="DELETE", path=BUCKET, handler=buckets.delete_bucket, tag="buckets", scope="full", is_destructive=True,
        summary="Delete a bucket and its events", answer=DONE, errors=(NotFound,),
    ),
)  # fmt: skip
