"""What is in front of each device, computed from its newest events."""

from pathlib import Path

from dayline.insight.now.present import PresentDevice, present_devices
from dayline.model.time import Microseconds
from tests.insight.now.recorded import Recording, at, in_front

NOT_AWAY = {"status": "not-afk"}
AWAY = {"status": "afk"}


def presents(recording: Recording, folder: Path, now: Microseconds) -> list[PresentDevice]:
    return recording.ask(folder, lambda store: present_devices(store, list(store.buckets().values()), now=now))


def test_the_newest_window_is_in_front_since_its_app_is(tmp_path: Path) -> None:
    windows = [*in_front("Mail", 0, 100), *in_front("Code", 100, 200)]
    recording = Recording().add("window", "currentwindow", windows)

    [laptop] = presents(recording, tmp_path, at(203))

    assert laptop.window is not None
    assert (laptop.window.text("app"), laptop.window.text("title")) == ("Code", "Code 4")
    assert (laptop.since, laptop.last_seen, laptop.is_recording) == (at(100), at(199), True)


def test_a_break_of_more_than_a_minute_ends_a_stretch(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [*in_front("Code", 0, 100), *in_front("Code", 161, 200)])

    [laptop] = presents(recording, tmp_path, at(200))

    assert laptop.since == at(161)


def test_a_tab_counts_while_its_window_is_in_front(tmp_path: Path) -> None:
    tabs = [(20, 40, {"url": "https://x.example/"})]
    browser = Recording().add("window", "currentwindow", [(10, 45, {"app": "Firefox"})])
    editor = Recording().add("window", "currentwindow", [(10, 40, {"app": "Firefox"}), (40, 45, {"app": "Code"})])
    folders = [tmp_path / "browser", tmp_path / "editor"]
    for folder in folders:
        folder.mkdir()

    [with_tab] = presents(browser.add("tabs", "web.tab.current", tabs), folders[0], at(46))
    [without_tab] = presents(editor.add("tabs", "web.tab.current", tabs), folders[1], at(46))

    assert with_tab.tab is not None
    assert with_tab.tab.text("url") == "https://x.example/"
    assert without_tab.tab is None


def test_a_tab_of_a_browser_behind_another_window_does_not_count(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [(0, 20, {"app": "Firefox"}), (20, 45, {"app": "Code"})])
    recording.add("aw-watcher-web-firefox", "web.tab.current", [(0, 44, {"url": "https://x.example/"})])

    [laptop] = presents(recording, tmp_path, at(46))

    assert laptop.tab is None


def test_of_two_browsers_the_tab_of_the_one_in_front_counts(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [(10, 45, {"app": "Google-chrome"})])
    recording.add("aw-watcher-web-chrome", "web.tab.current", [(10, 40, {"url": "https://chrome.example/"})])
    recording.add("aw-watcher-web-firefox", "web.tab.current", [(10, 44, {"url": "https://firefox.example/"})])

    [laptop] = presents(recording, tmp_path, at(46))

    assert laptop.tab is not None
    assert laptop.tab.text("url") == "https://chrome.example/"


def test_a_file_counts_while_its_window_is_in_front(tmp_path: Path) -> None:
    files = [(20, 40, {"file": "a.py", "project": "one"})]
    editor = Recording().add("window", "currentwindow", [(10, 45, {"app": "Code"})])
    other = Recording().add("window", "currentwindow", [(10, 40, {"app": "Code"}), (40, 45, {"app": "Mail"})])
    folders = [tmp_path / "editor", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()

    [with_file] = presents(editor.add("files", "app.editor.activity", files), folders[0], at(46))
    [without_file] = presents(other.add("files", "app.editor.activity", files), folders[1], at(46))

    assert with_file.file is not None
    assert with_file.file.text("project") == "one"
    assert without_file.file is None


def test_tabs_of_a_browser_that_does_not_know_its_device_are_looked_for_everywhere(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [(10, 45, {"app": "Firefox"})])
    recording.add("tabs", "web.tab.current", [(20, 44, {"url": "https://x.example/"})], host="unknown")

    [laptop] = presents(recording, tmp_path, at(46))

    assert laptop.device == "laptop"
    assert laptop.tab is not None


def test_the_app_of_a_phone_is_in_front(tmp_path: Path) -> None:
    recording = Recording().add("apps", "app", [(10, 45, {"app": "Chat"})], host="phone")

    [phone] = presents(recording, tmp_path, at(46))

    assert phone.window is not None
    assert phone.window.text("app") == "Chat"


def test_a_device_is_away_from_the_time_that_its_watcher_reports(tmp_path: Path) -> None:
    recording = Recording().add("away", "afkstatus", [(0, 50, NOT_AWAY), (50, 90, AWAY)])

    [laptop] = presents(recording, tmp_path, at(91))

    assert (laptop.away_since, laptop.window) == (at(50), None)


def test_a_device_whose_watchers_have_stopped_is_not_away(tmp_path: Path) -> None:
    recording = Recording().add("away", "afkstatus", [(0, 50, NOT_AWAY), (50, 90, AWAY)])

    [laptop] = presents(recording, tmp_path, at(90 + 682 * 86_400))

    assert (laptop.away_since, laptop.last_seen, laptop.is_recording) == (None, at(90), False)


def test_a_user_who_is_back_is_not_away(tmp_path: Path) -> None:
    recording = Recording().add("away", "afkstatus", [(0, 50, AWAY), (50, 90, NOT_AWAY)])

    [laptop] = presents(recording, tmp_path, at(91))

    assert laptop.away_since is None


def test_the_device_that_recorded_last_is_listed_first(tmp_path: Path) -> None:
    recording = Recording().add("a", "currentwindow", in_front("x", 0, 100), host="desktop")
    recording.add("b", "currentwindow", in_front("y", 0, 200), host="phone").add("c", "currentwindow", [], host="new")

    found = presents(recording, tmp_path, at(201))

    assert [(device.device, device.is_recording) for device in found] == [
        ("phone", True), ("desktop", False), ("new", False),
    ]  # fmt: skip


def test_a_future_event_is_not_active(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [*in_front("Code", 0, 100), (5000, 5001, {"app": "Later"})])

    [laptop] = presents(recording, tmp_path, at(100))

    assert laptop.window is not None
    assert laptop.window.text("app") == "Code"


def test_a_device_with_something_in_the_future_is_not_recording_until_then(tmp_path: Path) -> None:
    recording = Recording().add("window", "currentwindow", [*in_front("Code", 0, 100), (5000, 5001, {"app": "Later"})])

    [laptop] = presents(recording, tmp_path, at(1000))

    assert (laptop.last_seen, laptop.is_recording) == (at(99), False)


def test_what_people_write_by_hand_is_no_device_and_no_sign_of_life(tmp_path: Path) -> None:
    recording = Recording().add("notes", "dayline.annotation", [(0, 990, {"kind": "entry"})], host="unknown")
    recording.add("stopwatch", "general.stopwatch", [(0, 995, {"label": "Tea"})])
    recording.add("window", "currentwindow", in_front("Code", 0, 100))

    [laptop] = presents(recording, tmp_path, at(1000))

    assert (laptop.device, laptop.last_seen, laptop.is_recording) == ("laptop", at(99), False)


def test_of_two_window_watchers_the_one_that_continues_counts(tmp_path: Path) -> None:
    recording = Recording().add("old", "currentwindow", in_front("Old", 0, 100))
    recording.add("new", "currentwindow", in_front("New", 0, 200))

    [laptop] = presents(recording, tmp_path, at(200))

    assert laptop.window is not None
    assert laptop.window.text("app") == "New"
