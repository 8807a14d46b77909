"""Progress of long work: a bar in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from dayline.runtime.text import format_size

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

LINE_S: Final = 2.0  # between two lines


@contextmanager
def sending_progress() -> Generator["Progress"]:
    """A progress display on standard error."""
    if not sys.stderr.isatty():
        yield Progress()
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


class Progress:
    """The progress of a transfer, in lines."""

    def __init__(self) -> None:
        self._name = ""
        self._size = 0
        self._rate = _Rate()
        self._reported = time.monotonic()

    def begin(self, name: str, size: int) -> None:
        """A file of `size` bytes is about to be sent."""
        self._name, self._size, self._rate, self._reported = name, size, _Rate(), time.monotonic()
        self._show_file()

    def sent(self, size: int) -> None:
        """`size` bytes of the file have been sent."""
        self._show(f"{format_size(size)} of {format_size(self._size)} sent", size, self._size)

    def stored(self, done: int, total: int | None) -> None:
        """`done` of its events are processed."""
        rate = self._rate.of(done)
        self._show("reading" if total is None else f"{done:,} of {total:,} events{rate}", done, total)

    def _show_file(self) -> None:
        click.echo(f"{self._name}: {format_size(self._size)}", err=True)

    def _show(self, text: str, _done: int, _total: int | None) -> None:
        now = time.monotonic()
        if now - self._reported >= LINE_S:
            self._reported = now
            click.echo(f"{self._name}: {text}", err=True)


class _Bar(Progress):
    def __init__(self, bars: "RichProgress") -> None:
        super().__init__()
        self._bars = bars
        self._task: TaskID | None = None
        self._is_sending = True

    def stored(self, done: int, total: int | None) -> None:
        if self._is_sending and self._task is not None:
            self._is_sending = False
            self._bars.reset(self._task, total=None)  # otherwise the estimate would include the upload
        super().stored(done, total)

    def _show_file(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._is_sending = True
        self._task = self._bars.add_task(self._name, total=self._size, text="")

    def _show(self, text: str, done: int, total: int | None) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=total, text=text)


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
