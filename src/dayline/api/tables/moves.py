"""The calls about buckets under other ids."""

from dayline.api import moves
from dayline.api.route import BUCKET_ID, Answer, Body, Route
from dayline.model.errors import Conflict, NotFound
from dayline.model.moves import (
    Alias,
    AliasRemoved,
    Merged,
    MergeRequest,
    Rehosted,
    RehostRequest,
    Renamed,
    RenameRequest,
)

_BUCKET = "/api/1/buckets/{bucket_id}"
_MERGE = {"into": "aw-watcher-window_desktop"}

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path=f"{_BUCKET}/rename", handler=moves.rename_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Rename a bucket", body=Body(type=RenameRequest, example={"id": f"{BUCKET_ID}-2"}),
        answer=Answer(type=Renamed, description="the bucket under its new id"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/merge", handler=moves.merge_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Merge a bucket into another", body=Body(type=MergeRequest, example=_MERGE),
        answer=Answer(type=Merged, description="what went over"), errors=(NotFound, Conflict),
    ),
    Route(
        method="POST", path=f"{_BUCKET}/rehost", handler=moves.rehost_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Move a bucket to another host",
        body=Body(type=RehostRequest, example={"hostname": "desktop"}),
        answer=Answer(type=Rehosted, description="the bucket at its new host"), errors=(NotFound, Conflict),
    ),
    Route(
        method="GET", path="/api/1/aliases", handler=moves.list_aliases, tag="buckets", scope="read",
        summary="List the aliases of buckets", answer=Answer(type=list[Alias], description="in order of their ids"),
    ),
    Route(
        method="DELETE", path="/api/1/aliases/{alias}", handler=moves.remove_alias, tag="buckets", scope="full",
        is_destructive=True, summary="Remove an alias",
        answer=Answer(type=AliasRemoved, description="what brings it back"), errors=(NotFound,),
    ),
)  # fmt: skip
