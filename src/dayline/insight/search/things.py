"""The active time that a search found, by what was on the screen. Only query processes import this.

A window, the tab in it and the file in it are one thing, named by its title as in summaries. A piece of active time
counts once if one of its layers matches.

window    [Folding boats - Firefox  ][Editor          ]
tabs      [boats.example.org        ][boats.example.org]   not active
counts    [one thing                ]
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Combinations, Key, texts_of
from dayline.insight.active.intervals import GAP, Spans, overlaps, union
from dayline.insight.active.months import months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.request import CommonRequest
from dayline.insight.search.hits import Keys, MatchedEvents, holds
from dayline.insight.search.query import SearchQuery
from dayline.model.category import Path
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET
from dayline.query.columns.distinct import used_codes
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Dictionary, Flags, Ids, Times

_LAYERS: Final = ("window", "tab", "file")


class ThingSample(Struct, frozen=True, eq=False):
    """What was active when a thing was last active."""

    combinations: Combinations
    number: int
    category: Path

    def data(self) -> dict[str, Any]:
        """The data of its file, its tab and its window, joined."""
        layers = self.combinations.data(self.number)
        joined: dict[str, Any] = {}
        for layer in reversed(_LAYERS):
            joined.update(msgspec.json.decode(layers[layer]) if layer in layers else {})
        return joined


class Things(Struct, frozen=True, eq=False):
    """Active pieces that match, ascending and disjoint, each with the number of its thing in the keys of the hits."""

    start: Times
    end: Times
    thing: Ids
    device: Codes
    devices: Sequence[str]
    buckets: dict[str, Flags]  # of each bucket: in which pieces one of its events was active
    samples: dict[int, ThingSample]

    def of_events(self, part: MatchedEvents) -> tuple[Ids, Ids]:
        """Pairs of an event of a bucket and a thing that it was part of while it was active, each pair once."""
        which = np.flatnonzero(self.buckets.get(part.bucket.id, np.zeros(len(self.start), dtype=np.bool_)))
        event, thing = self._pairs(part, which, 0)
        # A piece may consist of a closed gap between two events: it belongs to those.
        left = which[~np.isin(self.thing[which], thing)]
        more = self._pairs(part, left, GAP)
        pairs = np.unique(np.stack([np.append(event, more[0]), np.append(thing, more[1])]), axis=1)
        return pairs[0], pairs[1]

    def _pairs(self, part: MatchedEvents, which: Ids, reach: int) -> tuple[Ids, Ids]:
        # Pieces are disjoint, so those that an event overlaps are next to each other.
        low = np.searchsorted(self.end[which], part.start - reach, side="right")
        high = np.searchsorted(self.start[which], part.end + reach, side="left")
        count = np.maximum(high - low, 0)
        event = np.repeat(np.arange(len(count)), count)
        piece = np.repeat(low + count - np.cumsum(count), count) + np.arange(len(event))
        return event, self.thing[which[piece]]


def find_things(
    source: ColumnSource, common: CommonRequest, found: Sequence[MatchedEvents], keys: Keys, query: SearchQuery
) -> Things:
    """The active time of these events in the categories of the query, and its things, which become keys."""
    months = [
        _Month(month.activity.everything, found, keys, query)
        for month in months_of(source, common, (common.start, common.end))
    ]
    samples: dict[int, ThingSample] = {}
    for month in months:
        samples.update(month.samples)
    devices = list(dict.fromkeys(name for month in months for name in month.pieces.devices))
    codes = [
        np.array([*(devices.index(name) for name in month.pieces.devices), MISSING], dtype=np.int32)[month.device]
        for month in months
    ]
    names = dict.fromkeys(name for month in months for name in month.buckets)
    return Things(
        _joined([month.start for month in months]),
        _joined([month.end for month in months]),
        _joined([month.thing for month in months]),
        np.concatenate([np.zeros(0, dtype=np.int32), *codes]),
        devices,
        {
            name: np.concatenate([
                month.buckets.get(name, np.zeros(len(month.start), dtype=np.bool_)) for month in months
            ])
            for name in names
        },
        samples,
    )  # fmt: skip


class _Month:
    """The matching pieces of a month."""

    def __init__(self, pieces: Pieces, found: Sequence[MatchedEvents], keys: Keys, query: SearchQuery) -> None:
        self.pieces = pieces
        combinations = pieces.combinations
        flags = _matching(combinations, found, has_texts=bool(query.texts.clauses))
        categories = combinations.keys("category")
        if query.categories:
            passes = [all(holds(clause, name) for clause in query.categories) for name in categories.names]
            flags = flags & np.array([*passes, False], dtype=np.bool_)[categories.codes]
        which = np.flatnonzero(flags[pieces.combination])
        self.start: Times = pieces.start[which]
        self.end: Times = pieces.end[which]
        # Of a limited duration, only the events themselves count, not others with the same data.
        if (query.shortest > 0 or query.longest is not None) and len(which):
            spans = union([Spans(part.start, part.end) for part in found])
            cut = overlaps(Spans(self.start, self.end), spans)
            which, self.start, self.end = which[cut.first], cut.start, cut.end
        self.device = pieces.device[which]
        combination = pieces.combination[which]
        self.thing = _things(combinations, combination, keys)
        self.buckets = {
            name: active[combination] for name, active in combinations.buckets_in_use().items()
        }  # fmt: skip
        names = categories.names
        last = dict(zip(self.thing.tolist(), combination.tolist(), strict=True))  # of equal keys the last one stays
        self.samples = {
            thing: ThingSample(combinations, number, _path(names, int(categories.codes[number])))
            for thing, number in last.items()
        }


def _path(names: Sequence[Key], code: int) -> Path:
    name = names[code]
    assert isinstance(name, tuple)  # of the field category
    return name


def _things(combinations: Combinations, combination: Codes, keys: Keys) -> Ids:
    """The number of the thing of each of some combinations: by its title, or else by its app."""
    titles, apps = combinations.keys("title"), combinations.keys("app")
    used = np.unique(combination)
    numbers = np.zeros(len(combinations) + 1, dtype=np.int64)
    has_title = titles.codes[used] != MISSING
    for column, which in ((titles, used[has_title]), (apps, used[~has_title])):
        codes = column.codes[which]
        there = which[codes != MISSING]
        texts = texts_of(column.names, column.codes[there])
        numbers[there] = [keys.number_of(str(text)) for text in texts]
        numbers[which[codes == MISSING]] = keys.number_of("") if (codes == MISSING).any() else 0
    return numbers[combination]


def _matching(combinations: Combinations, found: Sequence[MatchedEvents], *, has_texts: bool) -> Flags:
    """Which combinations have a value that matched."""
    used = {part.bucket.id: (part.dictionary, used_codes(part.value, len(part.dictionary))) for part in found}
    texts: dict[str, frozenset[bytes]] = {}

    def has_value(bucket: str, data: Dictionary, codes: Codes) -> Flags:
        if bucket not in used:
            return np.zeros(len(codes), dtype=np.bool_)
        if not has_texts:
            return np.ones(len(codes), dtype=np.bool_)
        dictionary, matched = used[bucket]
        if data is dictionary:
            return np.isin(codes, matched)
        if bucket not in texts:
            texts[bucket] = frozenset(dictionary.texts(matched))
        distinct, places = np.unique(codes, return_inverse=True)
        fits = [text in texts[bucket] for text in data.texts(distinct.astype(np.int32))]
        return np.array(fits, dtype=np.bool_)[places]

    entries = {int(number) for part in found if part.bucket.id == ANNOTATIONS_BUCKET for number in part.id.tolist()}
    return combinations.having(has_value, lambda note: note.id in entries)


def _joined(parts: Sequence[Ids]) -> Ids:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
