"""Active time equals the slow reference, whatever the events, the devices and the range."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.insight.active.combinations import Key
from dayline.insight.active.pieces import Pieces, active_pieces
from dayline.insight.request import FIELDS
from dayline.storage.columns.source import MISSING
from tests.insight.reference.active_time import Moment
from tests.insight.worlds import HOUR, MACHINES, Drawn, worlds
from tests.support.profile import examples

Shown = tuple[int, int, tuple[Key | None, ...], int | None]

RANGES = st.tuples(st.integers(-2, 20), st.integers(1, 30)).map(lambda each: (each[0], each[0] + each[1]))


def pieces_of(drawn: Drawn, start: int, end: int) -> Pieces:
    common = drawn.common(start, end)
    return active_pieces(drawn.source, drawn.scope, common.start, common.end, common)


def shown_pieces(pieces: Pieces) -> list[Shown]:
    """The pieces with their keys as texts; what adjoins and is equal as one."""
    keys = [pieces.keys(field) for field in FIELDS]
    rows: list[Shown] = []
    for number in range(len(pieces)):
        names = tuple(None if each.codes[number] == MISSING else each.names[int(each.codes[number])] for each in keys)
        note = int(pieces.note[number])
        rows.append((int(pieces.start[number]), int(pieces.end[number]), names, None if note == MISSING else note))
    return joined(rows)


def shown_moments(moments: list[Moment]) -> list[Shown]:
    return joined([(each.start, each.end, tuple(each.keys[field] for field in FIELDS), each.note) for each in moments])


def joined(rows: list[Shown]) -> list[Shown]:
    result: list[Shown] = []
    for row in rows:
        if result and result[-1][1] == row[0] and result[-1][2:] == row[2:]:
            row = (result.pop()[0], *row[1:])
        result.append(row)
    return result


@settings(max_examples=examples(60), deadline=None)
@given(worlds(), RANGES, st.booleans())
def test_pieces_equal_the_reference_on_every_device_and_on_all_together(
    drawn: Drawn, span: tuple[int, int], is_kept: bool
) -> None:
    if is_kept:
        pieces_of(drawn, -1000, 1000)  # whole months, which are kept
    pieces = pieces_of(drawn, *span)
    start, end = drawn.base + span[0] * HOUR, drawn.base + span[1] * HOUR
    assert shown_pieces(pieces) == shown_moments(drawn.world.united(start, end))
    for machine, of_device in zip(MACHINES, pieces.apart[:-1], strict=True):
        assert shown_pieces(of_device) == shown_moments(drawn.world.of_machine(machine, start, end))
    assert shown_pieces(pieces.apart[-1]) == shown_moments(drawn.world.elsewhere(start, end))
    assert pieces.away.total == drawn.world.away(start, end)


@settings(max_examples=examples(30), deadline=None)
@given(worlds(annotated=False), RANGES)
def test_time_away_counts_where_it_is_asked_for(drawn: Drawn, span: tuple[int, int]) -> None:
    drawn.world.is_away_included = True
    common = drawn.common(*span, away="include")
    pieces = active_pieces(drawn.source, drawn.scope, common.start, common.end, common)
    assert shown_pieces(pieces) == shown_moments(drawn.world.united(common.start, common.end))


@settings(max_examples=examples(30), deadline=None)
@given(worlds(), RANGES, st.integers(0, 100))
def test_a_range_in_two_parts_has_the_same_pieces(drawn: Drawn, span: tuple[int, int], share: int) -> None:
    whole = drawn.common(*span)
    middle = whole.start + (whole.end - whole.start) * share // 100
    parts = [
        active_pieces(drawn.source, drawn.scope, start, end, whole)
        for start, end in ((whole.start, middle), (middle, whole.end))
    ]
    together = joined([row for part in parts for row in shown_pieces(part)])
    assert together == shown_pieces(active_pieces(drawn.source, drawn.scope, whole.start, whole.end, whole))


@settings(max_examples=examples(30), deadline=None)
@given(worlds())
def test_no_second_counts_twice(drawn: Drawn) -> None:
    pieces = pieces_of(drawn, -4, 40)
    assert (pieces.end > pieces.start).all()
    assert (pieces.start[1:] >= pieces.end[:-1]).all()
