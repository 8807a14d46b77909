"""Downsampling changes no total of any quarter of an hour, whatever the events, the devices and the rules."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.insight.request import FIELDS, Scope
from dayline.model.data import canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, ANNOTATIONS_TYPE
from dayline.storage.engine.rows import EventRow
from dayline.storage.retention.downsampling import worlds_of
from dayline.storage.retention.rearranging import QUARTER, Quarters
from dayline.storage.transfer.event_rows import BucketRow
from tests.insight.reference.active_time import Moment, Recorded, World
from tests.insight.worlds import (
    CATEGORIES,
    CHANGES,
    EVENT_DATA,
    HOSTS,
    HOUR,
    MACHINES,
    SECOND,
    TYPES,
    Drawn,
    annotations,
)
from tests.support.profile import examples
from tests.support.query.tables import StoredEvent

BUCKETS = [
    *(BucketRow(key, name, TYPES[name], HOSTS[name], 0, 0) for key, name in enumerate(TYPES, start=1)),
    BucketRow(100, ANNOTATIONS_BUCKET, ANNOTATIONS_TYPE, "unknown", 0, 0),
]
NAMES = {bucket.key: bucket.id for bucket in BUCKETS}

_GAPS = [0, 0, 0, SECOND, SECOND, 2 * SECOND + 1, 5 * SECOND - 1, 5 * SECOND, 20 * SECOND, 90 * SECOND, 900 * SECOND]
_LENGTHS = [0, SECOND, 3 * SECOND, 7 * SECOND, 30 * SECOND, 60 * SECOND, 200 * SECOND, 1100 * SECOND]


_TOGETHER = [
    {"aw-watcher-window_laptop", "aw-watcher-android-test"},
    {"aw-watcher-window_laptop", "aw-watcher-web-firefox_tablet"},
    {"aw-watcher-window_laptop", "aw-watcher-web-firefox_laptop"},
    {"aw-watcher-window_laptop", "aw-watcher-vim_laptop", "aw-watcher-afk_laptop"},
]


@st.composite
def busy(draw: st.DrawFn, data: st.SearchStrategy[Any], overlaps: Sequence[int]) -> list[StoredEvent]:
    """Many events of one bucket within an hour or two, few of them different."""
    known = draw(st.lists(data, min_size=1, max_size=3))
    clock = draw(st.integers(0, 1800)) * SECOND
    events: list[StoredEvent] = []
    for number in range(draw(st.integers(0, 24))):
        length = draw(st.sampled_from(_LENGTHS))
        events.append((clock, length, draw(st.sampled_from(known)), number + 1))
        clock += length + draw(st.sampled_from([*_GAPS, *overlaps]))
    return events


@st.composite
def busy_worlds(draw: st.DrawFn) -> Drawn:
    """Up to four buckets with many events, and annotations, around a change of the clocks."""
    used = draw(st.one_of(st.sampled_from(_TOGETHER), st.sets(st.sampled_from(list(TYPES)), min_size=1, max_size=4)))
    overlaps = draw(st.sampled_from([(), (), (-SECOND, -40 * SECOND)]))
    scope = Scope(
        now=0,
        categories=draw(st.sampled_from([(), CATEGORIES])),
        annotations=draw(st.one_of(st.just(()), annotations(hours=2))),
        always_active=draw(st.sampled_from(["", "game"])),
    )
    buckets = {name: draw(busy(EVENT_DATA[kind], overlaps)) if name in used else [] for name, kind in TYPES.items()}
    return Drawn(draw(st.sampled_from(list(CHANGES))), buckets, scope)


class Stored:
    """The events of a world as rows, and back."""

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn
        self._values: dict[bytes, int] = {}
        self._data: dict[int, Mapping[str, Any]] = {}
        keys = {name: key for key, name in NAMES.items()}
        self.rows = [
            EventRow(keys[bucket], drawn.base + start, keys[bucket] * 1000 + number, length, self._value(data))
            for bucket, events in drawn.buckets.items()
            for start, length, data, number in events
        ]
        self.annotations = [
            EventRow(100, each.start, 100_000 + each.id, each.end - each.start, 0) for each in drawn.scope.annotations
        ]

    def world(self, rows: Collection[EventRow]) -> World:
        events = [
            Recorded(NAMES[row.bucket], row.start, row.start + row.duration, row.id, self._data[row.value])
            for row in rows
        ]
        return World(MACHINES, events, self._drawn.scope)

    def downsampled(self, rows: Sequence[EventRow], rules: Collection[int]) -> list[EventRow]:
        found = {row.id: row for row in rows}
        for world in worlds_of(BUCKETS, {key: self._drawn.base + 100 * HOUR for key in rules}):
            quarters = Quarters(world.buckets, world.lanes, [*rows, *self.annotations], ())
            for start in range(self._drawn.base - QUARTER, self._drawn.base + 8 * HOUR, QUARTER):
                rewrite = quarters.plan(start, world.cutoffs)
                if rewrite is not None:
                    assert len(rewrite.after) < len(rewrite.before)
                    for row in rewrite.before:
                        del found[row.id]
                    found.update((row.id, row) for row in rewrite.after)
        return list(found.values())

    def _value(self, data: Mapping[str, Any]) -> int:
        value = self._values.setdefault(canonical_json(data), len(self._values) + 1)
        self._data[value] = data
        return value


def totals(world: World, start: int, end: int) -> list[Counter[object]]:
    """The time of every combination of keys in every quarter: on all devices together, and on each."""
    parts = [world.united(start, end), *(world.of_machine(machine, start, end) for machine in MACHINES)]
    away: Counter[object] = Counter(
        {quarter: world.away(quarter, quarter + QUARTER) for quarter in range(start, end, QUARTER)}
    )
    return [*map(by_quarter, parts), +away]


def by_quarter(moments: Sequence[Moment]) -> Counter[object]:
    found: Counter[object] = Counter()
    for each in moments:
        keys = tuple(each.keys[field] for field in FIELDS)
        for quarter in range(each.start // QUARTER * QUARTER, each.end, QUARTER):
            found[quarter, keys, each.note] += min(each.end, quarter + QUARTER) - max(each.start, quarter)
    return found


@settings(max_examples=examples(2000, daily=60), deadline=None)
@given(busy_worlds(), st.one_of(st.just(set(NAMES)), st.sets(st.sampled_from(list(NAMES)))), st.booleans())
def test_downsampling_keeps_every_total_of_every_quarter_of_an_hour(
    drawn: Drawn, rules: set[int], is_away_included: bool
) -> None:
    stored = Stored(drawn)
    start, end = drawn.base - QUARTER, drawn.base + 8 * HOUR

    after = stored.downsampled(stored.rows, rules)

    before_world, after_world = stored.world(stored.rows), stored.world(after)
    before_world.is_away_included = after_world.is_away_included = is_away_included
    assert totals(after_world, start, end) == totals(before_world, start, end)
    assert {row for row in after if row.bucket not in rules} == {row for row in stored.rows if row.bucket not in rules}
    assert sorted(stored.downsampled(after, rules), key=key_of) == sorted(after, key=key_of)


def check_totals(buckets: dict[str, list[StoredEvent]]) -> list[EventRow]:
    """Downsample all buckets; no total changes."""
    drawn = Drawn("UTC", {**{name: [] for name in TYPES}, **buckets}, Scope(now=0))
    stored = Stored(drawn)
    after = stored.downsampled(stored.rows, set(NAMES))
    span = drawn.base, drawn.base + HOUR
    assert totals(stored.world(after), *span) == totals(stored.world(stored.rows), *span)
    return after


def turns(*events: tuple[int, int, str]) -> list[StoredEvent]:
    """Events that start and end at these seconds, with their titles."""
    return [
        (start * SECOND, (end - start) * SECOND, {"app": "Firefox", "title": title}, number)
        for number, (start, end, title) in enumerate(events, start=1)
    ]


def test_alternating_windows_keep_their_time() -> None:
    """They became two events that overlapped: of an hour, 35 minutes were left."""
    events = turns(*((minute * 60, minute * 60 + 60, "ab"[minute % 2]) for minute in range(60)))

    after = check_totals({"aw-watcher-window_laptop": events})

    assert len(after) == 4 * 3  # in every quarter, the first and the last stay where they are


def test_of_two_devices_the_one_whose_event_began_last_still_counts() -> None:
    laptop = turns((0, 10, "a"), (10, 300, "b"), (300, 400, "a"), (400, 500, "b"), (500, 600, "a"))
    phone = turns((5, 200, "x"), (250, 310, "y"), (350, 450, "x"), (460, 520, "y"))

    check_totals({"aw-watcher-window_laptop": laptop, "aw-watcher-android-test": phone})


def test_a_long_gap_that_other_buckets_divide_stays_long() -> None:
    """The tab is missing for six seconds, during which the window changes: gaps of three seconds would be closed."""
    windows = turns((0, 10, "a"), (10, 13, "b"), (13, 16, "c"), (16, 30, "d"), (30, 33, "c"), (33, 36, "e"),
                    (36, 60, "a"), (60, 70, "f"))  # fmt: skip
    tabs = turns((0, 10, "t"), (16, 30, "t"), (36, 70, "t"))

    check_totals({"aw-watcher-window_laptop": windows, "aw-watcher-web-firefox_laptop": tabs})


def key_of(row: EventRow) -> int:
    return row.id
