"""The active time of one device within a month or a part of it, cached until its events change."""

from collections.abc import Hashable, Sequence

import numpy as np
from msgspec import Struct

from dayline.insight.active.intervals import GAP, Spans, clip, no_spans, overlaps, union
from dayline.insight.active.layers import CutLayers, DeviceBuckets, LayerValues, read_layers
from dayline.insight.active.presence import counts_anyway, read_presence
from dayline.insight.calendar import Span
from dayline.insight.categories.classify import Classifier
from dayline.insight.request import Away, Scope
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.query.columns.distinct import combined, firsts
from dayline.storage.columns.source import Codes, ColumnSource, Times

# A smaller share of a month is read directly: reading the whole month for the cache would take longer.
_MIN_SHARE = 1 / 8


class DevicePieces(Struct, frozen=True, eq=False):
    """Active time of one device. `combination` is an index into the distinct combinations of window, tab and file."""

    spans: Spans
    began: Times  # recorded start of the active event
    combination: Codes
    window: Codes
    tab: Codes
    file: Codes
    values: LayerValues
    away: Spans  # when the user was AFK

    @property
    def nbytes(self) -> int:
        """Approximate size in memory."""
        columns = (self.spans.start, self.spans.end, self.began, self.combination, self.window, self.tab, self.file)
        return sum(column.nbytes for column in columns) + self.away.start.nbytes * 2

    def clip(self, start: Microseconds, end: Microseconds) -> "DevicePieces":
        """The part within start..end."""
        low = int(np.searchsorted(self.spans.end, start, side="right"))
        high = max(low, int(np.searchsorted(self.spans.start, end, side="left")))
        used, combination = np.unique(self.combination[low:high], return_inverse=True)
        return DevicePieces(
            clip(self.spans, start, end),
            self.began[low:high],
            combination.astype(np.int32),
            self.window[used],
            self.tab[used],
            self.file[used],
            self.values,
            clip(self.away, start, end),
        )


class Reading(Struct, frozen=True):
    """How to read active time."""

    scope: Scope
    away: Away

    @property
    def state(self) -> Hashable:
        """The settings that the result depends on."""
        scope = self.scope
        if self.away == "include":
            return "include"
        has_always = Classifier.of(scope.categories).has_always_active
        return scope.always_active, scope.categories if has_always else None


def read_months(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, start: Microseconds, end: Microseconds
) -> list[DevicePieces]:
    """The active time of a device from start to end, month by month."""
    extents = [extent for bucket in device.windows if (extent := source.extent(bucket)) is not None]
    known = [*extents, *(extent for bucket in device.away if (extent := source.extent(bucket)) is not None)]
    if not known:
        return []
    start = max(start, min(first for first, _ in known) - GAP)
    end = min(end, max(last for _, last in known) + GAP)
    months: list[DevicePieces] = []
    while start < end:
        month = month_of(start)
        stop = min(end, start_of_month(month + 1))
        months.append(_read_within(source, device, reading, month, (start, stop)))
        start = stop
    return months


def _read_within(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, month: int, span: tuple[Microseconds, Microseconds]
) -> DevicePieces:
    """A part of one month, from the cached month if possible."""
    whole = start_of_month(month), start_of_month(month + 1)
    state = state_of_month(source, device.buckets, month)
    if state is None:
        return read_pieces(source, device, reading, span)
    key = ("active", device, reading.state, whole, state)
    pieces = source.cache.get(key, DevicePieces)
    if pieces is None:
        if (span[1] - span[0]) < _MIN_SHARE * (whole[1] - whole[0]):
            return read_pieces(source, device, reading, span)
        pieces = read_pieces(source, device, reading, whole)
        # A long query reads more than one state of the store.
        if state == state_of_month(source, device.buckets, month):
            source.cache.put(key, pieces)
    return pieces if span == whole else pieces.clip(*span)


def state_of_month(source: ColumnSource, buckets: Sequence[str], month: int) -> Hashable | None:
    """A value that stays equal until an event of these buckets changes in the month or in the seconds around it."""
    return state_within(source, buckets, (start_of_month(month), start_of_month(month + 1)))


def state_within(source: ColumnSource, buckets: Sequence[str], span: Span) -> Hashable | None:
    """The same for a part of a month. Reads its rows if the month has no segment."""
    states: list[Hashable] = []
    for bucket in buckets:
        state = source.state(bucket, span[0] - GAP, span[1] + GAP)
        if state is None:
            return None  # no need to ask for the others, which takes time
        states.append(state)
    return tuple(states)


def read_pieces(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, span: tuple[Microseconds, Microseconds]
) -> DevicePieces:
    """The active time of a device within a span, computed from its events."""
    active, values = read_layers(source, device, *span)
    if not len(active.spans) and not device.away:
        none = active.window
        return DevicePieces(active.spans, active.began, none, none, none, none, values, no_spans())
    there, away = read_presence(source, device, *span)
    if there is not None and reading.away == "exclude":
        anyway = active.spans.take(counts_anyway(reading.scope, device, active, values))
        active = _cut(active, union([there, anyway]) if len(anyway) else there)
    active = _cut(active, Spans(np.array([span[0]]), np.array([span[1]])))
    sizes = [int(layer.offsets[-1]) + 1 for layer in (values.window, values.tab, values.file)]
    numbers, count = combined([active.window + 1, active.tab + 1, active.file + 1], sizes)
    places = firsts(numbers, count)
    return DevicePieces(
        active.spans,
        active.began,
        numbers.astype(np.int32),
        active.window[places],
        active.tab[places],
        active.file[places],
        values,
        clip(away, *span),
    )


def _cut(active: CutLayers, to: Spans) -> CutLayers:
    spans = active.spans
    if len(to) == 1 and len(spans) and spans.start[0] >= to.start[0] and spans.end[-1] <= to.end[0]:
        return active
    shared = overlaps(active.spans, to)
    return active.take(shared.first, shared.spans)
