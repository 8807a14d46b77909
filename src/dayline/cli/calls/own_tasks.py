"""Answers the tasks of a command in its own process, without starting a query process."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from dayline.config.sections import QuerySettings
from dayline.query.processes.command import query_command
from dayline.query.processes.messages import QueryJob, Work
from dayline.query.processes.process import ONE_THREAD
from dayline.query.processes.workers import Answered, QueryWorkers, too_slow
from dayline.storage.opening import open_columns

if TYPE_CHECKING:
    from dayline.storage.columns.cache import TenantSource

# Some 200,000 events: a task takes less time than it takes to start a process, and little memory.
MAX_BYTES: Final = 32 << 20


class OwnTasks(QueryWorkers):
    """The query workers of a command that only reads a small file. Programs of users still run in a query process."""

    def __init__(self, path: Path, settings: QuerySettings) -> None:
        super().__init__(query_command(path, settings, is_still=True), settings)
        self._path = path
        self._columns: TenantSource | None = None

    async def close(self) -> None:
        if self._columns is not None:
            self._columns.close()
        await super().close()

    async def _answered(self, work: Work, client: str, seconds: float) -> Answered | None:
        if isinstance(work, QueryJob):
            return await super()._answered(work, client, seconds)
        if self._columns is None:
            os.environ.update(ONE_THREAD)  # before numpy is imported
            self._columns = open_columns(self._path, "", cache_bytes=self.settings.cache_mib << 20, is_still=True)
        from dayline.cli.serve.query_process import Answers  # here, because most calls need no task, and no numpy

        with limited(seconds), self._columns.snapshot() as source:
            outcome, body = Answers().answer(work, source)
        return Answered(outcome, b"".join(body))


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Raise QueryTimeoutError in the block after this time, and KeyboardInterrupt for Ctrl-C: the loop cannot react."""

    def on_alarm(number: int, frame: FrameType | None) -> None:
        raise too_slow(seconds)

    interrupted = signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(signal, "setitimer"):  # Windows
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, interrupted)
        return
    alarmed = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarmed)
        signal.signal(signal.SIGINT, interrupted)
