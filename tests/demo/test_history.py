"""The demo history: what its buckets and events promise to tests, benchmarks and screenshots."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from dayline.demo.history import DemoBucket, History
from dayline.demo.lanes import DemoEvent
from dayline.demo.routine import day_kind, utc_microseconds

END = date(2026, 3, 31)
BROWSERS = {"Firefox", "Google Chrome"}


def history(*, seed: int = 7, days: int = 14, devices: int = 3, until: datetime | None = None) -> History:
    return History(seed=seed, days=days, devices=devices, end=END, until=until)


def buckets_by_id(of: History) -> dict[str, DemoBucket]:
    return {bucket.id: bucket for bucket in of.buckets()}


def all_events(of: History) -> list[DemoEvent]:
    return [event for bucket in of.buckets() for event in bucket.events()]


@cache
def fortnight() -> dict[str, list[DemoEvent]]:
    """The events of two weeks per bucket, generated once for all tests that only read them."""
    return {bucket.id: list(bucket.events()) for bucket in history(days=14).buckets()}


def ends_of(events: Iterable[DemoEvent]) -> Iterator[tuple[int, int]]:
    return ((event.start, event.start + event.duration) for event in events)


def test_buckets_have_the_names_that_watchers_give_them() -> None:
    assert list(buckets_by_id(history())) == [
        "aw-watcher-window_laptop",
        "aw-watcher-afk_laptop",
        "aw-watcher-web-firefox_laptop",
        "aw-watcher-vscode_laptop",
        "aw-watcher-window_desktop",
        "aw-watcher-afk_desktop",
        "aw-watcher-web-chrome_desktop",
        "aw-watcher-vscode_desktop",
        "aw-watcher-android_phone",
    ]


def test_a_fourth_device_is_a_second_laptop() -> None:
    hostnames = {bucket.hostname for bucket in history(devices=4).buckets()}

    assert hostnames == {"laptop", "desktop", "phone", "laptop-2"}


def test_same_seed_gives_the_same_events() -> None:
    assert all_events(history(days=1)) == all_events(history(days=1))


def test_other_seed_gives_other_events() -> None:
    assert all_events(history(days=1)) != all_events(history(days=1, seed=8))


def test_every_bucket_has_events() -> None:
    assert all(fortnight().values())


def test_events_of_a_bucket_ascend_and_never_overlap() -> None:
    for bucket, events in fortnight().items():
        assert all(first[1] <= second[0] for first, second in pairwise(ends_of(events))), bucket


def test_a_shorter_history_is_the_end_of_a_longer_one() -> None:
    long = fortnight()["aw-watcher-window_laptop"]
    short = list(buckets_by_id(history(days=3))["aw-watcher-window_laptop"].events())

    assert long[-len(short) :] == short


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("aw-watcher-web-firefox_laptop", "aw-watcher-window_laptop"),
        ("aw-watcher-web-chrome_desktop", "aw-watcher-window_desktop"),
    ],
)
def test_tabs_lie_inside_windows_of_their_browser_with_the_same_title(inner: str, outer: str) -> None:
    windows = (event for event in fortnight()[outer] if event.data["app"] in BROWSERS)

    for tab, window in zip(fortnight()[inner], windows, strict=True):
        assert window.start <= tab.start
        assert tab.start + tab.duration <= window.start + window.duration
        assert str(window.data["title"]).startswith(str(tab.data["title"]))


def test_files_lie_inside_windows_of_the_editor() -> None:
    windows = (event for event in fortnight()["aw-watcher-window_laptop"] if event.data["app"] == "Code")

    for file, window in zip(fortnight()["aw-watcher-vscode_laptop"], windows, strict=True):
        assert window.start <= file.start
        assert file.start + file.duration <= window.start + window.duration
        assert str(file.data["file"]).rpartition("/")[2] in str(window.data["title"])


def test_events_carry_the_fields_of_their_bucket_type() -> None:
    fields = {
        "currentwindow": {"app", "title"},
        "afkstatus": {"status"},
        "web.tab.current": {"url", "title", "audible", "incognito", "tabCount"},
        "app.editor.activity": {"file", "project", "language"},
    }

    for bucket in history().buckets():
        extra = {"package", "classname"} if bucket.client == "aw-watcher-android" else set[str]()
        expected = fields[bucket.type] | extra
        assert all(set(event.data) == expected for event in fortnight()[bucket.id]), bucket.id


def test_a_quarter_of_the_titles_is_not_ascii() -> None:
    titles = {str(event.data["title"]) for events in fortnight().values() for event in events if "title" in event.data}

    share = sum(not title.isascii() for title in titles) / len(titles)

    assert 0.2 <= share <= 0.3


def test_the_laptop_rests_on_most_weekends() -> None:
    window = fortnight()["aw-watcher-window_laptop"]
    zone = ZoneInfo("Europe/Berlin")

    weekdays = [datetime.fromtimestamp(event.start / 1e6, tz=zone).weekday() for event in window]

    assert sum(weekday >= 5 for weekday in weekdays) < len(weekdays) / 10


def test_no_work_on_a_public_holiday() -> None:
    assert day_kind(7, date(2025, 12, 25)) == "holiday"


def test_a_wall_clock_keeps_its_time_when_summer_time_begins() -> None:
    zone = ZoneInfo("Europe/Berlin")

    before = utc_microseconds(date(2026, 3, 28), 9 * 3600, zone)
    after = utc_microseconds(date(2026, 3, 29), 9 * 3600, zone)

    assert after - before == 23 * 3600 * 1_000_000


def test_until_cuts_the_last_day_as_if_that_were_now() -> None:
    now = datetime(2026, 3, 31, 10, 30, tzinfo=UTC)

    whole, cut = all_events(history(days=2)), all_events(history(days=2, until=now))

    assert 0 < len(cut) < len(whole)
    assert all(event.start + event.duration <= now.timestamp() * 1_000_000 for event in cut)


def test_full_size_is_about_a_million_events() -> None:
    """Estimated from two weeks of the 400 days, because the whole takes ten seconds."""
    assert 850_000 <= sum(map(len, fortnight().values())) / 14 * 400 <= 1_150_000


@pytest.mark.long
def test_weeks_all_over_the_year_have_as_many_events_and_titles_and_no_overlap() -> None:
    weeks = [
        History(seed=7, days=7, devices=3, end=date.fromordinal(END.toordinal() - shift)) for shift in range(0, 400, 70)
    ]
    events = [list(bucket.events()) for week in weeks for bucket in week.buckets()]
    titles = {str(event.data["title"]) for each in events for event in each if "title" in event.data}

    assert 850_000 <= sum(map(len, events)) / (7 * len(weeks)) * 400 <= 1_150_000
    assert 0.2 <= sum(not title.isascii() for title in titles) / len(titles) <= 0.3
    assert all(first[1] <= second[0] for each in events for first, second in pairwise(ends_of(each)))
