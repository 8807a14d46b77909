"""Tells what takes room: the database, what is derived from it, and the backups."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from dayline.model.space import Space
from dayline.model.timestamps import SECOND, Microseconds, format_timestamp
from dayline.storage.retention.upkeep import Upkeep


class SpaceGauge:
    """Measures when asked, one at a time: who asks meanwhile gets the same answer.

    `backups` is the folder where they are, where there are any.
    """

    def __init__(
        self, upkeep: Upkeep, backups: Path | None, *, fresh_s: float, clock: Callable[[], Microseconds]
    ) -> None:
        self._upkeep = upkeep
        self._backups = backups
        self._fresh = round(fresh_s * SECOND)  # for so long an answer is good though something was written since
        self._clock = clock
        self._alone = asyncio.Lock()
        self._last: Space | None = None
        self._stamp: object = None
        self._measured: Microseconds = 0

    async def space(self) -> Space:
        """What takes room now, or did some seconds ago. Raises Unavailable."""
        asked = self._clock()
        async with self._alone:
            stamp = await asyncio.to_thread(self._upkeep.stamp)
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
        found = await self._upkeep.measure()
        backups = 0 if self._backups is None else await asyncio.to_thread(_size_of_all, self._backups)
        return Space(
            measured=format_timestamp(self._measured),
            database=found.database,
            segments=found.segments,
            log=found.log,
            backups=backups,
            total=found.database.file + found.segments + found.log + backups,
        )


def _size_of_all(folder: Path) -> int:
    return sum(map(_size, folder.rglob("*"))) if folder.is_dir() else 0


def _size(file: Path) -> int:
    """0 where there is none: files come and go meanwhile."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0
