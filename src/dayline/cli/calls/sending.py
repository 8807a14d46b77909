"""Sends a document to a server, with a progress bar in a terminal and plain lines elsewhere."""

import io
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

import click

from dayline.cli.calls.interruption import ctrl_c_deferred
from dayline.cli.calls.local import LocalServer
from dayline.model import errors
from dayline.model.errors import DaylineError, Invalid, LostServer, Unavailable
from dayline.runtime.text import format_size

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


LINE_S: Final = 2.0  # between two lines


class Progress(Protocol):
    """Receives the progress of a transfer."""

    def begin(self, name: str, size: int) -> None:
        """A file of `size` bytes is about to be sent."""
        ...

    def sent(self, size: int) -> None:
        """`size` bytes of the file have been sent."""
        ...

    def stored(self, done: int, total: int | None) -> None:
        """`done` of its events are processed."""
        ...


@contextmanager
def sending_progress() -> Generator[Progress]:
    """A progress display on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    # Here, because it is slow to import and only a terminal needs it.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bar(bars)


class _Rate:
    """Events per second since the first report."""

    def __init__(self) -> None:
        self._begun: float | None = None

    def of(self, done: int) -> str:
        now = time.monotonic()
        if self._begun is None or done == 0:
            self._begun = now
            return ""
        return f", {done / max(now - self._begun, 0.001):,.0f}/s"


class _Bar:
    def __init__(self, bars: "RichProgress") -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._size = 0
        self._rate = _Rate()
        self._is_sending = True

    def begin(self, name: str, size: int) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._size, self._rate, self._is_sending = size, _Rate(), True
        self._task = self._bars.add_task(name, total=size, text="")

    def sent(self, size: int) -> None:
        text = f"{format_size(size)} of {format_size(self._size)} sent"
        self._update(completed=size, total=self._size, text=text)

    def stored(self, done: int, total: int | None) -> None:
        if self._is_sending and self._task is not None:
            self._is_sending = False
            self._bars.reset(self._task, total=None)  # otherwise the estimate would include the upload
        text = "reading" if total is None else f"{done:,} of {total:,} events{self._rate.of(done)}"
        self._update(completed=done, total=total, text=text)

    def _update(self, *, completed: int, total: int | None, text: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=completed, total=total, text=text)


class _Lines:
    def __init__(self) -> None:
        self._name = ""
        self._size = 0
        self._rate = _Rate()
        self._reported = time.monotonic()

    def begin(self, name: str, size: int) -> None:
        self._name, self._size, self._rate, self._reported = name, size, _Rate(), time.monotonic()
        click.echo(f"{name}: {format_size(size)}", err=True)

    def sent(self, size: int) -> None:
        self._report(f"{format_size(size)} of {format_size(self._size)} sent")

    def stored(self, done: int, total: int | None) -> None:
        rate = self._rate.of(done)
        self._report("reading" if total is None else f"{done:,} of {total:,} events{rate}")

    def _report(self, text: str) -> None:
        now = time.monotonic()
        if now - self._reported >= LINE_S:
            self._reported = now
            click.echo(f"{self._name}: {text}", err=True)


# Importing a document: to a server, or into the database file, until everything is stored.


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


# A progress bar for long work in a terminal.


@contextmanager
def progress_of(work: str, total: int) -> Generator[Callable[[int], None]]:
    """A function to call with the number of processed events; shown in a terminal."""
    with growing_progress(work) as (begin, advance):
        begin(total)
        yield advance


@contextmanager
def growing_progress(work: str) -> Generator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """The same if the total is not known yet: a function for the total, and one for processed events."""
    if not sys.stderr.isatty():
        yield lambda _: None, lambda _: None
        return
    # Here, because it is slow to import and only a terminal needs it.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(work), BarColumn(), MofNCompleteColumn(), TextColumn("events"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(work, total=None)
        yield (
            lambda total: progress.update(task, total=total),
            lambda count: progress.advance(task, count),
        )
