"""A long range month by month: what was found of a month is kept while nothing of it changes.

Active time does not depend on the range that is asked for, so what is found of the parts adds up to the whole. Only
query processes import this.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from msgspec import Struct

from dayline.insight.active.devices import Device, devices_of
from dayline.insight.active.flooding import GAP
from dayline.insight.active.parts import Reading, state_of_month
from dayline.insight.active.pieces import Pieces, active_pieces
from dayline.insight.calendar import Span
from dayline.insight.common_request import CommonRequest
from dayline.insight.filters import chosen_devices, filtered
from dayline.model.timestamps import Microseconds, month_of, start_of_month
from dayline.storage.columns import ColumnSource, Kept

K = TypeVar("K", bound=Kept)

MOST_KEPT_BYTES = 8 << 20  # of one month


class Found(Struct, frozen=True, eq=False):
    """All active time of a chunk, and what of it passes the filters."""

    everything: Pieces
    pieces: Pieces


class Chunk:
    """A part of a range, within one month."""

    def __init__(self, source: ColumnSource, common: CommonRequest, devices: tuple[Device, ...], span: Span) -> None:
        self.span = span
        self.common = common
        self._source = source
        self._devices = devices
        self._found: Found | None = None
        self._state = self._current_state()

    @property
    def found(self) -> Found:
        """The active time, read when it is first needed."""
        if self._found is None:
            everything = active_pieces(self._source, self.common.scope, *self.span, self.common)
            self._found = Found(everything, filtered(self.common, everything))
        return self._found

    def kept(self, what: Hashable, kind: type[K], make: "Callable[[Chunk], K]") -> K:
        """What was made of this chunk before, or is made now and kept if it is small."""
        if self._state is None:
            return make(self)
        key = (what, self._settings(), self.span, self._state)
        known = self._source.cache.get(key, kind)
        if known is None:
            known = make(self)
            # A long query reads from more than one state of the store.
            if known.nbytes <= MOST_KEPT_BYTES and self._current_state() == self._state:
                self._source.cache.put(key, known)
        return known

    def _current_state(self) -> Hashable | None:
        buckets = list(dict.fromkeys(bucket for device in self._devices for bucket in device.buckets))
        state = state_of_month(self._source, buckets, month_of(self.span[0]))
        return None if state is None else (self._devices, state)

    def _settings(self) -> Hashable:
        scope = self.common.scope
        said = tuple(each for each in scope.annotations if each.start < self.span[1] and each.end > self.span[0])
        reading = Reading(scope, self.common.away)
        return reading.state, scope.categories, said, self.common.devices, self.common.filters


def chunks_of(source: ColumnSource, common: CommonRequest, span: Span) -> list[Chunk]:
    """The parts of a range in which there can be anything, ascending."""
    devices = tuple(chosen_devices(common, devices_of(source.buckets()), lambda device: device.name))
    start, end = _with_something(source, common, devices, span)
    found: list[Chunk] = []
    while start < end:
        stop = min(end, start_of_month(month_of(start) + 1))
        found.append(Chunk(source, common, devices, (start, stop)))
        start = stop
    return found


def _with_something(
    source: ColumnSource, common: CommonRequest, devices: tuple[Device, ...], span: Span
) -> tuple[Microseconds, Microseconds]:
    """The part of a range outside of which there is nothing."""
    extents = [source.extent(bucket) for device in devices for bucket in device.buckets]
    known = [extent for extent in extents if extent is not None]
    known += [(each.start, each.end) for each in common.scope.annotations if each.kind == "entry"]
    if not known:
        return span[0], span[0]
    first = max(span[0], min(low for low, _ in known) - GAP)
    return first, max(first, min(span[1], max(high for _, high in known) + GAP))
