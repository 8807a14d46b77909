"""Changes history by privacy rules, in slices between heartbeats; it can be undone until it is final."""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from copy import copy
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from dayline.model.errors import AlreadyDone, StoreBusy
from dayline.model.privacy import Redaction, RedactionOrder, RedactionPreview
from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks
from dayline.storage.engine import TenantWriter
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.derived.words import clear_words
from dayline.storage.postgres.redaction import rows, slices
from dayline.storage.postgres.redaction import slices as clearing
from dayline.storage.postgres.redaction import slices as undoing
from dayline.storage.postgres.redaction.ownership import LEASE_S, is_owned, owned
from dayline.storage.postgres.redaction.plan_worker import PlanJob, Planned
from dayline.storage.postgres.redaction.process import run_plan
from dayline.storage.postgres.redaction.slices import SLICE_ROWS, Part, Place, RedactionSearch
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

T = TypeVar("T")

_BEFORE_ALL: Final[Place] = (-(2**62), 0)


class Derived(Protocol):
    """What keeps data that are derived from events."""

    def redaction_under_way(self) -> AbstractContextManager[None]:
        """Make nothing meanwhile that would be stale at once."""
        ...


class RedactionWork:
    """Does what the state of a redaction says is to be done, in the name of its owner."""

    def __init__(self, tenant_writer: PostgresTenantWriter, readers: Readers, derived: Derived) -> None:
        self._tenant_writer = tenant_writer
        self._readers = readers
        self._derived = derived
        self._search = RedactionSearch(readers, tenant_writer.tenant)

    async def go_on(self, key: int, owner: str) -> None:
        """Finish it. Raises StoreBusy where the database takes no writes; call it again then."""
        todo = await asyncio.to_thread(self._look, key)
        if todo.state not in ("applying", "undoing") and not todo.has_rest:
            return
        with self._derived.redaction_under_way():
            if todo.state == "applying":
                await self._apply(key, owner, todo.plan or 0)
            elif todo.state == "undoing":
                await self._undo(key, owner, todo.plan or 0)
            else:
                await self._clear(key, owner)

    async def forget_plan(self, plan: int, owner: str) -> None:
        """Remove a plan that is carried out, or that nobody is going to carry out."""
        for bucket in await asyncio.to_thread(self._search.planned_buckets, plan):
            await self._repeat(clearing.forget_plan, Part(redaction=0, owner=owner, bucket=bucket, plan=plan))
        await self._tenant_writer.change(partial(clearing.end_plan, owner=owner, plan=plan))

    async def _apply(self, key: int, owner: str, plan: int) -> None:
        next_id = await asyncio.to_thread(self._search.next_id, plan)
        for bucket in await asyncio.to_thread(self._search.planned_buckets, plan):
            part = Part(redaction=key, owner=owner, bucket=bucket, plan=plan)
            await self._walk(partial(slices.change_texts, part=part), 0)
            await self._walk(partial(slices.keep_moved, part=part), 0)
            values = await asyncio.to_thread(self._search.moving, part)
            if values:
                found = self._search.events(bucket, values, below=next_id)
                await self._along(partial(slices.move_events, part=part), found)
            await self._repeat(clearing.forget_plan, part)
        await self._tenant_writer.change(partial(rows.end_applying, key=key, owner=owner))
        await self.forget_plan(plan, owner)

    async def _undo(self, key: int, owner: str, plan: int) -> None:
        for bucket in await asyncio.to_thread(self._search.changed_buckets, key):
            part = Part(redaction=key, owner=owner, bucket=bucket)
            await self._walk(partial(undoing.put_back, part=part), _BEFORE_ALL)
            values, next_id = await asyncio.to_thread(self._search.changed_texts, part)
            if values:
                found = self._search.events(bucket, values, below=next_id)
                await self._along(partial(undoing.give_texts_back, part=part), found)
            await self._repeat(clearing.forget_values, part)
        await self.forget_plan(plan, owner)
        await self._tenant_writer.change(partial(rows.end_undo, key=key, owner=owner))
        await self._tenant_writer.change(partial(clearing.sweep, owner=owner))

    async def _clear(self, key: int, owner: str) -> None:
        for bucket in await asyncio.to_thread(self._search.changed_buckets, key):
            part = Part(redaction=key, owner=owner, bucket=bucket)
            await self._repeat(clearing.forget_events, part)
            await self._remove_values(part)
            await clear_words(self._tenant_writer, bucket)
            await self._repeat(clearing.forget_values, part)
        await self._tenant_writer.change(partial(rows.end_rest, key=key, owner=owner))
        await self._tenant_writer.change(partial(clearing.sweep, owner=owner))

    async def _remove_values(self, part: Part) -> None:
        """Remove values that nobody has any more, of those whose events were moved."""
        moved = await asyncio.to_thread(self._search.moved, part)
        used = await asyncio.to_thread(self._search.used, part, list(moved))
        doomed = moved - used
        await self._some(partial(clearing.hide_values, part=part), doomed)
        # Somebody may have been given one before it was hidden.
        used |= await asyncio.to_thread(self._search.used, part, list(doomed))
        await self._some(partial(clearing.remove_values, part=part), doomed - used)
        await self._some(partial(clearing.show_values, part=part), used)

    async def _walk(self, change: Callable[..., T | None], after: T) -> None:
        """Make a change along the rows of a bucket, each slice going on behind the last one."""
        next_: T | None = after
        while next_ is not None:
            next_ = await self._tenant_writer.change(partial(change, after=next_))

    async def _repeat(self, change: Callable[..., bool], part: Part) -> None:
        """Make a change again and again, until it finds no more."""
        while await self._tenant_writer.change(partial(change, part=part)):
            pass

    async def _some(self, change: Callable[..., None], values: Iterable[int]) -> None:
        """Make a change of some values after the other."""
        for some in _chunks(iter(sorted(values))):
            await self._tenant_writer.change(partial(change, values=some))

    async def _along(self, change: Callable[..., None], pages: Iterator[list[Place]]) -> None:
        """Make a change of the events in pages that are read one at a time."""
        while page := await asyncio.to_thread(next, pages, None):
            for some in _chunks(iter(page)):
                await self._tenant_writer.change(partial(change, events=some))

    def _look(self, key: int) -> rows.ToDo:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return rows.to_do(db, self._tenant_writer.tenant, key)


def _chunks(items: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(items, SLICE_ROWS)):
        yield some


# Changes history by privacy rules, in short slices between heartbeats, so that it can be undone until it is final.
#
#     apply    plan (a process of its own) ─▶ texts ─▶ events ─▶ applied
#     undo     events ─▶ texts ─▶ undone
#     final    the originals are removed, and values that nobody has any more
#
# What is to be done is in the database before anything is done: the state of the redaction, and its plan. Every slice
# can be made again, and leaves alone what was done before. So whatever interrupts the work (a kill, a lost database),
# the next server that looks goes on with it; and undoing goes on from any point.


LOOK_S: Final = 30.0  # between two looks for what another server has left

log = logging.getLogger(__name__)


class PostgresRedactions:
    """The Redactions of one tenant. `start` begins to look for what was interrupted, `close` ends it."""

    def __init__(
        self,
        address: str,
        tenant_writer: PostgresTenantWriter,
        readers: Readers,
        derived: Derived,
        scratch: Callable[[], Path],
        background: BackgroundWorkers,
    ) -> None:
        self._address = address
        self._tenant_writer = tenant_writer
        self._readers = readers
        self._scratch = scratch
        self._work = RedactionWork(tenant_writer.plain, readers, derived)
        self._exclusive = asyncio.Lock()
        self._calls = DetachedTasks("redacting")
        self._resuming = background.task(
            "resuming redactions", self._resume, interval_s=LOOK_S, retry_s=LEASE_S, tenant=tenant_writer.tenant
        )

    def through(self, writer: TenantWriter) -> "PostgresRedactions":
        """The same for one call, whose first change brings a token."""
        assert isinstance(writer, PostgresTenantWriter)
        redactions = copy(self)
        redactions._tenant_writer = writer
        return redactions

    def start(self) -> None:
        """Begin to look. Called on the event loop."""
        self._resuming.start()

    async def close(self) -> None:
        """Stop at the next slice; it goes on at the next start, or on another server."""
        await self._resuming.close()
        await self._calls.close()

    def all(self) -> list[Redaction]:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return rows.redactions(db, self._tenant_writer.tenant)

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        return (await self._plan(order, is_preview=True)).preview

    async def apply(self, order: RedactionOrder) -> Redaction:
        return await self._finished(self._apply(order))

    async def undo(self, redaction_id: int) -> Redaction:
        return await self._finished(self._undo(redaction_id))

    async def make_final(self, redaction_id: int) -> Redaction:
        return await self._finished(self._make_final(redaction_id))

    async def _apply(self, order: RedactionOrder) -> int:
        await self._tenant_writer.check_tokens()
        async with self._owned() as owner:
            planned = await self._plan(order, is_preview=False)
            try:
                begin = partial(rows.begin, owner=owner, order=order, planned=planned, now=now_us())
                key = await self._tenant_writer.change(begin)
            except AlreadyDone:
                await self._work.forget_plan(planned.plan or 0, owner)
                raise
            await self._work.go_on(key, owner)
            return key

    async def _undo(self, key: int) -> int:
        async with self._owned(but_for=key) as owner:
            await self._tenant_writer.change(partial(rows.begin_undo, key=key, owner=owner))
            await self._work.go_on(key, owner)
            return key

    async def _make_final(self, key: int) -> int:
        async with self._owned() as owner:
            await self._tenant_writer.change(partial(rows.begin_final, key=key, owner=owner))
            await self._work.go_on(key, owner)
            return key

    async def _plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        job = PlanJob(address=self._address, tenant=self._tenant_writer.tenant, order=order, is_preview=is_preview)
        folder = await asyncio.to_thread(self._scratch)
        try:
            return await run_plan(folder, job)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    @asynccontextmanager
    async def _owned(self, *, but_for: int = 0) -> AsyncGenerator[str]:
        """Have history to oneself, with nothing in it that was left halfway; but for one, which is to be undone."""
        async with self._exclusive, owned(self._tenant_writer.plain) as owner:
            for key in await asyncio.to_thread(self._unfinished):
                if key != but_for:
                    log.info("redaction %d goes on", key)
                    await self._work.go_on(key, owner)
            yield owner

    async def _finished(self, work: Coroutine[Any, Any, int]) -> Redaction:
        """Do it in a task of its own: a client that goes away does not stop it."""
        try:
            key = await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="what was begun goes on by itself") from error
        return await asyncio.to_thread(self._one, key)

    async def _resume(self) -> float | None:
        """Finish what another server left; soon again while that server still works on it."""
        unfinished, plans, is_busy = await asyncio.to_thread(self._left)
        if not unfinished and not plans:
            return None
        if is_busy or self._exclusive.locked():
            return LEASE_S
        async with self._owned() as owner:
            for plan in plans:
                await self._work.forget_plan(plan, owner)
        return None

    def _left(self) -> tuple[list[int], list[int], bool]:
        tenant = self._tenant_writer.tenant
        with self._readers.transaction(tenant) as db:
            return rows.unfinished(db, tenant), rows.left_plans(db, tenant), is_owned(db, tenant)

    def _unfinished(self) -> list[int]:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return rows.unfinished(db, self._tenant_writer.tenant)

    def _one(self, key: int) -> Redaction:
        with self._readers.transaction(self._tenant_writer.tenant) as db:
            return rows.redaction(db, self._tenant_writer.tenant, key)
