"""The category of single events: the category of the time that they are part of. Only query processes import this.

An event is classified together with what was active in the middle of it, as in summaries: a tab or a file with its
window, a window with the tab and the file in it. An event that was not active then, such as a tab in a background
window, is classified by its own data.

window    [Firefox       ][Code            ]
tabs      [docs  ][mail              ]          docs: with Firefox; mail: on its own
files                        [main.py  ]        main.py: with Code
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from dayline.insight.active.bucket_values import BucketValues
from dayline.insight.active.device_pieces import DevicePieces, Reading, read_months, read_pieces, state_of_month
from dayline.insight.active.layers import DeviceBuckets, devices_of
from dayline.insight.active.months import MAX_MONTHS_KEPT, ReadOnlyCacheSource
from dayline.insight.calendar import Span
from dayline.insight.categories.classify import LAYERS, NO_PLACE, Classifier
from dayline.insight.now.buckets import layer_of
from dayline.insight.now.model import Layer
from dayline.insight.request import Scope
from dayline.model.category import Path
from dayline.model.time import month_of, start_of_month
from dayline.query.columns.distinct import used_codes
from dayline.storage.columns.source import Codes, ColumnSource, Dictionary, Flags, Ids, SourceBucket, Times

# What was active at one time is read in a few milliseconds; a whole month takes about fifty, but is then cached.
_FEW: Final = 2
_REMEMBERED: Final = 2  # months read last: the current one, and possibly the end of the one before
_UNKNOWN: Final = -1


_Context: TypeAlias = tuple[DeviceBuckets, Layer]  # a device, and the layer of a bucket's events on it


class BucketEvents(Struct, frozen=True, eq=False):
    """Events of one bucket, not clipped. `all_within` is a range of which they are all events."""

    bucket: SourceBucket
    start: Times
    end: Times
    value: Codes
    dictionary: Dictionary
    all_within: Span | None = None

    @property
    def middle(self) -> Times:
        return self.start + (self.end - self.start) // 2

    def take(self, which: Ids | slice) -> "BucketEvents":
        """The selected events."""
        return BucketEvents(
            self.bucket, self.start[which], self.end[which], self.value[which], self.dictionary, self.all_within
        )


class _MonthNumbers(Struct, frozen=True, eq=False):
    """The categories of the events of a month, in order of their middles."""

    numbers: Codes

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes


class EventCategories:
    """Classifies single events."""

    def __init__(self, source: ColumnSource, scope: Scope) -> None:
        self._source = source
        self._scope = scope
        self._reading = Reading(scope, "include")
        self._classifier = Classifier.of(scope.categories)
        self._contexts = _contexts_by_bucket(devices_of(source.buckets()))
        self._known: dict[tuple[int, bool], tuple[Dictionary, Codes]] = {}
        self._states: dict[tuple[tuple[str, ...], int], Hashable | None] = {}
        self._read: dict[tuple[DeviceBuckets, Span], list[DevicePieces]] = {}

    @property
    def names(self) -> Sequence[Path]:
        """The categories. Index 0 is Uncategorized."""
        return self._classifier.names

    def numbers(self, events: BucketEvents) -> Codes:
        """The category of each event, as an index into `names`."""
        if not self._classifier.rules:
            return np.zeros(len(events.start), dtype=np.int32)
        contexts = [each for each in self._contexts[events.bucket.id] if self._matters(*each)]
        if not contexts or not len(events.start):
            return self._classifier.categories(self._places(events.dictionary, events.value, is_base=True))
        numbers = np.zeros(len(events.start), dtype=np.int32)
        months = _by_month(events.middle)
        source = self._source if len(months) <= MAX_MONTHS_KEPT else ReadOnlyCacheSource(self._source)
        for month, which in months.items():
            numbers[which] = self._of_month(source, events.take(which), contexts, month)
        return numbers

    def layers(self, events: BucketEvents) -> dict[Layer, dict[str, Any]]:
        """The data of all layers that decide the category of a single event."""
        [own] = events.dictionary.texts(events.value)
        [moment] = events.middle.tolist()
        for device, layer in self._contexts[events.bucket.id]:
            pieces = read_pieces(self._source, device, self._reading, (moment, moment + 1))
            for _, combination in _in_front(pieces, layer, events):
                data: dict[Layer, dict[str, Any]] = {}
                for each in LAYERS:
                    [code] = _codes(pieces, each)[combination].tolist()
                    text = own if each == layer else _values(pieces, each).text(code)
                    if text is not None:
                        data[each] = msgspec.json.decode(text)
                return data
        return {layer_of(events.bucket.type) or "window": msgspec.json.decode(own)}

    def _matters(self, device: DeviceBuckets, layer: Layer) -> bool:
        """Whether other layers can change the category. For a window they cannot if there are only classic rules."""
        return layer != "window" or (self._classifier.has_conditions and bool(device.tabs or device.files))

    def _of_month(self, source: ColumnSource, events: BucketEvents, contexts: Sequence[_Context], month: int) -> Codes:
        """The categories of events with ascending middles in one month. Cached if they are all events of the month."""
        span, whole = (start_of_month(month), start_of_month(month + 1)), events.all_within
        buckets = tuple(dict.fromkeys(bucket for device, _ in contexts for bucket in device.buckets))
        if (buckets, month) not in self._states:
            self._states[buckets, month] = state_of_month(source, buckets, month)
        state = self._states[buckets, month]
        if state is None:
            return self._classify(source, events, contexts, _part_of(span, events))
        if whole is None or span[0] < whole[0] or span[1] > whole[1]:
            return self._classify(source, events, contexts, span)
        key = ("event categories", events.bucket.id, tuple(contexts), self._scope.categories, month, state)
        kept = self._source.cache.get(key, _MonthNumbers)
        if kept is None:
            kept = _MonthNumbers(self._classify(source, events, contexts, span))
            # A long query reads more than one state of the store.
            if state == state_of_month(source, buckets, month):
                self._source.cache.put(key, kept)
        return kept.numbers

    def _classify(self, source: ColumnSource, events: BucketEvents, contexts: Sequence[_Context], span: Span) -> Codes:
        """The categories of events whose middles are within a span."""
        alone = self._places(events.dictionary, events.value, is_base=True)
        places = alone.copy()
        for device, layer in contexts:
            own = alone if layer == "window" else self._places(events.dictionary, events.value, is_base=False)
            for which, pieces in self._pieces(source, device, events.middle, span):
                others = self._others(pieces, layer)
                for at, combination in _in_front(pieces, layer, events.take(which)):
                    places[which][at] = np.maximum(own[which][at], others[combination])
        return self._classifier.categories(places)

    def _pieces(
        self, source: ColumnSource, device: DeviceBuckets, moments: Times, span: Span
    ) -> Iterator[tuple[slice, DevicePieces]]:
        """What was active at some times within a span, and the times that they are about."""
        if len(moments) <= _FEW:
            for number, moment in enumerate(moments.tolist()):
                yield slice(number, number + 1), read_pieces(source, device, self._reading, (moment, moment + 1))
            return
        months = self._read.get((device, span))
        if months is None:
            months = read_months(source, device, self._reading, *span)
            # The current month is not cached anywhere else, and the lanes of a device are read one after another.
            self._read = {**dict(list(self._read.items())[1 - _REMEMBERED :]), (device, span): months}
        yield from ((slice(None), pieces) for pieces in months)

    def _others(self, pieces: DevicePieces, layer: Layer) -> Codes:
        """The place of the winning rule in the other layers, for each combination."""
        categories = np.full(len(pieces.window), NO_PLACE, dtype=np.int32)
        for other in LAYERS:
            if other != layer:
                of_values = partial(self._places, is_base=other == "window")
                np.maximum(categories, _values(pieces, other).numbers(of_values, _codes(pieces, other)), out=categories)
        return categories

    def _places(self, data: Dictionary, values: Codes, *, is_base: bool) -> Codes:
        """The place of the winning rule for each value. Each distinct value is checked once."""
        key = id(data), is_base
        _, known = self._known.setdefault(key, (data, np.full(len(data), _UNKNOWN, dtype=np.int32)))
        used = used_codes(values, len(data))
        new = used[known[used] == _UNKNOWN]
        if len(new):
            known[new] = self._classifier.places(data, new, is_base=is_base)
        return known[values]


def _contexts_by_bucket(devices: Sequence[DeviceBuckets]) -> defaultdict[str, list[_Context]]:
    """The devices that have a bucket, and what its events are there."""
    contexts: defaultdict[str, list[_Context]] = defaultdict(list)
    for device in devices:
        layers: tuple[tuple[Layer, tuple[str, ...]], ...] = (
            ("window", device.windows), ("tab", device.tabs), ("file", device.files),
        )  # fmt: skip
        for layer, buckets in layers:
            for bucket in buckets:
                contexts[bucket].append((device, layer))
    return contexts


def _by_month(moments: Times) -> dict[int, Ids]:
    """The times in each month, ascending."""
    order = np.argsort(moments, kind="stable")
    ascending = moments[order]
    months = range(month_of(int(ascending[0])), month_of(int(ascending[-1])) + 1)
    edges: list[int] = np.searchsorted(ascending, [start_of_month(each) for each in (*months, months[-1] + 1)]).tolist()
    return {month: order[low:high] for month, (low, high) in zip(months, pairwise(edges), strict=True) if low < high}


def _part_of(month: Span, events: BucketEvents) -> Span:
    """The part of a month that has the middles of events; the same for all buckets of a range if possible."""
    whole = events.all_within or (month[1], month[0])
    low, high = max(month[0], whole[0]), min(month[1], whole[1])
    return min(low, int(events.middle[0])), max(high, int(events.middle[-1]) + 1)


def _in_front(pieces: DevicePieces, layer: Layer, events: BucketEvents) -> Iterator[tuple[Ids, Codes]]:
    """The events that were active in their middle, and the combination of layers at that time; or nothing."""
    if not len(pieces.spans):
        return
    moments, values = events.middle, _values(pieces, layer)
    at = np.maximum(np.searchsorted(pieces.spans.start, moments, side="right") - 1, 0)
    combination = pieces.combination[at]
    is_there: Flags = (pieces.spans.start[at] <= moments) & (moments < pieces.spans.end[at])
    is_there &= values.owners(_codes(pieces, layer)[combination]) == values.buckets.index(events.bucket.id)
    if is_there.any():
        yield np.flatnonzero(is_there), combination[is_there]


def _codes(pieces: DevicePieces, layer: Layer) -> Codes:
    codes: Codes = getattr(pieces, layer)
    return codes


def _values(pieces: DevicePieces, layer: Layer) -> BucketValues:
    values: BucketValues = getattr(pieces.values, layer)
    return values
