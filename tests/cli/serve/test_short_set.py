"""The short set: start, record, query, import, export, page and watch, on the Python that DAYLINE_TEST_PYTHON names.

`make test-pythons` runs it on every other Python that is installed. Dayline runs there, and the tests do not: only what
Dayline itself needs is installed there.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from tests.support.maintenance.documents import document
from tests.support.processes.command import environment
from tests.support.processes.prepared import PreparedProcess
from tests.support.server import ProgramServer
from tests.support.waiting import PATIENCE_S, eventually

PYTHON: Final = os.environ.get("DAYLINE_TEST_PYTHON", sys.executable)
DAYLINE: Final = (PYTHON, "-m", "dayline")
DAY: Final = "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z"
IMPORTED: Final = 20_000  # more than one block of a document

WATCHER: Final = """
import sys
from dayline.client import Watcher

with Watcher("short", type="app.editor.activity", pulsetime_s=60, url=sys.argv[1], hostname="here") as watcher:
    watcher.heartbeat({"file": "report.md"})
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProgramServer]:
    home = tmp_path_factory.mktemp("home")
    with ProgramServer(home, program=DAYLINE, variables=environment(home)) as server:
        yield server


def dayline(home: Path, *arguments: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        [*DAYLINE, *arguments], env=environment(home), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_versions_are_those_of_the_python_that_runs_it(tmp_path: Path) -> None:
    command = [PYTHON, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert msgspec.json.decode(dayline(tmp_path, "--version", "--json"))["python"] == version


def test_heartbeats_are_recorded(server: ProgramServer) -> None:
    server.create("recorded")
    for second in (0, 5, 30):
        beat = {"timestamp": f"2026-01-01T10:00:{second:02}Z", "data": {"app": "Editor", "title": 'a "title" — ü'}}
        server.post("/api/0/buckets/recorded/heartbeat?pulsetime=10", beat)

    durations = [event["duration"] for event in server.get("/api/0/buckets/recorded/events").json]

    assert durations == [0, 5]


def test_a_query_filters_splits_and_categorizes(server: ProgramServer) -> None:
    server.create("queried", type="web.tab.current")
    urls = ["https://www.example.org/a?b=c", "http://localhost:5600/", "about:blank"]
    events = [
        {"timestamp": f"2026-01-01T10:0{n}:00Z", "duration": 60, "data": {"url": url}} for n, url in enumerate(urls)
    ]
    server.post("/api/0/buckets/queried/events", events)
    program = r"""
        events = split_url_events(query_bucket("queried"));  # a comment with "quotes"
        events = categorize(events, [[["Here"], {"type": "regex", "regex": "^(?:http://local.?h)?+ost"}]]);
        RETURN = sort_by_timestamp(events);
    """

    [found] = server.post("/api/0/query/", {"timeperiods": [DAY], "query": program.splitlines()}).json

    assert [event["data"]["$domain"] for event in found] == ["example.org", "localhost", "about"]
    assert [event["data"]["$category"] for event in found] == [["Uncategorized"], ["Here"], ["Uncategorized"]]


def test_what_was_imported_is_exported_again(server: ProgramServer) -> None:
    text = document("imported", events=IMPORTED, values=1000)

    report = server.call("POST", "/api/0/import", raw=text).json
    exported = server.get("/api/0/buckets/imported/export").json["buckets"]["imported"]["events"]

    assert (report["imported"], report["invalid"]) == (IMPORTED, 0)
    assert {_content(event) for event in exported} == {
        _content(event) for event in msgspec.json.decode(text)["buckets"]["imported"]["events"]
    }


def _content(event: Any) -> tuple[str, float, bytes]:
    timestamp = re.sub(r"\.?0*(?:Z|\+00:00)$", "", event["timestamp"])
    return timestamp, event["duration"], msgspec.json.encode(event["data"], order="sorted")


def test_the_page_and_its_script_are_served(server: ProgramServer) -> None:
    page = server.get("/").body.decode()
    script = re.search(r'<script [^>]*src="([^"]+)"', page)
    assert script is not None

    assert server.get(f"/{script[1].lstrip('./')}").status == 200


def test_a_watcher_records(server: ProgramServer, tmp_path: Path) -> None:
    command = [PYTHON, "-c", WATCHER, server.url]
    subprocess.run(command, env=environment(tmp_path), timeout=PATIENCE_S, check=True)

    assert [event["data"] for event in server.get("/api/0/buckets/short_here/events").json] == [{"file": "report.md"}]


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed, so there is no session to record")
def test_this_computer_is_recorded(server: ProgramServer, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"]
    with (
        subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as display,
        open(reading, encoding="ascii") as numbers,
    ):
        os.close(writing)
        variables = environment(tmp_path, DISPLAY=f":{numbers.readline().strip()}", XDG_SESSION_TYPE="x11")
        watch = PreparedProcess(["watch", "--server", server.url], variables, program=DAYLINE)
        try:
            eventually(lambda: watch.poll() is not None or _is_away_recorded(server))
            assert watch.poll() is None, watch.errors
        finally:
            with suppress(ProcessLookupError):
                watch.send_signal(15)
            watch.wait(PATIENCE_S)
            display.kill()


def _is_away_recorded(server: ProgramServer) -> bool:
    return any(bucket.startswith("aw-watcher-afk_") for bucket in server.get("/api/0/buckets/").json)


def test_commands_read_the_same_data(server: ProgramServer) -> None:
    home = server.database.parents[3]

    assert "recorded" in dayline(home, "buckets", "--database", str(server.database))
    assert msgspec.json.decode(dayline(home, "today", "--json", "--date", "2026-01-01"))
