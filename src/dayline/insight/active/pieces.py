"""Active time of all devices together. See docs/design/active-time.md. Only query processes import this."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.active.annotating import Annotator, RankedPieces, concatenate, no_notes, unite
from dayline.insight.active.combinations import Combinations, Keys
from dayline.insight.active.device_pieces import DevicePieces, Reading, read_months
from dayline.insight.active.filters import chosen_devices, has_every_device, passes
from dayline.insight.active.intervals import Spans, clip, no_spans, union, without
from dayline.insight.active.layers import devices_of
from dayline.insight.request import FIELDS, CommonRequest, Field, Scope
from dayline.model.time import Microseconds
from dayline.storage.columns.source import Codes, ColumnSource, Flags, Times

_BYTES_A_COMBINATION: Final = 100  # with its keys


class Pieces(Struct, frozen=True, eq=False):
    """Active time, ascending and disjoint, clipped to the range. `Combinations` has what was active.

    `device` is an index into `devices`, MISSING for an entry without a device. `note` is an index into the annotations
    of the scope, MISSING if there is none. `apart` has the time per device: there, an hour on two devices is two hours.
    """

    start: Times
    end: Times
    combination: Codes
    device: Codes
    note: Codes
    combinations: Combinations
    devices: Sequence[str]
    apart: "Sequence[Pieces]"
    away: Spans  # when no device was active and the user was AFK on at least one

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> Times:
        return self.end - self.start

    @property
    def spans(self) -> Spans:
        return Spans(self.start, self.end)

    def keys(self, field: Field) -> Keys:
        """The keys, and for each piece the number of its key, MISSING if it has none."""
        if field == "device":
            return Keys(self.device, self.devices)
        keys = self.combinations.keys(field)
        return Keys(keys.codes[self.combination], keys.names)

    @property
    def nbytes(self) -> int:
        """Approximate size in memory."""
        columns = (self.start, self.end, self.combination, self.device, self.note, self.away.start, self.away.end)
        return (
            sum(column.nbytes for column in columns)
            + _BYTES_A_COMBINATION * len(self.combinations) * bool(self.apart)
            + sum(each.nbytes for each in self.apart)
        )

    def clip(self, start: Microseconds, end: Microseconds) -> "Pieces":
        """The part within start..end, in total and per device."""
        low = int(np.searchsorted(self.end, start, side="right"))
        high = max(low, int(np.searchsorted(self.start, end, side="left")))
        return Pieces(
            np.maximum(self.start[low:high], start),
            np.minimum(self.end[low:high], end),
            self.combination[low:high],
            self.device[low:high],
            self.note[low:high],
            self.combinations,
            self.devices,
            [each.clip(start, end) for each in self.apart],
            clip(self.away, start, end),
        )

    def take(self, which: Flags) -> "Pieces":
        """The selected pieces, without the time per device."""
        return Pieces(
            self.start[which],
            self.end[which],
            self.combination[which],
            self.device[which],
            self.note[which],
            self.combinations,
            self.devices,
            (),
            self.away,
        )


def filter_pieces(common: CommonRequest, pieces: Pieces) -> Pieces:
    """The pieces that match all filters, in total and per device."""
    filters = [each for each in common.filters if each.field != "device"]
    if not filters:
        return pieces
    holds = np.ones(len(pieces.combinations), dtype=np.bool_)
    for field in FIELDS:
        listed = [each for each in filters if each.field == field]
        if not listed:
            continue
        keys = pieces.combinations.keys(field)
        flags = np.array([*(passes(listed, key) for key in keys.names), passes(listed, None)], dtype=np.bool_)
        holds &= flags[keys.codes]
    chosen = pieces.take(holds[pieces.combination])
    return replace(chosen, apart=[each.take(holds[each.combination]) for each in pieces.apart])


def active_pieces(
    source: ColumnSource, scope: Scope, start: Microseconds, end: Microseconds, common: CommonRequest
) -> Pieces:
    """The active time of the range [start, end). Applies the request's devices, but not its filters."""
    devices = chosen_devices(common, devices_of(source.buckets()), lambda device: device.name)
    reading = Reading(scope, common.away)
    months = [read_months(source, device, reading, start, end) for device in devices]
    combinations = Combinations(scope)
    recorded = [_of_device(combinations, number, each) for number, each in enumerate(months)]
    annotator = Annotator(scope.annotations, combinations, start, end)
    apart = [
        annotator.annotate(pieces, device.name, number)
        for number, (device, pieces) in enumerate(zip(devices, recorded, strict=True))
    ]
    # Time without a device is not part of the time of selected devices.
    apart.append(annotator.elsewhere() if has_every_device(common) else _no_pieces())
    together = unite(apart)
    away = union([month.away for of_device in months for month in of_device])
    names = [device.name for device in devices]
    return _pieces(
        together,
        combinations,
        names,
        apart=[_pieces(each, combinations, names) for each in apart],
        away=without(away, together.spans) if len(away) else away,
    )


def _pieces(
    ranked: RankedPieces,
    combinations: Combinations,
    devices: Sequence[str],
    *,
    apart: Sequence[Pieces] = (),
    away: Spans | None = None,
) -> Pieces:
    return Pieces(
        ranked.spans.start,
        ranked.spans.end,
        ranked.combination,
        ranked.device,
        ranked.note,
        combinations,
        devices,
        apart,
        no_spans() if away is None else away,
    )


def _of_device(combinations: Combinations, device: int, months: Sequence[DevicePieces]) -> RankedPieces:
    """The time of a device in all months."""
    ranked = [_ranked(combinations.add(month), device, month) for month in months if len(month.spans)]
    return concatenate(ranked) if ranked else _no_pieces()


def _ranked(first: int, device: int, pieces: DevicePieces) -> RankedPieces:
    size = len(pieces.spans)
    return RankedPieces(
        pieces.spans,
        pieces.began,
        pieces.combination + np.int32(first),
        np.full(size, device, dtype=np.int32),
        no_notes(size),
    )


def _no_pieces() -> RankedPieces:
    nothing = np.zeros(0, dtype=np.int32)
    return RankedPieces(no_spans(), np.zeros(0, dtype=np.int64), nothing, nothing, nothing)
