"""When a heartbeat extends the event before it (protocol 4)."""

from dayline.model.event import Event
from dayline.transform.heartbeat import merge_heartbeat

SECOND = 1_000_000


def at(second: float, *, lasting: float = 0, data: bytes = b'{"a":1}', event_id: int = 0) -> Event:
    return Event(start=round(second * SECOND), duration=round(lasting * SECOND), data=data, id=event_id)


def merged(last: Event, beat: Event, *, pulsetime: float = 5) -> Event | None:
    return merge_heartbeat(last, beat, pulsetime=round(pulsetime * SECOND))


def test_beat_within_pulsetime_extends_the_last_event() -> None:
    assert merged(at(0, lasting=1), at(5), pulsetime=4) == at(0, lasting=5)


def test_beat_exactly_pulsetime_after_the_end_extends_it() -> None:
    assert merged(at(0, lasting=3.5), at(8.5)) == at(0, lasting=8.5)


def test_beat_one_microsecond_after_pulsetime_starts_a_new_event() -> None:
    assert merged(at(0, lasting=3.5), at(8.500001)) is None


def test_beat_at_the_same_instant_extends_it() -> None:
    assert merged(at(10), at(10, lasting=2), pulsetime=0) == at(10, lasting=2)


def test_beat_at_the_end_extends_it_with_pulsetime_0() -> None:
    assert merged(at(0, lasting=3), at(3, lasting=1), pulsetime=0) == at(0, lasting=4)


def test_beat_one_microsecond_before_the_start_starts_a_new_event() -> None:
    assert merged(at(10, lasting=100), at(9.999999, lasting=200), pulsetime=1000) is None


def test_beat_inside_the_last_event_never_shortens_it() -> None:
    assert merged(at(0, lasting=10), at(2, lasting=1)) == at(0, lasting=10)


def test_duration_of_the_beat_counts() -> None:
    assert merged(at(0), at(1, lasting=10)) == at(0, lasting=11)


def test_result_keeps_the_id_of_the_last_event() -> None:
    assert merged(at(0, event_id=7), at(1, event_id=99)) == at(0, lasting=1, event_id=7)


def test_result_keeps_the_data_of_the_last_event_as_it_was_written() -> None:
    assert merged(at(0, data=b'{"a":1}'), at(1, data=b'{"a":1.0}')) == at(0, lasting=1, data=b'{"a":1}')


def test_beat_with_other_data_starts_a_new_event() -> None:
    assert merged(at(0), at(1, data=b'{"a":2}')) is None


def test_beat_with_true_does_not_extend_an_event_with_1() -> None:
    assert merged(at(0, data=b'{"a":1}'), at(1, data=b'{"a":true}')) is None


def test_event_of_negative_duration_is_not_extended_to_another_negative_one() -> None:
    assert merged(at(10, lasting=-3), at(10, lasting=-2), pulsetime=5) is None


def test_event_of_negative_duration_is_extended_past_its_start() -> None:
    assert merged(at(10, lasting=-3), at(11), pulsetime=5) == at(10, lasting=1)


def test_beat_of_negative_duration_inside_the_last_event_changes_nothing() -> None:
    assert merged(at(0, lasting=10), at(5, lasting=-2)) == at(0, lasting=10)
