"""`dayline report` against a real server: to a terminal, into a pipe and into a file."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.terminal import piped
from tests.support.server import RunningServer

MARCH = ("--month", "--date", "2026-03-15")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two days of an app each, of 100 and of 50 minutes."""
    with RunningServer(tmp_path_factory.mktemp("report") / "days.db") as server:
        server.create("aw-watcher-window_laptop", type="currentwindow", hostname="laptop")
        server.create("aw-watcher-afk_laptop", type="afkstatus", hostname="laptop")
        for day, app, minutes in ((5, "Code", 100), (6, "Mail", 50)):
            event = {"timestamp": f"2026-03-0{day}T08:00:00Z", "duration": minutes * 60}
            windows = [{**event, "data": {"app": app, "title": "x"}}]
            server.post("/api/0/buckets/aw-watcher-window_laptop/events", windows)
            server.post("/api/0/buckets/aw-watcher-afk_laptop/events", [{**event, "data": {"status": "not-afk"}}])
        yield server.database


def test_a_table_has_a_line_for_each_day_and_the_total(database: Path) -> None:
    lines = [line.split() for line in piped(database, "report", *MARCH, "--by", "app").out.splitlines()]

    assert lines[2] == ["day", "first", "last", "Code", "Mail", "total"]
    assert lines[3] == ["Thu", "5", "Mar", "09:00", "10:40", "1h", "40m", "1h", "40m"]
    assert lines[4] == ["Fri", "6", "Mar", "09:00", "09:50", "50m", "50m"]
    assert lines[5] == ["2", "days", "1h", "40m", "50m", "2h", "30m"]


def test_rounding_and_rates_are_passed_on(database: Path) -> None:
    rules = ("--round", "up", "--step", "15m", "--rate", "60", "--currency", "EUR")

    found = piped(database, "report", *MARCH, *rules, "--json").json

    assert (found["totals"]["rounded"], found["totals"]["amount"]) == (165 * 60, 165.0)


def test_csv_in_a_pipe_is_what_the_server_sends(database: Path) -> None:
    rows = list(csv.reader(piped(database, "report", *MARCH, "--format", "csv").out.splitlines()))

    assert [row[0] for row in rows] == ["Date", "2026-03-05", "2026-03-06", "Total"]


def test_a_page_is_written_to_a_file(database: Path, tmp_path: Path) -> None:
    page = tmp_path / "march.html"

    found = piped(database, "report", *MARCH, "--format", "html", "--output", str(page))

    assert (found.code, found.out, found.err) == (0, "", f"Wrote {page}.\n")
    assert page.read_bytes().lower().startswith(b"<!doctype html>")
    refused = piped(database, "report", *MARCH, "--output", str(tmp_path / "no" / "march.txt"))
    assert (refused.code, "does not exist" in refused.err) == (66, True)


def test_a_table_in_a_file_is_plain(database: Path, tmp_path: Path) -> None:
    piped(database, "report", *MARCH, "--output", str(tmp_path / "march.txt"))

    text = (tmp_path / "march.txt").read_text()
    assert text.startswith("Timesheet · March 2026\n")
    assert "\x1b" not in text


def test_a_period_in_which_nothing_counts_is_reported(database: Path) -> None:
    assert (
        "This range has no matching time: January 2026."
        in piped(database, "report", "--month", "--date", "2026-01-15").out
    )
