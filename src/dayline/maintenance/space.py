"""Disk space: applies retention rules once a day, and returns free space to the file system.

The rules are an internal setting. There are none by default: no events are downsampled.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from dayline.config.sections import SpaceSettings
from dayline.model.data import canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.errors import Conflict
from dayline.model.time import SECOND, Microseconds, format_timestamp
from dayline.model.upkeep.retention import (
    DownsampledBucket,
    DownsamplingPreview,
    RetentionRule,
    RetentionView,
    check_rules,
    days_by_bucket,
    rules_in_force,
)
from dayline.model.upkeep.space import Compacted, Compaction, Space
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.access import AccessStore
from dayline.storage.retention.upkeep import Upkeep
from dayline.storage.store import Store

CACHE_S: Final = 10.0


class SpaceGauge:
    """Measures disk usage on request, one measurement at a time; concurrent callers share the result.

    `backups` is the backup folder, if there is one.
    """

    def __init__(
        self, upkeep: Upkeep, backups: Path | None, *, clock: Callable[[], Microseconds], cache_s: float = CACHE_S
    ) -> None:
        self._upkeep = upkeep
        self._backups = backups
        self._max_age = round(cache_s * SECOND)  # of a cached result, even if something was written since
        self._clock = clock
        self._exclusive = asyncio.Lock()
        self._last: Space | None = None
        self._stamp: object = None
        self._measured: Microseconds = 0

    async def space(self) -> Space:
        """The disk usage, at most some seconds old. Raises Unavailable."""
        asked = self._clock()
        async with self._exclusive:
            stamp = await asyncio.to_thread(self._upkeep.stamp)
            last = self._last
            if last is None or (stamp != self._stamp and not 0 <= asked - self._measured < self._max_age):
                self._measured = self._clock()
                last = self._last = await self._space()
                self._stamp = stamp
            return last

    @property
    def last(self) -> Space | None:
        """The last measurement, however old; None after `forget`."""
        return self._last

    def forget(self) -> None:
        """Discard the last measurement, after a change."""
        self._last = None

    async def _space(self) -> Space:
        usage = await self._upkeep.measure()
        backups = 0 if self._backups is None else await asyncio.to_thread(_size_of_all, self._backups)
        return Space(
            measured=format_timestamp(self._measured),
            database=usage.database,
            segments=usage.segments,
            log=usage.log,
            backups=backups,
            total=usage.database.file + usage.segments + usage.log + backups,
        )


def _size_of_all(folder: Path) -> int:
    return sum(map(_size, folder.rglob("*"))) if folder.is_dir() else 0


def _size(file: Path) -> int:
    """The size; 0 if the file was deleted."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0


RETENTION_KEY: Final = "retention"  # key of the internal setting
INITIAL_DELAY_S: Final = 600.0
INTERVAL_S: Final = 3600.0  # between two checks for free pages
DOWNSAMPLING_INTERVAL_S: Final = 24 * 3600.0
# The file is compacted when this much of it is free.
MIN_FREE_SHARE: Final = 0.2
MIN_FREE_BYTES: Final = 16 << 20
_MAX_SIZE_AGE: Final[Microseconds] = 600 * SECOND  # for `bucket_bytes`, which does not wait
_stored_rules = msgspec.json.Decoder(list[RetentionRule])


class SpaceScheduler:
    """Maintains the space of one store. `start` begins the schedule; `close` ends it, and running work."""

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
        self._calls = DetachedTasks("maintenance of disk space")
        self._task = background.task(
            "retention and compaction",
            self._run_if_due,
            interval_s=interval_s,
            initial_delay_s=initial_delay_s,
            tenant=tenant,
        )
        self._downsampling_interval = round(downsampling_interval_s * SECOND)
        self._min_free_share, self._min_free_bytes = min_free_share, min_free_bytes
        self._downsampled: Microseconds | None = None
        self._measuring: asyncio.Task[Space] | None = None
        self._measured: Microseconds = 0

    def start(self) -> None:
        """Start checking whether work is due. Call on the event loop."""
        self._task.start()

    async def close(self) -> None:
        await self._task.close()
        await self._calls.close()

    def rules(self) -> list[RetentionRule]:
        """The retention rules, in order. Call in a thread."""
        return _stored_rules.decode(self._access.own_setting(RETENTION_KEY) or b"[]")

    async def view(self) -> RetentionView:
        """The rules with the buckets that each one matches."""
        rules = await asyncio.to_thread(self.rules)
        return RetentionView(rules=rules_in_force(rules, self._recorded()))

    async def set_rules(self, rules: Sequence[RetentionRule], access: AccessStore) -> None:
        """Replace the rules. Raises Invalid and changes nothing if one is invalid."""
        check_rules(rules)
        await access.set_own_setting(RETENTION_KEY, canonical_json(msgspec.to_builtins(rules)))

    async def preview(self, rules: Sequence[RetentionRule] | None = None) -> Sequence[DownsamplingPreview]:
        """What the given rules, or those in force, would do now. Raises Invalid or Unavailable."""
        check_rules(rules or ())
        effective = await asyncio.to_thread(self.rules) if rules is None else rules
        return await self._upkeep.preview_downsampling(days_by_bucket(effective, self._recorded()))

    async def apply(self) -> Sequence[DownsampledBucket]:
        """Downsample by the rules in force. Continues if the caller stops waiting. Raises Unavailable."""
        return await self._calls.run(self._apply())

    async def compact(self) -> Compacted:
        """Reclaim unused disk space. Continues if the caller stops waiting. Raises Unavailable."""
        return await self._calls.run(self._compact())

    def bucket_bytes(self) -> dict[str, int]:
        """The size of each bucket at the last measurement, without waiting; starts a new one if that is old.

        Empty if there was no measurement yet. Call on the event loop.
        """
        now, last = self._clock(), self.gauge.last
        is_old = last is None or not 0 <= now - self._measured < _MAX_SIZE_AGE
        if is_old and (self._measuring is None or self._measuring.done()):
            self._measured, self._measuring = now, self._calls.start(self.gauge.space())
        return {} if last is None else {bucket.id: bucket.bytes for bucket in last.database.buckets}

    def compaction(self) -> Compaction:
        return self._upkeep.compaction()

    async def _run_if_due(self) -> None:
        await for_each([self._apply_if_due, self._compact_if_worth_while], lambda step: step())

    async def _apply_if_due(self) -> None:
        now = self._clock()
        # A time in the future was stored before the clock was set back: the age is unknown.
        if self._downsampled is None or not 0 <= now - self._downsampled < self._downsampling_interval:
            with contextlib.suppress(Conflict):  # another operation works on a bucket: the next look tries again
                await self._apply()
                self._downsampled = now

    async def _compact_if_worth_while(self) -> None:
        if self._settings.compact and await asyncio.to_thread(self._is_worth_while):
            await self._compact()

    def _is_worth_while(self) -> bool:
        free, share = self._upkeep.free_share()
        return free > 0 and free >= self._min_free_bytes and share >= self._min_free_share

    async def _apply(self) -> Sequence[DownsampledBucket]:
        rules = await asyncio.to_thread(self.rules)
        downsampled = await self._upkeep.downsample(days_by_bucket(rules, self._recorded()))
        self.gauge.forget()
        return downsampled

    def _recorded(self) -> list[str]:
        """The buckets that rules can match: not annotations, where each event counts."""
        return [bucket_id for bucket_id, bucket in self._store.buckets().items() if bucket.type != ANNOTATIONS_TYPE]

    async def _compact(self) -> Compacted:
        compacted = await self._upkeep.compact()
        self.gauge.forget()
        return compacted
