"""Active time cut at the edges of bins, chunk by chunk. Only query processes import this."""

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key
from dayline.insight.active.intervals import Spans, overlaps
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Calendar, Span
from dayline.insight.chunks import Chunk
from dayline.insight.common_request import Field
from dayline.insight.edges import HOURS_A_WEEK, Bin, edges_of, week_hours
from dayline.model.timestamps import Microseconds
from dayline.query.distinct import combined, firsts
from dayline.storage.columns.source import MISSING, Codes, Ids, Times

_BYTES_A_NAME: Final = 200


class Bins(Struct, frozen=True, eq=False):
    """The bins of a range: their edges, and which cell of the answer each belongs to."""

    edges: list[Microseconds]
    cells: Ids
    count: int

    def within(self, edges: list[Microseconds]) -> Ids:
        """For each of some smaller bins the cell of the one that it lies in."""
        return self.cells[np.searchsorted(np.array(self.edges), np.array(edges[:-1]), side="right") - 1]


class Binned(Struct, frozen=True, eq=False):
    """The time of each key in each bin of a chunk, where there is any; and of each bin, whatever the key."""

    edges: list[Microseconds]
    names: list[Key]
    key: Codes
    bin: Codes
    time: Times
    total: Times

    @property
    def nbytes(self) -> int:
        columns = self.key.nbytes + self.bin.nbytes + self.time.nbytes + self.total.nbytes
        return columns + 8 * len(self.edges) + _BYTES_A_NAME * len(self.names)


def bins_of(calendar: Calendar, bin_: Bin, span: Span) -> Bins:
    """The bins of a range."""
    edges = edges_of(calendar, bin_, *span)
    if bin_ == "weekhour":
        return Bins(edges, np.array(week_hours(calendar, edges), dtype=np.int64), HOURS_A_WEEK)
    return Bins(edges, np.arange(len(edges) - 1), len(edges) - 1)


def binned(chunk: Chunk, bin_: Bin, field: Field) -> Binned:
    """The time of a chunk by bin and key."""
    calendar = chunk.common.calendar
    what: Hashable = ("bins", bin_, field, calendar.zone, calendar.day_start, calendar.week_start)
    return chunk.kept(what, Binned, lambda which: _binned(which, bin_, field))


def _binned(chunk: Chunk, bin_: Bin, field: Field) -> Binned:
    edges = edges_of(chunk.common.calendar, bin_, *chunk.span)
    pieces = chunk.found.pieces
    piece, place, duration = cut_at(pieces, edges)
    total = np.bincount(place, weights=duration, minlength=len(edges) - 1).astype(np.int64)
    if field == "device":
        # Each device by itself: their sum may exceed the total.
        parts = [cut_at(each, edges) for each in pieces.apart]
        codes = np.concatenate([each.device[part[0]] for each, part in zip(pieces.apart, parts, strict=True)])
        place = np.concatenate([part[1] for part in parts])
        duration = np.concatenate([part[2] for part in parts])
        return _sparse(edges, pieces.devices, codes, place, duration, total)
    keys = pieces.keys(field)
    return _sparse(edges, keys.names, keys.codes[piece], place, duration, total)


def cut_at(pieces: Pieces, edges: Sequence[Microseconds]) -> tuple[Ids, Ids, Times]:
    """The pieces cut at edges: of which piece each part is, in which bin it lies, and how long it is."""
    places = np.array(edges)
    # Few edges are looked for among many pieces; only what lies across one is cut.
    first = np.searchsorted(pieces.start, places)
    within = np.repeat(np.arange(len(places) - 1), np.diff(first))
    is_across = pieces.end > places[1:][within]
    across = np.flatnonzero(is_across)
    duration = pieces.duration
    if not len(across):
        return np.arange(len(pieces)), within, duration
    whole = np.flatnonzero(~is_across)
    cut = overlaps(pieces.spans.take(across), Spans(places[:-1], places[1:]))
    return (
        np.concatenate([whole, across[cut.first]]),
        np.concatenate([within[whole], cut.second]),
        np.concatenate([duration[whole], cut.end - cut.start]),
    )


def _sparse(
    edges: list[Microseconds], names: Sequence[Key], codes: Codes, place: Ids, duration: Times, total: Times
) -> Binned:
    has_key = codes != MISSING
    if not has_key.all():
        codes, place, duration = codes[has_key], place[has_key], duration[has_key]
    used, key = np.unique(codes, return_inverse=True)
    numbers, count = combined([key.astype(np.int32), place.astype(np.int32)], [len(used) + 1, len(total) + 1])
    first = firsts(numbers, count)
    listed: list[int] = used.tolist()
    return Binned(
        edges,
        [names[code] for code in listed],
        key[first].astype(np.int32),
        place[first].astype(np.int32),
        np.bincount(numbers, weights=duration, minlength=count).astype(np.int64),
        total,
    )
