"""The calls about pages of your own."""

from dayline.api import pages
from dayline.api.route import Answer, Route

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/pages/", handler=pages.list_pages, tag="pages", scope=None,
        summary="List the pages of your own", answer=Answer(type=list[str], description="names, sorted"),
    ),
)  # fmt: skip
