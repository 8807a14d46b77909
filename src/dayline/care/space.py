"""Tells what takes room on the disk: the database, what lies beside it, and the backups."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from dayline.model.space import Space
from dayline.model.timestamps import SECOND, Microseconds, format_timestamp
from dayline.storage.sqlite.segment_file import derived_path
from dayline.storage.sqlite.snapshot_process import stamp_of
from dayline.storage.sqlite.space_process import run_space


class SpaceGauge:
    """Measures when asked, one at a time: who asks meanwhile gets the same answer."""

    def __init__(self, database: Path, backups: Path, *, fresh_s: float, clock: Callable[[], Microseconds]) -> None:
        self._database = database
        self._backups = backups
        self._fresh = round(fresh_s * SECOND)  # for so long an answer is good though something was written since
        self._clock = clock
        self._alone = asyncio.Lock()
        self._last: Space | None = None
        self._stamp: tuple[int, ...] = ()
        self._measured: Microseconds = 0

    async def space(self) -> Space:
        """What takes room now, or did some seconds ago. Raises Unavailable."""
        asked = self._clock()
        async with self._alone:
            stamp = await asyncio.to_thread(stamp_of, self._database)
            last = self._last
            if last is None or (stamp != self._stamp and not 0 <= asked - self._measured < self._fresh):
                self._measured = self._clock()
                last = self._last = await self._space()
                self._stamp = stamp
            return last

    @property
    def last(self) -> Space | None:
        """What was measured last, however long ago; None where something was changed on purpose since."""
        return self._last

    def forget(self) -> None:
        """Measure anew the next time: something was changed on purpose."""
        self._last = None

    async def _space(self) -> Space:
        database = await run_space(self._database)
        segments, log, backups = await asyncio.to_thread(self._beside)
        return Space(
            measured=format_timestamp(self._measured),
            database=database,
            segments=segments,
            log=log,
            backups=backups,
            total=database.file + segments + log + backups,
        )

    def _beside(self) -> tuple[int, int, int]:
        derived = derived_path(self._database)
        segments = sum(_size(derived.with_name(f"{derived.name}{end}")) for end in ("", "-wal", "-shm", "-journal"))
        log = _size(self._database.with_name(f"{self._database.name}-wal"))
        files = self._backups.rglob("*") if self._backups.is_dir() else ()
        return segments, log, sum(map(_size, files))


def _size(file: Path) -> int:
    """0 where there is none: files come and go meanwhile."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0
