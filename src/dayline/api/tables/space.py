"""The calls about room on the disk."""

from dayline.api import space
from dayline.api.route import Answer, Route
from dayline.model.errors import Unavailable
from dayline.model.space import Space

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/space", handler=space.get_space, tag="care", scope="read",
        is_server_wide=True, summary="Tell what takes room on the disk",
        answer=Answer(type=Space, description="bytes per bucket, per year and for everything else"),
        errors=(Unavailable,),
    ),
)  # fmt: skip
