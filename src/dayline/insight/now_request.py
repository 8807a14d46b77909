"""What the categories of the present are asked by. No numpy."""

from typing import Any, TypeAlias

from msgspec import Struct

from dayline.insight.bucket_kinds import Layer
from dayline.model.categories import Category

Front: TypeAlias = dict[Layer, dict[str, Any]]  # the data of each layer of what is in front of a device


class NowCategoriesRequest(Struct, frozen=True, kw_only=True):
    """What is in front of some devices, and the categories that there are."""

    categories: tuple[Category, ...]
    fronts: tuple[Front, ...]
