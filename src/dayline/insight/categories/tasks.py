"""Tasks about categories for query processes. No numpy: the recording process creates them."""

from typing import Any

from msgspec import Struct

from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest
from dayline.model.category import Category
from dayline.model.time import Microseconds


class EventToExplain(Struct, frozen=True, kw_only=True):
    """An event of a bucket, by the bucket's own id."""

    bucket: str
    start: Microseconds
    end: Microseconds
    data: dict[str, Any]


class ExplainTask(Struct, frozen=True, kw_only=True):
    """What to explain: the data of each layer, an event, or what was active at the start of `common`."""

    common: CommonRequest
    shows_patterns: bool = False  # false for a key for some buckets: a pattern may contain names from others
    layers: dict[Layer, dict[str, Any]] | None = None
    event: EventToExplain | None = None


class PatternToCheck(Struct, frozen=True, kw_only=True):
    """A regular expression to be saved."""

    text: str
    ignore_case: bool


class CheckPatternsTask(Struct, frozen=True, kw_only=True):
    """Finds patterns that are too slow for the texts recorded from `start` to `end`."""

    patterns: tuple[PatternToCheck, ...]
    start: Microseconds
    end: Microseconds


class SlowPattern(Struct, frozen=True, kw_only=True):
    """A pattern that is too slow, by its index, and the text for which it is."""

    number: int
    text: str


class PreviewTask(Struct, frozen=True, kw_only=True):
    """Previews other categories than those of the scope."""

    common: CommonRequest
    categories: tuple[Category, ...]
    samples: int


class SuggestTask(Struct, frozen=True, kw_only=True):
    """Finds the largest groups of uncategorized time, except the ignored ones."""

    common: CommonRequest
    ignored: tuple[str, ...]
    limit: int
