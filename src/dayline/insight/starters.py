"""Starter sets: categories to begin with, for a few ways of life. They come with the package."""

from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from dayline.insight.category_requests import NewCategory
from dayline.model.categories import Category


class StarterFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A set as the file has it."""

    id: str
    title: str
    description: str
    categories: tuple[NewCategory, ...]


@cache
def starter_sets() -> tuple[StarterFile, ...]:
    """All of them, in order."""
    text = (files("dayline.insight") / "starters.json").read_bytes()
    return msgspec.json.decode(text, type=tuple[StarterFile, ...])


@cache
def starter_categories() -> tuple[Category, ...]:
    """The categories of all sets, for what something may be called. Those of the first set win."""
    found: dict[tuple[str, ...], Category] = {}
    for each in starter_sets():
        for category in each.categories:
            found.setdefault(category.name, Category(id=0, name=category.name, conditions=tuple(category.conditions)))
    return tuple(reversed(found.values()))
