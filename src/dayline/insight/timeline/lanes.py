"""The lanes of buckets: events with their labels and categories. Only query processes import this."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar, cast

import numpy as np
from msgspec import Struct

from dayline.insight.active.bucket_values import ItemTexts
from dayline.insight.active.combinations import Key
from dayline.insight.active.filters import keeps
from dayline.insight.categories.events import BucketEvents, EventCategories
from dayline.insight.now.buckets import layer_of
from dayline.insight.request import FIELDS, CommonRequest, Field
from dayline.insight.timeline.coverage import coverage_of
from dayline.insight.timeline.dominance import Shares
from dayline.insight.timeline.pieces import Grid, Spans, TimelinePieces, density, pieces_of
from dayline.model.category import Path
from dayline.query.columns.distinct import lookup, used_codes
from dayline.query.functions.urls import DOMAIN, URL, UrlPart
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    Column,
    ColumnSource,
    Dictionary,
    EventColumns,
    Flags,
    Ids,
    ReadReport,
    SourceBucket,
    no_column,
)

T = TypeVar("T", bound=Hashable)

# By the prefix of a bucket's type: the fields that describe events best. The first one that any event has counts.
_FIELDS_OF_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "currentwindow": ("app",),
    "web.tab": ("domain", "url"),
    "afkstatus": ("status",),
    "app.editor": ("file", "project"),
    "dayline.annotation": ("label", "kind"),
    "general.stopwatch": ("label",),
}
# Types whose events have a title in addition to their label.
_TITLED_TYPES: Final = ("currentwindow", "web.tab")
_TELLING: Final = ("label", "title", "app", "name", "status", "project", "file", "url")
_SHORT_BYTES: Final = 80

CATEGORY: Final = "category"
# The order of lanes within a device. Other types come before annotations.
_RANKS: Final[Mapping[str, int]] = {
    "currentwindow": 0, "afkstatus": 1, "web.tab": 2, "app.editor": 3, "dayline.annotation": 9,
}  # fmt: skip
_OTHER_RANK: Final = 5


def key_column(data: Dictionary, values: Codes, bucket_type: str, field: str | None) -> Column:
    """The label of each value of a dictionary: the named field, or one that suits the type of the bucket.

    `values` are those that occur. For others the result may be wrong.
    """
    if field is not None:
        return column_of(data, field)
    suiting = next((fields for kind, fields in _FIELDS_OF_TYPES.items() if bucket_type.startswith(kind)), None)
    if suiting is None:
        return _first_short(data, values)
    columns = [column_of(data, name) for name in suiting]
    return next((column for column in columns if _occurs(column, values)), columns[0])


def _first_short(data: Dictionary, values: Codes) -> Column:
    """The best field if the type does not decide: one of the usual ones, or else any with short texts."""
    fields = data.fields()
    for name in (*(name for name in _TELLING if name in fields), *sorted(set(fields) - set(_TELLING))):
        column = data.column(name)
        if _occurs(column, values) and _is_short(column):
            return column
    return no_column(len(data))


def _occurs(column: Column, values: Codes) -> bool:
    return bool((column.codes[values] != MISSING).any())


def _is_short(column: Column) -> bool:
    """Whether it has texts, most of them short."""
    items = column.items
    return bool(items.is_string.all()) and len(items.heap) <= _SHORT_BYTES * len(items)


def column_of(data: Dictionary, field: str) -> Column:
    """A field of each value. `domain` is computed from its URL."""
    if field == "domain" and field not in data.fields():
        every = np.arange(len(data), dtype=np.int32)
        return UrlPart(data.column(URL), DOMAIN).of(every) if URL in data.fields() else no_column(len(data))
    return data.column(field)


class Numbering(Generic[T]):
    """Numbers names in the order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def numbers(self, names: Sequence[T], codes: Codes) -> Codes:
        """The number of each of these codes, which are indices into `names`; -1 for MISSING."""
        renumbered = np.full(len(names), MISSING, dtype=np.int32)
        used: list[int] = used_codes(codes, len(names)).tolist()
        for code in used:
            renumbered[code] = self._numbers.setdefault(names[code], len(self._numbers))
        return lookup(renumbered, codes, MISSING)

    def all(self) -> list[T]:
        return list(self._numbers)


class Lane(Struct, frozen=True, eq=False):
    """The events of a lane. `keys`, `titles` and `categories` are what the codes of the spans refer to."""

    bucket: str | None
    device: str
    type: str
    spans: Spans
    keys: Sequence[str]
    categories: Sequence[Path]
    titles: Sequence[str]


def order_by_device(buckets: Sequence[SourceBucket]) -> list[SourceBucket]:
    """Sort by device; devices are in order of their first bucket."""
    devices: dict[str, int] = {}
    for bucket in buckets:
        devices.setdefault(bucket.hostname, len(devices))
    return sorted(buckets, key=lambda bucket: (devices[bucket.hostname], _rank(bucket.type)))


def empty_lane() -> Lane:
    """A lane without events."""
    times, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Lane(None, "", "", Spans(times, times, times, codes, codes, codes), [], [], [])


def bucket_lane(
    source: ColumnSource,
    bucket: SourceBucket,
    grid: Grid,
    common: CommonRequest,
    color: str | None,
    categories: EventCategories,
) -> Lane:
    """The events of a bucket that match the filters, clipped to the range.

    A filter on a field that none of the events has is ignored: AFK events, for example, have no app.
    """
    whole = _touching(source.events(bucket.id, grid.start, grid.end - 1, ReadReport()), grid)
    category = _categories(bucket, whole, categories, grid)
    if common.filters:
        holds = np.flatnonzero(_holds(whole, category, categories.names, common))
        whole, category = _take(whole, holds), category[holds]
    events = _within(whole, grid)
    codes, keys = _keys(events, bucket.type, color) if color != CATEGORY else (category, texts(categories.names))
    titles = _title_column(events, bucket.type)
    spans = Spans(events.start, events.end, events.id, codes, category, titles.codes[events.value])
    return Lane(bucket.id, bucket.hostname, bucket.type, spans, keys, categories.names, ItemTexts(titles.items))


def _keys(events: EventColumns, bucket_type: str, color: str | None) -> tuple[Codes, Sequence[str]]:
    """The label of each event."""
    values = used_codes(events.value, len(events.dictionary))
    column = key_column(events.dictionary, values, bucket_type, color)
    return column.codes[events.value], ItemTexts(column.items)


def _title_column(events: EventColumns, bucket_type: str) -> Column:
    """The title of each value, in buckets whose events have one."""
    data = events.dictionary
    return column_of(data, "title") if bucket_type.startswith(_TITLED_TYPES) else no_column(len(data))


def _touching(events: EventColumns, grid: Grid) -> EventColumns:
    """The events without those that end exactly at the start of the half-open range."""
    early = int(np.searchsorted(events.start, grid.start))
    if not early:
        return events
    return _take(
        events, np.append(np.flatnonzero(events.end[:early] > grid.start), np.arange(early, len(events.start)))
    )


def _within(events: EventColumns, grid: Grid) -> EventColumns:
    """The events clipped to the range. Few extend beyond it."""
    if not len(events.start) or (events.start[0] >= grid.start and events.end.max() <= grid.end):
        return events
    start, end = np.maximum(events.start, grid.start), np.minimum(events.end, grid.end)
    return EventColumns(start, end, events.id, events.value, events.dictionary)


def _take(events: EventColumns, which: Ids) -> EventColumns:
    return EventColumns(
        events.start[which], events.end[which], events.id[which], events.value[which], events.dictionary
    )


def _categories(bucket: SourceBucket, events: EventColumns, categories: EventCategories, grid: Grid) -> Codes:
    """The category of each event, as an index into the names; MISSING if events of this bucket have none."""
    if layer_of(bucket.type) is None:
        return np.full(len(events.start), MISSING, dtype=np.int32)
    whole = BucketEvents(
        bucket, events.start, events.end, events.value, events.dictionary, all_within=(grid.start, grid.end)
    )
    return categories.numbers(whole)


def _holds(events: EventColumns, category: Codes, names: Sequence[Path], common: CommonRequest) -> Flags:
    """Whether each event passes the filters on its fields."""
    holds = np.ones(len(events.start), dtype=np.bool_)
    # A project is one of all layers together: the events of a single bucket do not have one.
    skipped = ("device", "bucket", *(("project",) if common.scope.projects else ()))
    for field in FIELDS:
        if field in skipped or not any(each.field == field for each in common.filters):
            continue
        if field == CATEGORY:
            holds &= _passes(category, names, field, common)
        else:
            column = column_of(events.dictionary, field)
            holds &= _passes(column.codes[events.value], ItemTexts(column.items), field, common)
    return holds


def _passes(codes: Codes, names: Sequence[str | Path], field: Field, common: CommonRequest) -> Flags:
    """Which codes pass the filters on a field; all of them if none has a key."""
    if not (codes != MISSING).any():
        return np.ones(len(codes), dtype=np.bool_)
    passes = np.zeros(len(names), dtype=np.bool_)
    used: list[int] = used_codes(codes, len(names)).tolist()
    for code in used:
        passes[code] = keeps(common, field, names[code])
    return lookup(passes, codes, keeps(common, field, None))


def _rank(bucket_type: str) -> int:
    return next((rank for kind, rank in _RANKS.items() if bucket_type.startswith(kind)), _OTHER_RANK)


class DrawnLane(Struct, frozen=True, eq=False):
    """The pieces of a lane, what their codes refer to, and the covered share of each column of the overview."""

    bucket: str | None
    device: str
    type: str
    keys: Sequence[str]
    categories: Sequence[Path]
    pieces: TimelinePieces
    density: Shares
    titles: Sequence[str] = ()


def draw(lane: Lane, grid: Grid) -> DrawnLane:
    """Draw a lane on a grid."""
    coverage = coverage_of(lane.spans.start, lane.spans.end)
    pieces = pieces_of(lane.spans, coverage, grid)
    shares = density(coverage, grid)
    return DrawnLane(lane.bucket, lane.device, lane.type, lane.keys, lane.categories, pieces, shares, lane.titles)


def texts(names: Sequence[Key]) -> Sequence[str]:
    """Keys as texts. Most are texts already, and are decoded on access."""
    if names and isinstance(names[0], tuple):
        return [" > ".join(name) for name in names]
    return cast("Sequence[str]", names)
