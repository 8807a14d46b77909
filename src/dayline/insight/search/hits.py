"""Events that a search found, as columns, grouped. Only query processes import this."""

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
from dayline.transform.text import fold

HALF_LIFE: Final[Microseconds] = 90 * DAY  # after so long a second counts half
_LEAST: Final[Microseconds] = SECOND  # what an event weighs at least
_ORIGIN: Final[Microseconds] = 1_767_225_600_000_000  # 2026: weights are numbers that a float can hold, 1970 to 2261
_DIGITS: Final = 6  # of the rank: sums of floats may differ behind that

Floats = npt.NDArray[np.float64]


class MatchedEvents(Struct, frozen=True, eq=False):
    """The events of one bucket that fit, cut to the range. `whole` are their full durations."""

    bucket: SourceBucket
    start: Times
    end: Times
    whole: Times
    begin: Times  # as they are stored
    id: Ids
    value: Codes
    dictionary: Dictionary


def cut(bucket: SourceBucket, events: EventColumns, start: Microseconds, end: Microseconds, shortest: Microseconds,
        longest: Microseconds | None) -> MatchedEvents:  # fmt: skip
    """The events that lie in the half-open range and last neither too short nor too long."""
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


def taken(found: MatchedEvents, which: Ids) -> MatchedEvents:
    """Some of the events."""
    return MatchedEvents(
        found.bucket,
        found.start[which],
        found.end[which],
        found.whole[which],
        found.begin[which],
        found.id[which],
        found.value[which],
        found.dictionary,
    )


class Hits:
    """All events that fit, one bucket after the other, and the group of each."""

    def __init__(self, found: Sequence[MatchedEvents], group: Group) -> None:
        self.found = found
        self.sizes = [len(part.start) for part in found]
        self.owner: Codes = np.repeat(np.arange(len(found), dtype=np.int32), self.sizes)
        self.start = _joined([part.start for part in found])
        self.end = _joined([part.end for part in found])
        self.id = _joined([part.id for part in found])
        self.seconds: Floats = (self.end - self.start) / SECOND
        self.group, self.keys = _grouped(found, group)
        self.groups = Groups(self)

    def __len__(self) -> int:
        return len(self.start)

    def place(self, event: int) -> tuple[MatchedEvents, int]:
        """The bucket of an event, and which of its events it is."""
        owner = int(self.owner[event])
        return self.found[owner], event - sum(self.sizes[:owner])


class Groups:
    """Figures about each group."""

    def __init__(self, hits: Hits) -> None:
        group = hits.group
        size = int(group.max()) + 1 if len(group) else 0
        self.count: Ids = np.bincount(group, minlength=size)
        duration = hits.end - hits.start
        # Sums of whole microseconds are exact in floats for 285 years.
        self.duration: Ids = np.bincount(group, weights=duration, minlength=size).astype(np.int64)
        self.first: Times = np.full(size, np.iinfo(np.int64).max)
        np.minimum.at(self.first, group, hits.start)
        self.last: Times = np.full(size, np.iinfo(np.int64).min)
        np.maximum.at(self.last, group, hits.end)
        self.rank = _ranks(hits, size)
        # The event that ends last; of several, the one that was stored last.
        latest = np.flatnonzero(hits.end == self.last[group])
        latest = latest[np.lexsort((hits.owner[latest], hits.id[latest]))]
        self.sample: Ids = np.zeros(size, dtype=np.int64)
        self.sample[group[latest]] = latest

    def __len__(self) -> int:
        return len(self.count)

    def measure(self, sort: Sort) -> Floats:
        """What is sorted by, the largest first."""
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


def _ranks(hits: Hits, size: int) -> Floats:
    """The logarithm of all seconds of a group, of which the older count less.

    Each counts half as much for every 90 days that it lies back. Measured from a fixed moment and not from now: the
    order is the same tomorrow, so that it can be read in pages.
    """
    duration = np.maximum(hits.end - hits.start, _LEAST) / SECOND
    weights = duration * np.exp2((hits.end - _ORIGIN) / HALF_LIFE)
    total = np.bincount(hits.group, weights=weights, minlength=size)
    ranks: Floats = np.log2(total).astype(np.float64)
    return np.round(ranks, _DIGITS)


def _grouped(found: Sequence[MatchedEvents], group: Group) -> tuple[Codes, "Keys"]:
    """The group of each event, and what those of a group have in common."""
    keys = Keys()
    parts: list[Codes] = []
    for part in found:
        if group == "none":
            parts.append(keys.nameless(len(part.start)))
            continue
        used = used_codes(part.value, len(part.dictionary))
        numbers = keys.nameless(len(used)) if group == "value" else _by_field(part.dictionary, used, group, keys)
        of_value = np.zeros(len(part.dictionary), dtype=np.int32)
        of_value[used] = numbers
        parts.append(of_value.take(part.value))
    return _joined(parts).astype(np.int32), keys


class Keys:
    """The groups that there are: some have a name, by which they are found again in another bucket."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._size = 0

    def __getitem__(self, group: int) -> str | None:
        return self._names.get(group)

    def nameless(self, count: int) -> Codes:
        """This many new groups."""
        self._size += count
        return np.arange(self._size - count, self._size, dtype=np.int32)

    def named(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = self._size
            self._names[number] = name
            self._size += 1
        return number


def _by_field(dictionary: Dictionary, used: Codes, group: Group, keys: Keys) -> Codes:
    """For each of these values the group of its title, say. Values that have none stay apart."""
    column = dictionary.column("url" if group == "domain" else group)
    distinct, places = np.unique(column.codes[used], return_inverse=True)
    numbers = np.full(len(distinct), MISSING, dtype=np.int32)
    for place, code in enumerate(distinct.tolist()):
        if code != MISSING and column.items.is_string[code]:
            name = _text(column.items.raw(code), group)
            numbers[place] = MISSING if name is None else keys.named(name)
    groups = numbers[places]
    apart = np.flatnonzero(groups == MISSING)
    groups[apart] = keys.nameless(len(apart))
    return groups


def _text(raw: bytes, group: Group) -> str | None:
    text = domain_of(raw) if group == "domain" else raw
    return None if text is None else text.decode()


def _joined(parts: Sequence[npt.NDArray[np.int64]] | Sequence[Codes]) -> Ids:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)


# The categories of events that a search has found.


class Classified:
    """The rules of one search."""

    def __init__(self, source: ColumnSource, scope: Scope) -> None:
        self._categories = EventCategories(source, scope)

    def categories(self, found: MatchedEvents, events: Sequence[int]) -> dict[int, list[str]]:
        """The category of each of some events."""
        which = np.array(sorted(events), dtype=np.int64)
        numbers: list[int] = self._numbers(taken(found, which)).tolist()
        return {event: list(self._categories.names[each]) for event, each in zip(which.tolist(), numbers, strict=True)}

    def chosen(self, found: MatchedEvents, clauses: Sequence[CategoryClause]) -> MatchedEvents:
        """The events whose category is one that was asked for, or lies below it."""
        fits = np.array([all(_holds(clause, name) for clause in clauses) for name in self._categories.names])
        return taken(found, np.flatnonzero(fits[self._numbers(found)]))

    def _numbers(self, found: MatchedEvents) -> Codes:
        end = found.begin + found.whole
        return self._categories.numbers(BucketEvents(found.bucket, found.begin, end, found.value, found.dictionary))


def _holds(clause: CategoryClause, name: Sequence[str]) -> bool:
    wanted = [fold(part) for part in clause.path]
    return ([fold(part) for part in name[: len(wanted)]] == wanted) is not clause.is_negated
