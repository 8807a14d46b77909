"""`/api/1/categories/export`, `/import` and `/starters`: rule sets from and to other places."""

from collections.abc import Sequence

import msgspec
from falcon import ETag

from dayline.api.http.call import Call
from dayline.api.http.headers import expected_tags
from dayline.api.http.parameters import choice
from dayline.api.insight.category_store import author_of, change_categories, current_state
from dayline.api.insight.task import refuse_slow_patterns
from dayline.insight.categories.checking import checked_categories
from dayline.insight.categories.documents import (
    EXPORT_KIND,
    CategoryDocument,
    merged,
    of_given,
    read_document,
    starter_sets,
)
from dayline.insight.categories.model import CategoryImport, ImportedCategory, NewCategory, Outcome, StarterSet, stated
from dayline.model.category import Category, OwnCategories, classes_of, own_fields_of, stored_categories
from dayline.model.data import CanonicalJson
from dayline.model.preferences import SettingBefore
from dayline.runtime.threads import in_thread


async def export_categories(call: Call) -> None:
    """All categories with all that Dayline knows about them, as a document that can be imported here or elsewhere."""
    state = await in_thread(current_state, call)
    stored = stored_categories(state.classes, state.own)
    call.response.set_header("Content-Disposition", 'attachment; filename="categories.json"')
    call.answer_value(CategoryDocument(kind=EXPORT_KIND, version=1, categories=stated(stored)))


async def import_categories(call: Call) -> None:
    """Takes a document of this call's kind, the list that the setting `classes` has, or `{"categories": [...]}`.

    `merge`, which it does by itself, adds those that are not there and puts those of the same path in their place;
    `replace` leaves nothing but what is imported. With `dry_run` it tells what it would do, and does nothing.
    """
    given = await in_thread(read_document, await call.json_body())
    mode = choice(call, "mode", ("merge", "replace"), "merge")
    is_dry = choice(call, "dry_run", ("false", "true", "0", "1"), "false") in ("true", "1")
    before = await in_thread(current_state, call)
    wanted = merged(stated(before.stored), given) if mode == "merge" else given
    known = [*before.stored.categories, *of_given(given).categories]  # colours of other programs are let through
    categories = await in_thread(checked_categories, wanted, current=known)
    await refuse_slow_patterns(call, categories, before.stored.categories)
    report = CategoryImport(
        categories=_outcome(before.stored.categories, categories, given), is_dry_run=is_dry, version=None
    )
    if is_dry:
        await call.store.begin()
        call.answer_value(report)
        return

    def compose(now: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        data = [category.data for category in wanted]
        return classes_of(categories, data, now.value), OwnCategories(fields=own_fields_of(categories))

    expected = expected_tags(call) or [ETag(before.tag)]
    await change_categories(call, compose, expected=expected, author=author_of(call), comment=f"imported ({mode})")
    version = (await in_thread(current_state, call)).version
    call.answer_value(msgspec.structs.replace(report, version=version))


async def list_starters(call: Call) -> None:
    """Sets of categories to begin with. Import one, or take from it what you like."""
    call.answer_value(
        [
            StarterSet(
                id=each.id,
                title=each.title,
                description=each.description,
                categories=stated(of_given(each.categories)),
            )
            for each in starter_sets()
        ]
    )


def _outcome(
    before: Sequence[Category], after: Sequence[Category], given: Sequence[NewCategory]
) -> list[ImportedCategory]:
    """What becomes of each category that is there or comes."""
    former = {category.name: category for category in before}
    imported = {category.name for category in given}
    now = {category.name for category in after}
    return [
        *(
            ImportedCategory(name=each.name, outcome=_becomes(former.get(each.name), each))
            for each in after
            if each.name in imported
        ),
        *(ImportedCategory(name=each.name, outcome="removed") for each in before if each.name not in now),
    ]


def _becomes(before: Category | None, after: Category) -> Outcome:
    if before is None:
        return "added"
    return "same" if msgspec.structs.replace(after, id=before.id) == before else "changed"
