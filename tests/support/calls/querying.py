"""Queries to a running server."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from tests.support.calls.recording import at
from tests.support.server import Answer, RunningServer

DAY: Final = f"{at('00:00:00')}/{at('00:00:00', date='2026-01-02')}"
RUNAWAY: Final = "(a+)+$"
LONG_TITLE: Final = (
    "a" * 60 + "b\n"
)  # the newline makes it a text for Python's own matcher, which never comes to an end


def query(
    server: RunningServer, *lines: str, periods: Sequence[str] = (DAY,), slash: str = "/", **parameters: str
) -> Answer:
    """Ask as the clients in use do."""
    path = f"/api/0/query{slash}" + (f"?{urlencode(parameters)}" if parameters else "")
    return server.post(path, {"timeperiods": list(periods), "query": list(lines)})


def results(server: RunningServer, *lines: str, periods: Sequence[str] = (DAY,), **parameters: str) -> list[Any]:
    """What a query that succeeds gives for each period."""
    answer = query(server, *lines, periods=periods, **parameters)
    assert answer.status == 200, answer.body
    found: list[Any] = answer.json
    return found


def query_1(server: RunningServer, text: str | list[str], kind: str = "", **more: object) -> Answer:
    """Ask the newer interface: `kind` is what stands after `/query` in the path."""
    return server.post(f"/api/1/query{kind}", {"query": text, "timeperiods": [DAY], **more})


def configured(folder: Path, **settings: float) -> list[str]:
    """Flags of a server with these settings of its queries."""
    config = folder / "config.toml"
    config.write_text("[query]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
    return ["--config", str(config)]


def query_processes(server: RunningServer) -> set[int]:
    """The query processes of a server, by their ids."""
    found: set[int] = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes()
            if int(parent) == server.pid and state != "Z" and b"query_process" in command:
                found.add(int(folder.name))
    return found
