"""What is asked of a query process about categories. Free of numpy: the recording process encodes these."""

from typing import Any

from msgspec import Struct

from dayline.insight.bucket_kinds import Layer
from dayline.insight.common_request import CommonRequest
from dayline.model.categories import Category


class ExplainTask(Struct, frozen=True, kw_only=True):
    """Why something has its category: the data of each layer; or without any what was in front as `common` begins."""

    common: CommonRequest
    layers: dict[Layer, dict[str, Any]] | None = None


class PreviewTask(Struct, frozen=True, kw_only=True):
    """What other categories than those of the scope would come to."""

    common: CommonRequest
    categories: tuple[Category, ...]
    samples: int


class SuggestTask(Struct, frozen=True, kw_only=True):
    """The largest groups without a category, but for those ignored, by their ids."""

    common: CommonRequest
    ignored: tuple[str, ...]
    limit: int
