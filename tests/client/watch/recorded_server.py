"""A server that records a desktop session, and what it has recorded."""

import os
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from dayline.model.time import SECOND, parse_timestamp
from tests.support.server import RunningServer
from tests.support.waiting import eventually

AWAY_AFTER_S: Final = 10.0
TOLERANCE: Final = SECOND // 4  # of the idle time, which a desktop reports a little later

_NO_SESSION: Final = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "", "SWAYSOCK": ""}


class RecordedServer(RunningServer):
    """A server that records the session in which these variables are set."""

    def __init__(self, folder: Path, variables: Mapping[str, str], *, is_enabled: bool = True) -> None:
        self.config = folder / "config.toml"
        self.set_enabled(is_enabled)
        super().__init__(folder / "days.db", "--config", str(self.config))
        self._variables = {**_NO_SESSION, **variables}

    def set_enabled(self, is_enabled: bool) -> None:
        """Write the settings file, which the next start reads."""
        self.config.write_text(f"[watch]\nenabled = {str(is_enabled).lower()}\naway_after_s = {AWAY_AFTER_S}\n")

    def start(self, **environment: str) -> None:
        super().start(**{**environment, **self._variables})

    @property
    def watch_process(self) -> int | None:
        """The process id of the watcher; None while it does not run."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if b"dayline.client.watch" in (folder / "cmdline").read_bytes() and self._is_child(folder):
                    return int(folder.name)
            except (FileNotFoundError, ProcessLookupError):
                continue
        return None

    def _is_child(self, folder: Path) -> bool:
        return f"PPid:\t{self.pid}\n" in (folder / "status").read_text()


def events(server: RunningServer, kind: str) -> list[tuple[int, int, dict[str, Any]]]:
    """Start, end and data of all events of a watcher, oldest first."""
    bucket_id = f"aw-watcher-{kind}_{os.uname().nodename}"
    answer = server.get(f"/api/0/buckets/{bucket_id}/events")
    if answer.status != 200:
        return []
    found = [(parse_timestamp(event["timestamp"]), event) for event in reversed(answer.json)]
    return [(start, start + round(event["duration"] * SECOND), event["data"]) for start, event in found]


def stored_titles(server: RecordedServer) -> str:
    """Everything in the queue of the watcher for windows, as text."""
    folder = server.database.with_name("days-watch")
    return "".join(file.read_bytes().decode("latin-1") for file in folder.glob("aw-watcher-window.db*"))


def newest(server: RunningServer, kind: str) -> dict[str, Any]:
    found = events(server, kind)
    return found[-1][2] if found else {}


def wait_for_window(server: RunningServer, app: str, title: str) -> None:
    eventually(lambda: newest(server, "window") == {"app": app, "title": title})


def now() -> int:
    return time.time_ns() // 1000


class Changes:
    """What is done in a session, step by step, and when."""

    def __init__(self, server: RunningServer, app: str, title: str) -> None:
        """The first active window."""
        self._server = server
        self._windows = [{"app": app, "title": title}]
        self._times: list[tuple[int, int]] = []  # before and after
        wait_for_window(server, app, title)

    def make(self, app: str, title: str, change: Callable[[], object]) -> None:
        """Do something that makes this window the active one, and wait until that is recorded."""
        before = now()
        change()
        wait_for_window(self._server, app, title)
        self._windows.append({"app": app, "title": title})
        self._times.append((before, now()))

    def assert_recorded(self) -> None:
        """Each change is recorded when it was made, and nothing else is."""
        found = events(self._server, "window")
        assert [data for _, _, data in found] == self._windows
        assert [end for _, end, _ in found[:-1]] == [start for start, _, _ in found[1:]]
        for (start, _, _), (before, after) in zip(found[1:], self._times, strict=True):
            assert before <= start <= after


def assert_no_overlap(server: RunningServer) -> None:
    found = events(server, "window")
    assert all(end <= start for (_, end, _), (start, _, _) in pairwise(found))
