"""The active window of one device, the tab in it, and the file in it.

window    [Firefox         ][Editor      ]
tab     [docs   ][mail             ]            cut to Firefox
file                         [a.py  ]           within the active window
result    [docs  ][mail    ][ ][a.py][   ]
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.active.devices import DeviceBuckets
from dayline.insight.active.intervals import GAP, OUTSIDE, Spans, Stretches, flood_gaps, no_spans, overlaps, tile
from dayline.insight.active.values import NONE, BucketValues
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import distinct, numbered_within, stable_order
from dayline.query.patterns.matching import NONE_FOUND, Matcher, expression
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Flags, Ids, ReadReport, Times


class Layer(Struct, frozen=True, eq=False):
    """Events of some buckets as intervals, with their recorded starts and values."""

    spans: Spans
    began: Times
    value: Codes
    values: BucketValues

    def take(self, which: Ids | Flags) -> "Layer":
        """The selected ones, in the same order."""
        return Layer(self.spans.take(which), self.began[which], self.value[which], self.values)


class Fronts(Struct, frozen=True, eq=False):
    """What was active, with the value of each layer, NONE if it has none."""

    spans: Spans
    began: Times
    window: Codes
    tab: Codes
    file: Codes

    def take(self, which: Ids | Flags, spans: Spans) -> "Fronts":
        """Parts of the selected ones."""
        return Fronts(spans, self.began[which], self.window[which], self.tab[which], self.file[which])


class LayerValues(Struct, frozen=True, eq=False):
    """The values that the codes of each layer refer to."""

    window: BucketValues
    tab: BucketValues
    file: BucketValues


def read_layer(source: ColumnSource, buckets: Sequence[str], start: Microseconds, end: Microseconds) -> Layer:
    """The events of some buckets as one layer, as far as they affect start..end. Not clipped."""
    if not buckets:
        return _no_layer()
    # A little more, so that gaps at the edges are closed as they are in the middle.
    columns = [source.events(bucket, start - GAP, end + GAP, ReadReport()) for bucket in buckets]
    values = BucketValues(buckets, [read.dictionary for read in columns])
    nothing = np.zeros(0, dtype=np.int64)
    starts = np.concatenate([nothing, *(read.start for read in columns)])
    ends = np.concatenate([nothing, *(read.end for read in columns)])
    codes = np.concatenate([
        np.zeros(0, dtype=np.int32),
        *((read.value + offset).astype(np.int32) for read, offset in zip(columns, values.offsets[:-1], strict=True)),
    ])  # fmt: skip
    stretches = flood_gaps(starts, ends)
    return Layer(stretches.spans, starts[stretches.row], codes[stretches.row], values)


def _no_layer() -> Layer:
    return Layer(no_spans(), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), BucketValues((), ()))


def read_fronts(
    source: ColumnSource, device: DeviceBuckets, start: Microseconds, end: Microseconds
) -> tuple[Fronts, LayerValues]:
    """What was active on a device. Not clipped to start..end."""
    window = read_layer(source, device.fronts, start, end)
    tabs, tab_values = _tabs(source, device, window, start, end)
    file = read_layer(source, device.files, start, end)
    no_value = np.full(len(window.value), NONE, dtype=np.int32)
    fronts = Fronts(window.spans, window.began, window.value, no_value, no_value)
    fronts = _with_layer(fronts, tabs, "tab")
    fronts = _with_layer(fronts, file, "file")
    return fronts, LayerValues(window.values, tab_values, file.values)


def _tabs(
    source: ColumnSource, device: DeviceBuckets, window: Layer, start: Microseconds, end: Microseconds
) -> tuple[Layer, BucketValues]:
    """The tabs of each browser while it is active. Where they overlap, the one that starts last counts."""
    if not device.tabs:
        layer = _no_layer()
        return layer, layer.values
    layers = [read_layer(source, [bucket], start, end) for bucket in device.tabs]
    values = BucketValues(device.tabs, [layer.values.dictionaries[0] for layer in layers])
    parts: list[Layer] = []
    apps = _Apps(window)
    for number, (layer, pattern) in enumerate(zip(layers, device.browsers, strict=True)):
        shared = overlaps(apps.of(pattern), layer.spans)
        codes = (layer.value[shared.second] + values.offsets[number]).astype(np.int32)
        parts.append(Layer(shared.spans, layer.began[shared.second], codes, values))
    return _overlaid(parts, values), values


class _Apps:
    """Which windows belong to which apps."""

    def __init__(self, window: Layer) -> None:
        self._window = window
        self._apps = window.values.strings("app", window.value)

    def of(self, pattern: str) -> Spans:
        """The time during which an app is active whose name matches the pattern."""
        codes, items = self._apps.codes, self._apps.items
        used = distinct(codes[codes != MISSING])
        found = np.zeros(len(items) + 1, dtype=np.bool_)  # MISSING is the last entry
        found[used] = _matcher(pattern).answers(items, used)[used] != NONE_FOUND
        return self._window.spans.take(found[codes])


@lru_cache(maxsize=32)
def _matcher(pattern: str) -> Matcher:
    """Cached, because apps are few and the same every time."""
    return Matcher([expression(pattern)])


def _overlaid(parts: Sequence[Layer], values: BucketValues) -> Layer:
    """Combine the layers of several buckets."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.zeros(0, dtype=np.int64)
    start = np.concatenate([nothing, *(part.spans.start for part in parts)])
    end = np.concatenate([nothing, *(part.spans.end for part in parts)])
    began = np.concatenate([nothing, *(part.began for part in parts)])
    value = np.concatenate([np.zeros(0, dtype=np.int32), *(part.value for part in parts)])
    pieces = latest_of(start, end, began)
    return Layer(pieces.spans, began[pieces.row], value[pieces.row], values)


def latest_of(start: Times, end: Times, began: Times) -> Stretches:
    """Cut overlapping intervals so that the one with the latest `began` counts; of equal ones, the first."""
    order = stable_order(start)
    latest = np.maximum.accumulate(end[order])
    if not (start[order][1:] < latest[:-1]).any():
        return Stretches(Spans(start[order], end[order]), order)
    edges = distinct(np.concatenate([start, end]))
    low, high = np.searchsorted(edges, start), np.searchsorted(edges, end)
    # Write from the earliest to the latest, cell by cell between all edges; later ones overwrite earlier ones.
    cell = np.full(len(edges) - 1, -1, dtype=np.int64)
    ranked = np.lexsort((-np.arange(len(start)), began))
    counts = (high - low)[ranked]
    places = np.repeat(low[ranked], counts) + numbered_within(counts)
    cell[places] = np.repeat(ranked, counts)
    is_covered = cell >= 0
    begins = is_covered & np.append(True, cell[1:] != cell[:-1])
    ends = is_covered & np.append(cell[1:] != cell[:-1], True)
    return Stretches(Spans(edges[:-1][begins], edges[1:][ends]), cell[begins])


def _with_layer(fronts: Fronts, layer: Layer, name: Literal["tab", "file"]) -> Fronts:
    """Cut the fronts at the edges of a layer inside them, and add its values."""
    if not len(layer.spans) or not len(fronts.spans):
        return fronts
    parts, which = tile(layer.spans)
    cut = overlaps(fronts.spans, parts)
    both = fronts.take(cut.first, cut.spans)
    assert OUTSIDE == -1  # the last entry
    values: Codes = np.append(layer.value, np.int32(NONE))[which[cut.second]]
    return replace(both, tab=values) if name == "tab" else replace(both, file=values)
