"""`/api/1/categories`: rule sets, their preview, suggestions and explanations."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.headers import expected_tags
from dayline.api.http.parameters import COMMON, REFUSALS
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight import category_transfer
from dayline.api.insight.category_store import (
    CategoryState,
    author_of,
    change_categories,
    current_state,
    no_version,
    state_at,
    versions,
)
from dayline.api.insight.task import (
    annotations_for,
    answer_tagged,
    common_request,
    refuse_slow_patterns,
    run_task,
    scope_of,
)
from dayline.insight.categories.checking import checked_categories, faults_of, slow_faults
from dayline.insight.categories.documents import CategoryDocument, NewCategoryDocument
from dayline.insight.categories.model import (
    Categories,
    CategoriesChange,
    CategoryImport,
    CategoryVersions,
    ChangedCategories,
    EventToExplain,
    ExplainRequest,
    ExplainTask,
    Explanation,
    IgnoredSuggestion,
    IgnoredSuggestions,
    Preview,
    PreviewRequest,
    PreviewTask,
    StarterSet,
    Suggestions,
    SuggestTask,
    stated,
)
from dayline.insight.now.buckets import layer_of
from dayline.insight.request import CommonRequest
from dayline.model.category import OwnCategories, classes_of, own_categories, own_fields_of, stored_categories
from dayline.model.data import CanonicalJson, canonical_json, decode_body
from dayline.model.errors import Forbidden, Invalid, NotFound
from dayline.model.preferences import SettingBefore
from dayline.model.time import checked_moment
from dayline.runtime.threads import in_thread

_PAGE: Final = 100
_MOST: Final = 1000

_change = msgspec.json.Decoder(CategoriesChange)


async def get_categories(call: Call) -> None:
    """All of them, in order, with what Dayline keeps beside the setting `classes`.

    The `ETag` is for `If-Match` of a change. A rule that another program has written and that cannot be used stands in
    `faults`, and the others stay in force.
    """
    state = await in_thread(current_state, call)
    view = await in_thread(_view, call, state)
    if view.faults:  # which can change while the categories, and with them their tag, stay as they are
        call.response.set_header("ETag", f'"{state.tag}"')
        call.answer_value(view)
    else:
        answer_tagged(call, msgspec.json.encode(view), tag=state.tag)


async def set_categories(call: Call) -> None:
    """Puts these categories in the place of all that there are: in the setting `classes`, too, for all who read it.

    With `If-Match` only where nobody has changed them since: else the answer is 412, and says who and when. A list in
    which one rule cannot be used is refused as a whole: also if a new regular expression takes too long for titles of
    the last 12 months. Every change is a version: to restore the one before undoes it.
    """
    change = decode_body(await call.json_body(), _change)
    before = await in_thread(current_state, call)
    categories = await in_thread(checked_categories, change.categories, current=before.stored.categories)
    await refuse_slow_patterns(call, categories, before.stored.categories)
    data = [category.data for category in change.categories]

    def compose(before: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        return classes_of(categories, data, before.value), OwnCategories(fields=own_fields_of(categories))

    await change_categories(call, compose, expected=expected_tags(call), author=author_of(call), comment=change.comment)
    await answer_changed(call)


async def list_category_versions(call: Call) -> None:
    """Who changed the categories, when and why, whether here or by another program in the setting `classes`."""
    limit = min(call.number("limit") or _PAGE, _MOST)
    found = await in_thread(versions, call, before=call.number("cursor"), limit=limit)
    cursor = found[-1].number if len(found) == limit else None
    call.answer_value(CategoryVersions(versions=found, cursor=cursor))


async def get_category_version(call: Call) -> None:
    """The categories as they were then."""
    call.answer_value(await in_thread(lambda: _view(call, state_at(call, _version_number(call)))))


async def restore_category_version(call: Call) -> None:
    """The categories are again as they were then. That is a version of its own: what they were until now stays."""
    number = _version_number(call)
    wanted = await in_thread(state_at, call, number)

    def compose(before: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        return wanted.classes, OwnCategories(fields=own_categories(wanted.own).fields)

    await change_categories(
        call,
        compose,
        expected=expected_tags(call),
        author=author_of(call),
        comment=f"version {number} restored",
    )
    await answer_changed(call)


async def answer_changed(call: Call) -> None:
    """Answer with the categories as they are after a change."""
    state = await in_thread(current_state, call)
    call.response.set_header("ETag", f'"{state.tag}"')
    latest = await in_thread(versions, call, before=None, limit=2)
    view = _view(call, state)
    previous = next((each.number for each in latest if view.version and each.number < view.version.number), None)
    call.answer_value(
        ChangedCategories(version=view.version, categories=view.categories, faults=view.faults, previous=previous)
    )


def _view(call: Call, state: CategoryState) -> Categories:
    stored, slow = stored_categories(state.classes, state.own), call.tenant.queries.slow_patterns
    return Categories(
        version=state.version,
        categories=stated(stored),
        faults=[*faults_of(state.classes, state.own), *slow_faults(stored.categories, slow)],
    )


def _version_number(call: Call) -> int:
    number = call.path_number("version")
    if number is None:
        raise no_version(call.params["version"])
    return number


# `/api/1/categories/explain`, `/preview` and `/suggestions`: rules with their proof on what was recorded.


IGNORED: Final = "ignored_suggestions"  # the own setting
_SUGGESTIONS: Final = 20
_MOST_SUGGESTIONS: Final = 200
_MOST_IGNORED: Final = 10_000

_explain = msgspec.json.Decoder(ExplainRequest)
_preview = msgspec.json.Decoder(PreviewRequest)
_ignore = msgspec.json.Decoder(IgnoredSuggestion)
_ignored = msgspec.json.Decoder(tuple[str, ...])


async def explain_category(call: Call) -> None:
    """Which rule decides, in which field, and what it found there; and the other rules that match, with why they lost.

    Ask for an event (`bucket` and `id`), which is explained together with what else was in front; for data that you
    give (`data`, and `type` of the bucket); or for what was in front at a moment (`at`, and `device` if there are
    several). A key for some buckets gets no patterns, and cannot ask for `data`.
    """
    asked = decode_body(await call.json_body(), _explain)
    given = [name for name in ("at", "data", "bucket") if getattr(asked, name) is not None]
    if len(given) != 1:
        told = f"{' and '.join(given)} are several things to explain" if given else "there is nothing to explain"
        raise Invalid(told, hint="give bucket and id, or data, or at", field=given[-1] if given else None)
    scope = await scope_of(call)
    if asked.at is not None:
        moment = checked_moment(asked.at, field="at")
        devices = () if asked.device is None else (asked.device,)
        common = CommonRequest(scope=scope, start=moment, end=moment + 1, devices=devices)
        common = await in_thread(annotations_for, call, common, moment, moment + 1)
        task = ExplainTask(common=common, shows_patterns=call.caller.buckets.is_all)
    else:
        common = CommonRequest(scope=scope, start=0, end=1)
        task = await in_thread(_task, call, asked, common)
    call.answer_json(await run_task(call, "explain_category", task))


async def preview_categories(call: Call) -> None:
    """What a changed rule set, sent as a whole, would move in a range: seconds by category, samples and warnings.

    Nothing is changed. A rule that cannot be used is refused with its place, as when it is saved. One that takes too
    long is skipped, with a warning.
    """
    asked = decode_body(await call.json_body(), _preview)
    common = await common_request(call)
    categories = await in_thread(checked_categories, asked.categories, current=common.scope.categories)
    task = PreviewTask(common=common, categories=categories, samples=asked.samples)
    call.answer_json(await run_task(call, "preview_categories", task))


async def suggest_categories(call: Call) -> None:
    """The largest groups of time without a category: by app, by domain, by a word of the title.

    Each has a condition that would match it and a name for a category. Those that somebody ignores are left out.
    """
    common = await common_request(call)
    ignored = await in_thread(_ignored_suggestions, call)
    limit = min(call.number("limit") or _SUGGESTIONS, _MOST_SUGGESTIONS)
    answer_tagged(
        call, await run_task(call, "suggest_categories", SuggestTask(common=common, ignored=ignored, limit=limit))
    )


async def ignore_suggestion(call: Call) -> None:
    """Leaves a suggestion out from now on, by its id; or makes it again, with `is_ignored` false."""
    asked = decode_body(await call.json_body(), _ignore)
    ignored = await in_thread(_ignored_suggestions, call)
    kept = [each for each in ignored if each != asked.id]
    if asked.is_ignored:
        kept = [*kept, asked.id][-_MOST_IGNORED:]
    await call.access.set_own_setting(IGNORED, canonical_json(kept))
    call.answer_value(IgnoredSuggestions(ignored=kept))


def _ignored_suggestions(call: Call) -> tuple[str, ...]:
    return _ignored.decode(call.access.own_setting(IGNORED) or b"[]")


def _task(call: Call, asked: ExplainRequest, common: CommonRequest) -> ExplainTask:
    """What a query process is asked about data or an event."""
    shows_patterns = call.caller.buckets.is_all
    if asked.data is not None:
        if not shows_patterns:  # the answers to one word after another would show the rules
            raise Forbidden(
                "a key for some buckets can ask only about what was recorded in them, not about data",
                hint="send bucket and id, or at, or use a key for all buckets",
            )
        return ExplainTask(
            common=common, shows_patterns=shows_patterns, layers={layer_of(asked.type) or "window": asked.data}
        )
    assert asked.bucket is not None  # just looked at
    if asked.id is None:
        raise Invalid("id is missing: which event of the bucket", field="id")
    event = call.store.event(asked.bucket, asked.id)
    return ExplainTask(
        common=common,
        shows_patterns=shows_patterns,
        event=EventToExplain(
            bucket=call.store.bucket(asked.bucket).id,  # it may be named by an alias
            start=event.start,
            end=event.start + max(0, event.duration),
            data=msgspec.json.decode(event.data),
        ),
    )


# Routes.


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
        method="GET", path="/api/1/categories", handler=get_categories, tag="insight", scope="read",
        is_server_wide=True, is_tagged=True, summary="Get the categories and their rules",
        answer=Answer(type=Categories, description="all of them, in order"),
    ),
    Route(
        method="PUT", path="/api/1/categories", handler=set_categories, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, is_conditional=True, summary="Replace the categories and their rules",
        body=Body(type=CategoriesChange, example=_EXAMPLE),
        answer=Answer(type=ChangedCategories, description="all of them as they are now"),
    ),
    Route(
        method="GET", path="/api/1/categories/versions", handler=list_category_versions, tag="insight",
        scope="read", is_server_wide=True, summary="List the versions of the categories", parameters=_HISTORY,
        answer=Answer(type=CategoryVersions, description="the latest first"),
    ),
    Route(
        method="GET", path=_VERSION_PATH, handler=get_category_version, tag="insight", scope="read",
        is_server_wide=True, summary="Get the categories as a version had them",
        answer=Answer(type=Categories, description="all of them as they were then"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_VERSION_PATH}/restore", handler=restore_category_version, tag="insight",
        scope="full", is_server_wide=True, is_destructive=True, is_conditional=True,
        summary="Restore a version of the categories",
        answer=Answer(type=ChangedCategories, description="all of them as they are now"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/explain", handler=explain_category, tag="insight",
        scope="read", summary="Explain why something has its category",
        body=Body(type=ExplainRequest, example={"data": {"app": "Code", "title": "main.py"}}),
        answer=Answer(type=Explanation, description="the rule that decides, and the others"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/preview", handler=preview_categories, tag="insight",
        scope="read", summary="Preview what changed rules would move", parameters=COMMON,
        body=Body(type=PreviewRequest, example={"categories": _EXAMPLE["categories"], "samples": 5}),
        answer=Answer(type=Preview, description="seconds that move, samples and warnings"),
    ),
    Route(
        method="GET", path="/api/1/categories/suggestions", handler=suggest_categories,
        tag="insight", scope="read", is_tagged=True, summary="Suggest categories for time that has none",
        parameters=(
            Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many; 20 by itself"),
            *COMMON,
        ),
        answer=Answer(type=Suggestions, description="the largest groups first"), errors=REFUSALS,
    ),
    Route(
        method="POST", path="/api/1/categories/suggestions/ignore", handler=ignore_suggestion,
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
