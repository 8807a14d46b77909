"""Host names that look like one computer, found from when which watcher recorded under which name."""

import sys
from types import FrameType

from dayline.maintenance.devices import HOUR, Renaming, devices_of, renamed_hosts
from dayline.model.bucket import Bucket
from dayline.model.time import DAY, Microseconds

WINDOW, AFK, WEB = "aw-watcher-window", "aw-watcher-afk", "aw-watcher-web"


def recorded(hostname: str, *clients: str, first: float | None, last: float | None) -> list[Bucket]:
    """Buckets of a host, one for each watcher, with events from one day to another."""
    return [
        Bucket(
            id=f"{client}_{hostname}", type=f"type of {client}", client=client, hostname=hostname, created=0, data={},
            start=_day(first), end=_day(last),
        )
        for client in clients
    ]  # fmt: skip


def _day(number: float | None) -> Microseconds | None:
    return None if number is None else round(number * DAY)


def pairs(*buckets: list[Bucket]) -> list[tuple[str, str]]:
    found = renamed_hosts([bucket for some in buckets for bucket in some])
    return [(renaming.old, renaming.new) for renaming in found]


def test_the_same_watchers_that_continue_under_another_name_look_like_a_renamed_computer() -> None:
    old = recorded("laptop", WINDOW, AFK, first=1, last=10)
    new = recorded("laptop-2", WINDOW, AFK, first=10.125, last=20)

    assert renamed_hosts([*new, *old]) == [
        Renaming(
            old="laptop",
            new="laptop-2",
            gap=3 * HOUR,
            reason="aw-watcher-afk and aw-watcher-window stopped on 'laptop' and continued on 'laptop-2' 3 hours later",
        )
    ]


def test_computers_that_recorded_at_the_same_time_are_two() -> None:
    one = recorded("laptop", WINDOW, first=1, last=10)
    other = recorded("desktop", WINDOW, first=9.9, last=20)

    assert pairs(one, other) == []


def test_a_device_with_a_single_event_of_no_length_is_not_a_renamed_one() -> None:
    laptop = recorded("laptop", WINDOW, first=1, last=1)

    assert pairs(laptop) == []
    assert pairs(laptop, recorded("desktop", WINDOW, first=1, last=1)) == []


def test_a_name_that_comes_long_after_another_is_another_computer() -> None:
    one = recorded("laptop", WINDOW, first=1, last=10)

    assert pairs(one, recorded("later", WINDOW, first=24, last=30)) == [("laptop", "later")]
    assert pairs(one, recorded("later", WINDOW, first=24.1, last=30)) == []


def test_the_longest_gap_of_a_renaming_can_be_chosen() -> None:
    buckets = [*recorded("laptop", WINDOW, first=1, last=10), *recorded("new", WINDOW, first=12, last=20)]

    assert renamed_hosts(buckets, soon=DAY) == []
    assert len(renamed_hosts(buckets, soon=2 * DAY)) == 1


def test_other_watchers_are_another_device() -> None:
    phone = recorded("phone", "aw-watcher-android", first=1, last=10)

    assert pairs(phone, recorded("laptop", WINDOW, AFK, first=11, last=20)) == []


def test_a_watcher_more_or_less_makes_no_difference_but_one_of_each_kind_does() -> None:
    old = recorded("laptop", WINDOW, AFK, first=1, last=10)

    assert pairs(old, recorded("more", WINDOW, AFK, WEB, first=11, last=20)) == [("laptop", "more")]
    assert pairs(old, recorded("less", AFK, first=11, last=20)) == [("laptop", "less")]
    assert pairs(old, recorded("other", AFK, WEB, first=11, last=20)) == []


def test_a_bucket_without_events_suggests_no_renamed_host() -> None:
    old = recorded("laptop", WINDOW, first=1, last=10)
    empty = recorded("new", AFK, first=None, last=None)

    assert pairs(old, empty) == []
    assert pairs(old, recorded("new", WINDOW, first=11, last=20), empty) == [("laptop", "new")]


def test_generic_host_names_are_never_a_computer() -> None:
    assert pairs(recorded("unknown", WEB, first=1, last=10), recorded("laptop", WEB, first=11, last=20)) == []
    assert pairs(recorded("laptop", WEB, first=1, last=10), recorded("", WEB, first=11, last=20)) == []


def test_a_computer_renamed_twice_is_reported_in_two_steps() -> None:
    names = [
        recorded("first", WINDOW, first=1, last=10),
        recorded("second", WINDOW, first=10.1, last=12),
        recorded("third", WINDOW, first=12.1, last=20),
    ]

    assert pairs(*names) == [("second", "third"), ("first", "second")]


def test_a_gap_is_reported_in_the_largest_unit_that_fits() -> None:
    old = recorded("a", WINDOW, first=0, last=1)
    gaps = {
        0: "at once",
        30 / 86400: "at once",
        1 / 1440: "1 minute later",
        5 / 24: "5 hours later",
        1.9: "1 day later",
    }

    for gap, words in gaps.items():
        [found] = renamed_hosts([*old, *recorded("b", WINDOW, first=1 + gap, last=9)])
        assert found.reason.endswith(f"on 'b' {words}")


def test_devices_span_all_buckets_of_their_name_and_the_latest_comes_first() -> None:
    laptop = [*recorded("laptop", WINDOW, first=3, last=5), *recorded("laptop", AFK, first=1, last=4)]
    empty = recorded("empty", WINDOW, first=None, last=None)
    phone = recorded("phone", WINDOW, first=2, last=9)

    found = devices_of([*laptop, *empty, *phone])

    assert [(device.hostname, device.start, device.end) for device in found] == [
        ("phone", 2 * DAY, 9 * DAY), ("laptop", DAY, 5 * DAY), ("empty", None, None),
    ]  # fmt: skip
    assert [bucket.client for bucket in found[1].buckets] == [WINDOW, AFK]


def calls_for(count: int) -> int:
    """How many Python functions it takes to compare this many devices that all recorded within two weeks."""
    days = [(day / count, 1 + day / count) for day in range(count)]
    clients = ((WINDOW,), (WINDOW, AFK), (WEB,))
    buckets = [
        bucket
        for number, (first, last) in enumerate(days)
        for bucket in recorded(f"host{number}", *clients[number % 3], first=first, last=last)
    ]
    calls = 0

    def count_call(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_call)
    try:
        renamed_hosts(buckets)
    finally:
        sys.setprofile(None)
    return calls


def test_ten_times_the_devices_take_about_ten_times_the_work() -> None:
    assert calls_for(1000) < 20 * calls_for(100)
