"""The calls about buckets under other ids."""

from dayline.api import moves
from dayline.api.route import BUCKET_ID, Answer, Body, Route
from dayline.model.errors import Conflict, NotFound
from dayline.model.moves import Alias, AliasRemoved, Renamed, RenameRequest

_BUCKET = "/api/1/buckets/{bucket_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="POST", path=f"{_BUCKET}/rename", handler=moves.rename_bucket, tag="buckets", scope="full",
        is_destructive=True, summary="Rename a bucket", body=Body(type=RenameRequest, example={"id": f"{BUCKET_ID}-2"}),
        answer=Answer(type=Renamed, description="the bucket under its new id"), errors=(NotFound, Conflict),
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
