"""The events that a search found, as columns and in groups. Only query processes import this."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.insight.categories.events import BucketEvents, EventCategories
from dayline.insight.request import Scope
from dayline.insight.search.model import Group, Sort
from dayline.insight.search.query import CategoryClause
from dayline.model.time import DAY, SECOND, Microseconds
from dayline.query.columns.distinct import used_codes
from dayline.query.urls import domain_of
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    ColumnSource,
    Dictionary,
    EventColumns,
    Ids,
    SourceBucket,
    Times,
)
from dayline.transform.words import fold

HALF_LIFE: Final[Microseconds] = 90 * DAY  # after this time a second counts half
_MIN_WEIGHT: Final[Microseconds] = SECOND  # minimum weight of an event
_ORIGIN: Final[Microseconds] = (
    1_767_225_600_000_000  # 2026: keeps weights within the range of a float, from 1970 to 2261
)
_DIGITS: Final = 6  # digits of the rank: sums of floats may differ beyond them

Floats = npt.NDArray[np.float64]


class MatchedEvents(Struct, frozen=True, eq=False):
    """The matching events of one bucket, clipped to the range. `whole` are their full durations."""

    bucket: SourceBucket
    start: Times
    end: Times
    whole: Times
    begin: Times  # as stored
    id: Ids
    value: Codes
    dictionary: Dictionary


def clip_events(
    bucket: SourceBucket, events: EventColumns, start: Microseconds, end: Microseconds, shortest: Microseconds,
        longest: Microseconds | None) -> MatchedEvents:  # fmt: skip
    """The events in the half-open range whose duration is within the limits."""
    whole = events.end - events.start
    fits = (events.start < end) & ((events.end > start) | (events.start >= start)) & (whole >= shortest)
    if longest is not None:
        fits &= whole <= longest
    which = slice(None) if fits.all() else np.flatnonzero(fits)
    begin, value = events.start[which], events.value[which]
    return MatchedEvents(
        bucket,
        np.maximum(begin, start),
        np.minimum(events.end[which], end),
        whole[which],
        begin,
        events.id[which],
        value,
        events.dictionary,
    )


def take_events(events: MatchedEvents, which: Ids) -> MatchedEvents:
    """The selected events."""
    return MatchedEvents(
        events.bucket,
        events.start[which],
        events.end[which],
        events.whole[which],
        events.begin[which],
        events.id[which],
        events.value[which],
        events.dictionary,
    )


class Measured(Struct, frozen=True, eq=False):
    """The time that counts, and the group of each part of it: matched events, or active time."""

    start: Times
    end: Times
    group: Ids

    @property
    def seconds(self) -> Floats:
        return (self.end - self.start) / SECOND


class Hits:
    """All matching events, bucket by bucket, the group of each, and the time that counts."""

    def __init__(
        self, found: Sequence[MatchedEvents], group: Codes, keys: "Keys", measured: Measured | None = None
    ) -> None:
        self.found = found
        self.sizes = [len(part.start) for part in found]
        self.owner: Codes = np.repeat(np.arange(len(found), dtype=np.int32), self.sizes)
        self.start = _concatenate([part.start for part in found])
        self.end = _concatenate([part.end for part in found])
        self.id = _concatenate([part.id for part in found])
        self.group, self.keys = group, keys
        self.measured = Measured(self.start, self.end, group.astype(np.int64)) if measured is None else measured
        self.groups = Groups(self)

    def __len__(self) -> int:
        return len(self.start)

    def place(self, event: int) -> tuple[MatchedEvents, int]:
        """The bucket of an event, and its index there."""
        owner = int(self.owner[event])
        return self.found[owner], event - sum(self.sizes[:owner])


class Groups:
    """Statistics of each group."""

    def __init__(self, hits: Hits) -> None:
        group, measured = hits.group, hits.measured
        size = int(group.max()) + 1 if len(group) else 0
        self.count: Ids = np.bincount(group, minlength=size)
        # Floats hold sums of whole microseconds exactly for 285 years.
        sums = np.bincount(measured.group, weights=measured.end - measured.start, minlength=size)
        self.duration: Ids = sums[:size].astype(np.int64)
        self.first: Times = np.full(size, np.iinfo(np.int64).max)
        np.minimum.at(self.first, group, hits.start)
        self.last: Times = np.full(size, np.iinfo(np.int64).min)
        np.maximum.at(self.last, group, hits.end)
        self.rank = _ranks(hits, size)
        self.sample = _samples(hits, self.last)

    def __len__(self) -> int:
        return len(self.count)

    def measure(self, sort: Sort) -> Floats:
        """The values to sort by, the largest first."""
        match sort:
            case "rank":
                return self.rank
            case "recent":
                return self.last.astype(np.float64)
            case "oldest":
                return -self.first.astype(np.float64)
            case "time":
                return self.duration.astype(np.float64)
            case "count":
                return self.count.astype(np.float64)


def _samples(hits: Hits, last: Times) -> Ids:
    """For each group the event that ends last; of several, the one that was stored last."""
    latest = np.flatnonzero(hits.end == last[hits.group])
    samples: Ids = np.zeros(len(last), dtype=np.int64)
    samples[hits.group[latest]] = latest
    # Few groups have several, and only those are sorted.
    several = np.bincount(hits.group[latest], minlength=len(last)) > 1
    tied = latest[several[hits.group[latest]]]
    tied = tied[np.lexsort((hits.owner[tied], hits.id[tied]))]
    samples[hits.group[tied]] = tied
    return samples


def _ranks(hits: Hits, size: int) -> Floats:
    """The logarithm of the seconds of each group, weighted by age.

    The weight halves every 90 days. It is measured from a fixed time, not from now, so that the order stays the same
    while a client reads page after page.
    """
    measured = hits.measured
    duration = np.maximum(measured.end - measured.start, _MIN_WEIGHT) / SECOND
    weights = duration * np.exp2((measured.end - _ORIGIN) / HALF_LIFE)
    total = np.bincount(measured.group, weights=weights, minlength=size)[:size]
    # What was never active comes last.
    ranks: Floats = np.log2(np.maximum(total, np.finfo(np.float64).tiny)).astype(np.float64)
    return np.round(ranks, _DIGITS)


def group_events(found: Sequence[MatchedEvents], group: Group, keys: "Keys") -> Codes:
    """The group of each event; groups with a name become keys."""
    parts: list[Codes] = []
    for part in found:
        if group == "none":
            parts.append(keys.add_unnamed(len(part.start)))
            continue
        used = used_codes(part.value, len(part.dictionary))
        numbers = keys.add_unnamed(len(used)) if group == "value" else _by_field(part.dictionary, used, group, keys)
        of_value = np.zeros(len(part.dictionary), dtype=np.int32)
        of_value[used] = numbers
        parts.append(of_value.take(part.value))
    return _concatenate(parts).astype(np.int32)


class Keys:
    """The groups. A name identifies a group across buckets; groups without a name belong to one bucket."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._size = 0

    def __getitem__(self, group: int) -> str | None:
        return self._names.get(group)

    def add_unnamed(self, count: int) -> Codes:
        """Create this many groups without a name."""
        self._size += count
        return np.arange(self._size - count, self._size, dtype=np.int32)

    def number_of(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = self._size
            self._names[number] = name
            self._size += 1
        return number


def _by_field(dictionary: Dictionary, used: Codes, group: Group, keys: Keys) -> Codes:
    """The group of each value by a field such as the title. Values without the field get their own groups."""
    column = dictionary.column("url" if group == "domain" else group)
    distinct, places = np.unique(column.codes[used], return_inverse=True)
    numbers = np.full(len(distinct), MISSING, dtype=np.int32)
    for row, code in enumerate(distinct.tolist()):
        if code != MISSING and column.items.is_string[code]:
            name = _text(column.items.raw(code), group)
            numbers[row] = MISSING if name is None else keys.number_of(name)
    groups = numbers[places]
    apart = np.flatnonzero(groups == MISSING)
    groups[apart] = keys.add_unnamed(len(apart))
    return groups


def _text(raw: bytes, group: Group) -> str | None:
    text = domain_of(raw) if group == "domain" else raw
    return None if text is None else text.decode()


def _concatenate(parts: Sequence[npt.NDArray[np.int64]] | Sequence[Codes]) -> Ids:
    return np.concatenate(parts).astype(np.int64, copy=False) if parts else np.zeros(0, dtype=np.int64)


class HitCategories:
    """Classifies the events of one search."""

    def __init__(self, source: ColumnSource, scope: Scope) -> None:
        self._categories = EventCategories(source, scope)

    def categories(self, found: MatchedEvents, events: Sequence[int]) -> dict[int, list[str]]:
        """The category of each of some events."""
        which = np.array(sorted(events), dtype=np.int64)
        numbers: list[int] = self._numbers(take_events(found, which)).tolist()
        return {event: list(self._categories.names[each]) for event, each in zip(which.tolist(), numbers, strict=True)}

    def in_categories(self, found: MatchedEvents, clauses: Sequence[CategoryClause]) -> MatchedEvents:
        """The events whose category is a requested one or below it."""
        fits = np.array([all(holds(clause, name) for clause in clauses) for name in self._categories.names])
        return take_events(found, np.flatnonzero(fits[self._numbers(found)]))

    def _numbers(self, found: MatchedEvents) -> Codes:
        end = found.begin + found.whole
        return self._categories.numbers(BucketEvents(found.bucket, found.begin, end, found.value, found.dictionary))


def holds(clause: CategoryClause, name: Sequence[str]) -> bool:
    """Whether a category is the one of a clause, or below it."""
    wanted = [fold(part) for part in clause.path]
    return ([fold(part) for part in name[: len(wanted)]] == wanted) is not clause.is_negated
