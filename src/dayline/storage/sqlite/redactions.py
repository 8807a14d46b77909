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
from collections.abc import Awaitable, Callable, Coroutine
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from dayline.model.errors import StoreBusy, Unavailable
from dayline.model.redaction import Redaction, RedactionOrder, RedactionPreview
from dayline.model.timestamps import now_us
from dayline.storage.background import Background
from dayline.storage.sqlite import redaction_rows as rows
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.connection import ReaderPool
from dayline.storage.sqlite.once import OnceWriter
from dayline.storage.sqlite.redaction_plan import PlanJob
from dayline.storage.sqlite.redaction_process import run_plan
from dayline.storage.sqlite.redaction_work import RedactionWork
from dayline.storage.sqlite.segment_keeper import SegmentKeeper
from dayline.storage.sqlite.writer import Writer

T = TypeVar("T")

RETRY_S: Final = 10.0  # how long work that was interrupted waits after the file took no writes

log = logging.getLogger(__name__)


class SqliteRedactions:
    """The Redactions of one file. `alone` is held while values change: whoever relies on their texts takes it too."""

    def __init__(
        self, path: Path, writer: Writer, readers: ReaderPool, segments: SegmentKeeper, scratch: Callable[[], Path]
    ) -> None:
        self.alone = asyncio.Lock()
        self._path = path
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._scratch = scratch
        self._work = RedactionWork(path, writer, readers, segments, scratch)
        self._background = Background("a redaction")

    def start(self) -> None:
        """Resume what was interrupted. Called on the event loop, where this process may write."""
        self._background.start(self._resume())

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
        await self._background.close()

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
            key = await asyncio.shield(self._background.start(work))
        except StoreBusy as error:
            self._background.start(self._resume())
            raise StoreBusy(error.message, hint="what was begun goes on by itself") from error
        return await asyncio.to_thread(self._one, key)

    def _one(self, key: int) -> Redaction:
        with self._readers.connection() as db:
            return rows.redaction(db, key)

    async def _resume(self) -> None:
        """Go on with what was interrupted, for as long as it takes."""
        for key in await self._patiently(self._unfinished):
            log.info("redaction %d goes on", key)
            await self._patiently(partial(self._go_on, key))

    async def _unfinished(self) -> list[int]:
        async with self.alone:  # or else a plan that is being made would not look needed
            return await asyncio.to_thread(self._look)

    def _look(self) -> list[int]:
        with self._readers.connection() as db:
            needed, unfinished = rows.plans_needed(db), rows.unfinished(db)
        for plan in self._path.parent.glob(f"{self._path.name}-redaction-*"):
            if plan.name not in needed:
                plan.unlink(missing_ok=True)
        return unfinished

    async def _go_on(self, key: int) -> None:
        async with self.alone:
            await self._work.go_on(key)

    async def _patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        level = logging.WARNING
        while True:
            try:
                return await work()
            except Unavailable as error:
                log.log(level, "a redaction waits: %s", error.message)
                level = logging.DEBUG  # told once, however long it lasts
                await asyncio.sleep(RETRY_S)
