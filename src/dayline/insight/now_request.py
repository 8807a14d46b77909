"""What the categories of the present are asked by. No numpy."""

from typing import Any

from msgspec import Struct

from dayline.model.categories import Category


class Front(Struct, frozen=True, kw_only=True):
    """The data of the window in front of a device, and of the tab within it."""

    window: dict[str, Any]
    tab: dict[str, Any] | None = None


class NowCategoriesRequest(Struct, frozen=True, kw_only=True):
    """What is in front of some devices, and the categories that there are."""

    categories: tuple[Category, ...]
    fronts: tuple[Front, ...]
