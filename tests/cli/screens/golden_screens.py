"""Every screen of the command line at several widths, with and without color: what the files in golden/ hold.

To write them again after a change, and look at the difference: python -m tests.cli.screens.golden_screens
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dayline.cli.options.view import View
from dayline.cli.screens.buckets import buckets_screen
from dayline.cli.screens.charts import Palette
from dayline.cli.screens.day import Day, day_screen
from dayline.cli.screens.records import event_table, value_table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.status import Status, status_screen
from dayline.cli.screens.text import Line
from dayline.cli.time.report import report_screen
from dayline.cli.time.search import search_screen
from dayline.cli.time.top import Top, top_screen
from dayline.insight.now.model import BucketStates, NowResponse
from dayline.insight.search.model import SearchResponse
from dayline.insight.summary.model import Series, Summary
from dayline.insight.timesheet.model import Timesheet
from dayline.model.health import Problem
from tests.cli.screens.answers import (
    EVENTS,
    WEEK,
    buckets_answer,
    compared,
    day_series,
    day_summary,
    now_answer,
    range_of,
    search_answer,
    sheet_answer,
    stopped_answers,
    totals,
    week_series,
    week_summary,
)

GOLDEN = Path(__file__).parent / "golden"
PALETTE = Palette({("Work",): "#3b82f6", ("Work", "Docs"): "#ffaa00", ("Comms",): "#d65f9e", ("Media",): "#f28e2b"})
NOW = datetime.fromisoformat("2026-03-05T17:42:10+01:00")
BERLIN = View(time_zone="Europe/Berlin")

SCREENS: dict[str, Screen] = {
    "60": Screen(width=60),
    "80": Screen(width=80),
    "80-color": Screen(width=80, colors="256"),
    "140": Screen(width=140),
    "140-color": Screen(width=140, colors="all"),
    "200": Screen(width=200),
    "pipe": Screen(cuts=False),
}


def day(screen: Screen) -> list[Line]:
    return day_screen(screen, _day(now="2026-03-05T17:42:10+01:00"))


def past_day(screen: Screen) -> list[Line]:
    return day_screen(msgspec.structs.replace(screen, durations="clock"), _day(now=None))


def empty_day(screen: Screen) -> list[Line]:
    summary = msgspec.convert(day_summary(totals=totals(0), lists={}, more={}, devices=[]), Summary)
    days = [
        msgspec.structs.replace(_day(now=now), summary=summary, is_recorded=is_recorded)
        for now, is_recorded in (
            ("2026-03-05T17:42:10+01:00", False),
            ("2026-03-05T17:42:10+01:00", True),
            (None, True),
        )
    ]
    return [line for each in days for line in (*day_screen(screen, each), ())]


def top_apps(screen: Screen) -> list[Line]:
    return top_screen(screen, _top("app"))


def top_categories(screen: Screen) -> list[Line]:
    return top_screen(screen, _top("category"))


def top_devices(screen: Screen) -> list[Line]:
    return top_screen(screen, _top("device"))


def top_so_far(screen: Screen) -> list[Line]:
    """A week that is not over, with a name for the one before, and another range without."""
    label = compared(range_of(WEEK, 7, "23 Feb 2026 04:00 to 26 Feb 2026 15:00"), 1750)
    before = {**label, "whole": range_of(WEEK, 7, "23 Feb to 1 Mar 2026")}
    top = msgspec.structs.replace(_top("app"), summary=msgspec.convert(week_summary(compare=before), Summary))
    tops = [msgspec.structs.replace(top, before="last week"), top]
    return [line for each in tops for line in (*top_screen(screen, each), ())]


def top_nothing(screen: Screen) -> list[Line]:
    return top_screen(screen, _top("project"))


def events(screen: Screen) -> list[Line]:
    return event_table(screen, EVENTS, BERLIN)


def values(screen: Screen) -> list[Line]:
    found = [EVENTS, [1, "two", None], {"hours": 3.5, "tags": ["a", "b"], "top": [{"app": "Code", "n": 2}]}, 7, []]
    return [line for each in found for line in (*value_table(screen, each, BERLIN), ())]


def status(screen: Screen) -> list[Line]:
    return status_screen(screen, _status(buckets_answer(), server="http://127.0.0.1:5600"))


def other_states(screen: Screen) -> list[Line]:
    """All is well; no server; nothing is recorded; nothing ever was; a device has stopped; all data is old."""
    well = buckets_answer(silent=False)
    still = {**well, "buckets": [{**each, "health": "quiet"} for each in well["buckets"]]}
    url = "http://127.0.0.1:5600"
    stopped, stopped_now = stopped_answers()
    old = {**stopped, "buckets": [each for each in stopped["buckets"] if each["device"] == "phone"]}
    failing = (
        Problem(
            kind="background",
            message="daily backup is failing: /mnt/disk/backups: Stale file handle",
            hint="check the disk, then run: dayline backup create",
        ),
        Problem(kind="clock", message="the clock was set back by 2 hours"),
    )
    states = [
        _status(well, url, problems=failing),
        _status(well, None),
        _status(still, url),
        _status({**well, "buckets": []}, url),
        _status(stopped, url, stopped_now),
        _status(old, url, stopped_now),
    ]
    return [line for each in states for line in (*status_screen(screen, each), ())]


def buckets(screen: Screen) -> list[Line]:
    return buckets_screen(screen, msgspec.convert(buckets_answer(), BucketStates), NOW)


def no_buckets(screen: Screen) -> list[Line]:
    return buckets_screen(screen, msgspec.convert({**buckets_answer(), "buckets": []}, BucketStates), NOW)


def search(screen: Screen) -> list[Line]:
    return search_screen(screen, "rust lifetimes", msgspec.convert(search_answer(), SearchResponse))


def search_nothing(screen: Screen) -> list[Line]:
    nothing: dict[str, Any] = {"total": 0, "events": 0, "seconds": 0, "hits": []}
    found = [search_answer(**nothing), search_answer(**nothing, suggestion="rust lifetimes")]
    lines = [
        line
        for each in found
        for line in search_screen(screen, "rusty liftimes", msgspec.convert(each, SearchResponse))
    ]
    within = msgspec.convert(search_answer(**nothing), SearchResponse)
    return [*lines, *search_screen(screen, "rust", within, is_all_time=False)]


def report(screen: Screen) -> list[Line]:
    return report_screen(screen, msgspec.convert(sheet_answer(), Timesheet))


def other_reports(screen: Screen) -> list[Line]:
    """Without amounts or a title, and one of nothing."""
    plain = sheet_answer(has_amounts=False, title="", rules={**sheet_answer()["rules"], "text": ""}, currency="")
    none = {"count": 0, "seconds": 0}
    no_totals = {"days": 0, "seconds": 0, "rounded": 0, "breaks": none, "left_out": {"entries": 0, "seconds": 0}}
    nothing = sheet_answer(days=[], columns=[], totals=no_totals)
    return [
        line for each in (plain, nothing) for line in (*report_screen(screen, msgspec.convert(each, Timesheet)), ())
    ]


DRAWN: dict[str, Callable[[Screen], list[Line]]] = {
    each.__name__: each
    for each in (
        day,
        past_day,
        empty_day,
        top_apps,
        top_categories,
        top_devices,
        top_so_far,
        top_nothing,
        events,
        values,
        status,
        other_states,
        buckets,
        no_buckets,
        search,
        search_nothing,
        report,
        other_reports,
    )
}


def texts() -> dict[str, str]:
    """What each file should hold, by its name. All widths for the screens that differ most, two for the others."""
    most = ("day", "top_apps")
    return {
        f"{name}-{size}.txt": screen.text(draw(screen))
        for name, draw in DRAWN.items()
        for size, screen in SCREENS.items()
        if name in most or size in ("80", "80-color", "140", "pipe")
    }


def _day(now: str | None) -> Day:
    return Day(
        summary=msgspec.convert(day_summary(), Summary),
        series=msgspec.convert(day_series(), Series),
        palette=PALETTE,
        now=now,
    )


def _top(by: str) -> Top:
    return Top(
        summary=msgspec.convert(week_summary(by), Summary),
        by=by,
        palette=PALETTE,
        series=msgspec.convert(week_series(by), Series),
        bin="day",
    )


def _status(
    answer: dict[str, Any], server: str | None, now: dict[str, Any] | None = None, *, problems: tuple[Problem, ...] = ()
) -> Status:
    return Status(
        buckets=msgspec.convert(answer, BucketStates),
        devices=msgspec.convert(now or now_answer(), NowResponse).devices,
        now=NOW,
        server=server,
        database="/home/robin/.local/share/dayline/dayline.db",
        problems=problems,
    )


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.txt"):
        old.unlink()
    for name, text in texts().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
