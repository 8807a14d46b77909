"""The buckets of a device, and what was active: the window, the tab in it, and the file in it.

window    [Firefox         ][Editor      ]
tab     [docs   ][mail             ]            cut to Firefox
file                         [a.py  ]           within the active window
result    [docs  ][mail    ][ ][a.py][   ]
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.active.bucket_values import NONE, BucketValues
from dayline.insight.active.intervals import GAP, Spans, flood_gaps, no_spans, overlaps, tile
from dayline.insight.now.buckets import browser_pattern
from dayline.model.bucket import AWAY, FILE, PHONE_APP, TAB, UNKNOWN_HOST, WINDOW
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import distinct, lookup, numbered_within, stable_order
from dayline.query.patterns.matching import NONE_FOUND, Matcher, expression
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    ColumnSource,
    Flags,
    Ids,
    ReadReport,
    SourceBucket,
    Times,
)

_PHONE: Final = "aw-watcher-android"


class DeviceBuckets(Struct, frozen=True, kw_only=True):
    """The bucket ids of one device. `browsers` has one pattern for each bucket in `tabs`."""

    name: str
    windows: tuple[str, ...]  # of the active window; tabs if the device has no other
    is_phone: tuple[bool, ...]  # for each of `windows`: whether it counts without an AFK watcher
    tabs: tuple[str, ...] = ()
    browsers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

    @property
    def buckets(self) -> tuple[str, ...]:
        """All of its buckets."""
        return tuple(dict.fromkeys((*self.windows, *self.tabs, *self.files, *self.away)))


def devices_of(buckets: Sequence[SourceBucket]) -> list[DeviceBuckets]:
    """The devices that have a window watcher or a phone watcher, in order of their first buckets.

    If a device has neither, the tabs of its browsers are used, if there are any.
    """
    by_host: dict[str, list[SourceBucket]] = {}
    for bucket in buckets:
        by_host.setdefault(bucket.hostname, []).append(bucket)
    watched = {host for host, own in by_host.items() if any(map(_is_window, own))}
    devices: list[DeviceBuckets] = []
    for host, own in by_host.items():
        if host in watched:
            devices.append(_device_buckets(host, own, by_host.get(UNKNOWN_HOST, []) if host != UNKNOWN_HOST else []))
        elif (tabs := _of_type(own, TAB)) and (host != UNKNOWN_HOST or not watched):
            devices.append(
                DeviceBuckets(name=host, windows=tabs, is_phone=(False,) * len(tabs), away=_of_type(own, AWAY))
            )
    return devices


def _device_buckets(host: str, own: Sequence[SourceBucket], shared: Sequence[SourceBucket]) -> DeviceBuckets:
    windows = [bucket for bucket in own if _is_window(bucket)]
    tabs = [bucket for bucket in (*own, *shared) if bucket.type == TAB]
    return DeviceBuckets(
        name=host,
        windows=tuple(bucket.id for bucket in windows),
        is_phone=tuple(_is_phone(bucket) for bucket in windows),
        tabs=tuple(bucket.id for bucket in tabs),
        browsers=tuple(browser_pattern(bucket.id, bucket.hostname) for bucket in tabs),
        files=_of_type([*own, *shared], FILE),
        away=_of_type(own, AWAY),
    )


def _is_window(bucket: SourceBucket) -> bool:
    return bucket.type == WINDOW or _is_phone(bucket)


def _is_phone(bucket: SourceBucket) -> bool:
    is_watched = bucket.type == WINDOW and bucket.id.startswith(_PHONE)
    return is_watched or bucket.type == PHONE_APP


def _of_type(buckets: Sequence[SourceBucket], kind: str) -> tuple[str, ...]:
    return tuple(bucket.id for bucket in buckets if bucket.type == kind)


class LayerSpans(Struct, frozen=True, eq=False):
    """The events of some buckets as spans, with their recorded starts and values."""

    spans: Spans
    began: Times
    value: Codes
    values: BucketValues


class CutLayers(Struct, frozen=True, eq=False):
    """What was active, the layers cut at each other's edges: the value of each layer, NONE if it has none."""

    spans: Spans
    began: Times
    window: Codes
    tab: Codes
    file: Codes

    def take(self, which: Ids | Flags, spans: Spans) -> "CutLayers":
        """Parts of the selected ones."""
        return CutLayers(spans, self.began[which], self.window[which], self.tab[which], self.file[which])


class LayerValues(Struct, frozen=True, eq=False):
    """The values that the codes of each layer refer to."""

    window: BucketValues
    tab: BucketValues
    file: BucketValues


def read_layer(source: ColumnSource, buckets: Sequence[str], start: Microseconds, end: Microseconds) -> LayerSpans:
    """The events of some buckets as one layer, as far as they affect start..end. Not clipped."""
    if not buckets:
        return _no_layer()
    # A little more, so that gaps at the edges are closed as they are in the middle.
    columns = [source.events(bucket, start - GAP, end + GAP, ReadReport()) for bucket in buckets]
    values = BucketValues(buckets, [read.dictionary for read in columns])
    if not any(len(read.start) for read in columns):
        return replace(_no_layer(), values=values)
    nothing = np.zeros(0, dtype=np.int64)
    starts = np.concatenate([nothing, *(read.start for read in columns)])
    ends = np.concatenate([nothing, *(read.end for read in columns)])
    codes = np.concatenate([
        np.zeros(0, dtype=np.int32),
        *((read.value + offset).astype(np.int32) for read, offset in zip(columns, values.offsets[:-1], strict=True)),
    ])  # fmt: skip
    spans, rows = flood_gaps(starts, ends)
    return LayerSpans(spans, starts[rows], codes[rows], values)


def _no_layer() -> LayerSpans:
    return LayerSpans(no_spans(), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), BucketValues((), ()))


def read_layers(
    source: ColumnSource, device: DeviceBuckets, start: Microseconds, end: Microseconds
) -> tuple[CutLayers, LayerValues]:
    """What was active on a device. Not clipped to start..end."""
    window = read_layer(source, device.windows, start, end)
    if not len(window.spans):
        nothing = BucketValues((), ())
        return CutLayers(window.spans, window.began, *(window.value,) * 3), LayerValues(nothing, nothing, nothing)
    tabs, tab_values = _tabs(source, device, window, start, end)
    file = read_layer(source, device.files, start, end)
    no_value = np.full(len(window.value), NONE, dtype=np.int32)
    active = CutLayers(window.spans, window.began, window.value, no_value, no_value)
    active = _with_layer(active, tabs, "tab")
    active = _with_layer(active, file, "file")
    return active, LayerValues(window.values, tab_values, file.values)


def _tabs(
    source: ColumnSource, device: DeviceBuckets, window: LayerSpans, start: Microseconds, end: Microseconds
) -> tuple[LayerSpans, BucketValues]:
    """The tabs of each browser while it is active. Where they overlap, the one that starts last counts."""
    if not device.tabs:
        layer = _no_layer()
        return layer, layer.values
    layers = [read_layer(source, [bucket], start, end) for bucket in device.tabs]
    values = BucketValues(device.tabs, [layer.values.dictionaries[0] for layer in layers])
    active: list[LayerSpans] = []
    apps = _Apps(window)
    for number, (layer, pattern) in enumerate(zip(layers, device.browsers, strict=True)):
        shared = overlaps(apps.of(pattern), layer.spans)
        codes = (layer.value[shared.second] + values.offsets[number]).astype(np.int32)
        active.append(LayerSpans(shared.spans, layer.began[shared.second], codes, values))
    return _overlaid(active, values), values


class _Apps:
    """Which windows belong to which apps."""

    def __init__(self, window: LayerSpans) -> None:
        self._window = window
        self._apps = window.values.strings("app", window.value)

    def of(self, pattern: str) -> Spans:
        """The time during which an app is active whose name matches the pattern."""
        codes, items = self._apps.codes, self._apps.items
        used = distinct(codes[codes != MISSING])
        flags = np.zeros(len(items), dtype=np.bool_)
        flags[used] = _matcher(pattern).answers(items, used)[used] != NONE_FOUND
        return self._window.spans.take(lookup(flags, codes, False))


@lru_cache(maxsize=32)
def _matcher(pattern: str) -> Matcher:
    """Cached, because apps are few and the same every time."""
    return Matcher([expression(pattern)])


def _overlaid(layers: Sequence[LayerSpans], values: BucketValues) -> LayerSpans:
    """Combine the layers of several buckets."""
    if len(layers) == 1:
        return layers[0]
    nothing = np.zeros(0, dtype=np.int64)
    start = np.concatenate([nothing, *(layer.spans.start for layer in layers)])
    end = np.concatenate([nothing, *(layer.spans.end for layer in layers)])
    began = np.concatenate([nothing, *(layer.began for layer in layers)])
    value = np.concatenate([np.zeros(0, dtype=np.int32), *(layer.value for layer in layers)])
    spans, rows = latest_of(start, end, began)
    return LayerSpans(spans, began[rows], value[rows], values)


def latest_of(start: Times, end: Times, began: Times) -> tuple[Spans, Ids]:
    """Cut overlapping intervals so that the one with the latest `began` counts; of equal ones, the first.

    Also returns the row of the interval that counts in each span.
    """
    order = stable_order(start)
    latest = np.maximum.accumulate(end[order])
    if not (start[order][1:] < latest[:-1]).any():
        return Spans(start[order], end[order]), order
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
    return Spans(edges[:-1][begins], edges[1:][ends]), cell[begins]


def _with_layer(active: CutLayers, layer: LayerSpans, name: Literal["tab", "file"]) -> CutLayers:
    """Cut what was active at the edges of a layer inside it, and add its values."""
    if not len(layer.spans) or not len(active.spans):
        return active
    tiles, which = tile(layer.spans)
    cut = overlaps(active.spans, tiles)
    both = active.take(cut.first, cut.spans)
    values = lookup(layer.value, which[cut.second], NONE)
    return replace(both, tab=values) if name == "tab" else replace(both, file=values)
