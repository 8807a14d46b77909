"""Whether watchers record, are silent though their device is active, or are quiet."""

from pathlib import Path

import pytest

from dayline.insight.bucket_health import Verdict, total
from dayline.insight.watchers import Watchers
from dayline.model.timestamps import DAY, SECOND, Microseconds, format_timestamp
from dayline.storage.base import Store
from tests.insight.recorded import Recording, at, in_front

HOUR = 3600
NOT_AWAY = {"status": "not-afk"}
AWAY = {"status": "afk"}


def verdicts(recording: Recording, folder: Path, now: Microseconds) -> dict[str, Verdict]:
    return recording.ask(folder, lambda store: Watchers().verdicts(store, list(store.buckets().values()), (), now=now))


def healths(recording: Recording, folder: Path, now: Microseconds) -> dict[str, str]:
    return {bucket: verdict.health for bucket, verdict in verdicts(recording, folder, now).items()}


def device(*, window_until: float, away_until: float) -> Recording:
    """A laptop whose window watcher and away watcher each went on for so many seconds."""
    recording = Recording().add("window", "currentwindow", in_front("Code", 0, window_until))
    return recording.add("away", "afkstatus", [(0, away_until, NOT_AWAY)])


def test_watchers_of_a_moment_ago_record(tmp_path: Path) -> None:
    recording = device(window_until=HOUR, away_until=HOUR)

    assert healths(recording, tmp_path, at(HOUR + 5)) == {"window": "recording", "away": "recording"}


def test_a_watcher_that_stops_while_its_device_is_active_is_silent(tmp_path: Path) -> None:
    recording = device(window_until=HOUR, away_until=HOUR + 100)

    found = verdicts(recording, tmp_path, at(HOUR + 105))

    assert found["away"].health == "recording"
    assert found["window"] == Verdict(
        health="silent", interval=10 * SECOND, silent_since=format_timestamp(at(HOUR - 1))
    )


def test_it_is_silent_only_after_three_of_its_usual_intervals(tmp_path: Path) -> None:
    # It has something new every minute, and 40 seconds of nothing between.
    rarely = [(minute * 60.0, minute * 60.0 + 20, {"app": "x", "title": str(minute)}) for minute in range(60)]
    recording = Recording().add("window", "currentwindow", rarely)
    recording.add("away", "afkstatus", [(0, 2 * HOUR, NOT_AWAY)])
    last = 59 * 60 + 20

    found = recording.ask(
        tmp_path,
        lambda store: [
            Watchers().verdicts(store, list(store.buckets().values()), (), now=at(last + age))["window"].health
            for age in (119, 121)
        ],
    )

    assert found == ["recording", "silent"]


def test_a_device_that_is_switched_off_is_quiet(tmp_path: Path) -> None:
    recording = device(window_until=HOUR, away_until=HOUR)

    assert healths(recording, tmp_path, at(5 * HOUR)) == {"window": "quiet", "away": "quiet"}


def test_time_asleep_is_not_held_against_a_watcher(tmp_path: Path) -> None:
    # It woke up two seconds ago: one of them was quicker than the other.
    recording = Recording().add("window", "currentwindow", [*in_front("Code", 0, HOUR), (9 * HOUR, 9 * HOUR + 2, {})])
    recording.add("away", "afkstatus", [(0, HOUR, NOT_AWAY)])

    assert healths(recording, tmp_path, at(9 * HOUR + 2)) == {"window": "recording", "away": "quiet"}


def test_time_away_is_not_active(tmp_path: Path) -> None:
    recording = Recording().add("other", "something.else", in_front("x", 0, HOUR))
    recording.add("away", "afkstatus", [(0, HOUR, NOT_AWAY), (HOUR, 3 * HOUR, AWAY)])

    assert healths(recording, tmp_path, at(3 * HOUR)) == {"other": "quiet", "away": "recording"}


def browsing(*, in_front_after: str) -> Recording:
    """An hour of Firefox with its tabs, then an hour of some program and no tabs at all."""
    windows = [*in_front("Firefox", 0, HOUR), *in_front(in_front_after, HOUR, 2 * HOUR)]
    tabs = [(start, end, {"url": f"https://x.example/{start}"}) for start, end, _ in in_front("", 0, HOUR)]
    return Recording().add("window", "currentwindow", windows).add("tabs", "web.tab.current", tabs)


def test_a_browser_that_is_not_in_front_has_nothing_to_tell(tmp_path: Path) -> None:
    assert healths(browsing(in_front_after="Code"), tmp_path, at(2 * HOUR))["tabs"] == "quiet"


def test_a_browser_in_front_that_tells_nothing_is_silent(tmp_path: Path) -> None:
    assert healths(browsing(in_front_after="Firefox"), tmp_path, at(2 * HOUR))["tabs"] == "silent"


def test_a_browser_that_does_not_know_its_device_is_judged_by_all_windows(tmp_path: Path) -> None:
    windows = in_front("Firefox", 0, 2 * HOUR)
    tabs = [(start, end, {"url": f"https://x.example/{start}"}) for start, end, _ in in_front("", 0, HOUR)]
    recording = Recording().add("window", "currentwindow", windows)
    recording.add("tabs", "web.tab.current", tabs, host="unknown").add("other", "x.y", tabs, host="unknown")

    found = healths(recording, tmp_path, at(2 * HOUR))

    assert (found["tabs"], found["other"]) == ("silent", "quiet")


def test_another_device_does_not_make_a_watcher_silent(tmp_path: Path) -> None:
    recording = Recording().add("phone", "currentwindow", in_front("Chat", 0, HOUR), host="phone")
    recording.add("window", "currentwindow", in_front("Code", 0, 3 * HOUR))

    assert healths(recording, tmp_path, at(3 * HOUR)) == {"phone": "quiet", "window": "recording"}


def test_what_people_fill_by_hand_is_never_silent(tmp_path: Path) -> None:
    recording = device(window_until=3 * HOUR, away_until=3 * HOUR)
    recording.add("stopwatch", "general.stopwatch", [(0, 60, {"label": "call"})])

    assert healths(recording, tmp_path, at(3 * HOUR))["stopwatch"] == "quiet"


def test_a_watcher_that_was_given_up_is_quiet(tmp_path: Path) -> None:
    month = 31 * DAY / SECOND
    recording = Recording().add("away", "afkstatus", [(0, HOUR, NOT_AWAY)])
    recording.add("window", "currentwindow", in_front("Code", month, month + HOUR))

    assert healths(recording, tmp_path, at(month + HOUR))["away"] == "quiet"


def test_an_empty_bucket_is_quiet(tmp_path: Path) -> None:
    recording = device(window_until=HOUR, away_until=HOUR).add("empty", "currentwindow", [])

    assert verdicts(recording, tmp_path, at(HOUR))["empty"] == Verdict(health="quiet")


def test_an_event_of_the_future_does_not_make_a_watcher_record_for_ever(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [*in_front("Code", 0, HOUR), (1e6, 1e6 + 1, {"app": "x"})])
    recording.add("away", "afkstatus", [(0, 2 * HOUR, NOT_AWAY)])

    assert healths(recording, tmp_path, at(2 * HOUR))["window"] == "silent"


def test_a_watcher_that_goes_on_records_again(tmp_path: Path) -> None:
    windows = [*in_front("Code", 0, HOUR), *in_front("Code", 2 * HOUR, 2 * HOUR + 100)]
    recording = Recording().add("window", "currentwindow", windows)
    recording.add("away", "afkstatus", [(0, 3 * HOUR, NOT_AWAY)])
    watchers = Watchers()

    def asked(store: Store) -> list[str]:
        buckets = list(store.buckets().values())
        return [
            watchers.verdicts(store, buckets, (), now=at(moment))["window"].health
            for moment in (2 * HOUR + 101, 2 * HOUR + 200, 2 * HOUR + 110)
        ]

    assert recording.ask(tmp_path, asked) == ["recording", "silent", "recording"]


def test_what_a_caller_may_not_see_does_not_count(tmp_path: Path) -> None:
    recording = device(window_until=HOUR, away_until=2 * HOUR)
    watchers = Watchers()

    def asked(store: Store) -> list[str]:
        every, one = list(store.buckets().values()), [store.bucket("window")]
        return [
            watchers.verdicts(store, buckets, names, now=at(2 * HOUR))["window"].health
            for buckets, names in ((every, ()), (one, ("window",)))
        ]

    assert recording.ask(tmp_path, asked) == ["silent", "quiet"]


@pytest.mark.parametrize(
    ("stretches", "expected"), [([], 0), ([(3, 5), (1, 4)], 4), ([(1, 9), (2, 3), (9, 10)], 9), ([(1, 2), (5, 6)], 2)]
)
def test_stretches_that_overlap_count_once(stretches: list[tuple[int, int]], expected: int) -> None:
    assert total(stretches) == expected
