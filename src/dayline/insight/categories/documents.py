"""Rule sets as documents: our format, the setting `classes`, exports of the ActivityWatch web UI, and starter sets."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from dayline.insight.categories.model import MAX_CATEGORIES, CategoryView, NewCategory, NewRule
from dayline.model.category import Category, ClassicRule, StoredCategories, normal_path, stored_categories
from dayline.model.data import canonical_json, decode_body, decode_json, kind_of
from dayline.model.errors import Invalid

EXPORT_KIND: Final = "dayline.categories"


class CategoryDocument(Struct, frozen=True, kw_only=True):
    """A complete rule set."""

    kind: Literal["dayline.categories"]
    version: Literal[1]
    categories: list[CategoryView]


class NewCategoryDocument(Struct, frozen=True, kw_only=True):
    """A rule set to import. Without `kind` and `version`, its categories have the format of the setting `classes`."""

    categories: list[dict[str, Any]]
    kind: Literal["dayline.categories"] | UnsetType = UNSET
    version: Literal[1] | UnsetType = UNSET


class _OwnDocument(Struct, frozen=True, kw_only=True):
    kind: Literal["dayline.categories"]
    version: Literal[1]
    categories: tuple[NewCategory, ...]


def read_document(body: bytes) -> tuple[NewCategory, ...]:
    """The categories of a document in any of the three formats. Raises Malformed or Invalid."""
    value: object = decode_json(body)
    if not isinstance(value, dict):
        return _check_count(_of_classes(value))
    fields = cast("dict[str, object]", value)
    if "kind" in fields or "version" in fields:
        own = decode_body(body, _OwnDocument).categories
        return _check_count(tuple(replace(each, name=normal_path(each.name)) for each in own))
    return _check_count(_of_classes(fields.get("categories")))


def merge_categories(current: Sequence[CategoryView], given: Sequence[NewCategory]) -> tuple[NewCategory, ...]:
    """The current categories, replaced by given ones with the same path, followed by the other given ones."""
    coming = {category.name: category for category in given}
    there = {category.name for category in current}
    kept = [coming.get(each.name) or _as_new(each) for each in current]
    ids = {category.id for category in kept if category.id is not None}
    # Ids of another list have no meaning here: categories whose id is taken get a new one.
    added = [each if each.id not in ids else replace(each, id=None) for each in given if each.name not in there]
    return (*kept, *added)


def as_stored(given: Sequence[NewCategory]) -> StoredCategories:
    """Imported categories in the form of stored ones, for display."""
    return StoredCategories(
        categories=tuple(
            Category(
                id=number,
                name=each.name,
                rule=None if each.rule is None else ClassicRule(**asdict(each.rule)),
                conditions=tuple(each.conditions),
                priority=each.priority,
                color=each.color,
                is_always_active=each.is_always_active,
            )
            for number, each in enumerate(given)
        ),
        data=tuple(each.data for each in given),
    )


def _check_count(categories: tuple[NewCategory, ...]) -> tuple[NewCategory, ...]:
    if len(categories) > MAX_CATEGORIES:
        raise Invalid(f"too many categories: {len(categories):,} (at most {MAX_CATEGORIES:,})")
    return categories


def _of_classes(listed: object) -> tuple[NewCategory, ...]:
    """The categories of the setting `classes`, or of an export of the ActivityWatch web UI."""
    if not isinstance(listed, list):
        raise Invalid(
            f"the document contains no list of categories (got {kind_of(listed)})",
            hint='use an export, the value of the setting classes, or {"categories": [...]}',
        )
    stored = stored_categories(canonical_json(cast("list[object]", listed)), None)
    if stored.faults:
        fault = stored.faults[0]
        raise Invalid(f"category {fault.category}: {fault.message}", field=f"categories[{fault.category}]")
    return tuple(_new(each, data) for each, data in zip(stored.categories, stored.data, strict=True))


def _as_new(category: CategoryView) -> NewCategory:
    return decode_body(msgspec.json.encode(category), NewCategory)  # stored categories may exceed today's limits


def _new(category: Category, data: dict[str, Any]) -> NewCategory:
    rule = category.rule
    return NewCategory(
        name=category.name,
        id=category.id,
        rule=None if rule is None else NewRule(**asdict(rule)),
        color=category.color,
        data=data,
    )


class StarterFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A set as it is in its file."""

    id: str
    title: str
    description: str
    categories: tuple[NewCategory, ...]


@cache
def starter_sets() -> tuple[StarterFile, ...]:
    """All starter sets, in order."""
    text = (files("dayline.insight.categories") / "starters.json").read_bytes()
    return msgspec.json.decode(text, type=tuple[StarterFile, ...])
