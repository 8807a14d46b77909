"""The active time of each device hour by hour, kept for each month: what timelines of many years are drawn from.

A piece belongs as a whole to the hour in which it begins. Only query processes import this.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.pieces import Pieces
from dayline.insight.chunks import Chunk
from dayline.insight.common_request import Field
from dayline.insight.item_texts import ItemTexts
from dayline.model.timestamps import SECOND, Microseconds
from dayline.query.distinct import firsts, numbered_within, renumbered
from dayline.storage.columns.source import Codes, Ids, Items, Times

HOUR: Final[Microseconds] = 3600 * SECOND
_BYTES_A_NAME: Final = 200


class Shown(Struct, frozen=True, eq=False):
    """How much of each hour shows what: a row for each code in each hour, and when that was first seen in it."""

    names: Sequence[Key]
    hour: Ids
    code: Codes
    time: Times
    count: Ids
    first: Times


class DeviceHours(Struct, frozen=True, eq=False):
    """The pieces of one device, those that begin in one hour together; and how much of each hour they cover."""

    hour: Ids
    start: Times
    end: Times
    time: Times
    count: Ids
    keys: Shown
    categories: Shown
    covered_hour: Ids
    covered: Times
    longest: Microseconds


class Hours(Struct, frozen=True, eq=False):
    """All devices of a chunk, in their order, and behind them what was entered for none."""

    devices: tuple[DeviceHours, ...]

    @property
    def nbytes(self) -> int:
        shown = [each for device in self.devices for each in (device.keys, device.categories)]
        names = sum(0 if isinstance(each.names, ItemTexts) else len(each.names) for each in shown)
        rows = sum(len(each.hour) for each in shown)
        hours = sum(len(device.hour) + len(device.covered) for device in self.devices)
        return 36 * rows + 40 * hours + _BYTES_A_NAME * names

    @property
    def shares(self) -> tuple[Items, ...]:
        """What it holds together with others of its kind."""
        return tuple(device.keys.names.items for device in self.devices if isinstance(device.keys.names, ItemTexts))


def hours_of(chunk: Chunk, field: Field) -> Hours:
    """The hours of a chunk, by what a field of the pieces shows."""
    return chunk.kept(("hours", field), Hours, lambda which: _hours(which.found.pieces, field))


def _hours(pieces: Pieces, field: Field) -> Hours:
    return Hours(tuple(_device_hours(each, each.keys(field), each.keys("category")) for each in pieces.apart))


def _device_hours(pieces: Pieces, keys: Keys, categories: Keys) -> DeviceHours:
    hour = pieces.start // HOUR
    begins = _begins(hour)
    covered_hour, covered = _covered(pieces)
    return DeviceHours(
        hour[begins],
        pieces.start[begins],
        np.maximum.reduceat(pieces.end, begins) if len(begins) else pieces.end,
        np.add.reduceat(pieces.duration, begins) if len(begins) else pieces.duration,
        np.diff(begins, append=len(pieces)),
        _shown(pieces, hour, keys),
        _shown(pieces, hour, categories),
        covered_hour,
        covered,
        int(pieces.duration.max(initial=0)),
    )


def _shown(pieces: Pieces, hour: Ids, keys: Keys) -> Shown:
    size, lowest = len(keys.names) + 1, int(hour.min(initial=0))
    highest = int(hour.max(initial=lowest))
    # MISSING is -1
    numbers, count = renumbered((hour - lowest) * size + keys.codes + 1, (highest - lowest + 1) * size)
    first = firsts(numbers, count)
    return Shown(
        keys.names,
        hour[first],
        keys.codes[first],
        np.bincount(numbers, weights=pieces.duration, minlength=count).astype(np.int64),
        np.bincount(numbers, minlength=count),
        pieces.start[first],
    )


def _covered(pieces: Pieces) -> tuple[Ids, Times]:
    """How much of each hour is covered, where anything is: pieces cut where an hour begins."""
    low, high = pieces.start // HOUR, (pieces.end - 1) // HOUR
    counts = high - low + 1
    which = np.repeat(np.arange(len(pieces)), counts)
    hour = low[which] + numbered_within(counts)
    time = np.minimum(pieces.end[which], (hour + 1) * HOUR) - np.maximum(pieces.start[which], hour * HOUR)
    begins = _begins(hour)
    return hour[begins], np.add.reduceat(time, begins) if len(begins) else time


def _begins(hour: Ids) -> Ids:
    """Where a new hour begins."""
    return np.flatnonzero(np.append(True, hour[1:] != hour[:-1])[: len(hour)])
