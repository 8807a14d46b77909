"""Pieces of a timeline cover exactly the events, whatever the events."""

import random
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dayline.insight.timeline.coverage import coverage_of
from dayline.insight.timeline.pieces import Grid, Spans, TimelinePieces, columns_of, density, pieces_of
from dayline.model.time import EARLIEST, LATEST
from dayline.query.columns.table import NO_ID
from tests.insight.reference.timeline import Shown, clipped, piece_of, union

KEYS = "abc"
RANGE = (100, 1100)

moments = st.integers(0, 1200)
durations = st.one_of(st.just(0), st.integers(1, 5), st.integers(0, 300))
some_events = st.lists(st.tuples(moments, durations, st.sampled_from(KEYS)), max_size=60).map(
    lambda drawn: [Shown(start, start + duration, key, place + 1) for place, (start, duration, key) in enumerate(drawn)]
)
pixels = st.integers(1, 40)


def drawn(events: list[Shown], px: int) -> tuple[list[Shown], TimelinePieces]:
    """The events within the range, and what is drawn of them."""
    inside = clipped(events, *RANGE)
    spans = spans_of(inside)
    return inside, pieces_of(spans, coverage_of(spans.start, spans.end), Grid(*RANGE, px))


def spans_of(events: list[Shown]) -> Spans:
    codes = np.array([KEYS.index(event.key) for event in events], dtype=np.int32)
    return Spans(
        np.array([event.start for event in events], dtype=np.int64),
        np.array([event.end for event in events], dtype=np.int64),
        np.array([event.id for event in events], dtype=np.int64),
        codes,
        codes[::-1].copy(),
        codes,
    )


def runs_of(events: list[Shown], pieces: TimelinePieces) -> list[list[Shown]]:
    """The events of each piece, which are this many in a row."""
    bounds = [0, *accumulate(pieces.count.tolist())]
    return [events[low:high] for low, high in pairwise(bounds)]


@given(some_events, pixels)
def test_there_is_never_more_than_a_piece_a_pixel(events: list[Shown], px: int) -> None:
    _, pieces = drawn(events, px)

    assert len(pieces) <= px


@given(some_events, pixels)
def test_a_piece_has_a_title_of_its_key(events: list[Shown], px: int) -> None:
    _, pieces = drawn(events, px)

    assert pieces.title.tolist() == pieces.key.tolist()


@given(some_events, pixels)
def test_every_event_is_in_one_piece(events: list[Shown], px: int) -> None:
    inside, pieces = drawn(events, px)

    assert int(pieces.count.sum()) == len(inside)
    assert all(count > 0 for count in pieces.count.tolist())


@given(some_events, pixels)
@example([Shown(100, 100, "a", 1), Shown(100, 100, "b", 2), Shown(100, 100, "b", 3)], 1)
def test_a_piece_is_what_its_events_make_together(events: list[Shown], px: int) -> None:
    inside, pieces = drawn(events, px)

    for place, run in enumerate(runs_of(inside, pieces)):
        expected = piece_of(run)
        start, end = int(pieces.start[place]), int(pieces.end[place])
        share = expected.key_time / expected.time if expected.time else None
        assert (start, end) == (expected.start, expected.end)
        assert round(float(pieces.cover[place]) * (end - start)) == expected.covered
        assert KEYS[int(pieces.key[place])] == expected.key
        assert share is None or float(pieces.share[place]) == pytest.approx(share)


@given(some_events, pixels)
def test_the_covered_time_of_pieces_is_that_of_the_events(events: list[Shown], px: int) -> None:
    inside, pieces = drawn(one_after_the_other(events), px)

    covered = float((pieces.cover * (pieces.end - pieces.start)).sum())
    assert covered == pytest.approx(union(inside))
    assert all(start >= end for start, end in zip(pieces.start[1:].tolist(), pieces.end.tolist(), strict=False))


@given(some_events, pixels)
def test_events_that_are_no_more_than_pixels_are_shown_as_they_are(events: list[Shown], px: int) -> None:
    inside, pieces = drawn(events[:px], px)

    rows = zip(pieces.start.tolist(), pieces.end.tolist(), pieces.key.tolist(), pieces.id.tolist(), strict=True)
    assert [Shown(start, end, KEYS[key], number) for start, end, key, number in rows] == inside


@given(some_events, pixels)
def test_a_piece_has_an_id_exactly_where_it_is_one_event(events: list[Shown], px: int) -> None:
    inside, pieces = drawn(events, px)

    for number, run in zip(pieces.id.tolist(), runs_of(inside, pieces), strict=True):
        assert number == (run[0].id if len(run) == 1 else NO_ID)


@given(some_events, pixels)
def test_the_overview_shows_how_much_of_each_column_has_an_event(events: list[Shown], px: int) -> None:
    inside, grid = clipped(events, *RANGE), Grid(*RANGE, px)

    spans = spans_of(inside)
    shares = density(coverage_of(spans.start, spans.end), grid)

    edges = grid.edges(columns_of(grid)).tolist()
    expected = [union(clipped(inside, low, high)) / (high - low) for low, high in pairwise(edges)]
    assert shares.tolist() == pytest.approx(expected)


def test_a_long_event_among_many_short_ones_stays_itself() -> None:
    short = [Shown(start, start + 1, "a", start) for start in range(100, 500, 2)]
    long = Shown(500, 900, "b", 9000)
    more = [Shown(start, start + 1, "c", start) for start in range(900, 1100, 2)]

    _, pieces = drawn([*short, long, *more], 20)

    place = pieces.id.tolist().index(long.id)
    assert (pieces.start[place], pieces.end[place], pieces.count[place]) == (500, 900, 1)


def test_many_events_are_the_same_in_parts_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(7)
    events = [Shown(start, start + dice.randint(0, 9), dice.choice(KEYS), start) for start in range(100, 1100)]
    _, at_once = drawn(events, 30)

    monkeypatch.setattr("dayline.insight.timeline.dominance._EVENTS_AT_ONCE", 50)
    _, in_parts = drawn(events, 30)

    assert in_parts.key.tolist() == at_once.key.tolist()
    assert in_parts.share.tolist() == at_once.share.tolist()


@given(st.integers(1, 10_000))
def test_columns_of_all_time_are_of_equal_width(columns: int) -> None:
    grid = Grid(EARLIEST, LATEST, columns)

    edges = grid.edges(columns).tolist()

    widths = {high - low for low, high in pairwise(edges)}
    assert (edges[0], edges[-1]) == (EARLIEST, LATEST)
    assert max(widths) - min(widths) <= 1
    assert max(widths) == grid.widest(columns)


def one_after_the_other(events: list[Shown]) -> list[Shown]:
    """The events cut so that none overlaps another."""
    ordered = sorted(events, key=lambda event: (event.start, event.id))
    behind = Shown(10_000, 10_000, "a", 0)
    pairs = pairwise([*ordered, behind])
    return [event._replace(end=min(event.end, following.start)) for event, following in pairs]
