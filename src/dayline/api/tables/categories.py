"""The calls about categories."""

from typing import Annotated, Final

from msgspec import Meta

from dayline.api import categories
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.insight.category_answers import Categories, CategoryVersions, ChangedCategories
from dayline.insight.category_requests import CategoriesChange
from dayline.model.errors import NotFound, Stale

_VERSION_PATH: Final = "/api/1/categories/versions/{version}"
_EXAMPLE: Final = {
    "categories": [
        {"name": ["Work"], "color": "blue"},
        {
            "name": ["Work", "Code"],
            "rule": {"regex": "GitHub|vim", "ignore_case": True},
            "conditions": [{"field": "domain", "op": "is", "value": "docs.python.org"}],
        },
        {"name": ["Media"], "conditions": [{"field": "app", "op": "is", "value": "VLC"}], "is_always_active": True},
    ],
    "comment": "the first ones",
}
_HISTORY = (
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="only versions before this one"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many; 100 where it is left out"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/categories", handler=categories.get_categories, tag="insight", scope="read",
        is_server_wide=True, summary="Get the categories and their rules",
        answer=Answer(type=Categories, description="all of them, in order"),
    ),
    Route(
        method="PUT", path="/api/1/categories", handler=categories.set_categories, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace the categories and their rules",
        body=Body(type=CategoriesChange, example=_EXAMPLE),
        answer=Answer(type=ChangedCategories, description="all of them as they are now"), errors=(Stale,),
    ),
    Route(
        method="GET", path="/api/1/categories/versions", handler=categories.list_category_versions, tag="insight",
        scope="read", is_server_wide=True, summary="List the versions of the categories", parameters=_HISTORY,
        answer=Answer(type=CategoryVersions, description="the latest first"),
    ),
    Route(
        method="GET", path=_VERSION_PATH, handler=categories.get_category_version, tag="insight", scope="read",
        is_server_wide=True, summary="Get the categories as a version had them",
        answer=Answer(type=Categories, description="all of them as they were then"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_VERSION_PATH}/restore", handler=categories.restore_category_version, tag="insight",
        scope="full", is_server_wide=True, is_destructive=True, summary="Restore a version of the categories",
        answer=Answer(type=ChangedCategories, description="all of them as they are now"), errors=(NotFound, Stale),
    ),
)  # fmt: skip
