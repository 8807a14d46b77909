"""The programs on the page about reading your data run and print something."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import apsw

from tests.support.project.files import ROOT
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

PAGE: Final = (ROOT / "docs/start/read-your-data.md").read_text("utf-8")
WINDOW: Final = {"client": "aw-watcher-window", "type": "currentwindow", "hostname": "laptop"}
EVENT: Final = {"timestamp": "2026-03-05T09:00:00Z", "duration": 3600, "data": {"app": "Editor", "title": "notes"}}


def code(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_python_program_reads_a_summary(shared_server: RunningServer) -> None:
    program = code("python").replace("http://localhost:5600", shared_server.url)

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_statement_reads_the_file(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db") as server:
        server.post("/api/0/buckets/window", WINDOW)
        server.post("/api/0/buckets/window/events", [EVENT])

        with apsw.Connection(str(server.database), flags=apsw.SQLITE_OPEN_READONLY) as db:
            assert list(db.execute(code("sql"))) == [("Editor", 1.0)]
