"""What is asked of a query process about categories. Free of numpy: the recording process encodes these."""

from typing import Any

from msgspec import Struct

from dayline.insight.bucket_kinds import Layer
from dayline.insight.common_request import CommonRequest
from dayline.model.categories import Category
from dayline.model.timestamps import Microseconds


class EventToExplain(Struct, frozen=True, kw_only=True):
    """An event of a bucket, by the bucket's own id."""

    bucket: str
    start: Microseconds
    end: Microseconds
    data: dict[str, Any]


class ExplainTask(Struct, frozen=True, kw_only=True):
    """Why something has its category: the data of each layer, or an event, or what was in front as `common` begins."""

    common: CommonRequest
    shows_patterns: bool = False  # not for a key for some buckets: a pattern may name what is in others
    layers: dict[Layer, dict[str, Any]] | None = None
    event: EventToExplain | None = None


class PatternToCheck(Struct, frozen=True, kw_only=True):
    """A regular expression that is about to be saved."""

    text: str
    ignore_case: bool


class CheckPatternsTask(Struct, frozen=True, kw_only=True):
    """Which of these patterns are too slow for the texts recorded from `start` to `end`."""

    patterns: tuple[PatternToCheck, ...]
    start: Microseconds
    end: Microseconds


class SlowPattern(Struct, frozen=True, kw_only=True):
    """A pattern that is too slow, by its place among those to check, and the text that shows it."""

    number: int
    text: str


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
