"""Sends a document to a server, or to the database itself, and waits until all of it is stored."""

import io
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from dayline.cli.local import LocalServer
from dayline.cli.sending_progress import Progress
from dayline.model.errors import DaylineError, Invalid, Unavailable

WAIT_S: Final = 1  # between two looks at how far it is
AGAIN: Final = "what is stored by now stays; the same command again goes on from there"


class LostServer(Unavailable):
    """The server went away in the middle."""


class _Told(io.RawIOBase):
    """A file that tells how much of it has been read."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._read = 0

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        self._read += len(chunk)
        self._progress.sent(self._read)
        return chunk


def send_file(server: LocalServer, path: Path, progress: Progress, **query: str) -> dict[str, Any]:
    """Send a document; the job that stores it, or with `dry_run`, what it would do."""
    try:
        with path.open("rb") as file:
            progress.begin(path.name, os.fstat(file.fileno()).st_size)
            answer: dict[str, Any] = server.send("/api/1/imports", cast("BinaryIO", _Told(file, progress)), **query)
            return answer
    except Unavailable as error:
        raise LostServer(error.message, hint=AGAIN) from error
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error


def import_file(server: LocalServer, path: Path, progress: Progress) -> dict[str, Any]:
    """The report on a file. Raises with the job's own words where it did not come to its end, LostServer besides.

    An interruption cancels the job, and is passed on.
    """
    with _interruptible(server) as raise_if_interrupted:
        job = send_file(server, path, progress)
        try:
            while job["state"] == "running":
                raise_if_interrupted()
                job = server.call("GET", f"/api/1/jobs/{job['id']}", wait_s=WAIT_S)
                progress.stored(job["progress"]["done"], job["progress"]["total"])
        except KeyboardInterrupt:
            server.call("DELETE", f"/api/1/jobs/{job['id']}")
            raise
        except DaylineError as error:
            # Also where another server has taken its place: it knows no such job.
            raise LostServer(f"{path.name}: {error.message}", hint=AGAIN) from error
    if job["state"] != "done":
        raise Unavailable(f"{path.name}: {job['error']['message']}", hint=job["error"]["hint"])
    report: dict[str, Any] = job["result"]
    return report


@contextmanager
def _interruptible(server: LocalServer) -> Generator[Callable[[], None]]:
    """What to call between two calls, which raises KeyboardInterrupt when somebody has pressed Ctrl-C meanwhile.

    Where no server runs, calls are answered in this very process, and an interruption in their midst would spoil them.
    """
    if server.is_server:
        yield lambda: None
        return
    noticed: list[int] = []

    def raise_if_noticed() -> None:
        if noticed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, lambda number, _frame: noticed.append(number))
    try:
        yield raise_if_noticed
    finally:
        signal.signal(signal.SIGINT, before)
