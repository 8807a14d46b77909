"""Whether watchers record, are silent though their device is active, or are quiet."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from dayline.insight.now import watchers as reading
from dayline.insight.now.recent import Verdict, newest_events, total
from dayline.insight.now.watchers import Watchers
from dayline.model.event import Event
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp
from dayline.storage.store import Store
from tests.insight.now.recorded import Recording, at, in_front
from tests.support.storage.opened import bucket, opened

HOUR = 3600
NOT_AWAY = {"status": "not-afk"}
AWAY = {"status": "afk"}


def verdicts(recording: Recording, folder: Path, now: Microseconds) -> dict[str, Verdict]:
    return recording.ask(folder, lambda store: Watchers().verdicts(store, list(store.buckets().values()), (), now=now))


def healths(recording: Recording, folder: Path, now: Microseconds) -> dict[str, str]:
    return {bucket: verdict.health for bucket, verdict in verdicts(recording, folder, now).items()}


def device(*, window_until: float, away_until: float) -> Recording:
    """A laptop whose window watcher and away watcher each continued for this many seconds."""
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


def test_a_browser_that_is_not_active_has_nothing_to_report(tmp_path: Path) -> None:
    assert healths(browsing(in_front_after="Code"), tmp_path, at(2 * HOUR))["tabs"] == "quiet"


def test_an_active_browser_without_events_is_silent(tmp_path: Path) -> None:
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


def test_a_watcher_that_continues_records_again(tmp_path: Path) -> None:
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


DAY_S = 86_400


def used_on(*days: int, is_demo: bool = False) -> Recording:
    """A laptop with a window watcher and an away watcher that record for an hour on each of these days."""
    windows = [span for day in days for span in in_front("Code", day * DAY_S, day * DAY_S + HOUR)]
    aways = [(day * DAY_S, day * DAY_S + HOUR, NOT_AWAY) for day in days]
    recording = Recording().add("window", "currentwindow", windows, is_demo=is_demo)
    return recording.add("away", "afkstatus", aways, is_demo=is_demo)


def on_device(recording: Recording, folder: Path, now: float, watchers: Watchers | None = None) -> tuple[str, set[str]]:
    """How the laptop is, and how its buckets are."""

    def asked(store: Store) -> tuple[str, set[str]]:
        asking, buckets = watchers or Watchers(), list(store.buckets().values())
        found = asking.verdicts(store, buckets, (), now=at(now))
        device = asking.devices(store, buckets, (), now=at(now))["laptop"]
        return device.health, {verdict.health for verdict in found.values()}

    return recording.ask(folder, asked)


@pytest.mark.parametrize(
    ("days", "silent_after"),
    [(range(10), 2), ((0, 1, 2, 3, 4, 7, 8, 9, 10, 11), 6), ((0, 7, 14, 21, 25), 14)],
    ids=["every day", "from Monday to Friday", "once a week"],
)
def test_a_device_on_which_all_watchers_stop_is_silent_after_twice_its_longest_break(
    tmp_path: Path, days: tuple[int, ...], silent_after: int
) -> None:
    last = max(days) * DAY_S + HOUR
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        folder.mkdir()

    assert on_device(used_on(*days), folders[0], last + silent_after * DAY_S - HOUR) == ("quiet", {"quiet"})
    assert on_device(used_on(*days), folders[1], last + silent_after * DAY_S + 1) == ("silent", {"silent"})


def test_a_watcher_of_a_device_that_has_stopped_shows_since_when(tmp_path: Path) -> None:
    found = verdicts(used_on(*range(10)), tmp_path, at(12 * DAY_S + HOUR))

    assert found["away"].silent_since == format_timestamp(at(9 * DAY_S + HOUR))


def test_a_device_without_a_habit_is_not_expected_to_record(tmp_path: Path) -> None:
    assert on_device(used_on(0, 1, 2, 3), tmp_path, 10 * DAY_S) == ("quiet", {"quiet"})


def test_what_was_imported_of_long_ago_is_quiet(tmp_path: Path) -> None:
    here = Watchers(hostname="laptop", awake_since=lambda: at(0))

    assert on_device(used_on(*range(10)), tmp_path, 682 * DAY_S, here) == ("quiet", {"quiet"})


@pytest.mark.parametrize("now", [9 * DAY_S + HOUR, 13 * DAY_S], ids=["just made", "days later"])
def test_invented_activity_is_neither_recorded_nor_expected_to_continue(tmp_path: Path, now: float) -> None:
    here = Watchers(hostname="laptop", awake_since=lambda: at(0))

    assert on_device(used_on(*range(10), is_demo=True), tmp_path, now, here) == ("quiet", {"quiet"})


def test_a_watcher_of_the_demo_is_not_silent_while_another_one_continues(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", in_front("Code", 0, HOUR), is_demo=True)
    recording.add("away", "afkstatus", [(0, 2 * HOUR, NOT_AWAY)], is_demo=True)

    assert healths(recording, tmp_path, at(2 * HOUR)) == {"window": "quiet", "away": "quiet"}


@pytest.mark.parametrize(
    ("hostname", "awake_since", "after", "expected"),
    [
        ("laptop", 0, 599, "quiet"),
        ("laptop", 0, 601, "silent"),
        ("laptop", HOUR + 300, 601, "quiet"),  # it was asleep until a moment ago
        ("laptop", HOUR + 300, 901, "silent"),
        ("server", 0, 601, "quiet"),
    ],
)
def test_the_computer_of_the_server_is_silent_ten_minutes_after_all_its_watchers_stopped_while_it_is_awake(
    tmp_path: Path, hostname: str, awake_since: float, after: float, expected: str
) -> None:
    watchers = Watchers(hostname=hostname, awake_since=lambda: at(awake_since))

    assert on_device(used_on(0), tmp_path, HOUR + after, watchers) == (expected, {expected})


def test_a_browser_alone_does_not_show_that_a_computer_should_record(tmp_path: Path) -> None:
    recording = Recording().add("tabs", "web.tab.current", in_front("x", 0, HOUR))
    here = Watchers(hostname="laptop", awake_since=lambda: at(0))

    assert on_device(recording, tmp_path, 5 * HOUR, here) == ("quiet", {"quiet"})


def test_a_device_that_records_again_is_not_silent(tmp_path: Path) -> None:
    recording = used_on(*range(10), 20)

    assert on_device(recording, tmp_path, 20 * DAY_S + HOUR) == ("recording", {"recording"})


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


def test_the_events_of_1500_watchers_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(store: Store, bucket_id: str, **which: int) -> object:
        reads.append(bucket_id)
        return newest_events(store, bucket_id, **which)

    monkeypatch.setattr(reading, "newest_events", counted)
    made = [replace(bucket(f"window_{number}"), hostname=f"host{number}") for number in range(1500)]

    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await asyncio.gather(*map(store.create_bucket, made))
            await asyncio.gather(*(store.insert(each.id, [Event(start=at(0), duration=SECOND)]) for each in made))
            buckets, watchers = list(store.buckets().values()), Watchers()
            for _ in range(2):
                watchers.verdicts(store, buckets, (), now=at(HOUR))

    asyncio.run(scenario())

    assert sorted(reads) == sorted(each.id for each in made)


@pytest.mark.parametrize(
    ("stretches", "expected"), [([], 0), ([(3, 5), (1, 4)], 4), ([(1, 9), (2, 3), (9, 10)], 9), ([(1, 2), (5, 6)], 2)]
)
def test_stretches_that_overlap_count_once(stretches: list[tuple[int, int]], expected: int) -> None:
    assert total(stretches) == expected
