"""Reads the events of a bucket from Dayline's API in pieces, whatever its size."""

from collections.abc import Iterator
from typing import Any, Final, Protocol

import msgspec

from dayline.model.bucket import BucketView, bucket_path
from dayline.model.data import canonical_json
from dayline.model.event import Event, EventView, duration_of
from dayline.model.time import Microseconds, format_timestamp, parse_timestamp

EVENTS_AT_ONCE: Final = 20_000  # about 4 MB of JSON
# Halvings beyond those needed for evenly distributed events. Limited, because with long overlapping events every range
# has as many, however short it is.
_EXTRA_HALVINGS: Final = 4


class Calls(Protocol):
    """Calls to Dayline's API."""

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its response. Raises a DaylineError with the server's message."""
        ...


def stored_buckets(server: Calls) -> dict[str, BucketView]:
    """All buckets by id."""
    return msgspec.convert(server.call("GET", "/api/0/buckets/"), dict[str, BucketView])


class StoredEvents:
    """The events of one bucket; with `between`, those that begin in that range, end exclusive.

    `at_once` is the max number of events per call.
    """

    def __init__(
        self,
        server: Calls,
        bucket: BucketView,
        *,
        between: tuple[Microseconds | None, Microseconds | None] = (None, None),
        at_once: int = EVENTS_AT_ONCE,
    ) -> None:
        self._server = server
        self._path = bucket_path(bucket.id)
        self._range = bucket.metadata
        self._between = between
        self._at_once = at_once
        self._whole: dict[int, Event] = {}  # events that were returned clipped, by id

    def __iter__(self) -> Iterator[Event]:
        """Each event once, unclipped, in order of start."""
        if self._between != (None, None):
            yield from self._some()
            return
        total, given = self._count(), 0
        if total <= self._at_once or self._range.start is None or self._range.end is None:
            yield from self._fetch()
            return
        backwards: set[int] = set()
        halvings = (total // self._at_once).bit_length() + _EXTRA_HALVINGS
        for event in self._within(parse_timestamp(self._range.start), parse_timestamp(self._range.end), halvings):
            given += 1
            if event.duration < 0:
                backwards.add(event.id)
            yield event
        if given < total:
            # An event that ends before it begins can be in neither of two adjacent ranges.
            for event in self._fetch():
                if event.duration < 0 and event.id not in backwards:
                    yield event

    def count(self) -> int:
        """The number of events; approximate if a range clips some of them."""
        chosen = self._chosen()
        return 0 if chosen is None else self._count(**_bounds(*chosen))

    def _some(self) -> Iterator[Event]:
        chosen = self._chosen()
        if chosen is not None:
            halvings = (self._count(**_bounds(*chosen)) // self._at_once).bit_length() + _EXTRA_HALVINGS
            yield from self._within(*chosen, halvings)

    def _chosen(self) -> tuple[Microseconds, Microseconds] | None:
        """The closed range of the starts of the requested events; None if there are none."""
        if self._range.start is None or self._range.end is None:
            return None
        first, last = parse_timestamp(self._range.start), parse_timestamp(self._range.end)
        start, end = self._between
        first = first if start is None else max(first, start)
        last = last if end is None else min(last, end - 1)
        return (first, last) if first <= last else None

    def _within(self, start: Microseconds, end: Microseconds, halvings: int) -> Iterator[Event]:
        """The events that begin in the closed range, which is halved until it is small enough."""
        bounds = _bounds(start, end)
        if halvings and end > start and self._count(**bounds) > self._at_once:
            middle = (start + end) // 2
            yield from self._within(start, middle, halvings - 1)
            yield from self._within(middle + 1, end, halvings - 1)
            return
        for event in self._fetch(**bounds):
            # An event that begins or ends exactly at a bound may be clipped.
            is_clipped = event.start == start or event.end == end
            whole = self._fetch_one(event.id) if is_clipped else event
            if start <= whole.start <= end:
                yield whole

    def _count(self, **bounds: str) -> int:
        return int(self._server.call("GET", f"{self._path}/events/count", **bounds))

    def _fetch(self, **bounds: str) -> Iterator[Event]:
        yield from map(_event, reversed(self._server.call("GET", f"{self._path}/events", **bounds)))

    def _fetch_one(self, event_id: int) -> Event:
        if event_id not in self._whole:
            self._whole[event_id] = _event(self._server.call("GET", f"{self._path}/events/{event_id}"))
        return self._whole[event_id]


def _bounds(start: Microseconds, end: Microseconds) -> dict[str, str]:
    return {"start": format_timestamp(start), "end": format_timestamp(end)}


def _event(answer: Any) -> Event:
    view = msgspec.convert(answer, EventView)
    return Event(
        id=view.id or 0,
        start=parse_timestamp(view.timestamp),
        duration=duration_of(view.duration),
        data=canonical_json(view.data),
    )
