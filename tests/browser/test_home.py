"""The page at `/`, in a real Chromium."""

import time
from pathlib import Path

import msgspec
import pytest

from dayline.model.timestamps import format_timestamp
from tests.browser.driver import Browser, Scheme
from tests.server import RunningServer

DAY_US = 86_400_000_000
LONG_ID = "aw-watcher-" + "a-very-long-name-without-any-blank" * 6
SHIFTS = """new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => { for (const entry of list.getEntries()) sum += entry.value })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})"""


def now_us() -> int:
    return time.time_ns() // 1000


def beat(server: RunningServer, bucket_id: str, moment: int) -> None:
    """Record a heartbeat in a bucket."""
    path = f"/api/0/buckets/{bucket_id}/heartbeat?pulsetime=60"
    assert server.post(path, {"timestamp": format_timestamp(moment), "data": {"app": "Editor"}}).status == 200


def fill(server: RunningServer) -> None:
    """Three buckets: one that records, one that has fallen silent, one without events."""
    server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
    server.create("aw-watcher-afk_desktop", type="afkstatus", hostname="desktop")
    server.create("aw-stopwatch", type="general.stopwatch", hostname="unknown")
    beat(server, "aw-watcher-window_laptop", now_us())
    beat(server, "aw-watcher-afk_desktop", now_us() - 2 * DAY_US)


def row(browser: Browser, bucket_id: str) -> list[str]:
    """The cells of a bucket's row."""
    cells = browser.do(["getByRole", "row", {"name": bucket_id}], ["locator", "th, td"], ["allInnerTexts"])
    return [str(cell).strip() for cell in cells]


def test_an_empty_server_tells_how_to_begin(browser: Browser, server: RunningServer) -> None:
    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")

    assert browser.text("h1") == "The server is running"
    assert browser.text("#watcher-command") == f"aw-watcher-window --port {server.port}"
    assert browser.text("#demo-command") == f"dayline demo --days 30 --to {server.url}"
    assert browser.do(["getByText", "Import a file…"], ["isVisible"])


def test_it_says_what_server_it_is(browser: Browser, server: RunningServer) -> None:
    info = server.get("/api/0/info").json

    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")

    facts = browser.text("#facts")
    assert info["version"].split()[0] in facts
    assert info["hostname"] in facts
    assert str(server.port) in facts


def test_buckets_are_listed_with_type_host_state_and_last_update(browser: Browser, server: RunningServer) -> None:
    fill(server)

    browser.open(f"{server.url}/")
    browser.wait_for("aw-watcher-window_laptop")

    window = row(browser, "aw-watcher-window_laptop")
    assert window[:4] == ["aw-watcher-window_laptop", "recording", "currentwindow", "laptop"]
    assert row(browser, "aw-watcher-afk_desktop") == [
        "aw-watcher-afk_desktop",
        "silent",
        "afkstatus",
        "desktop",
        "2 d ago",
    ]
    assert row(browser, "aw-stopwatch")[1] == "no events yet"
    assert browser.text("#tally") == "3 in all, 1 recording"


def test_a_bucket_that_comes_later_appears_without_a_reload(browser: Browser, server: RunningServer) -> None:
    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")

    fill(server)

    browser.wait_for("aw-watcher-window_laptop")
    assert browser.do(["locator", "#empty"], ["isVisible"]) is False


def test_a_file_can_be_imported_from_the_page(browser: Browser, server: RunningServer, tmp_path: Path) -> None:
    events = [{"timestamp": "2026-02-03T08:15:31Z", "duration": 5, "data": {"app": "Editor"}}, {"timestamp": "never"}]
    bucket = {"type": "currentwindow", "client": "c", "hostname": "laptop", "events": events}
    document = tmp_path / "export.json"
    document.write_bytes(msgspec.json.encode({"buckets": {"imported_laptop": bucket}}))

    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")
    browser.do(["locator", "#file"], ["setInputFiles", str(document)])

    browser.wait_for("imported_laptop")
    assert browser.text("#notice") == "Imported 1 events in 1 buckets (1 could not be used)."


def test_a_file_that_is_no_export_is_refused_with_the_reason(
    browser: Browser, server: RunningServer, tmp_path: Path
) -> None:
    document = tmp_path / "letter.json"
    document.write_bytes(b'{"dear": "Ada"}')

    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")
    browser.do(["locator", "#file"], ["setInputFiles", str(document)])

    browser.wait_for("the document has no key 'buckets'")


def test_a_server_that_goes_away_is_told_and_coming_back_heals_the_page(
    browser: Browser, server: RunningServer
) -> None:
    fill(server)
    browser.open(f"{server.url}/")
    browser.wait_for("aw-watcher-window_laptop")

    server.stop()
    browser.wait_for("The server does not answer")
    assert browser.do(["getByText", "aw-watcher-window_laptop"], ["isVisible"])

    server.start()
    browser.wait_for("The server is running")


def test_names_are_text_and_never_markup(browser: Browser, server: RunningServer) -> None:
    name = "<img src=x onerror=alert(1)>"
    server.create("%3Cimg%20src=x%20onerror=alert(1)%3E", type=name, hostname=name)

    browser.open(f"{server.url}/")
    browser.wait_for(name)

    assert browser.evaluate("document.querySelectorAll('tbody img').length") == 0
    assert browser.seen().problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 3840])
@pytest.mark.parametrize("is_full", [False, True], ids=["empty", "full"])
def test_nothing_overflows_the_window(
    browser: Browser, shared_server: RunningServer, width: int, scheme: Scheme, is_full: bool
) -> None:
    if is_full:
        shared_server.create(LONG_ID, type="a.type.that.goes.on.and.on", hostname="host-" + "x" * 80)
    else:
        shared_server.call("DELETE", f"/api/0/buckets/{LONG_ID}")

    browser.open(f"{shared_server.url}/", width=width, scheme=scheme)
    browser.wait_for("1 in all" if is_full else "Nothing has been recorded yet")

    assert browser.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_moves_while_it_loads(browser: Browser, server: RunningServer, width: int) -> None:
    fill(server)

    browser.open(f"{server.url}/", width=width)
    browser.wait_for("aw-watcher-window_laptop")

    assert browser.evaluate(SHIFTS) <= 0.02


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(247, 248, 250)"), ("dark", "rgb(15, 18, 23)")])
def test_it_follows_the_theme_of_the_system(
    browser: Browser, shared_server: RunningServer, scheme: Scheme, background: str
) -> None:
    browser.open(f"{shared_server.url}/", scheme=scheme)

    assert browser.evaluate("getComputedStyle(document.documentElement).backgroundColor") == background


def test_the_keyboard_reaches_everything_in_order(browser: Browser, server: RunningServer) -> None:
    browser.open(f"{server.url}/")
    browser.wait_for("Nothing has been recorded yet")

    reached: list[str] = []
    for _ in range(6):
        browser.press("Tab")
        reached.append(browser.evaluate("document.activeElement.id || document.activeElement.innerText.trim()"))

    assert reached == ["Skip to the buckets", "Dayline", "API browser", "OpenAPI document", "API", "file"]


def test_nothing_is_asked_of_another_machine_and_nothing_goes_wrong(browser: Browser, server: RunningServer) -> None:
    fill(server)
    browser.open(f"{server.url}/")
    browser.wait_for("aw-watcher-window_laptop")

    seen = browser.seen()

    assert [url for url in seen.requests if not url.startswith(f"{server.url}/")] == []
    assert seen.problems == []


def test_what_needs_looking_after_is_told_until_it_is_mended(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "days-backups"
    folder.write_text("in the way")
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/1/backups")
        browser.open(f"{server.url}/")
        browser.wait_for("Needs looking after")
        browser.wait_for("dayline backup now")

        folder.unlink()
        server.post("/api/1/backups")
        browser.open(f"{server.url}/")
        browser.wait_for("Nothing has been recorded yet")
        assert browser.do(["getByText", "Needs looking after"], ["isVisible"]) is False
