"""`dayline export`: some buckets, some days, as a document, a table or lines; whole or not at all."""

import csv
import io
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from dayline.maintenance.migration.stored import StoredEvents, stored_buckets
from tests.support.processes.command import COMMAND, environment, run
from tests.support.server import RunningServer
from tests.support.waiting import eventually

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
EVENTS = 48


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Two days, an event an hour, each half an hour long; and another bucket with awkward titles."""
    with RunningServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        server.create("window", type="currentwindow", hostname="laptop")
        server.create("other")
        hours = [BEGIN + timedelta(hours=number) for number in range(EVENTS)]
        server.post("/api/0/buckets/window/events", [event(at, 1800, title=f"page {at.hour}") for at in hours])
        server.post("/api/0/buckets/other/events", [event(BEGIN, 5, app="=cmd()", title='a "b", c\nd', url="ü")])
        yield server


def event(at: datetime, seconds: float, **data: str) -> dict[str, Any]:
    return {"timestamp": at.isoformat(), "duration": seconds, "data": data}


def exported(server: RunningServer, *arguments: str) -> str:
    done = run("export", *arguments, "--database", str(server.database), home=server.database.parent, TZ="UTC")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_document_of_some_days_holds_whole_events_that_begin_there(filled: RunningServer) -> None:
    arguments = ("window", "--from", "2026-03-01T05:15", "--to", "2026-03-01")

    [bucket] = msgspec.json.decode(exported(filled, *arguments))["buckets"].values()

    # A day ends at 04:00, as in the preferences.
    hours = [*range(6, 24), *range(4)]
    assert [each["data"]["title"] for each in bucket["events"]] == [f"page {hour}" for hour in hours]
    assert {each["duration"] for each in bucket["events"]} == {1800}


def test_a_day_that_to_names_is_included_and_a_time_is_not(filled: RunningServer) -> None:
    def titles(*arguments: str) -> list[str]:
        lines = exported(filled, "window", "--format", "ndjson", "--from", "2026-03-02", *arguments).splitlines()
        return [msgspec.json.decode(line)["data"]["title"] for line in lines]

    assert titles("--to", "2026-03-02") == [f"page {hour}" for hour in range(4, 24)]
    assert titles("--to", "2026-03-02T06:00") == ["page 4", "page 5"]


def test_parts_one_after_another_are_the_whole(filled: RunningServer) -> None:
    edges = ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"]
    days = [exported(filled, "--format", "ndjson", "--from", day, "--to", day) for day in edges]
    whole = exported(filled, "--format", "ndjson")

    assert sorted("".join(days).splitlines()) == sorted(whole.splitlines())
    assert len(whole.splitlines()) == EVENTS + 1
    assert msgspec.json.decode(whole.splitlines()[0]).keys() == {"bucket", "timestamp", "duration", "data"}


def test_the_table_parses_and_holds_no_formulas(filled: RunningServer) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(filled, "--format", "csv"), newline="")))

    [row] = [row for row in rows if row["bucket"] == "other"]
    assert len(rows) == EVENTS + 1
    assert (row["app"], row["title"].replace("\r\n", "\n"), row["url"]) == ("'=cmd()", 'a "b", c\nd', "ü")
    assert msgspec.json.decode(row["data"]) == {"app": "=cmd()", "title": 'a "b", c\nd', "url": "ü"}
    assert datetime.fromisoformat(row["end"]) - datetime.fromisoformat(row["start"]) == timedelta(seconds=5)


class Calls:
    """The calls of the export, at a server whose answers would be too long otherwise."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        return self._server.call(method, f"{path}?{urlencode(query)}", body).json


@pytest.mark.parametrize("at_once", [1, 5, 100])
@pytest.mark.parametrize(("first", "last"), [(0, 48), (7, 8), (7, 30), (20, 20), (40, 90)])
def test_a_range_is_asked_for_piece_by_piece(filled: RunningServer, at_once: int, first: int, last: int) -> None:
    begin = int(BEGIN.timestamp()) * 1_000_000
    hour = 3_600_000_000
    calls = Calls(filled)

    events = StoredEvents(
        calls, stored_buckets(calls)["window"], between=(begin + first * hour, begin + last * hour), at_once=at_once
    )

    assert [(each.start - begin) // hour for each in events] == list(range(first, min(last, EVENTS)))


def test_a_range_without_events_is_an_empty_export(filled: RunningServer) -> None:
    document = msgspec.json.decode(exported(filled, "--from", "2027-01-01"))

    assert {name: bucket["events"] for name, bucket in document["buckets"].items()} == {"window": [], "other": []}


def test_a_file_has_its_name_only_when_it_is_complete(server: RunningServer, tmp_path: Path) -> None:
    place = tmp_path / "days.json"
    place.write_text("what was there")
    server.create("window")
    times = [BEGIN + timedelta(seconds=number) for number in range(40_000)]
    for start in range(0, len(times), 10_000):
        server.post("/api/0/buckets/window/events", [event(at, 1) for at in times[start : start + 10_000]])
    command = [*COMMAND, "export", "--force", "--output", str(place), "--database", str(server.database)]
    process = subprocess.Popen(command, env=environment(tmp_path), stderr=subprocess.DEVNULL)
    eventually(lambda: list(tmp_path.glob("days.json.*.unfinished")) != [])
    process.kill()
    process.wait()

    assert place.read_text() == "what was there"


def test_mistakes_are_reported_as_text(filled: RunningServer) -> None:
    database = ("--database", str(filled.database))
    unknown = run("export", "nowhere", *database, home=filled.database.parent)
    no_day = run("export", "--from", "soon", *database, home=filled.database.parent)

    assert (unknown.returncode, "'nowhere'" in unknown.stderr) == (66, True)
    assert (no_day.returncode, "'soon'" in no_day.stderr) == (65, True)
