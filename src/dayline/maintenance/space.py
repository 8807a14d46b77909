"""Disk space: applies retention rules once a day, and returns free space to the system.

The rules are a setting of Dayline's own. There are none by default: nothing is thinned unless somebody says so.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from dayline.config.sections import SpaceSettings
from dayline.model.annotation import ANNOTATIONS_TYPE
from dayline.model.data import canonical_json
from dayline.model.time import SECOND, Microseconds, format_timestamp
from dayline.model.upkeep import (
    Compacted,
    Compaction,
    DownsampledBucket,
    DownsamplingPreview,
    RetentionRule,
    RetentionView,
    Space,
    check_rules,
    days_by_bucket,
    rules_in_force,
)
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.access import AccessStore
from dayline.storage.retention.upkeep import Upkeep
from dayline.storage.store import Store

CACHE_S: Final = 10.0


class SpaceGauge:
    """Measures when asked, one at a time: who asks meanwhile gets the same answer.

    `backups` is the folder where they are, where there are any.
    """

    def __init__(
        self, upkeep: Upkeep, backups: Path | None, *, clock: Callable[[], Microseconds], cache_s: float = CACHE_S
    ) -> None:
        self._upkeep = upkeep
        self._backups = backups
        self._max_age = round(cache_s * SECOND)  # of an answer that is returned again although something was written
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
            if last is None or (stamp != self._stamp and not 0 <= asked - self._measured < self._max_age):
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


RETENTION_KEY: Final = "retention"  # among our own settings
INITIAL_DELAY_S: Final = 600.0
INTERVAL_S: Final = 3600.0  # between two checks for free pages
DOWNSAMPLING_INTERVAL_S: Final = 24 * 3600.0
# The file is compacted when this much of it is free.
MIN_FREE_SHARE: Final = 0.2
MIN_FREE_BYTES: Final = 16 << 20
_MEASURE_AGAIN: Final[Microseconds] = 600 * SECOND  # for those who want it at once, and do not care for a few rows
_stored_rules = msgspec.json.Decoder(list[RetentionRule])


class SpaceKeeper:
    """The upkeep of one store. `start` begins to look after it; `close` ends it, and what is under way."""

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        upkeep: Upkeep,
        gauge: SpaceGauge,
        settings: SpaceSettings,
        *,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
        tenant: str = "",
        initial_delay_s: float = INITIAL_DELAY_S,
        interval_s: float = INTERVAL_S,
        downsampling_interval_s: float = DOWNSAMPLING_INTERVAL_S,
        min_free_share: float = MIN_FREE_SHARE,
        min_free_bytes: int = MIN_FREE_BYTES,
    ) -> None:
        self._store = store
        self._access = access
        self._upkeep = upkeep
        self._settings = settings
        self._clock = clock
        self.gauge = gauge
        self._calls = DetachedTasks("work on the space of the database")
        self._task = background.task(
            "retention and compaction",
            self._look,
            interval_s=interval_s,
            initial_delay_s=initial_delay_s,
            tenant=tenant,
        )
        self._downsampling_interval = round(downsampling_interval_s * SECOND)
        self._min_free_share, self._min_free_bytes = min_free_share, min_free_bytes
        self._thinned: Microseconds | None = None
        self._measuring: asyncio.Task[Space] | None = None
        self._measured: Microseconds = 0

    def start(self) -> None:
        """Look from now on whether there is something to do. Called on the event loop."""
        self._task.start()

    async def close(self) -> None:
        await self._task.close()
        await self._calls.close()

    def rules(self) -> list[RetentionRule]:
        """The retention rules, in order. Read on a thread."""
        return _stored_rules.decode(self._access.own_setting(RETENTION_KEY) or b"[]")

    async def view(self) -> RetentionView:
        """The rules with the buckets that each is for."""
        rules = await asyncio.to_thread(self.rules)
        return RetentionView(rules=rules_in_force(rules, self._recorded()))

    async def set_rules(self, rules: Sequence[RetentionRule], access: AccessStore) -> None:
        """Put rules in the place of those that there were. Raises Invalid, with nothing changed."""
        check_rules(rules)
        await access.set_own_setting(RETENTION_KEY, canonical_json(msgspec.to_builtins(rules)))

    async def preview(self, rules: Sequence[RetentionRule] | None = None) -> Sequence[DownsamplingPreview]:
        """What the rules would do now: those given, or those in force. Raises Invalid or Unavailable."""
        check_rules(rules or ())
        found = await asyncio.to_thread(self.rules) if rules is None else rules
        return await self._upkeep.preview_downsampling(days_by_bucket(found, self._recorded()))

    async def apply(self) -> Sequence[DownsampledBucket]:
        """Thin what the rules in force say. Goes on where nobody waits for it any more. Raises Unavailable."""
        return await self._calls.run(self._applied())

    async def compact(self) -> Compacted:
        """Give back what nobody needs. Goes on where nobody waits for it any more. Raises Unavailable."""
        return await self._calls.run(self._compacted())

    def bucket_bytes(self) -> dict[str, int]:
        """The room of each bucket when it was last measured, at once; where that is long ago, it is measured again.

        Empty where it never was. Called on the event loop.
        """
        now, last = self._clock(), self.gauge.last
        is_old = last is None or not 0 <= now - self._measured < _MEASURE_AGAIN
        if is_old and (self._measuring is None or self._measuring.done()):
            self._measured, self._measuring = now, self._calls.start(self.gauge.space())
        return {} if last is None else {bucket.id: bucket.bytes for bucket in last.database.buckets}

    def compaction(self) -> Compaction:
        return self._upkeep.compaction()

    async def _look(self) -> None:
        await for_each([self._apply_if_due, self._compact_if_worth_while], lambda step: step())

    async def _apply_if_due(self) -> None:
        now = self._clock()
        # A time of the future was noted before the clock was set back: it says nothing.
        if self._thinned is None or not 0 <= now - self._thinned < self._downsampling_interval:
            await self._applied()
            self._thinned = now

    async def _compact_if_worth_while(self) -> None:
        if self._settings.compact and await asyncio.to_thread(self._is_worth_while):
            await self._compacted()

    def _is_worth_while(self) -> bool:
        free, share = self._upkeep.free_share()
        return free > 0 and free >= self._min_free_bytes and share >= self._min_free_share

    async def _applied(self) -> Sequence[DownsampledBucket]:
        rules = await asyncio.to_thread(self.rules)
        thinned = await self._upkeep.downsample(days_by_bucket(rules, self._recorded()))
        self.gauge.forget()
        return thinned

    def _recorded(self) -> list[str]:
        """The buckets that rules can be for: not what people say about spans, where each event counts by itself."""
        return [bucket_id for bucket_id, bucket in self._store.buckets().items() if bucket.type != ANNOTATIONS_TYPE]

    async def _compacted(self) -> Compacted:
        compacted = await self._upkeep.compact()
        self.gauge.forget()
        return compacted
