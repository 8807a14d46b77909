"""How far a document is that is being sent: a bar where somebody looks, plain lines now and then where not."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

import click

from dayline.cli.sizes import size_in_words

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
