"""`/api/1/categories/export`, `/import` and `/starters`: exchange of rule sets."""

from collections.abc import Sequence

import msgspec
from falcon import ETag

from dayline.api.http.call import Call, expected_tags
from dayline.api.http.parameters import choice, text_parameter
from dayline.api.insight.category_store import author_of, change_categories, current_state
from dayline.api.insight.task import refuse_slow_patterns
from dayline.insight.categories.checking import checked_categories
from dayline.insight.categories.documents import (
    EXPORT_KIND,
    CategoryDocument,
    as_stored,
    merge_categories,
    read_document,
    starter_sets,
)
from dayline.insight.categories.model import (
    MAX_COMMENT,
    CategoryImport,
    ImportedCategory,
    NewCategory,
    Outcome,
    StarterSet,
    category_views,
)
from dayline.model.category import Category, OwnCategories, classes_of, own_fields_of, stored_categories
from dayline.model.data import CanonicalJson
from dayline.model.settings.history import SettingBefore
from dayline.runtime.threads import in_thread


async def export_categories(call: Call) -> None:
    """All categories with all their fields, as a document that you can import here or on another server."""
    state = await in_thread(current_state, call)
    stored = stored_categories(state.classes, state.own)
    call.response.set_header("Content-Disposition", 'attachment; filename="categories.json"')
    call.answer_value(CategoryDocument(kind=EXPORT_KIND, version=1, categories=category_views(stored)))


async def import_categories(call: Call) -> None:
    """Accepts an exported document, the value of the setting `classes`, or `{"categories": [...]}`.

    `merge` (the default) adds new categories and replaces those with the same path; `replace` removes all others. With
    `dry_run` it only shows what it would do. The history shows the `comment`.
    """
    given = await in_thread(read_document, await call.json_body())
    mode = choice(call, "mode", ("merge", "replace"), "merge")
    is_dry = choice(call, "dry_run", ("false", "true", "0", "1"), "false") in ("true", "1")
    comment = text_parameter(call, "comment", f"imported ({mode})", max_length=MAX_COMMENT)
    before = await in_thread(current_state, call)
    wanted = merge_categories(category_views(before.stored), given) if mode == "merge" else given
    known = [*before.stored.categories, *as_stored(given).categories]  # accept colors written by other programs
    categories = await in_thread(checked_categories, wanted, current=known)
    await refuse_slow_patterns(call, categories, before.stored.categories)
    report = CategoryImport(
        categories=_outcome(before.stored.categories, categories, given),
        is_dry_run=is_dry,
        version=None,
        previous=None if before.version is None else before.version.number,
    )
    if is_dry:
        await call.store.begin()
        call.answer_value(report)
        return

    def compose(now: SettingBefore) -> tuple[CanonicalJson | None, OwnCategories]:
        data = [category.data for category in wanted]
        return classes_of(categories, data, now.value), OwnCategories(fields=own_fields_of(categories))

    expected = expected_tags(call) or [ETag(before.tag)]
    await change_categories(call, compose, expected=expected, author=author_of(call), comment=comment)
    version = (await in_thread(current_state, call)).version
    call.answer_value(msgspec.structs.replace(report, version=version))


async def list_starters(call: Call) -> None:
    """Starter sets of categories. Import one, or copy parts of it."""
    call.answer_value(
        [
            StarterSet(
                id=each.id,
                title=each.title,
                description=each.description,
                categories=category_views(as_stored(each.categories)),
            )
            for each in starter_sets()
        ]
    )


def _outcome(
    before: Sequence[Category], after: Sequence[Category], given: Sequence[NewCategory]
) -> list[ImportedCategory]:
    """The outcome for each existing or imported category."""
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
