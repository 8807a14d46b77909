"""A server whose patience is short, and what it reports about its disk."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tests.support.server import Answer, RunningServer
from tests.support.waiting import eventually

LOOK_S: Final = "dayline.storage.sqlite.writing.writer:LOOK_S"
CALM_S: Final = "dayline.storage.sqlite.file.health:CALM_S"
IMPATIENT: Final = {"dayline.storage.writing.holding:GIVE_UP_S": 1.0, LOOK_S: 0.25, CALM_S: 0.3}
BEATS: Final = "/api/0/buckets/window/heartbeat?pulsetime=60"
EVENTS: Final = "/api/0/buckets/window/events"


class ImpatientServer(RunningServer):
    """It gives changes other than heartbeats up after one second, not ten, and looks at its files more often."""

    def __init__(self, database: Path, *flags: str, constants: Mapping[str, float] | None = None) -> None:
        super().__init__(database, *flags)
        self.constants = {**IMPATIENT, **(constants or {})}


def event(second: int, app: str = "editor") -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"app": app}}


def beat(server: RunningServer, pool: ThreadPoolExecutor, second: int) -> Future[Answer]:
    """A heartbeat under way."""
    return pool.submit(server.post, BEATS, event(second))


def problems(server: RunningServer) -> list[dict[str, Any]]:
    """What health says."""
    found: list[dict[str, Any]] = server.get("/api/1/health").json["problems"]
    return found


def until_reported(server: RunningServer, words: str) -> dict[str, Any]:
    """The problem that health reports with these words, as soon as it does."""
    eventually(lambda: any(words in problem["message"] for problem in problems(server)))
    return next(problem for problem in problems(server) if words in problem["message"])


def until_well(server: RunningServer) -> None:
    eventually(lambda: not problems(server))


def logged(server: RunningServer, words: str) -> list[str]:
    """The messages of the log that have these words."""
    return [record["message"] for record in server.get("/api/0/log").json if words in record["message"]]
