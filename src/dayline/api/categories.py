"""`/api/1/categories`: the rules that say what time was spent on, and their versions."""

from typing import Final

import msgspec

from dayline.api.call import Call, in_thread
from dayline.api.category_store import (
    CategoryState,
    author_of,
    change_categories,
    current_state,
    no_version,
    state_at,
    versions,
)
from dayline.api.insight import answer_tagged, refuse_slow_patterns
from dayline.api.preconditions import expected_tags
from dayline.insight.category_answers import Categories, CategoryVersions, ChangedCategories, stated
from dayline.insight.category_check import checked_categories, faults_of, slow_faults
from dayline.insight.category_requests import CategoriesChange
from dayline.model.category_settings import OwnCategories, classes_of, own_categories, own_fields_of, stored_categories
from dayline.model.data import CanonicalJson
from dayline.model.setting_change import SettingBefore
from dayline.model.wire import decode_body

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
    stored, slow = stored_categories(state.classes, state.own), call.services.queries.slow_patterns
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
