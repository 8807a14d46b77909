"""What holds for every merge of a heartbeat."""

from hypothesis import given
from hypothesis import strategies as st

from dayline.model.data import same_data
from dayline.model.event import Event
from dayline.transform.heartbeat import merge_heartbeat

DATA = st.sampled_from([b"{}", b'{"a":1}', b'{"a":1.0}', b'{"a":true}', b'{"a":2}'])
TIMES = st.integers(0, 40)
EVENTS = st.builds(Event, start=TIMES, duration=st.integers(-5, 20), data=DATA, id=st.integers(0, 9))
PULSETIMES = st.integers(0, 20)


@given(EVENTS, EVENTS, PULSETIMES)
def test_merge_happens_exactly_when_the_four_rules_hold(last: Event, beat: Event, pulsetime: int) -> None:
    is_expected = (
        same_data(last.data, beat.data)
        and last.start <= beat.start
        and beat.start <= last.end + pulsetime
        and max(last.end, beat.end) >= last.start
    )

    assert (merge_heartbeat(last, beat, pulsetime=pulsetime) is not None) == is_expected


@given(EVENTS, EVENTS, PULSETIMES)
def test_merge_never_moves_the_start_nor_changes_id_or_data(last: Event, beat: Event, pulsetime: int) -> None:
    merged = merge_heartbeat(last, beat, pulsetime=pulsetime)

    if merged is not None:
        assert (merged.start, merged.id, merged.data) == (last.start, last.id, last.data)


@given(EVENTS, EVENTS, PULSETIMES)
def test_merge_never_shortens_and_ends_with_the_later_of_both(last: Event, beat: Event, pulsetime: int) -> None:
    merged = merge_heartbeat(last, beat, pulsetime=pulsetime)

    if merged is not None:
        assert merged.duration >= last.duration
        assert merged.end == max(last.end, beat.end)


@given(EVENTS, EVENTS, PULSETIMES)
def test_merging_the_same_beat_again_changes_nothing(last: Event, beat: Event, pulsetime: int) -> None:
    merged = merge_heartbeat(last, beat, pulsetime=pulsetime)

    if merged is not None:
        assert merge_heartbeat(merged, beat, pulsetime=pulsetime) == merged


@given(EVENTS, EVENTS, PULSETIMES, PULSETIMES)
def test_longer_pulsetime_never_parts_what_a_shorter_one_merges(
    last: Event, beat: Event, pulsetime: int, more: int
) -> None:
    merged = merge_heartbeat(last, beat, pulsetime=pulsetime)

    if merged is not None:
        assert merge_heartbeat(last, beat, pulsetime=pulsetime + more) == merged


@given(EVENTS, EVENTS, PULSETIMES)
def test_neither_input_is_changed(last: Event, beat: Event, pulsetime: int) -> None:
    before = repr((last, beat))

    merge_heartbeat(last, beat, pulsetime=pulsetime)

    assert repr((last, beat)) == before
