"""Splits a long range into months. Results for a month are cached until one of its events changes.

Active time does not depend on the requested range, so the results of the parts add up. Only query processes
import this.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from dayline.insight.active.device_pieces import Reading, state_of_month, state_within
from dayline.insight.active.filters import chosen_devices
from dayline.insight.active.intervals import GAP
from dayline.insight.active.layers import DeviceBuckets, devices_of
from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.calendar import Span
from dayline.insight.request import CommonRequest
from dayline.model.time import DAY, EARLIEST, SECOND, Microseconds, month_of, start_of_month
from dayline.query.processes.worker import SourceView
from dayline.storage.columns.source import Cache, Cacheable, ColumnSource, K

MAX_KEPT_BYTES: Final = 8 << 20  # per month
# For longer ranges only results are cached, not pieces: pieces would evict each other and everything else.
MAX_MONTHS_KEPT: Final = 24
_LATE: Final = 3600 * SECOND  # after midnight: until then, watchers may send events of the day before


class MonthActivity(Struct, frozen=True, eq=False):
    """The active time of a month, before and after filters."""

    everything: Pieces
    pieces: Pieces


class RangeMonth:
    """A part of a range, within one month."""

    def __init__(
        self,
        source: ColumnSource,
        common: CommonRequest,
        devices: tuple[DeviceBuckets, ...],
        span: Span,
        *,
        is_kept: bool,
        days: Span | None = None,
        keeps_pieces: bool = False,
    ) -> None:
        self.span = span
        self._is_over = days is not None
        self._days = days or span
        self.common = common
        self._source = source
        self._devices = devices
        self._is_kept = is_kept
        self._keeps_pieces = keeps_pieces
        self._activity: MonthActivity | None = None
        self._keys: list[tuple[Hashable, type[Cacheable]]] = []
        self._state = self._current_state()
        self._is_current = True

    @property
    def is_moving(self) -> bool:
        """Whether the next request will be about a longer part of the same days."""
        return self._days != self.span

    @property
    def activity(self) -> MonthActivity:
        """The active time, read on first use."""
        if self._activity is None:
            source = self._source if self._is_kept else ReadOnlyCacheSource(self._source)
            is_kept = self.is_moving or self._keeps_pieces
            everything = self._kept_pieces(source) if is_kept else self._read(source, self.span)
            self._activity = MonthActivity(everything, filter_pieces(self.common, everything))
        return self._activity

    def _read(self, source: ColumnSource, span: Span) -> Pieces:
        pieces = active_pieces(source, self.common.scope, *span, self.common)
        # A long query reads more than one state of the store.
        self._is_current = self._state is not None and self._current_state() == self._state
        return pieces

    def _kept_pieces(self, source: ColumnSource) -> Pieces:
        """The pieces of the span, from those of its whole days or month, which are cached with their keys."""
        key = ("pieces", self._settings(), self._days, self._state)
        pieces = None if self._state is None else source.cache.get(key, Pieces)
        if pieces is None:
            pieces = self._read(source, self._days)
            if self._is_current and pieces.nbytes <= MAX_KEPT_BYTES:
                source.cache.put(key, pieces)
        return pieces.clip(*self.span) if self.is_moving else pieces

    def get_or_make(self, what: Hashable, kind: type[K], make: "Callable[[RangeMonth], K]") -> K:
        """The cached result of this month, or a new one made of its activity, which is cached if it is small."""
        if self._state is None or self.is_moving:
            return make(self)
        key = (what, self._settings(), self.span, self._state)
        self._keys.append((key, kind))
        known = self._source.cache.get(key, kind)
        if known is None:
            known = make(self)
            if known.nbytes <= MAX_KEPT_BYTES and self._is_current:
                self._source.cache.put(key, known)
        return known

    def release(self) -> None:
        """Drop the pieces: for ten years they would take most of the memory."""
        self._activity = None

    def touch(self) -> None:
        """Mark the cached results of this month as recently used: they are small and were expensive."""
        for key, kind in self._keys:
            self._source.cache.get(key, kind)

    def _current_state(self) -> Hashable | None:
        buckets = list(dict.fromkeys(bucket for device in self._devices for bucket in device.buckets))
        if self._is_over:
            state = state_within(self._source, buckets, self._days)
        else:
            state = state_of_month(self._source, buckets, month_of(self.span[0]))
        return None if state is None else (self._devices, state)

    def _settings(self) -> Hashable:
        scope = self.common.scope
        start, end = self._days
        annotations = tuple(each for each in scope.annotations if each.start < end and each.end > start)
        reading = Reading(scope, self.common.away)
        return reading.state, scope.categories, scope.projects, annotations, self.common.devices, self.common.filters


def months_of(
    source: ColumnSource, common: CommonRequest, span: Span, *, is_summed: bool = False, is_moving: bool = False
) -> Iterator[RangeMonth]:
    """The parts of a range that may have events, ascending. Use each one before you take the next.

    `is_summed`: the results are sums, so that the current month may be two parts, one of which is over.
    `is_moving`: the end of the range moves with time, as that of a range that the present one is compared with.
    """
    chosen = chosen_devices(common, devices_of(source.buckets()), lambda device: device.name)
    extents = {bucket: source.extent(bucket) for device in chosen for bucket in device.buckets}
    # Other buckets are skipped: there may be a thousand empty ones.
    devices = tuple(device for device in chosen if any(_can_touch(extents[each], span) for each in device.buckets))
    start, end = _with_something(common, extents.values(), span)
    over = (common.scope.now - _LATE) // DAY * DAY if is_summed else EARLIEST
    spans: list[Span] = []
    while start < end:
        stop = min(end, start_of_month(month_of(start) + 1))
        stop = over if start < over < stop else stop
        spans.append((start, stop))
        start = stop
    is_kept = len(spans) <= MAX_MONTHS_KEPT
    months = [
        RangeMonth(
            source,
            common,
            devices,
            each,
            is_kept=is_kept,
            days=_days_over(each, over, is_moving=is_moving),
            keeps_pieces=not is_summed and each[1] < common.scope.now - _LATE,
        )
        for each in spans
    ]
    for month in months:
        yield month
        month.release()
    for month in months:
        month.touch()


def _days_over(span: Span, over: Microseconds, *, is_moving: bool) -> Span | None:
    """A span that is over, if its end moves until the end of its last day; None if it is not over."""
    start, end = span
    if end > over:
        return None
    if is_moving:
        end = min(start + -(-(end - start) // DAY) * DAY, start_of_month(month_of(start) + 1), over)
    return start, end


def _can_touch(extent: Span | None, span: Span) -> bool:
    return extent is not None and extent[0] - GAP < span[1] and extent[1] + GAP >= span[0]


def _with_something(
    common: CommonRequest, extents: Iterable[Span | None], span: Span
) -> tuple[Microseconds, Microseconds]:
    """The part of a range that contains all events."""
    known = [extent for extent in extents if extent is not None]
    known += [(each.start, each.end) for each in common.scope.annotations if each.kind == "entry"]
    if not known:
        return span[0], span[0]
    first = max(span[0], min(low for low, _ in known) - GAP)
    return first, max(first, min(span[1], max(high for _, high in known) + GAP))


class ReadOnlyCacheSource(SourceView):
    """A source with a read-only cache."""

    def __init__(self, source: ColumnSource) -> None:
        super().__init__(source, cache=_ReadCache(source.cache))


class _ReadCache:
    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def get(self, key: Hashable, kind: type[K]) -> K | None:
        return self._cache.get(key, kind)

    def put(self, key: Hashable, thing: Cacheable) -> None:
        """Does nothing."""
