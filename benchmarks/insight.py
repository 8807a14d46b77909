"""Answers in place of events: totals, series, timelines and search over the seeded year and over ten million events."""

import statistics
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

import msgspec

from benchmarks.asking import wait_for_rest, wait_for_segments
from benchmarks.connection import Connection
from benchmarks.desktop_query import category_rules
from benchmarks.seeded_year import FIRST_DAY
from benchmarks.server import dayline_server
from benchmarks.table import Figure, NotMeasured
from benchmarks.ten_million import ALL_TIME, a_copy_of_ten_million
from benchmarks.workbench import Workbench, import_file

Query: TypeAlias = "dict[str, str | int]"

ROUNDS = 10
DAY_ROUNDS = 50
TEN_YEARS_FACTOR = 4
SEARCH_FACTOR = 3
MOST_FIRST_S = 3.0  # of all time
MOST_SUMMARY_S = MOST_TIMELINE_S = 0.25
MOST_SEARCH_S = 0.1
MOST_TODAY_MS = 15.0
PEER = "37 s: the faster existing server, totals of the year"
# A word of many titles, two words, a word in another script, a site and a word.
SEARCHES = ("word17", "word17 word204", "слово42", "docs.python.org word9")  # noqa: RUF001
EVERYWHERE = "wor"  # the start of a word in most titles: the worst there is


def measure(bench: Workbench) -> Iterator[Figure]:
    """Lines for the year, for today as it is read from rows, and for ten million events."""
    year = (FIRST_DAY, FIRST_DAY + timedelta(days=bench.days))
    with dayline_server(bench.command, bench.year()) as server, Connection(server.port) as connection:
        set_rules(connection)
        wait_for_segments(server, *year)
        wait_for_rest(server)  # and with it for the full text
        yield from _long_figures(connection, *year, name=bench.period, factor=1)
    yield from _today_figures(bench)


def measure_all_time(bench: Workbench) -> Iterator[Figure]:
    """The same lines over ten million events."""
    if bench.is_quick:
        raise NotMeasured("building ten million events takes minutes, so not with --quick")
    with dayline_server(bench.command, a_copy_of_ten_million(bench)) as server, Connection(server.port) as connection:
        set_rules(connection)
        figures = list(_long_figures(connection, *ALL_TIME, name="ten million events", factor=TEN_YEARS_FACTOR))
    first_s = figures[0].values["first_s"]
    yield Figure(
        name="first summary of ten million events",
        goal=f"<= {MOST_FIRST_S:g} s",
        measured=f"{first_s:.2f} s",
        is_met=first_s <= MOST_FIRST_S,
        values={"first_s": first_s},
    )
    yield from figures


def set_rules(connection: Connection) -> None:
    """The rules of the desktop query, as the web UI keeps them."""
    classes = [{"id": number, "name": name, "rule": rule} for number, (name, rule) in enumerate(category_rules())]
    answer = connection.post("/api/0/settings/classes", msgspec.json.encode(classes))
    if answer.status >= 300:
        raise NotMeasured(f"the rules were answered with {answer.status}: {answer.body[:300].decode()}")


def _long_figures(
    connection: Connection, start: datetime, end: datetime, *, name: str, factor: int
) -> Iterator[Figure]:
    span: Query = {"start": start.isoformat(), "end": end.isoformat(), "tz": "Europe/Berlin"}
    calls: dict[str, tuple[str, Query, float]] = {
        f"totals by category and app, {name}": ("/api/1/summary", {**span, "by": "category,app"}, MOST_SUMMARY_S),
        f"totals by category per day, {name}": (
            "/api/1/series",
            {**span, "by": "category", "bin": "day"},
            MOST_SUMMARY_S,
        ),
        f"timeline at 1,200 px, {name}": ("/api/1/timeline", {**span, "px": 1200}, MOST_TIMELINE_S),
    }
    for title, (path, query, most) in calls.items():
        yield _figure(title, _medians(connection, [(path, query)]), most * factor, yardstick=PEER)
    most_search_s = MOST_SEARCH_S * min(factor, SEARCH_FACTOR)
    searches: list[tuple[str, Query]] = [("/api/1/search", {"q": text, **span}) for text in SEARCHES]
    yield _figure(f"search, slowest of {len(SEARCHES)}, {name}", _medians(connection, searches), most_search_s)
    worst: list[tuple[str, Query]] = [("/api/1/search", {"q": EVERYWHERE, **span})]
    yield _figure(f"search for what is in most titles, {name}", _medians(connection, worst), most_search_s)


def _figure(name: str, medians_s: list[tuple[float, float]], most_s: float, *, yardstick: str = "") -> Figure:
    """Of several calls the slowest counts."""
    warm_s, cold_s = max(warm for warm, _ in medians_s), max(cold for _, cold in medians_s)
    return Figure(
        name=f"{name}, warm",
        goal=f"<= {most_s:g} s",
        measured=f"{warm_s:.3f} s (first {cold_s:.2f})",
        yardstick=yardstick,
        is_met=warm_s <= most_s,
        values={"median_s": warm_s, "first_s": cold_s},
    )


def _medians(connection: Connection, calls: list[tuple[str, Query]]) -> list[tuple[float, float]]:
    """For each call the median, and the time of the first."""
    found: list[tuple[float, float]] = []
    for path, query in calls:
        first_s = _asked_s(connection, path, query)
        found.append((statistics.median(_asked_s(connection, path, query) for _ in range(ROUNDS)), first_s))
    return found


def _asked_s(connection: Connection, path: str, query: Query) -> float:
    begun = time.perf_counter()
    answer = connection.get(f"{path}?{urlencode(query)}")
    seconds = time.perf_counter() - begun
    if answer.status != 200:
        raise NotMeasured(f"{path} was answered with {answer.status}: {answer.body[:300].decode()}")
    return seconds


def _today_figures(bench: Workbench) -> Iterator[Figure]:
    """A day in a month that is still being written, of three devices: from rows."""
    export = bench.database("demo").with_name("demo.json")
    _make_demo(bench, export)
    with dayline_server(bench.command, bench.database("today")) as server, Connection(server.port) as connection:
        import_file(server, export)
        set_rules(connection)
        for by in ("category", "category,app,title,domain"):
            median_ms = _day_ms(connection, by)
            yield Figure(
                name=f"a day's totals by {by.replace(',', ', ')}, from rows, median",
                goal=f"<= {MOST_TODAY_MS:.0f} ms",
                measured=f"{median_ms:.1f} ms",
                is_met=median_ms <= MOST_TODAY_MS,
                values={"median_ms": median_ms},
            )


def _make_demo(bench: Workbench, export: Path) -> None:
    # Its last day is over, so that it is a whole one.
    yesterday = datetime.now(UTC) - timedelta(days=1)
    arguments = ("demo", "--seed", "7", "--days", "30", "--devices", "3", "--end", f"{yesterday:%Y-%m-%d}")
    subprocess.run([*bench.command, *arguments, "--output", str(export)], check=True, capture_output=True)


def _day_ms(connection: Connection, by: str) -> float:
    query: Query = {"period": "yesterday", "by": by, "tz": "Europe/Berlin"}
    for _ in range(3):
        _asked_s(connection, "/api/1/summary", query)
    return 1000 * statistics.median(_asked_s(connection, "/api/1/summary", query) for _ in range(DAY_ROUNDS))
