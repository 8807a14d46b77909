"""`/api/1/categories`: rule sets, their preview, suggestions and explanations."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from dayline.api.http.call import Call, expected_tags
from dayline.api.http.parameters import COMMON, COMMON_ERRORS
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
from dayline.insight.categories.colors import category_colors
from dayline.insight.categories.documents import CategoryDocument, NewCategoryDocument
from dayline.insight.categories.model import (
    Categories,
    CategoriesChange,
    CategoryImport,
    CategoryVersions,
    ChangedCategories,
    Comment,
    ExplainRequest,
    Explanation,
    IgnoredSuggestion,
    IgnoredSuggestions,
    Preview,
    PreviewRequest,
    StarterSet,
    Suggestions,
    category_views,
)
from dayline.insight.categories.tasks import EventToExplain, ExplainTask, PreviewTask, SuggestTask
from dayline.insight.now.buckets import layer_of
from dayline.insight.request import CommonRequest
from dayline.model.category import OwnCategories, classes_of, own_categories, own_fields_of, stored_categories
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import Forbidden, Invalid, NotFound
from dayline.model.settings.history import SettingBefore
from dayline.model.time import checked_moment
from dayline.runtime.threads import in_thread


async def get_categories(call: Call) -> None:
    """All categories, in order, from the setting `classes` and Dayline's additional fields.

    Send the `ETag` as `If-Match` with a change. `faults` lists invalid rules that another program has written; the
    other rules stay in force.
    """
    state = await in_thread(current_state, call)
    view = await in_thread(_view, call, state)
    if view.faults:  # they can change while the categories and their ETag stay the same
        call.response.set_header("ETag", f'"{state.tag}"')
        call.answer_value(view)
    else:
        answer_tagged(call, msgspec.json.encode(view), tag=state.tag)


async def set_categories(call: Call) -> None:
    """Replaces all categories, also in the setting `classes` for ActivityWatch clients.

    With `If-Match`, only if they have not changed since; otherwise the response is 412 with the author and time of the
    last change. The whole list is rejected if one rule is invalid, or if a new regular expression is too slow on the
    titles of the last 12 months. Every change is a version; restore the previous one to undo it.
    """
    change = await call.decoded(CategoriesChange)
    before = await in_thread(current_state, call)
    categories = await in_thread(checked_categories, change.categories, current=before.stored.categories)
    await refuse_slow_patterns(call, categories, before.stored.categories)
    data = [category.data for category in change.categories]

    def compose(before: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        return classes_of(categories, data, before.value), OwnCategories(fields=own_fields_of(categories))

    await change_categories(call, compose, expected=expected_tags(call), author=author_of(call), comment=change.comment)
    await answer_changed(call)


async def list_category_versions(call: Call) -> None:
    """Who changed the categories, when and why, including changes of the setting `classes` by other programs."""
    limit = call.page_limit()
    page = await in_thread(versions, call, before=call.number("cursor"), limit=limit)
    cursor = page[-1].number if len(page) == limit else None
    call.answer_value(CategoryVersions(versions=page, cursor=cursor))


async def get_category_version(call: Call) -> None:
    """The categories of that version."""
    call.answer_value(await in_thread(lambda: _view(call, state_at(call, call.path_id("version", no_version)))))


async def restore_category_version(call: Call) -> None:
    """Restores the categories of that version, as a new version."""
    number = call.path_id("version", no_version)
    wanted = await in_thread(state_at, call, number)

    def compose(before: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        return wanted.classes, OwnCategories(fields=own_categories(wanted.own).fields)

    await change_categories(
        call,
        compose,
        expected=expected_tags(call),
        author=author_of(call),
        comment=f"restored version {number}",
    )
    await answer_changed(call)


async def answer_changed(call: Call) -> None:
    """Respond with the categories after a change."""
    state = await in_thread(current_state, call)
    call.response.set_header("ETag", f'"{state.tag}"')
    latest = await in_thread(versions, call, before=None, limit=2)
    view = await in_thread(_view, call, state)
    previous = next((each.number for each in latest if view.version and each.number < view.version.number), None)
    changed = {name: getattr(view, name) for name in Categories.__struct_fields__}
    call.answer_value(ChangedCategories(**changed, previous=previous))


def _view(call: Call, state: CategoryState) -> Categories:
    stored, slow = stored_categories(state.classes, state.own), call.tenant.queries.slow_patterns
    return Categories(
        version=state.version,
        categories=category_views(stored),
        colors=category_colors(stored.categories),
        faults=[*faults_of(state.classes, state.own), *slow_faults(stored.categories, slow)],
    )


# `/api/1/categories/explain`, `/preview` and `/suggestions`.
IGNORED: Final = "ignored_suggestions"  # key of the internal setting
_SUGGESTIONS: Final = 20
_MAX_SUGGESTIONS: Final = 200
_MAX_IGNORED: Final = 10_000


async def explain_category(call: Call) -> None:
    """The rule that decides, the field and text it matched, and the other matching rules with why they lost.

    Explain an event (`bucket` and `id`), together with the other active events of its device; data that you send
    (`data`, and the `type` of the bucket); or the activity at a time (`at`, and `device` if there are several). A key
    that is limited to some buckets gets no patterns, and cannot use `data`.
    """
    asked = await call.decoded(ExplainRequest)
    given = [name for name in ("at", "data", "bucket") if getattr(asked, name) is not None]
    if len(given) != 1:
        problem = f"{' and '.join(given)} cannot be combined" if given else "nothing to explain"
        raise Invalid(problem, hint="send bucket and id, or data, or at", field=given[-1] if given else None)
    scope = await scope_of(call)
    if asked.at is not None:
        time = checked_moment(asked.at, field="at")
        devices = () if asked.device is None else (asked.device,)
        common = CommonRequest(scope=scope, start=time, end=time + 1, devices=devices)
        common = await in_thread(annotations_for, call, common, time, time + 1)
        task = ExplainTask(common=common, shows_patterns=call.caller.buckets.is_all)
    else:
        common = CommonRequest(scope=scope, start=0, end=1)
        task = await in_thread(_task, call, asked, common)
    call.answer_json(await run_task(call, "explain_category", task))


async def preview_categories(call: Call) -> None:
    """What a changed rule set would move in a range: seconds by category, samples and warnings.

    Send the whole rule set. Nothing is changed. An invalid rule is rejected with its position, as when you save it. A
    rule that is too slow is skipped, with a warning.
    """
    asked = await call.decoded(PreviewRequest)
    common = await common_request(call)
    categories = await in_thread(checked_categories, asked.categories, current=common.scope.categories)
    task = PreviewTask(common=common, categories=categories, samples=asked.samples)
    call.answer_json(await run_task(call, "preview_categories", task))


async def suggest_categories(call: Call) -> None:
    """The largest groups of uncategorized time: by app, by domain, by a word of the title.

    Each has a condition that would match it and a name for a category. Ignored suggestions are left out.
    """
    common = await common_request(call)
    ignored = await in_thread(_ignored_suggestions, call)
    limit = min(call.number("limit") or _SUGGESTIONS, _MAX_SUGGESTIONS)
    answer_tagged(
        call, await run_task(call, "suggest_categories", SuggestTask(common=common, ignored=ignored, limit=limit))
    )


async def ignore_suggestion(call: Call) -> None:
    """Hides a suggestion by its id, or shows it again with `is_ignored` false."""
    asked = await call.decoded(IgnoredSuggestion)
    ignored = await in_thread(_ignored_suggestions, call)
    kept = [each for each in ignored if each != asked.id]
    if asked.is_ignored:
        kept = [*kept, asked.id][-_MAX_IGNORED:]
    await call.access.set_own_setting(IGNORED, canonical_json(kept))
    call.answer_value(IgnoredSuggestions(ignored=kept))


def _ignored_suggestions(call: Call) -> tuple[str, ...]:
    return msgspec.json.decode(call.access.own_setting(IGNORED) or b"[]", type=tuple[str, ...])


def _task(call: Call, asked: ExplainRequest, common: CommonRequest) -> ExplainTask:
    """The task for data or an event."""
    shows_patterns = call.caller.buckets.is_all
    if asked.data is not None:
        if not shows_patterns:  # by sending one word after another, a caller could find out the rules
            raise Forbidden(
                "`data` needs a key for all buckets, and this key is limited to some",
                hint="send bucket and id, or at, or use a key for all buckets",
            )
        return ExplainTask(
            common=common, shows_patterns=shows_patterns, layers={layer_of(asked.type) or "window": asked.data}
        )
    assert asked.bucket is not None  # checked by the caller
    if asked.id is None:
        raise Invalid("`id` is required with `bucket`", hint="send the id of an event of the bucket", field="id")
    event = call.store.event(asked.bucket, asked.id)
    return ExplainTask(
        common=common,
        shows_patterns=shows_patterns,
        event=EventToExplain(
            bucket=call.store.bucket(asked.bucket).id,  # resolves an alias
            start=event.start,
            end=event.start + max(0, event.duration),
            data=msgspec.json.decode(event.data),
        ),
    )


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
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="the `cursor` of the previous page"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max versions; default: 100"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/categories", handler=get_categories, tag="categories", scope="read",
        audience="all buckets", is_tagged=True, summary="Get the categories and their rules",
        answer=Answer(type=Categories, description="all categories, in order"),
    ),
    Route(
        method="PUT", path="/api/1/categories", handler=set_categories, tag="categories", scope="full",
        audience="all buckets", is_destructive=True, is_conditional=True,
        summary="Replace the categories and their rules", body=Body(type=CategoriesChange, example=_EXAMPLE),
        answer=Answer(type=ChangedCategories, description="all categories after the change"),
    ),
    Route(
        method="GET", path="/api/1/categories/versions", handler=list_category_versions, tag="categories",
        scope="read", audience="all buckets", summary="List the versions of the categories", parameters=_HISTORY,
        answer=Answer(type=CategoryVersions, description="the versions, the latest first"),
    ),
    Route(
        method="GET", path=_VERSION_PATH, handler=get_category_version, tag="categories", scope="read",
        audience="all buckets", summary="Get a version of the categories",
        answer=Answer(type=Categories, description="all categories of that version"), errors=(NotFound,),
    ),
    Route(
        method="POST", path=f"{_VERSION_PATH}/restore", handler=restore_category_version, tag="categories",
        scope="full", audience="all buckets", is_destructive=True, is_conditional=True,
        summary="Restore a version of the categories",
        answer=Answer(type=ChangedCategories, description="all categories after the change"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/explain", handler=explain_category, tag="categories",
        scope="read", summary="Explain a category",
        body=Body(type=ExplainRequest, example={"data": {"app": "Code", "title": "main.py"}}),
        answer=Answer(type=Explanation, description="the deciding rule, and the others that match"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/categories/preview", handler=preview_categories, tag="categories",
        scope="read", summary="Preview changed rules", parameters=COMMON,
        body=Body(type=PreviewRequest, example={"categories": _EXAMPLE["categories"], "samples": 5}),
        answer=Answer(type=Preview, description="seconds that move, samples and warnings"),
    ),
    Route(
        method="GET", path="/api/1/categories/suggestions", handler=suggest_categories,
        tag="categories", scope="read", is_tagged=True, summary="Suggest categories for uncategorized time",
        parameters=(
            Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max suggestions; default: 20"),
            *COMMON,
        ),
        answer=Answer(type=Suggestions, description="the largest groups first"), errors=COMMON_ERRORS,
    ),
    Route(
        method="POST", path="/api/1/categories/suggestions/ignore", handler=ignore_suggestion,
        tag="categories", scope="full", audience="all buckets", summary="Ignore a suggestion, or show it again",
        body=Body(type=IgnoredSuggestion, example={"id": "domain:example.org"}),
        answer=Answer(type=IgnoredSuggestions, description="all ignored suggestions"),
    ),
    Route(
        method="GET", path="/api/1/categories/starters", handler=category_transfer.list_starters, tag="categories",
        scope="read", summary="List starter sets of categories",
        answer=Answer(type=list[StarterSet], description="the sets"),
    ),
    Route(
        method="GET", path="/api/1/categories/export", handler=category_transfer.export_categories, tag="categories",
        scope="read", audience="all buckets", summary="Export the categories",
        answer=Answer(type=CategoryDocument, description="a document for `POST /api/1/categories/import`"),
    ),
    Route(
        method="POST", path="/api/1/categories/import", handler=category_transfer.import_categories, tag="categories",
        scope="full", audience="all buckets", is_destructive=True, is_conditional=True, summary="Import categories",
        parameters=(
            Parameter(name="mode", type=Literal["merge", "replace"], description="default: `merge`"),
            Parameter(name="dry_run", type=bool, description="only preview the import"),
            Parameter(name="comment", type=Comment, description="reason for the change, for the history"),
        ),
        body=Body(
            type=NewCategoryDocument | list[dict[str, Any]],
            example=[{"name": ["Work"], "rule": {"type": "regex", "regex": "GitHub"}}],
        ),
        answer=Answer(type=CategoryImport, description="the outcome for each category"),
    ),
)  # fmt: skip
