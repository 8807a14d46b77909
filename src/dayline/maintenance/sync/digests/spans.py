"""Spans: how the events of a bucket are divided into packs, and the digest of a span.

    2026-03          a month before the one in which the head was made, or after it
    2026-11-05       a day of that month
    2026-11-19T09    an hour of that day

All times are UTC. An event belongs to the span in which it starts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Final

from msgspec import Struct

from dayline.maintenance.sync.keys import to_text
from dayline.model.event import Event
from dayline.model.time import DAY, SECOND, Microseconds, month_of, start_of_month
from dayline.storage.writing.mirrors import StartRange

HOUR: Final[Microseconds] = 3600 * SECOND
DIGEST_BYTES: Final = 24
_BATCH: Final = 1000  # events
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SPAN: Final = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?")


def span_of(start: Microseconds, made: Microseconds) -> str:
    """The span of an event in a head of this time."""
    if start // DAY == made // DAY:
        return _text(start // HOUR * HOUR, 13)
    if month_of(start) == month_of(made):
        return _text(start // DAY * DAY, 10)
    return _text(start_of_month(month_of(start)), 7)


def range_of(span: str) -> StartRange:
    """The starts of a span, both ends included. Raises ValueError."""
    match = _SPAN.fullmatch(span)
    if match is None:
        raise ValueError(f"{span[:20]!r} is not a span")
    year, month, day, hour = match.groups()
    first = (datetime(int(year), int(month), int(day or 1), int(hour or 0), tzinfo=UTC) - _EPOCH) // timedelta(
        microseconds=1
    )
    if hour is not None:
        return first, first + HOUR - 1
    return first, (first + DAY if day is not None else start_of_month(month_of(first) + 1)) - 1


def is_closed(span: str) -> bool:
    """Whether it is a month, and not a part of the open one."""
    return len(span) == len("2026-03")


@lru_cache(maxsize=1024)
def _text(moment: Microseconds, characters: int) -> str:
    return (_EPOCH + timedelta(microseconds=moment)).isoformat()[:characters]


class SpanDigest(Struct, frozen=True):
    """The digest of the events of a span, and how many there are."""

    digest: str
    events: int


class Digest:
    """The digest of the events of a span, ordered by start and id: BLAKE2b of a line for each.

    A line is the id without `first_id`, the start and the duration in microseconds, and the data as canonical JSON,
    with blanks between them and a newline at the end.
    """

    def __init__(self, first_id: int = 0) -> None:
        self._digest = blake2b(digest_size=DIGEST_BYTES)
        self._first_id = first_id
        self._events = 0

    def add(self, events: Sequence[Event]) -> None:
        first = self._first_id
        lines = [b"%d %d %d %b\n" % (each.id - first, each.start, each.duration, each.data) for each in events]
        self._digest.update(b"".join(lines))
        self._events += len(lines)

    def result(self) -> SpanDigest:
        return SpanDigest(to_text(self._digest.digest()), self._events)


def digest_of(events: Iterable[Event], *, first_id: int = 0) -> SpanDigest:
    digest = Digest(first_id)
    for some in batches(events):
        digest.add(some)
    return digest.result()


def batches(events: Iterable[Event]) -> Iterator[Sequence[Event]]:
    """Events in lists of a thousand."""
    left = iter(events)
    while some := list(islice(left, _BATCH)):
        yield some
