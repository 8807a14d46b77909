"""The finders agree with the slow, obvious way to find the same, whatever the events and wherever a page ends."""

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from dayline.maintenance.findings.finders import (
    CoveredTime,
    DuplicateFinder,
    Finder,
    FutureFinder,
    NegativeFinder,
    OverlapFinder,
    Row,
    TimeSpan,
    ZeroLengthFinder,
    gaps,
)
from dayline.model.time import SECOND
from dayline.model.upkeep.findings import FIXABLE_KINDS, FixKind
from dayline.storage.history.contract import EventCorrection
from tests.support.maintenance.finding import NOW, Plain, counted_twice, fixed

KIND = st.sampled_from(FIXABLE_KINDS)
# Close together and of few lengths: so that events meet in every way there is.
HALF_SECOND = SECOND // 2
HALVES = st.integers(0, 24) | st.sampled_from([NOW // HALF_SECOND, NOW // HALF_SECOND + 2 * 86_400])
STARTS = HALVES.map(HALF_SECOND.__mul__)
DURATIONS = st.sampled_from([-SECOND, 0, 0, 1, HALF_SECOND, SECOND, 2 * SECOND, 6 * SECOND, 86_400 * SECOND])
EVENTS = st.lists(st.tuples(STARTS, DURATIONS, st.integers(1, 2)), max_size=12)
PAGE = st.integers(1, 5)
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)), max_size=4)


def finder_of(kind: FixKind) -> Finder:
    match kind:
        case "duplicates":
            return DuplicateFinder()
        case "overlaps":
            return OverlapFinder()
        case "negative":
            return NegativeFinder()
        case "future":
            return FutureFinder(now=NOW)
        case "zero_length":
            return ZeroLengthFinder()


def rows_of(events: Sequence[tuple[int, int, int]]) -> list[Row]:
    return sorted((start, number, duration, value) for number, (start, duration, value) in enumerate(events, start=1))


def found(finder: Finder, rows: Sequence[Row], page: int) -> Iterator[EventCorrection]:
    for first in range(0, len(rows), page):
        yield from finder.look(rows[first : first + page])


def plain(rows: Sequence[Row]) -> list[Plain]:
    return [Plain(start, number, duration, str(value)) for start, number, duration, value in rows]


def applied(rows: Sequence[Row], fixes: Sequence[EventCorrection]) -> list[Row]:
    """The rows after these fixes, one after the other, each checked as the store does."""
    kept = {row[1]: row for row in rows}
    for fix in fixes:
        assert kept[fix.id] == (fix.start, fix.id, fix.duration, fix.value)
        if fix.because_of is not None:
            start, number, _, value = kept[fix.because_of.id]
            assert (start, number, value) == fix.because_of
        if fix.new_duration is None:
            del kept[fix.id]
        else:
            kept[fix.id] = (fix.start, fix.id, fix.new_duration, fix.value)
    return sorted(kept.values())


@given(kind=KIND, events=EVENTS, page=PAGE)
def test_fixes_leave_what_the_rules_leave(kind: FixKind, events: list[tuple[int, int, int]], page: int) -> None:
    rows = rows_of(events)
    fixes = list(found(finder_of(kind), rows, page))

    assert plain(applied(rows, fixes)) == fixed(kind, plain(rows))


@given(kind=KIND, events=EVENTS)
def test_nothing_of_the_kind_is_found_after_it_was_fixed(kind: FixKind, events: list[tuple[int, int, int]]) -> None:
    rows = rows_of(events)
    left = applied(rows, list(finder_of(kind).look(rows)))

    assert list(finder_of(kind).look(left)) == []


@given(events=EVENTS, page=PAGE)
def test_overlapping_time_is_what_is_counted_twice(events: list[tuple[int, int, int]], page: int) -> None:
    rows, finder = rows_of(events), OverlapFinder()
    fixes = list(found(finder, rows, page))

    assert finder.time == counted_twice(plain(rows))
    assert bool(fixes) == bool(finder.time)


@given(
    own=st.lists(st.sampled_from([(0, 1), (12, 0), (20, 3), (45, 5)])),
    others=st.lists(SPANS),
    shortest=st.integers(1, 8),
)
def test_gaps_are_the_moments_without_own_events_between_active_ones(
    own: list[tuple[int, int]], others: list[list[tuple[int, int]]], shortest: int
) -> None:
    found = gaps(
        covered(own, shortest).spans, [covered(other, shortest).spans for other in others], longer_than=shortest
    )

    assert found == slow_gaps(own, [span for other in others for span in other], shortest)


def covered(spans: list[tuple[int, int]], max_break: int) -> CoveredTime:
    coverage = CoveredTime(max_break=max_break)
    for start, length in sorted(spans):
        coverage.add(start, start + length)
    return coverage


def slow_gaps(own: list[tuple[int, int]], others: list[tuple[int, int]], shortest: int) -> list[TimeSpan]:
    """Unit by unit: a unit of time is in question where neither side's break around it is short."""
    units = range(0, 60)
    candidates = [unit for unit in units if in_long_break(unit, own, shortest)]
    active = [unit for unit in candidates if is_active(unit, others, shortest)]
    runs: list[TimeSpan] = []
    for unit in active:
        is_parted = any(start <= unit <= start + length for start, length in own)  # by an event of no length
        if runs and runs[-1].end == unit and not is_parted:
            runs[-1] = TimeSpan(runs[-1].start, unit + 1)
        else:
            runs.append(TimeSpan(unit, unit + 1))
    return [run for run in runs if run.length > shortest]


def in_long_break(unit: int, spans: list[tuple[int, int]], shortest: int) -> bool:
    """Whether the unit lies between two spans that are further apart than `shortest`."""
    if any(start < unit + 1 and start + length > unit for start, length in spans):
        return False
    before = [start + length for start, length in spans if start + length <= unit]
    after = [start for start, _ in spans if start >= unit + 1]
    return bool(before and after) and min(after) - max(before) > shortest


def is_active(unit: int, spans: list[tuple[int, int]], shortest: int) -> bool:
    """Whether the unit lies within a span, or between two that are not further apart than `shortest`."""
    if any(start <= unit and start + length >= unit + 1 for start, length in spans):
        return True
    before = [start + length for start, length in spans if start + length <= unit]
    after = [start for start, _ in spans if start >= unit + 1]
    return bool(before and after) and min(after) - max(before) <= shortest
