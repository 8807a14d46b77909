"""Schedules the building of segments: at intervals, soon after an import, and less often after failures."""

import asyncio
import contextlib
from collections.abc import Generator
from typing import Final, Protocol

from dayline.model.errors import Unavailable
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.background import ChildFailed
from dayline.storage.columns.months import ClosedMonth, QuietMonths, SegmentKey, SegmentPace

_MAX_RETRIES_APART: Final = 64  # intervals: a failing build may take long


class Pass(Protocol):
    """One pass: builds missing segments and returns whether it built any. `is_urgent` includes recently changed
    months.
    """

    async def __call__(self, *, is_urgent: bool) -> bool: ...


class SegmentScheduler:
    """The background task that builds segments. `start` begins it; `close` ends it and the build in progress."""

    def __init__(self, look: Pass, *, pace: SegmentPace, background: BackgroundWorkers, tenant: str = "") -> None:
        self._run_pass = look
        self._pace = pace
        self._imports = 0  # in progress
        self._is_urgent = False
        self._timer: asyncio.TimerHandle | None = None
        self._task = background.task(
            "segment builder",
            self._run,
            interval_s=pace.interval_s,
            initial_delay_s=pace.initial_delay_s,
            retry_s=pace.interval_s,
            max_retry_s=_MAX_RETRIES_APART * pace.interval_s,
            tenant=tenant,
        )

    def start(self) -> None:
        """Call it on the event loop."""
        self._task.start()

    @property
    def is_held(self) -> bool:
        """Whether building is paused."""
        return self._imports > 0

    @contextlib.contextmanager
    def import_under_way(self) -> Generator[None]:
        """Pause building during an import, which would invalidate it at once, and run soon after."""
        self._imports += 1
        try:
            yield
        finally:
            self._imports -= 1
            self.look_soon()

    @contextlib.contextmanager
    def redaction_under_way(self) -> Generator[None]:
        """Pause building during a redaction. Afterwards recently changed months are built too: they will not change
        again.
        """
        with self.import_under_way():
            try:
                yield
            finally:
                self._is_urgent = True

    def look_soon(self) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._pace.after_import_s, self._task.wake)

    async def build(self) -> None:
        """Build everything that is missing now, including recently changed months."""
        while await self._run_pass(is_urgent=True):
            pass

    async def close(self) -> None:
        self._cancel_timer()
        await self._task.close()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _run(self) -> None:
        try:
            await self._run_pass(is_urgent=self._is_urgent)
        except ChildFailed as error:
            raise Unavailable(f"the segment builder failed: {error}") from error
        self._is_urgent = self._imports > 0 and self._is_urgent


class WantedMonths:
    """Decides which closed months to pack now. `unpackable` are buckets whose data does not fit into columns."""

    def __init__(self) -> None:
        self._quiet = QuietMonths()
        self.unpackable: set[int] = set()

    def is_wanted(self, month: ClosedMonth, built: set[SegmentKey], *, is_urgent: bool) -> bool:
        """Call it once per pass."""
        if month.bucket in self.unpackable:
            return False
        if month.is_sealed:
            return month.place not in built
        return self._quiet.is_quiet(month) or is_urgent
