"""Carries out merges and their undoing, slice by slice between heartbeats, and goes on with what was interrupted."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from dayline.model.errors import Gone, StoreBusy
from dayline.model.timestamps import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.history.act import Act
from dayline.storage.slice_pace import SlicePace
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.history import merging, restoring, unmerging
from dayline.storage.sqlite.history.merging import Merge, merge_of
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.once import OnceWriter
from dayline.storage.sqlite.writing.paced import timed
from dayline.storage.sqlite.writing.writer import Writer

T = TypeVar("T")

log = logging.getLogger(__name__)


class SqliteMerges:
    """The merges of one file, one at a time. `alone` is held meanwhile: the texts of values must not change."""

    def __init__(self, writer: Writer, readers: ReaderPool, alone: asyncio.Lock, background: BackgroundWorkers) -> None:
        self._writer = writer
        self._readers = readers
        self._alone = alone
        self._calls = DetachedTasks("merging")
        self._resuming = background.task("resuming merges", self._resume, interval_s=None)

    def start(self) -> None:
        """Begin to resume what was interrupted. Called on the event loop."""
        self._resuming.start()

    async def merge(self, writer: Writer | OnceWriter, begin: Callable[[Changes], int]) -> Act:
        """Begin a merge by what makes its act, and finish it; the act as it is then."""

        async def merge() -> Act:
            async with self._alone:
                key = await writer.change(begin)
                return await self._go_on(key)

        return await self._finished(merge())

    async def undo(self, writer: Writer | OnceWriter, key: int) -> None:
        """Undo a merge. Raises Gone or Conflict."""

        async def undo() -> Act:
            async with self._alone:
                await self._writer.change(lambda changes: unmerging.check(changes, acts.find(changes.db, key)))
                await asyncio.to_thread(self._check, key)
                await writer.change(lambda changes: unmerging.begin(changes, acts.find(changes.db, key)))
                return await self._go_on(key)

        await self._finished(undo())

    async def restore(self, writer: Writer | OnceWriter, deletion: int) -> bool:
        """Bring a deleted bucket back, and move into it what one that was made again has; whether there was one."""

        async def restore() -> bool:
            async with self._alone:
                begin = partial(restoring.restore, deletion=deletion, now=now_us())
                key = await writer.change(begin)
                if key is not None:
                    await self._go_on(key)
                return key is not None

        return await self._finished(restore())

    async def close(self) -> None:
        """Stop at the next slice; it goes on at the next start."""
        await self._resuming.close()
        await self._calls.close()

    async def _go_on(self, key: int) -> Act:
        """Make one slice after the other; the act when there are no more."""
        pace, has_more = SlicePace(), True
        while has_more:
            rows = pace.rows
            make_slice = timed(partial(_slice, key=key, rows=rows), rows=rows, pace=pace)
            has_more = await self._writer.change(make_slice, rows=rows)
        return await asyncio.to_thread(self._read, key)

    async def _finished(self, work: Coroutine[Any, Any, T]) -> T:
        """Do it in a task of its own: a client that goes away does not stop it."""
        try:
            return await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="what was begun goes on by itself") from error

    async def _resume(self) -> None:
        """Finish what was interrupted."""
        async with self._alone:
            await for_each(await asyncio.to_thread(self._unfinished), self._finish)

    async def _finish(self, key: int) -> None:
        log.info("resuming merge %d", key)
        await self._go_on(key)

    def _check(self, key: int) -> None:
        """Raise Conflict where a copy was changed by others, as far as can be told beforehand."""
        with self._readers.connection() as db:
            act = acts.find(db, key)
        place: Merge | None = unmerging.beginning(merge_of(act))
        while place is not None:
            with self._readers.transaction() as db:
                place = unmerging.check_copies(db, act, place)

    def _read(self, key: int) -> Act:
        with self._readers.connection() as db:
            act = acts.read(db, key)
        if act is None:
            raise Gone(f"what {key} would undo is no longer in the trash")
        return act

    def _unfinished(self) -> list[int]:
        with self._readers.connection() as db:
            return [act.key for act in acts.unfinished(db) if act.kind == "merge_buckets"]


def _slice(changes: Changes, key: int, rows: int) -> bool:
    act = acts.read(changes.db, key)
    if act is None or act.state not in ("doing", "undoing"):
        return False
    if act.state == "doing":
        return merging.copy_slice(changes, act, rows=rows)
    return unmerging.remove_slice(changes, act, rows=rows, now=now_us())
