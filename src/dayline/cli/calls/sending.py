"""Imports a document: to a server, or into the database file, until everything is stored."""

import io
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from dayline.cli.calls.interruption import ctrl_c_deferred
from dayline.cli.calls.local import LocalServer
from dayline.cli.calls.progress import Progress
from dayline.model import errors
from dayline.model.errors import DaylineError, Invalid, LostServer, Unavailable

WAIT_S: Final = 1  # between two progress requests
AGAIN: Final = "stored events are kept; run the same command again to continue"


class _ReportingFile(io.RawIOBase):
    """A file that reports how much of it has been read."""

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
    """Send a document. Returns the job that stores it; with `dry_run`, the expected changes."""
    try:
        with path.open("rb") as file:
            progress.begin(path.name, os.fstat(file.fileno()).st_size)
            answer: dict[str, Any] = server.send(
                "/api/1/imports", cast("BinaryIO", _ReportingFile(file, progress)), **query
            )
            return answer
    except Unavailable as error:
        raise LostServer(error.message, hint=AGAIN) from error
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error


def import_file(server: LocalServer, path: Path, progress: Progress) -> dict[str, Any]:
    """Import a file and return its report. Raises the error of a failed job, or LostServer.

    KeyboardInterrupt cancels the job and is raised again.
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
            # Also if another server was started since: it does not know the job.
            raise LostServer(f"{path.name}: {error.message}", hint=AGAIN) from error
    if job["state"] != "done":
        raise _job_error(path, job["error"])
    report: dict[str, Any] = job["result"]
    return report


def _job_error(path: Path, fault: dict[str, Any]) -> DaylineError:
    """The error of a failed job in the family of its class, which sets the exit code."""
    kind = getattr(errors, fault["type"], Unavailable)
    families = (errors.Malformed, errors.Invalid, errors.Conflict, errors.NotFound, errors.TooLarge)
    family = next((each for each in families if issubclass(kind, each)), Unavailable)
    return family(f"{path.name}: {fault['message']}", hint=fault["hint"])


@contextmanager
def _interruptible(server: LocalServer) -> Generator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt if Ctrl-C was pressed since the last call.

    Without a server the calls run in this process, and must not be interrupted halfway.
    """
    if server.is_server:
        yield lambda: None
        return
    with ctrl_c_deferred() as is_interrupted_within:

        def raise_if_interrupted() -> None:
            if is_interrupted_within(0):
                raise KeyboardInterrupt

        yield raise_if_interrupted
