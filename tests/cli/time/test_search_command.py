"""`dayline search` against a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.terminal import piped, shown
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with RunningServer(tmp_path_factory.mktemp("search") / "days.db") as server:
        server.create("web", type="web.tab.current", hostname="laptop")
        titles = ("The Rust Reference", "Rust in peace", "Rüstzeug", "Bread for beginners")
        events = [
            {
                "timestamp": f"2026-03-0{day}T08:00:00Z",
                "duration": 60 * day,
                "data": {"title": title, "url": "https://a.org/"},
            }
            for day, title in enumerate(titles, start=1)
        ]
        server.post("/api/0/buckets/web/events", events)
        yield server.database


def test_what_begins_with_the_words_is_found_with_its_time(database: Path) -> None:
    lines = piped(database, "search", "rust").out.splitlines()

    assert lines[0].startswith("3 hits · 3 events · 6m")
    assert {line.rsplit("  ", 1)[0].split("2026  ")[-1].strip() for line in lines[-3:]} == {
        "The Rust Reference", "Rust in peace", "Rüstzeug",
    }  # fmt: skip


def test_words_belong_together_and_a_period_leaves_less(database: Path) -> None:
    assert piped(database, "search", "rust", "peace", "--json").json["total"] == 1
    assert piped(database, "search", "rust", "--from", "2026-03-02", "--json").json["total"] == 2
    assert "search all data: dayline search rust" in piped(database, "search", "rust", "--date", "2026-04-01").out


def test_no_match_is_no_error_and_prints_a_hint(database: Path) -> None:
    found = piped(database, "search", "zebra")

    assert (found.code, found.out.splitlines()[0]) == (0, "  No results for: zebra")
    assert "→" in found.out


def test_in_a_terminal_the_words_are_marked(database: Path) -> None:
    assert "\x1b[1;33mRust\x1b[0m" in shown(database, "search", "rust").out
