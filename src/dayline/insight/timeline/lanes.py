"""The lane of a bucket: its events in the range with what they show and their category. Only query processes."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.bucket_kinds import layer_of
from dayline.insight.classify import Classifier
from dayline.insight.common_request import FIELDS, CommonRequest
from dayline.insight.filters import keeps
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.keys import ItemTexts, column_of, key_column
from dayline.insight.timeline.pieces import Spans
from dayline.model.categories import Path
from dayline.query.distinct import used_codes
from dayline.storage.columns import MISSING, Codes, ColumnSource, EventColumns, Flags, Ids, ReadReport, SourceBucket

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
    devices = list(dict.fromkeys(bucket.hostname for bucket in buckets))
    return sorted(buckets, key=lambda bucket: (devices.index(bucket.hostname), _rank(bucket.type)))


def bucket_lane(
    source: ColumnSource, bucket: SourceBucket, grid: Grid, common: CommonRequest, color: str | None
) -> Lane:
    """The events of a bucket in the range, cut to it, for which the filters hold.

    A filter on a field that none of them has leaves them alone: of who was away, it says nothing.
    """
    classifier = Classifier.of(common.scope.categories)
    events = _within(source.events(bucket.id, grid.start, grid.end - 1, ReadReport()), grid)
    values = used_codes(events.value, len(events.dictionary))
    category = _categories(events, values, bucket.type, classifier)
    if common.filters:
        holds = _holds(events, values, category, classifier, common)
        events = _taken(events, np.flatnonzero(holds[events.value]))
        values = values[holds[values]]
    codes, keys = _keys(events, values, bucket.type, color) if color != CATEGORY else (category, _texts(classifier))
    spans = Spans(events.start, events.end, events.id, codes[events.value], category[events.value])
    return Lane(bucket.id, bucket.hostname, bucket.type, spans, keys, classifier.names)


def _keys(events: EventColumns, values: Codes, bucket_type: str, color: str | None) -> tuple[Codes, Sequence[str]]:
    """For each value of the dictionary what it shows."""
    column = key_column(events.dictionary, values, bucket_type, color)
    return column.codes, ItemTexts(column.items)


def _texts(classifier: Classifier) -> Sequence[str]:
    return [" > ".join(name) for name in classifier.names]


def _within(events: EventColumns, grid: Grid) -> EventColumns:
    """Without those that end where the half-open range begins, the others cut to it. Few reach beyond it."""
    early = int(np.searchsorted(events.start, grid.start))
    if early:
        kept = np.append(np.flatnonzero(events.end[:early] > grid.start), np.arange(early, len(events.start)))
        events = _taken(events, kept)
        events = EventColumns(
            np.maximum(events.start, grid.start), events.end, events.id, events.value, events.dictionary
        )
    if not len(events.end) or events.end.max() <= grid.end:
        return events
    end = np.minimum(events.end, grid.end)
    return EventColumns(events.start, end, events.id, events.value, events.dictionary)


def _taken(events: EventColumns, which: Ids) -> EventColumns:
    return EventColumns(
        events.start[which], events.end[which], events.id[which], events.value[which], events.dictionary
    )


def _categories(events: EventColumns, values: Codes, bucket_type: str, classifier: Classifier) -> Codes:
    """For each value of the dictionary its category among the classifier's names; MISSING where it can have none."""
    codes = np.full(len(events.dictionary), MISSING, dtype=np.int32)
    layer = layer_of(bucket_type)
    if layer is not None:
        codes[values] = classifier.categories(classifier.places(layer, events.dictionary, values))
    return codes


def _holds(
    events: EventColumns, values: Codes, category: Codes, classifier: Classifier, common: CommonRequest
) -> Flags:
    """For each value of the dictionary whether the filters on its fields hold."""
    holds = np.ones(len(events.dictionary), dtype=np.bool_)
    for field in FIELDS:
        if field in ("device", "bucket") or not any(each.field == field for each in common.filters):
            continue
        column = column_of(events.dictionary, field)
        codes = category if field == CATEGORY else column.codes
        names: Sequence[str | Path] = classifier.names if field == CATEGORY else ItemTexts(column.items)
        if (codes[values] != MISSING).any():
            passes = np.zeros(len(names) + 1, dtype=np.bool_)  # MISSING is the last entry
            passes[MISSING] = keeps(common, field, None)
            used: list[int] = used_codes(codes[values], len(names)).tolist()
            for code in used:
                passes[code] = keeps(common, field, names[code])
            holds &= passes[codes]
    return holds


def _rank(bucket_type: str) -> int:
    return next((rank for kind, rank in _RANKS.items() if bucket_type.startswith(kind)), _OTHER_RANK)
