"""Changes history by privacy rules, in slices between heartbeats; it can be undone until it is final."""

import asyncio
import logging
import secrets
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from dayline.model.errors import StoreBusy
from dayline.model.privacy import Redaction, RedactionOrder, RedactionPreview
from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.background import SlicePace
from dayline.storage.engine import TenantWriter
from dayline.storage.sqlite.derived.scheduler import SqliteSegmentScheduler
from dayline.storage.sqlite.file.checkpoint import empty_log
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.redaction import rows, slices
from dayline.storage.sqlite.redaction import slices as clearing
from dayline.storage.sqlite.redaction.listing import Listing, Size, counts_of, size_of
from dayline.storage.sqlite.redaction.plan_worker import PlanJob
from dayline.storage.sqlite.redaction.process import run_plan
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.writer import TokenWriter, Writer

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

PAGES_A_SLICE: Final = 100  # of the file, given back together

log = logging.getLogger(__name__)


class _Slice(Protocol[T_co]):
    def __call__(self, changes: SqliteTransaction, /, *, first: int, last: int) -> T_co: ...


class _Repeated(Protocol):
    def __call__(self, changes: SqliteTransaction, /, *, rows: int) -> bool | int: ...


class _Walk(Protocol):
    def __call__(self, changes: SqliteTransaction, /, *, after: int, rows: int) -> int | None: ...


class RedactionWork:
    """Does what the state of a redaction says is to be done. Whoever calls sees to it that only one does so."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        segments: SqliteSegmentScheduler,
        scratch: Callable[[], Path],
    ) -> None:
        self._path = path
        self._writer = writer
        self._readers = readers
        self._segments = segments
        self._scratch = scratch

    async def go_on(self, key: int) -> None:
        """Finish it. Raises StoreBusy where the file takes no writes; call it again then."""
        todo = await asyncio.to_thread(self._look, key)
        match todo.state:
            case "applying":
                with self._segments.redaction_under_way():
                    await self._apply(key, self._path.with_name(todo.plan))
            case "undoing":
                with self._segments.redaction_under_way():
                    await self._undo(key)
                if todo.plan:  # one that was copied from another database has none
                    self._path.with_name(todo.plan).unlink(missing_ok=True)
            case _ if todo.has_rest:
                await self._clear(key)
            case _:
                pass

    async def _apply(self, key: int, plan: Path) -> None:
        if not plan.exists():
            log.error("redaction %d cannot go on, its plan is gone: undo it and apply the rules again", key)
            return
        try:
            size = await asyncio.to_thread(size_of, plan)
            late: list[int] = []
            async for some in self._slices(plan, size.texts, partial(slices.change_texts, redaction=key)):
                late += some
            await self._move(key, plan, size)
            if late:
                async with self._listed(lambda listing: listing.add_late(plan, late)) as listing:
                    await self._move(key, listing, await asyncio.to_thread(size_of, listing))
        finally:
            await self._writer.between_commits(slices.detach)
        counts = await asyncio.to_thread(counts_of, plan, self._path, key)
        await self._writer.change(partial(rows.set_counts, key=key, counts=counts))
        await asyncio.to_thread(plan.unlink, missing_ok=True)

    async def _move(self, key: int, plan: Path, size: Size) -> None:
        async for _ in self._slices(plan, size.stays, partial(slices.keep_moved, redaction=key)):
            pass
        await self._move_parts(plan, size, redaction=key)

    async def _move_parts(self, plan: Path, size: Size, *, redaction: int | None) -> None:
        pace = SlicePace()
        for part in size.parts:
            move = partial(slices.move_events, part=part, redaction=redaction)
            async for _ in self._slices(plan, part.last, move, first=part.first, pace=pace):
                pass

    async def _undo(self, key: int) -> None:
        await self._until_done(partial(slices.put_back, redaction=key))
        async with self._listed(lambda listing: listing.add_changed_texts(key)) as listing:
            try:
                await self._move_parts(listing, await asyncio.to_thread(size_of, listing), redaction=None)
            finally:
                await self._writer.between_commits(slices.detach)
        await self._along_values(partial(clearing.scrub_originals, redaction=key))
        await self._writer.change(partial(rows.set_state, key=key, state="undone"))
        await self._until_done(clearing.sweep)

    async def _clear(self, key: int) -> None:
        await self._until_done(partial(clearing.forget_events, redaction=key))
        await self._along_values(partial(clearing.hide_values, redaction=key))
        used: set[int] = set()
        async with self._listed(lambda listing: used.update(listing.used(key))):
            pass
        await self._along_values(partial(clearing.empty_values, redaction=key, used=used))
        await self._along_values(partial(clearing.scrub_originals, redaction=key))
        while await self._writer.change(partial(clearing.give_pages_back, pages=PAGES_A_SLICE), rows=PAGES_A_SLICE):
            pass
        await self._segments.drop()
        await asyncio.to_thread(empty_log, self._path)
        await self._writer.change(partial(rows.end_rest, key=key))
        await self._until_done(clearing.sweep)

    async def _slices(
        self, plan: Path, last: int, change: _Slice[T], *, first: int = 1, pace: SlicePace | None = None
    ) -> AsyncIterator[T]:
        """Make a change of one run of numbers after the other, each as large as fits into a few milliseconds."""
        pace = pace or SlicePace()
        while first <= last:
            upto = min(first + pace.rows - 1, last)
            some = upto - first + 1
            timed_slice = pace.timed(partial(change, first=first, last=upto), rows=some)
            yield await self._writer.change(timed_slice, rows=some, before=slices.attaching(plan))
            first = upto + 1

    async def _until_done(self, change: _Repeated) -> None:
        """Make a change of so many rows again and again, until it finds no more."""
        pace = SlicePace()
        while await self._writer.change(pace.timed(partial(change, rows=pace.rows), rows=pace.rows), rows=pace.rows):
            pass

    async def _along_values(self, change: _Walk) -> None:
        """Make a change along the values of a redaction, each slice going on behind the last one."""
        pace = SlicePace()
        after: int | None = 0
        while after is not None:
            step = partial(change, after=after, rows=pace.rows)
            after = await self._writer.change(pace.timed(step, rows=pace.rows), rows=pace.rows)

    @asynccontextmanager
    async def _listed(self, fill: Callable[[Listing], None]) -> AsyncGenerator[Path]:
        """A listing for the length of the block."""
        folder = await asyncio.to_thread(self._scratch)
        try:
            path = folder / "listing.db"
            await asyncio.to_thread(_fill, path, self._path, fill)
            yield path
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _look(self, key: int) -> rows.ToDo:
        with self._readers.connection() as db:
            return rows.to_do(db, key)


def _fill(path: Path, database: Path, fill: Callable[[Listing], None]) -> None:
    listing = Listing(path, database)
    try:
        fill(listing)
    finally:
        listing.close()


# Changes history by privacy rules, in short slices between heartbeats, so that it can be undone until it is final.
#
#     apply    plan (a process of its own) ─▶ texts ─▶ events ─▶ applied
#     undo     events ─▶ texts ─▶ undone
#     final    the originals are overwritten, the derived data made anew, the log emptied
#
# What is to be done is in the file before anything is done: the state of the redaction, and its plan beside the
# database. Every slice can be made again, and leaves alone what was done before. So whatever interrupts the work (a
# kill, a full disk), it goes on at the next start, or as soon as the file takes writes again; and undoing goes on from
# any point.


class SqliteRedactions:
    """The Redactions of one file. `alone` is held while values change: whoever relies on their texts takes it too."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        readers: ReaderPool,
        segments: SqliteSegmentScheduler,
        scratch: Callable[[], Path],
        background: BackgroundWorkers,
    ) -> None:
        self.exclusive = asyncio.Lock()
        self._path = path
        self._writer: Writer | TokenWriter = writer
        self._readers = readers
        self._scratch = scratch
        self._work = RedactionWork(path, writer, readers, segments, scratch)
        self._calls = DetachedTasks("redacting")
        self._resuming = background.task("resuming redactions", self._resume, interval_s=None)

    def start(self) -> None:
        """Begin to resume what was interrupted. Called on the event loop."""
        self._resuming.start()

    def through(self, writer: TenantWriter) -> "SqliteRedactions":
        """The same for one call, whose first change brings a token."""
        assert isinstance(writer, Writer | TokenWriter)
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
        async with self.exclusive:
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

    async def _change(self, key: int, begin: Callable[[SqliteTransaction, int], None]) -> int:
        async with self.exclusive:
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
        async with self.exclusive:  # or else a plan that is being made would not look needed
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
        async with self.exclusive:
            await self._work.go_on(key)
