"""A bar for long work, where somebody looks."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager


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
