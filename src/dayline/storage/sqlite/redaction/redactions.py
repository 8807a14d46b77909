"""Changes history by privacy rules, in short slices between heartbeats, so that it can be undone until it is final.

    apply    plan (a process of its own) ─▶ texts ─▶ events ─▶ applied
    undo     events ─▶ texts ─▶ undone
    final    the originals are overwritten, the derived data made anew, the log emptied

What is to be done is in the file before anything is done: the state of the redaction, and its plan beside the database.
Every slice can be made again, and leaves alone what was done before. So whatever interrupts the work (a kill, a full
disk), it goes on at the next start, or as soon as the file takes writes again; and undoing goes on from any point.
"""

import asyncio
import logging
import secrets
import shutil
from collections.abc import Callable, Coroutine
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from dayline.model.errors import StoreBusy
from dayline.model.redaction import Redaction, RedactionOrder, RedactionPreview
from dayline.model.timestamps import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.sqlite.derived.segment_keeper import SegmentKeeper
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.redaction import redaction_rows as rows
from dayline.storage.sqlite.redaction.redaction_plan import PlanJob
from dayline.storage.sqlite.redaction.redaction_process import run_plan
from dayline.storage.sqlite.redaction.redaction_work import RedactionWork
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.once import OnceWriter
from dayline.storage.sqlite.writing.writer import Writer

log = logging.getLogger(__name__)


class SqliteRedactions:
    """The Redactions of one file. `alone` is held while values change: whoever relies on their texts takes it too."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        segments: SegmentKeeper,
        scratch: Callable[[], Path],
        background: BackgroundWorkers,
    ) -> None:
        self.alone = asyncio.Lock()
        self._path = path
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._scratch = scratch
        self._work = RedactionWork(path, writer, readers, segments, scratch)
        self._calls = DetachedTasks("redacting")
        self._resuming = background.task("resuming redactions", self._resume, interval_s=None)

    def start(self) -> None:
        """Begin to resume what was interrupted. Called on the event loop."""
        self._resuming.start()

    def through(self, writer: Writer | OnceWriter) -> "SqliteRedactions":
        """The same for one call, whose first change brings a token."""
        redactions = copy(self)
        redactions._writer = writer
        return redactions

    def all(self) -> list[Redaction]:
        with self._readers.connection() as db:
            return rows.redactions(db)

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        folder = await asyncio.to_thread(self._scratch)
        try:
            return await run_plan(self._path, folder / "plan.db", PlanJob(order=order, is_preview=True))
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def apply(self, order: RedactionOrder) -> Redaction:
        return await self._finished(self._apply(order))

    async def undo(self, redaction_id: int) -> Redaction:
        return await self._finished(self._change(redaction_id, rows.begin_undo))

    async def make_final(self, redaction_id: int) -> Redaction:
        return await self._finished(self._change(redaction_id, rows.begin_final))

    async def close(self) -> None:
        """Stop at the next slice; it goes on at the next start."""
        await self._resuming.close()
        await self._calls.close()

    async def _apply(self, order: RedactionOrder) -> int:
        async with self.alone:
            plan = self._path.with_name(f"{self._path.name}-redaction-{secrets.token_hex(4)}")
            try:
                await run_plan(self._path, plan, PlanJob(order=order, is_preview=False))
                begin = partial(rows.begin, order=order, plan=plan.name, now=now_us())
                key = await self._writer.change(begin)
            except BaseException:
                await asyncio.to_thread(plan.unlink, missing_ok=True)
                raise
            await self._work.go_on(key)
            return key

    async def _change(self, key: int, begin: Callable[[Changes, int], None]) -> int:
        async with self.alone:
            await self._writer.change(lambda changes: begin(changes, key))
            await self._work.go_on(key)
            return key

    async def _finished(self, work: Coroutine[Any, Any, int]) -> Redaction:
        """Do it in a task of its own: a client that goes away does not stop it."""
        try:
            key = await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="what was begun goes on by itself") from error
        return await asyncio.to_thread(self._one, key)

    def _one(self, key: int) -> Redaction:
        with self._readers.connection() as db:
            return rows.redaction(db, key)

    async def _resume(self) -> None:
        """Finish what was interrupted, and remove plans that nothing needs."""
        async with self.alone:  # or else a plan that is being made would not look needed
            unfinished = await asyncio.to_thread(self._look)
        await for_each(unfinished, self._finish)

    def _look(self) -> list[int]:
        with self._readers.connection() as db:
            needed, unfinished = rows.plans_needed(db), rows.unfinished(db)
        for plan in self._path.parent.glob(f"{self._path.name}-redaction-*"):
            if plan.name not in needed:
                plan.unlink(missing_ok=True)
        return unfinished

    async def _finish(self, key: int) -> None:
        log.info("resuming redaction %d", key)
        async with self.alone:
            await self._work.go_on(key)
