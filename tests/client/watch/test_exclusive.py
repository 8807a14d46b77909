"""When Dayline's watcher records into a bucket, and when it gives way to another one."""

from dayline.client.watch.outlet import BucketGuard, Span
from dayline.model.time import SECOND


def span(start: float, end: float) -> Span:
    return Span(round(start * SECOND), round(end * SECOND))


def recording() -> BucketGuard:
    guard = BucketGuard()
    assert guard.check(None, span(0, 1)) == "recording"
    return guard


def test_a_bucket_without_recent_events_is_recorded_into_at_once() -> None:
    assert BucketGuard().check(None, span(0, 0)) == "recording"
    assert BucketGuard().check(span(0, 100), span(120, 120)) == "recording"


def test_nothing_is_decided_before_something_was_observed() -> None:
    assert BucketGuard().check(None, None) == "checking"


def test_a_recent_event_that_nothing_extends_was_recorded_before_a_restart() -> None:
    guard = BucketGuard()

    states = [guard.check(span(0, 100), span(102, second)) for second in (102, 104, 110, 114, 116)]

    assert states == ["checking", "checking", "checking", "checking", "recording"]


def test_a_recent_event_that_is_extended_belongs_to_another_watcher() -> None:
    guard = BucketGuard()

    assert guard.check(span(0, 100), span(102, 102)) == "checking"
    assert guard.check(span(0, 104), span(102, 104)) == "quiet"


def test_presence_is_compared_by_input_and_not_by_time() -> None:
    guard = BucketGuard()

    # Two minutes without input: another watcher has nothing to record either.
    assert [guard.check(span(0, 100), span(100, 100)) for _ in range(60)] == ["checking"] * 60
    assert guard.check(span(0, 220), span(100, 221)) == "quiet"


def test_own_events_do_not_look_like_those_of_another() -> None:
    guard = recording()

    assert guard.check(span(0, 50), span(0, 50)) == "recording"
    assert guard.check(span(0, 50), span(60, 65)) == "recording"  # not sent yet
    assert guard.check(span(-100, 65), span(60, 65)) == "recording"  # merged with an earlier one


def test_another_watcher_that_extends_the_event_further_is_given_way() -> None:
    assert recording().check(span(0, 54), span(0, 50)) == "quiet"


def test_another_watcher_that_adds_events_is_given_way_but_an_edit_is_not() -> None:
    guard = recording()

    assert guard.check(span(20, 50), span(0, 50)) == "recording"
    assert guard.check(span(20, 60), span(0, 60)) == "recording"
    assert guard.check(span(55, 60), span(0, 60)) == "quiet"


def test_recording_resumes_when_the_other_watcher_has_stopped() -> None:
    guard = recording()
    guard.check(span(0, 54), span(0, 50))

    assert guard.check(span(0, 54), span(0, 110)) == "quiet"
    assert guard.check(span(0, 54), span(0, 115)) == "recording"
