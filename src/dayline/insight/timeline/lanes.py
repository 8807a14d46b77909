"""A lane of one bucket: its events in the range with what they show and their category. Only query processes."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.classify import Classifier
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.keys import Texts, key_column, layer_of
from dayline.insight.timeline.pieces import Pieces, Spans
from dayline.insight.timeline_answer import LaneAnswer
from dayline.model.categories import Path
from dayline.query.distinct import used_codes
from dayline.query.table import NO_ID
from dayline.storage.columns import MISSING, Codes, Column, ColumnSource, EventColumns, Items, ReadReport, SourceBucket

CATEGORY: Final = "category"
_COVER_DIGITS: Final = 6
# The order of lanes within a device; the others stand before the annotations.
_RANKS: Final[Mapping[str, int]] = {
    "currentwindow": 0, "afkstatus": 1, "web.tab": 2, "app.editor": 3, "dayline.annotation": 9,
}  # fmt: skip
_OTHER_RANK: Final = 5


class Shown(Struct, frozen=True, eq=False):
    """The events of a lane. `keys` are what the codes of its spans mean; those of categories are the classifier's."""

    spans: Spans
    keys: Column


def ordered(buckets: Sequence[SourceBucket]) -> list[SourceBucket]:
    """Those of one device together, devices in order of their first bucket."""
    devices = list(dict.fromkeys(bucket.hostname for bucket in buckets))
    return sorted(buckets, key=lambda bucket: (devices.index(bucket.hostname), _rank(bucket.type)))


def shown(source: ColumnSource, bucket: SourceBucket, grid: Grid, classifier: Classifier, color: str | None) -> Shown:
    """The events of a bucket in the range, cut to it, with what pieces of them show."""
    events = _within(source.events(bucket.id, grid.start, grid.end - 1, ReadReport()), grid)
    data = events.dictionary
    values = used_codes(events.value, len(data))
    category = _categories(events, values, bucket.type, classifier)
    is_category = color == CATEGORY
    keys = Column(category, _names(classifier)) if is_category else key_column(data, values, bucket.type, color)
    spans = Spans(
        events.start, events.end, events.id, keys.codes[events.value], category[events.value],
    )  # fmt: skip
    return Shown(spans, keys)


class Tables:
    """What the numbers in an answer mean, for all lanes together."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._keys = Texts()
        self._categories: dict[Path, int] = {}

    @property
    def keys(self) -> list[str]:
        return self._keys.all()

    @property
    def categories(self) -> list[Path]:
        return list(self._categories)

    def lane(self, bucket: SourceBucket, keys: Column, pieces: Pieces, grid: Grid) -> LaneAnswer:
        """A lane as it goes over the wire."""
        gap = pieces.start - np.append(grid.start, pieces.end)[: len(pieces)]
        return LaneAnswer(
            bucket=bucket.id,
            device=bucket.hostname,
            type=bucket.type,
            events=int(pieces.count.sum()),
            is_exact=bool((pieces.count == 1).all()),
            gap=gap.tolist(),
            dur=(pieces.end - pieces.start).tolist(),
            key=self._keys.numbers(keys, pieces.key).tolist(),
            share=np.round(pieces.share, _COVER_DIGITS).tolist(),
            cat=self._numbers(pieces.category).tolist(),
            n=pieces.count.tolist(),
            cover=np.round(pieces.cover, _COVER_DIGITS).tolist(),
            id=[None if number == NO_ID else number for number in pieces.id.tolist()],
        )

    def _numbers(self, categories: Codes) -> Codes:
        names = self._classifier.names
        numbers = np.full(len(names) + 1, MISSING, dtype=np.int32)  # MISSING is the last entry
        for code in used_codes(categories, len(names)).tolist():
            numbers[code] = self._categories.setdefault(names[code], len(self._categories))
        return numbers[categories]


def _within(events: EventColumns, grid: Grid) -> EventColumns:
    """Without those that end where the half-open range begins, the others cut to it. Few reach beyond it."""
    early = int(np.searchsorted(events.start, grid.start))
    if early:
        kept = np.append(np.flatnonzero(events.end[:early] > grid.start), np.arange(early, len(events.start)))
        start = np.maximum(events.start[kept], grid.start)
        events = EventColumns(start, events.end[kept], events.id[kept], events.value[kept], events.dictionary)
    if not len(events.end) or events.end.max() <= grid.end:
        return events
    end = np.minimum(events.end, grid.end)
    return EventColumns(events.start, end, events.id, events.value, events.dictionary)


def _categories(events: EventColumns, values: Codes, bucket_type: str, classifier: Classifier) -> Codes:
    """For each value of the dictionary its category among the classifier's names; MISSING where it can have none."""
    codes = np.full(len(events.dictionary), MISSING, dtype=np.int32)
    layer = layer_of(bucket_type)
    if layer is not None:
        codes[values] = classifier.categories(classifier.places(layer, events.dictionary, values))
    return codes


def _names(classifier: Classifier) -> Items:
    return Items.of_values([" > ".join(name) for name in classifier.names])


def _rank(bucket_type: str) -> int:
    return next((rank for kind, rank in _RANKS.items() if bucket_type.startswith(kind)), _OTHER_RANK)
