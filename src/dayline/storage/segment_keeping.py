"""When a store looks for months to pack: now and then, soon after an import, less often while that fails."""

import asyncio
import contextlib
import logging
from collections.abc import Generator
from typing import Final, Protocol

from dayline.model.errors import StoreBusy, StoreUnusable
from dayline.storage.child import ChildFailed
from dayline.storage.closed_months import ClosedMonth, QuietMonths
from dayline.storage.segment_pace import SegmentPace
from dayline.storage.segment_place import SegmentPlace

_MOST_DOUBLINGS: Final = 6  # of the pause after a failure

log = logging.getLogger(__name__)


class Pass(Protocol):
    """One look: builds what is missing, and says whether anything was built. `is_urgent`: what is not quiet, too."""

    async def __call__(self, *, is_urgent: bool) -> bool: ...


class SegmentKeeping:
    """One task on the event loop, from `start` on. `close` ends it at once, and what it waits for."""

    def __init__(self, look: Pass, *, pace: SegmentPace) -> None:
        self._pass = look
        self._pace = pace
        self._imports = 0  # under way
        self._is_urgent = False
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look. Called on the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    @property
    def is_held(self) -> bool:
        """Whether nothing is to be built now."""
        return self._imports > 0

    @contextlib.contextmanager
    def import_under_way(self) -> Generator[None]:
        """Build nothing meanwhile, since it would be stale at once, and look soon after."""
        self._imports += 1
        try:
            yield
        finally:
            self._imports -= 1
            self.look_soon()

    @contextlib.contextmanager
    def redaction_under_way(self) -> Generator[None]:
        """The same, and nothing has to be quiet for a while first: it changed all at once, and will not again."""
        with self.import_under_way():
            try:
                yield
            finally:
                self._is_urgent = True

    def look_soon(self) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._pace.after_import_s, self._wake.set)

    async def build(self) -> None:
        """Build all that is missing now, even where it was quiet for a short time only."""
        while await self._pass(is_urgent=True):
            pass

    async def close(self) -> None:
        self._cancel_timer()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _run(self) -> None:
        await self._wait(self._pace.first_s)
        failures = 0
        while True:
            try:
                await self._pass(is_urgent=self._is_urgent)
                self._is_urgent = self._imports > 0 and self._is_urgent
                failures = 0
            except (StoreBusy, StoreUnusable, OSError, ChildFailed) as error:
                log.log(logging.DEBUG if failures else logging.WARNING, "segments were not built: %s", error)
                failures = min(failures + 1, _MOST_DOUBLINGS)
            await self._wait(self._pace.every_s * 2**failures)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # not wait_for: in Python 3.11 that may swallow a cancellation
                await self._wake.wait()
        self._wake.clear()


class WantedMonths:
    """Which closed months are to be packed now. `unfit` are buckets whose data cannot be kept as columns."""

    def __init__(self) -> None:
        self._quiet = QuietMonths()
        self.unfit: set[int] = set()

    def is_wanted(self, month: ClosedMonth, built: set[SegmentPlace], *, is_urgent: bool) -> bool:
        """To be asked once at every look."""
        if month.bucket in self.unfit:
            return False
        if month.is_sealed:
            return month.place not in built
        return self._quiet.is_quiet(month) or is_urgent
