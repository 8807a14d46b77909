"""The lane of a bucket: its events in the range with what they show and their category. Only query processes."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.bucket_kinds import layer_of
from dayline.insight.common_request import FIELDS, CommonRequest, Field
from dayline.insight.event_categories import BucketEvents, EventCategories
from dayline.insight.filters import keeps
from dayline.insight.item_texts import ItemTexts
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.keys import column_of, key_column
from dayline.insight.timeline.pieces import Spans
from dayline.model.categories import Path
from dayline.query.distinct import used_codes
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    ColumnSource,
    EventColumns,
    Flags,
    Ids,
    ReadReport,
    SourceBucket,
)

CATEGORY: Final = "category"
# The order of lanes within a device; the others stand before the annotations.
_RANKS: Final[Mapping[str, int]] = {
    "currentwindow": 0, "afkstatus": 1, "web.tab": 2, "app.editor": 3, "dayline.annotation": 9,
}  # fmt: skip
_OTHER_RANK: Final = 5


class Lane(Struct, frozen=True, eq=False):
    """What happened, to be drawn. `keys` and `categories` are what the codes of the spans mean."""

    bucket: str | None
    device: str
    type: str
    spans: Spans
    keys: Sequence[str]
    categories: Sequence[Path]


def ordered(buckets: Sequence[SourceBucket]) -> list[SourceBucket]:
    """Those of one device together, devices in order of their first bucket."""
    devices: dict[str, int] = {}
    for bucket in buckets:
        devices.setdefault(bucket.hostname, len(devices))
    return sorted(buckets, key=lambda bucket: (devices[bucket.hostname], _rank(bucket.type)))


def empty_lane() -> Lane:
    """A lane without events."""
    times, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Lane(None, "", "", Spans(times, times, times, codes, codes), [], [])


def bucket_lane(
    source: ColumnSource,
    bucket: SourceBucket,
    grid: Grid,
    common: CommonRequest,
    color: str | None,
    categories: EventCategories,
) -> Lane:
    """The events of a bucket in the range, cut to it, for which the filters hold.

    A filter on a field that none of them has leaves them alone: of who was away, it says nothing.
    """
    whole = _touching(source.events(bucket.id, grid.start, grid.end - 1, ReadReport()), grid)
    category = _categories(bucket, whole, categories, grid)
    if common.filters:
        holds = np.flatnonzero(_holds(whole, category, categories.names, common))
        whole, category = _taken(whole, holds), category[holds]
    events = _within(whole, grid)
    codes, keys = _keys(events, bucket.type, color) if color != CATEGORY else (category, _texts(categories.names))
    spans = Spans(events.start, events.end, events.id, codes, category)
    return Lane(bucket.id, bucket.hostname, bucket.type, spans, keys, categories.names)


def _keys(events: EventColumns, bucket_type: str, color: str | None) -> tuple[Codes, Sequence[str]]:
    """For each event what it shows."""
    values = used_codes(events.value, len(events.dictionary))
    column = key_column(events.dictionary, values, bucket_type, color)
    return column.codes[events.value], ItemTexts(column.items)


def _texts(names: Sequence[Path]) -> Sequence[str]:
    return [" > ".join(name) for name in names]


def _touching(events: EventColumns, grid: Grid) -> EventColumns:
    """Without those that end where the half-open range begins."""
    early = int(np.searchsorted(events.start, grid.start))
    if not early:
        return events
    return _taken(
        events, np.append(np.flatnonzero(events.end[:early] > grid.start), np.arange(early, len(events.start)))
    )


def _within(events: EventColumns, grid: Grid) -> EventColumns:
    """The events cut to the range. Few reach beyond it."""
    if not len(events.start) or (events.start[0] >= grid.start and events.end.max() <= grid.end):
        return events
    start, end = np.maximum(events.start, grid.start), np.minimum(events.end, grid.end)
    return EventColumns(start, end, events.id, events.value, events.dictionary)


def _taken(events: EventColumns, which: Ids) -> EventColumns:
    return EventColumns(
        events.start[which], events.end[which], events.id[which], events.value[which], events.dictionary
    )


def _categories(bucket: SourceBucket, events: EventColumns, categories: EventCategories, grid: Grid) -> Codes:
    """For each event its category among the names; MISSING where events of such a bucket have none."""
    if layer_of(bucket.type) is None:
        return np.full(len(events.start), MISSING, dtype=np.int32)
    whole = BucketEvents(
        bucket, events.start, events.end, events.value, events.dictionary, all_within=(grid.start, grid.end)
    )
    return categories.numbers(whole)


def _holds(events: EventColumns, category: Codes, names: Sequence[Path], common: CommonRequest) -> Flags:
    """For each event whether the filters on its fields hold."""
    holds = np.ones(len(events.start), dtype=np.bool_)
    for field in FIELDS:
        if field in ("device", "bucket") or not any(each.field == field for each in common.filters):
            continue
        if field == CATEGORY:
            holds &= _passes(category, names, field, common)
        else:
            column = column_of(events.dictionary, field)
            holds &= _passes(column.codes[events.value], ItemTexts(column.items), field, common)
    return holds


def _passes(codes: Codes, names: Sequence[str | Path], field: Field, common: CommonRequest) -> Flags:
    """Which codes the filters on a field let through: all of them, where none has a key."""
    if not (codes != MISSING).any():
        return np.ones(len(codes), dtype=np.bool_)
    passes = np.zeros(len(names) + 1, dtype=np.bool_)  # MISSING is the last entry
    passes[MISSING] = keeps(common, field, None)
    used: list[int] = used_codes(codes, len(names)).tolist()
    for code in used:
        passes[code] = keeps(common, field, names[code])
    flags: Flags = passes[codes]
    return flags


def _rank(bucket_type: str) -> int:
    return next((rank for kind, rank in _RANKS.items() if bucket_type.startswith(kind)), _OTHER_RANK)
