"""`dayline query`: a program from a file or from standard input, as JSON or as a table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.terminal import piped, shown
from tests.support.server import RunningServer

EVENTS = [
    {"timestamp": f"2026-03-05T{hour:02}:00:00Z", "duration": 600, "data": {"app": app, "title": "x"}}
    for hour, app in ((8, "Code"), (9, "Firefox"), (10, "Code"))
]
PROGRAM = """
events = query_bucket("window");
RETURN = sort_by_duration(merge_events_by_keys(events, ["app"]));
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with RunningServer(tmp_path_factory.mktemp("query") / "days.db") as server:
        server.create("window", type="currentwindow")
        server.post("/api/0/buckets/window/events", EVENTS)
        yield server.database


def test_in_a_pipe_the_output_is_json_without_statistics(database: Path, tmp_path: Path) -> None:
    (tmp_path / "apps.txt").write_text(PROGRAM)

    found = piped(database, "query", str(tmp_path / "apps.txt"), "--date", "2026-03-05")

    assert [(each["data"]["app"], each["duration"]) for each in found.json] == [("Code", 1200.0), ("Firefox", 600.0)]
    assert found.err == ""


def test_a_table_is_drawn_where_it_is_asked_for(database: Path) -> None:
    found = piped(database, "query", "-", "--table", "--from", "2026-03-05", "--to", "2026-03-05", given=PROGRAM)

    assert [line.split()[-3:-1] for line in found.out.splitlines()] == [
        ["duration", "app"],
        ["20m", "Code"],
        ["10m", "Firefox"],
    ]
    assert found.err.startswith("2 rows · ")


def test_in_a_terminal_it_is_a_table(database: Path, tmp_path: Path) -> None:
    (tmp_path / "apps.txt").write_text(PROGRAM)

    assert "20m" in shown(database, "query", str(tmp_path / "apps.txt"), "--date", "2026-03-05").out
    assert (
        '"duration": 1200' in shown(database, "query", str(tmp_path / "apps.txt"), "--date", "2026-03-05", "--json").out
    )


def test_the_period_is_the_one_that_was_asked_for(database: Path) -> None:
    assert piped(database, "query", "-", "--last", "week", given=PROGRAM).json == []
    assert piped(database, "query", "-", given="RETURN = 1 + 1;").json == 2


def test_an_error_shows_the_place(database: Path) -> None:
    found = piped(database, "query", "-", given="a = 1;\nRETURN = b;")

    assert found.code != 0
    assert "no variable named `b`" in found.err
    assert "RETURN = b;" in found.err
    assert found.out == ""


def test_a_file_that_is_not_there_is_reported(database: Path, tmp_path: Path) -> None:
    found = piped(database, "query", str(tmp_path / "nothing.txt"))

    assert found.code == 66
    assert "nothing.txt" in found.err
