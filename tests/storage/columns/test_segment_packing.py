"""What is packed comes out as it went in, and damage is noticed."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dayline.model.time import LATEST
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.columns.segments import (
    Damaged,
    MonthEvents,
    pack_flags,
    pack_integers,
    pack_segment,
    unpack_flags,
    unpack_integers,
    unpack_month,
    unpack_segment,
)
from tests.support.profile import examples

PLACE = SegmentKey(7, 660, 3)
INTEGERS = st.one_of(
    arrays.arrays(np.int64, st.integers(0, 50), elements=st.integers(-(2**62), 2**62)),
    arrays.arrays(np.int64, st.integers(0, 50), elements=st.integers(-200, 200)),
    arrays.arrays(np.int64, st.integers(0, 50), elements=st.integers(-200, 200).map(lambda number: number * 1000)),
    arrays.arrays(np.int64, st.integers(0, 300), elements=st.integers(0, 40_000).map(lambda number: number * 10**6)),
)
EVENT = st.tuples(
    st.integers(0, LATEST), st.integers(-LATEST, LATEST), st.integers(1, 2**53), st.integers(0, 2**31 - 1)
)


def month(rows: list[tuple[int, int, int, int]]) -> MonthEvents:
    columns = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4).T.copy()
    return MonthEvents(columns[0], columns[1], columns[2], columns[3].astype(np.int32))


def rows_of(events: MonthEvents) -> list[list[int]]:
    return [column.tolist() for column in (events.start, events.duration, events.id, events.value)]


@settings(max_examples=examples(300, daily=50))
@given(INTEGERS)
def test_any_integers_come_back_as_they_were(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    assert unpack_integers(pack_integers(numbers)).tolist() == numbers.tolist()


@given(st.lists(st.booleans()))
def test_any_flags_come_back_as_they_were(flags: list[bool]) -> None:
    assert unpack_flags(pack_flags(np.array(flags, dtype=np.bool_))).tolist() == flags


@settings(max_examples=examples(300, daily=50))
@given(st.lists(EVENT, max_size=30))
def test_any_month_comes_back_as_it_was(rows: list[tuple[int, int, int, int]]) -> None:
    events = month(rows)

    assert rows_of(unpack_month(pack_segment(events, PLACE), PLACE)) == rows_of(events)


@given(st.lists(EVENT, max_size=30))
def test_a_month_to_read_from_has_no_negative_durations(rows: list[tuple[int, int, int, int]]) -> None:
    events = month(rows)

    segment = unpack_segment(pack_segment(events, PLACE), PLACE)

    assert segment.duration.tolist() == [max(duration, 0) for duration in events.duration.tolist()]
    assert segment.start.tolist() == events.start.tolist()
    assert segment.id.tolist() == events.id.tolist()


@given(st.lists(EVENT, min_size=1, max_size=10), st.data())
def test_a_changed_bit_is_noticed_wherever_it_is(rows: list[tuple[int, int, int, int]], data: st.DataObject) -> None:
    packed = bytearray(pack_segment(month(rows), PLACE))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(Damaged):
        unpack_segment(bytes(packed), PLACE)


@pytest.mark.parametrize("length", [0, 3, 4, 20])
def test_a_segment_that_was_cut_off_is_noticed(length: int) -> None:
    packed = pack_segment(month([(1, 2, 3, 4)]), PLACE)

    with pytest.raises(Damaged):
        unpack_segment(packed[:length], PLACE)


@pytest.mark.parametrize("change", [{"bucket": 8}, {"month": 661}, {"version": 4}])
def test_a_segment_in_the_place_of_another_is_noticed(change: dict[str, int]) -> None:
    packed = pack_segment(month([(1, 2, 3, 4)]), PLACE)

    with pytest.raises(Damaged):
        unpack_segment(packed, msgspec.structs.replace(PLACE, **change))
