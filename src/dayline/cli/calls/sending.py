"""Sends a document to a server with a progress bar, or with plain lines where there is no terminal."""

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

import click

from dayline.cli.calls.local import LocalServer
from dayline.cli.screens.amounts import size_in_words
from dayline.model.errors import DaylineError, Invalid, LostServer, Unavailable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


LINE_S: Final = 2.0  # between two lines


class Progress(Protocol):
    """What is to be told."""

    def begin(self, name: str, size: int) -> None:
        """A file of so many bytes is being sent."""
        ...

    def sent(self, size: int) -> None:
        """So much of it has been sent."""
        ...

    def stored(self, done: int, total: int | None) -> None:
        """So many of its events are dealt with."""
        ...


@contextmanager
def sending_progress() -> Generator[Progress]:
    """What shows it on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    # Here, because it takes its time, and nobody may be looking.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bar(bars)


class _Rate:
    """Events per second since the first was told."""

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
        self._task = self._bars.add_task(name, total=size, said="")

    def sent(self, size: int) -> None:
        said = f"{size_in_words(size)} of {size_in_words(self._size)} sent"
        self._update(completed=size, total=self._size, said=said)

    def stored(self, done: int, total: int | None) -> None:
        if self._is_sending and self._task is not None:
            self._is_sending = False
            self._bars.reset(self._task, total=None)  # or the time left would be that of sending
        said = "being read" if total is None else f"{done:,} of {total:,} events{self._rate.of(done)}"
        self._update(completed=done, total=total, said=said)

    def _update(self, *, completed: int, total: int | None, said: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=completed, total=total, said=said)


class _Lines:
    def __init__(self) -> None:
        self._name = ""
        self._size = 0
        self._rate = _Rate()
        self._told = time.monotonic()

    def begin(self, name: str, size: int) -> None:
        self._name, self._size, self._rate, self._told = name, size, _Rate(), time.monotonic()
        click.echo(f"{name}: {size_in_words(size)}", err=True)

    def sent(self, size: int) -> None:
        self._tell(f"{size_in_words(size)} of {size_in_words(self._size)} sent")

    def stored(self, done: int, total: int | None) -> None:
        rate = self._rate.of(done)
        self._tell("being read" if total is None else f"{done:,} of {total:,} events{rate}")

    def _tell(self, text: str) -> None:
        now = time.monotonic()
        if now - self._told >= LINE_S:
            self._told = now
            click.echo(f"{self._name}: {text}", err=True)


# Sends a document to a server, or to the database itself, and waits until all of it is stored.


WAIT_S: Final = 1  # between two looks at how far it is
AGAIN: Final = "what is stored by now stays; the same command again goes on from there"


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


# A bar for long work, where somebody looks.


@contextmanager
def progress_of(work: str, total: int) -> Generator[Callable[[int], None]]:
    """What is to be told of events as they are done; shown where somebody looks."""
    with growing_progress(work) as (begin, advance):
        begin(total)
        yield advance


@contextmanager
def growing_progress(work: str) -> Generator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """The same where the work finds out itself how many there are: first it tells that, then what is done."""
    if not sys.stderr.isatty():
        yield lambda _: None, lambda _: None
        return
    # Here, because it takes its time, and nobody may be looking.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(work), BarColumn(), MofNCompleteColumn(), TextColumn("events"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(work, total=None)
        yield (
            lambda total: progress.update(task, total=total),
            lambda count: progress.advance(task, count),
        )
