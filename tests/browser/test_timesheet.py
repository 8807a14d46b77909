"""A timesheet as a page, in a real Chromium: nothing runs, nothing is cut off, and it prints on both papers."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.browser.driver import Browser
from tests.server import RunningServer

LONG = "a-very-long-name-without-any-blank" * 6
TITLES = [
    "<script>document.title = 'hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    LONG,
    "Design",
]
# What the margins leave of the paper.
WIDTHS = {"A4": 688, "Letter": 710}
CUT = """[...document.querySelectorAll('h1, p, th, td')]
  .filter(cell => cell.scrollWidth > cell.clientWidth + 1 || getComputedStyle(cell).textOverflow === 'ellipsis')
  .map(cell => cell.textContent)"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A month of days on which everything was done."""
    with RunningServer(tmp_path_factory.mktemp("sheet") / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        events = [
            {
                "timestamp": f"2026-03-{day:02}T{8 + number:02}:00:00Z",
                "duration": 2400,
                "data": {"app": app, "title": app},
            }
            for day in range(1, 32)
            for number, app in enumerate([*TITLES, *(f"Tool {n}" for n in range(7))])
        ]
        server.post("/api/0/buckets/aw-watcher-window_laptop/events", events)
        yield server


def address(server: RunningServer, *, apps: list[str] | None = None) -> str:
    asked = {
        "period": "month", "date": "2026-03-05", "by": "app", "format": "html", "round": "nearest", "rate": "80",
        "currency": "EUR", "title": TITLES[0], "filter": [f"app:is:{app}" for app in apps or []],
    }  # fmt: skip
    return f"{server.url}/api/1/reports/timesheet?{urlencode(asked, doseq=True)}"


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("layout", ["side by side", "below each other"])
def test_the_page_shows_all_of_its_text_on_screen_and_on_paper(
    browser: Browser, filled: RunningServer, tmp_path: Path, paper: str, layout: str
) -> None:
    browser.open(address(filled, apps=TITLES if layout == "side by side" else None), width=WIDTHS[paper])
    shown = browser.text("body")

    assert all(title in shown for title in TITLES)
    assert browser.evaluate(CUT) == []
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    browser.do(["emulateMedia", {"media": "print"}])
    assert browser.evaluate(CUT) == []
    assert browser.evaluate("document.querySelector('table').scrollWidth <= innerWidth")
    assert browser.evaluate("getComputedStyle(document.querySelector('thead')).display") == "table-header-group"
    printed = tmp_path / "sheet.pdf"
    browser.do(["pdf", {"path": str(printed), "format": paper}])
    assert printed.read_bytes().count(b"/Type /Page\n") >= (1 if layout == "side by side" else 5)
    browser.do(["screenshot", {"path": str(tmp_path / "sheet.png")}])


def test_nothing_on_the_page_runs_or_is_loaded(browser: Browser, filled: RunningServer) -> None:
    where = address(filled)
    browser.open(where)

    seen = browser.seen()

    assert browser.evaluate("document.title") == TITLES[0]
    assert browser.evaluate("document.querySelectorAll('script, img, link, iframe').length") == 0
    assert seen.requests == [where]
    assert seen.problems == []
