"""The active time of one device within one stretch of the calendar, kept while nothing of it changes."""

from collections.abc import Hashable, Sequence

import numpy as np
from msgspec import Struct

from dayline.insight.active.devices import DeviceBuckets
from dayline.insight.active.intervals import GAP, Spans, clipped, overlaps, united
from dayline.insight.active.layers import Fronts, LayerValues, read_fronts
from dayline.insight.active.presence import counts_anyway, read_presence
from dayline.insight.categories.classify import Classifier
from dayline.insight.request import Away, Scope
from dayline.model.time import Microseconds, month_of, start_of_month
from dayline.query.columns.distinct import combined, firsts
from dayline.storage.columns.source import Codes, ColumnSource, Times

# A smaller share of a cached month is read on its own: reading the whole month would take longer.
_MIN_SHARE = 1 / 8


class ActiveSpans(Struct, frozen=True, eq=False):
    """Active time. `combination` numbers the distinct combinations of window, tab and file, which stand beside it."""

    spans: Spans
    began: Times  # when the event in front began, as it was recorded
    combination: Codes
    window: Codes
    tab: Codes
    file: Codes
    values: LayerValues
    away: Spans  # when the device was known to be left alone

    @property
    def nbytes(self) -> int:
        """Roughly what it takes in memory."""
        columns = (self.spans.start, self.spans.end, self.began, self.combination, self.window, self.tab, self.file)
        return sum(column.nbytes for column in columns) + self.away.start.nbytes * 2

    def clipped(self, start: Microseconds, end: Microseconds) -> "ActiveSpans":
        """What lies within start..end."""
        low = int(np.searchsorted(self.spans.end, start, side="right"))
        high = max(low, int(np.searchsorted(self.spans.start, end, side="left")))
        used, combination = np.unique(self.combination[low:high], return_inverse=True)
        return ActiveSpans(
            clipped(self.spans, start, end),
            self.began[low:high],
            combination.astype(np.int32),
            self.window[used],
            self.tab[used],
            self.file[used],
            self.values,
            clipped(self.away, start, end),
        )


class Reading(Struct, frozen=True):
    """How active time is to be read."""

    scope: Scope
    away: Away

    @property
    def state(self) -> Hashable:
        """What of the settings the outcome follows from."""
        scope = self.scope
        if self.away == "include":
            return "include"
        has_always = Classifier.of(scope.categories).has_always_active
        return scope.always_active, scope.counts_audible, scope.categories if has_always else None


def read_parts(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, start: Microseconds, end: Microseconds
) -> list[ActiveSpans]:
    """The active time of a device from start to end, month by month."""
    extents = [extent for bucket in device.fronts if (extent := source.extent(bucket)) is not None]
    known = [*extents, *(extent for bucket in device.away if (extent := source.extent(bucket)) is not None)]
    if not known:
        return []
    start = max(start, min(first for first, _ in known) - GAP)
    end = min(end, max(last for _, last in known) + GAP)
    parts: list[ActiveSpans] = []
    while start < end:
        month = month_of(start)
        stop = min(end, start_of_month(month + 1))
        parts.append(_read_within(source, device, reading, month, (start, stop)))
        start = stop
    return parts


def _read_within(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, month: int, span: tuple[Microseconds, Microseconds]
) -> ActiveSpans:
    """The part of one month; from what is kept of the whole month where that can be had."""
    whole = start_of_month(month), start_of_month(month + 1)
    state = state_of_month(source, device.buckets, month)
    if state is None:
        return read_part(source, device, reading, span)
    key = ("active", device, reading.state, whole, state)
    part = source.cache.get(key, ActiveSpans)
    if part is None:
        if (span[1] - span[0]) < _MIN_SHARE * (whole[1] - whole[0]):
            return read_part(source, device, reading, span)
        part = read_part(source, device, reading, whole)
        # A long query reads from more than one state of the store.
        if state == state_of_month(source, device.buckets, month):
            source.cache.put(key, part)
    return part if span == whole else part.clipped(*span)


def state_of_month(source: ColumnSource, buckets: Sequence[str], month: int) -> Hashable | None:
    """A value that is equal while the month of some buckets, and the seconds around it, are unchanged."""
    states: list[Hashable] = []
    for bucket in buckets:
        state = source.state(bucket, start_of_month(month) - GAP, start_of_month(month + 1) + GAP)
        if state is None:
            return None  # the others do not matter any more, and asking takes its time
        states.append(state)
    return tuple(states)


def read_part(
    source: ColumnSource, device: DeviceBuckets, reading: Reading, span: tuple[Microseconds, Microseconds]
) -> ActiveSpans:
    """The active time of a device within a span, computed from its events."""
    fronts, values = read_fronts(source, device, *span)
    there, away = read_presence(source, device, *span)
    if there is not None and reading.away == "exclude":
        anyway = fronts.spans.take(counts_anyway(reading.scope, device, fronts, values))
        fronts = _cut(fronts, united([there, anyway]) if len(anyway) else there)
    fronts = _cut(fronts, Spans(np.array([span[0]]), np.array([span[1]])))
    sizes = [int(layer.offsets[-1]) + 1 for layer in (values.window, values.tab, values.file)]
    numbers, count = combined([fronts.window + 1, fronts.tab + 1, fronts.file + 1], sizes)
    places = firsts(numbers, count)
    return ActiveSpans(
        fronts.spans,
        fronts.began,
        numbers.astype(np.int32),
        fronts.window[places],
        fronts.tab[places],
        fronts.file[places],
        values,
        clipped(away, *span),
    )


def _cut(fronts: Fronts, to: Spans) -> Fronts:
    shared = overlaps(fronts.spans, to)
    return fronts.take(shared.first, shared.spans)
