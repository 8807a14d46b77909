"""Timelines of devices over many years, which are put together from months that are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.insight.active.pieces import Pieces, active_pieces
from dayline.insight.request import CommonRequest, Scope
from dayline.insight.timeline.long_range import long_lanes
from dayline.insight.timeline.model import LaneResponse, TimelineRequest, TimelineResponse
from dayline.insight.timeline.pieces import Grid
from dayline.insight.timeline.task import timeline_answer
from dayline.model.category import Category, ClassicRule
from dayline.model.time import DAY, SECOND, parse_timestamp
from tests.insight.reference.timeline import Piece, Shown, piece_of, union
from tests.support.profile import examples
from tests.support.query.tables import MemorySource, StoredEvent

START = parse_timestamp("2020-01-15T09:17:23Z")
END = START + 3 * 365 * DAY
MINUTE = 60 * SECOND
CATEGORIES = (Category(id=1, name=("Work",), rule=ClassicRule(regex="app [12]")),)
TYPES = {"window": "currentwindow", "other": "currentwindow"}
HOSTS = {"window": "laptop", "other": "desktop"}

# Days, minutes, how long, and which app; many of them at once, so that some share a column.
moments = st.tuples(st.integers(-2, 3 * 365), st.integers(0, 1439), st.integers(0, 20), st.integers(0, 3))


def source_of(drawn: dict[str, list[tuple[int, int, int, int]]]) -> MemorySource:
    buckets: dict[str, list[StoredEvent]] = {
        bucket: [
            (START + day * DAY + minute * MINUTE, length * MINUTE, {"app": f"app {app}"}, place + 1)
            for place, (day, minute, length, app) in enumerate(events)
        ]
        for bucket, events in drawn.items()
    }
    return MemorySource(buckets, HOSTS, TYPES)


def asked(px: int) -> TimelineRequest:
    scope = Scope(now=END, zone="Europe/Berlin", categories=CATEGORIES)
    return TimelineRequest(common=CommonRequest(scope=scope, start=START, end=END), px=px, lanes="device")


def recorded(source: MemorySource, common: CommonRequest) -> dict[str, list[Shown]]:
    """The active pieces of each device as they are."""
    active = active_pieces(source, common.scope, common.start, common.end, common)
    return {name: shown_of(each) for name, each in zip(active.devices, active.apart, strict=False)}


def shown_of(pieces: Pieces) -> list[Shown]:
    keys = pieces.keys("app")
    names = [str(keys.names[code]) for code in keys.codes.tolist()]
    return [Shown(*each, 0) for each in zip(pieces.start.tolist(), pieces.end.tolist(), names, strict=True)]


def runs_of(answer: TimelineResponse, lane: LaneResponse) -> list[tuple[int, int, str, float, float]]:
    """Start, end, key, share and cover of the pieces of a lane."""
    found: list[tuple[int, int, str, float, float]] = []
    at = START
    for gap, dur, key, share, cover in zip(lane.gap, lane.dur, lane.key, lane.share, lane.cover, strict=True):
        found.append((at + gap, at + gap + dur, answer.keys[key], share, cover))
        at += gap + dur
    return found


@settings(max_examples=examples(30))
@given(st.lists(moments, min_size=60, max_size=150), st.lists(moments, max_size=5), st.integers(1, 50))
def test_each_piece_is_what_the_pieces_of_its_run_make_together(
    window: list[tuple[int, int, int, int]], other: list[tuple[int, int, int, int]], px: int
) -> None:
    source = source_of({"window": window, "other": other})

    answer = timeline_answer(asked(px), source)

    for device, shown in recorded(source, asked(px).common).items():
        [lane] = [lane for lane in answer.lanes if lane.device == device]
        assert len(lane.n) <= px
        assert sum(lane.n) == lane.events == len(shown)
        low = 0
        for count, found in zip(lane.n, runs_of(answer, lane), strict=True):
            expected = piece_of(shown[low : low + count])
            assert found == pytest.approx(as_drawn(expected), abs=1e-6)
            low += count


def as_drawn(piece: Piece) -> tuple[int, int, str, float, float]:
    cover = piece.covered / (piece.end - piece.start)
    return piece.start, piece.end, piece.key, piece.key_time / piece.time, cover


@settings(max_examples=examples(15))
@given(st.lists(moments, min_size=60, max_size=150), st.integers(1, 50))
def test_the_overview_is_right_but_for_the_hours_at_its_edges(window: list[tuple[int, int, int, int]], px: int) -> None:
    source = source_of({"window": window})

    answer = timeline_answer(asked(px), source)

    [shown] = recorded(source, asked(px).common).values()
    edges: list[int] = Grid(START, END, px).edges(px).tolist()
    for low, high, share in zip(edges, edges[1:], answer.overview, strict=False):
        inside = [
            each._replace(start=max(low, each.start), end=min(high, each.end))
            for each in shown
            if each.start < high and each.end > low
        ]
        assert abs(share * (high - low) - union(inside)) <= 120 * MINUTE + 1e-4 * (high - low)


def test_few_pieces_and_long_ones_and_short_ranges_are_drawn_as_they_are() -> None:
    few = source_of({"window": [(1, 0, 20, 1)]})
    long = source_of({"window": [(day, 0, 20, 1) for day in range(100)] + [(300, 0, 60 * 24 * 60, 1)]})
    many = source_of({"window": [(day, 0, 20, 1) for day in range(100)]})
    common = asked(50).common

    assert long_lanes(few, common, Grid(START, END, 50), "app") is None
    assert long_lanes(long, common, Grid(START, END, 50), "app") is None
    assert long_lanes(many, common, Grid(START, START + 100 * DAY, 50), "app") is None
    found = long_lanes(many, common, Grid(START, END, 50), "app")
    assert found is not None
    assert int(np.sum(found[0].pieces.count)) == 100
