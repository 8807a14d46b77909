"""The calls about categories."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from dayline.api import categories, category_insight, category_transfer
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.tables.insight_parts import COMMON
from dayline.insight.category_answers import (
    Categories,
    CategoryImport,
    CategoryVersions,
    ChangedCategories,
    Explanation,
    IgnoredSuggestions,
    Preview,
    StarterSet,
    Suggestions,
)
from dayline.insight.category_documents import CategoryDocument, NewCategoryDocument
from dayline.insight.category_requests import CategoriesChange, ExplainRequest, IgnoredSuggestion, PreviewRequest
from dayline.model.errors import Invalid, NotFound

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
        is_server_wide=True, is_tagged=True, summary="Get the categories and their rules",
        answer=Answer(type=Categories, description="all of them, in order"),
    ),
    Route(
        method="PUT", path="/api/1/categories", handler=categories.set_categories, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, is_conditional=True, summary="Replace the categories and their rules",
        body=Body(type=CategoriesChange, example=_EXAMPLE),
        answer=Answer(type=ChangedCategories, description="all of them as they are now"),
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
        scope="full", is_server_wide=True, is_destructive=True, is_conditional=True,
        summary="Restore a version of the categories",
        answer=Answer(type=ChangedCategories, description="all of them as they are now"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/explain", handler=category_insight.explain_category, tag="insight",
        scope="read", summary="Explain why something has its category",
        body=Body(type=ExplainRequest, example={"data": {"app": "Code", "title": "main.py"}}),
        answer=Answer(type=Explanation, description="the rule that decides, and the others"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/preview", handler=category_insight.preview_categories, tag="insight",
        scope="read", summary="Preview what changed rules would move", parameters=COMMON,
        body=Body(type=PreviewRequest, example={"categories": _EXAMPLE["categories"], "samples": 5}),
        answer=Answer(type=Preview, description="seconds that move, samples and warnings"),
    ),
    Route(
        method="GET", path="/api/1/categories/suggestions", handler=category_insight.suggest_categories,
        tag="insight", scope="read", is_tagged=True, summary="Suggest categories for time that has none",
        parameters=(
            Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many; 20 by itself"),
            *COMMON,
        ),
        answer=Answer(type=Suggestions, description="the largest groups first"), errors=(Invalid,),
    ),
    Route(
        method="POST", path="/api/1/categories/suggestions/ignore", handler=category_insight.ignore_suggestion,
        tag="insight", scope="full", is_server_wide=True, summary="Ignore a suggestion, or do so no more",
        body=Body(type=IgnoredSuggestion, example={"id": "domain:example.org"}),
        answer=Answer(type=IgnoredSuggestions, description="all that are ignored"),
    ),
    Route(
        method="GET", path="/api/1/categories/starters", handler=category_transfer.list_starters, tag="insight",
        scope="read", summary="List categories to begin with",
        answer=Answer(type=list[StarterSet], description="a few sets"),
    ),
    Route(
        method="GET", path="/api/1/categories/export", handler=category_transfer.export_categories, tag="insight",
        scope="read", is_server_wide=True, summary="Export the categories",
        answer=Answer(type=CategoryDocument, description="a document that import takes"),
    ),
    Route(
        method="POST", path="/api/1/categories/import", handler=category_transfer.import_categories, tag="insight",
        scope="full", is_server_wide=True, is_destructive=True, is_conditional=True, summary="Import categories",
        parameters=(
            Parameter(name="mode", type=Literal["merge", "replace"], description="`merge` where it is left out"),
            Parameter(name="dry_run", type=bool, description="tell what would be done, and do nothing"),
        ),
        body=Body(
            type=NewCategoryDocument | list[dict[str, Any]],
            example=[{"name": ["Work"], "rule": {"type": "regex", "regex": "GitHub"}}],
        ),
        answer=Answer(type=CategoryImport, description="what has become of each category"),
    ),
)  # fmt: skip
