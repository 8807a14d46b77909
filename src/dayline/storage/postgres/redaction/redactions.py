"""Changes history by privacy rules, in short slices between heartbeats, so that it can be undone until it is final.

    apply    plan (a process of its own) ─▶ texts ─▶ events ─▶ applied
    undo     events ─▶ texts ─▶ undone
    final    the originals are removed, and values that nobody has any more

What is to be done is in the database before anything is done: the state of the redaction, and its plan. Every slice can
be made again, and leaves alone what was done before. So whatever interrupts the work (a kill, a lost database), the
next server that looks goes on with it; and undoing goes on from any point.
"""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Final

from dayline.model.errors import AlreadyDone, StoreBusy
from dayline.model.redaction import Redaction, RedactionOrder, RedactionPreview
from dayline.model.timestamps import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.redaction import redaction_rows as rows
from dayline.storage.postgres.redaction.redaction_owner import LEASE_S, is_owned, owned
from dayline.storage.postgres.redaction.redaction_plan import PlanJob, Planned
from dayline.storage.postgres.redaction.redaction_process import run_plan
from dayline.storage.postgres.redaction.redaction_work import Derived, RedactionWork
from dayline.storage.postgres.writing.scribe import Scribe

LOOK_S: Final = 30.0  # between two looks for what another server has left

log = logging.getLogger(__name__)


class PostgresRedactions:
    """The Redactions of one tenant. `start` begins to look for what was interrupted, `close` ends it."""

    def __init__(
        self,
        address: str,
        scribe: Scribe,
        readers: Readers,
        derived: Derived,
        scratch: Callable[[], Path],
        background: BackgroundWorkers,
    ) -> None:
        self._address = address
        self._scribe = scribe
        self._readers = readers
        self._scratch = scratch
        self._work = RedactionWork(scribe.plain, readers, derived)
        self._alone = asyncio.Lock()
        self._calls = DetachedTasks("redacting")
        self._resuming = background.task(
            "resuming redactions", self._resume, interval_s=LOOK_S, retry_s=LEASE_S, tenant=scribe.tenant
        )

    def through(self, scribe: Scribe) -> "PostgresRedactions":
        """The same for one call, whose first change brings a token."""
        redactions = copy(self)
        redactions._scribe = scribe
        return redactions

    def start(self) -> None:
        """Begin to look. Called on the event loop."""
        self._resuming.start()

    async def close(self) -> None:
        """Stop at the next slice; it goes on at the next start, or on another server."""
        await self._resuming.close()
        await self._calls.close()

    def all(self) -> list[Redaction]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return rows.redactions(db, self._scribe.tenant)

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        return (await self._plan(order, is_preview=True)).preview

    async def apply(self, order: RedactionOrder) -> Redaction:
        return await self._finished(self._apply(order))

    async def undo(self, redaction_id: int) -> Redaction:
        return await self._finished(self._undo(redaction_id))

    async def make_final(self, redaction_id: int) -> Redaction:
        return await self._finished(self._make_final(redaction_id))

    async def _apply(self, order: RedactionOrder) -> int:
        await self._scribe.check()
        async with self._owned() as owner:
            planned = await self._plan(order, is_preview=False)
            try:
                begin = partial(rows.begin, owner=owner, order=order, planned=planned, now=now_us())
                key = await self._scribe.change(begin)
            except AlreadyDone:
                await self._work.forget_plan(planned.plan or 0, owner)
                raise
            await self._work.go_on(key, owner)
            return key

    async def _undo(self, key: int) -> int:
        async with self._owned(but_for=key) as owner:
            await self._scribe.change(partial(rows.begin_undo, key=key, owner=owner))
            await self._work.go_on(key, owner)
            return key

    async def _make_final(self, key: int) -> int:
        async with self._owned() as owner:
            await self._scribe.change(partial(rows.begin_final, key=key, owner=owner))
            await self._work.go_on(key, owner)
            return key

    async def _plan(self, order: RedactionOrder, *, is_preview: bool) -> Planned:
        job = PlanJob(address=self._address, tenant=self._scribe.tenant, order=order, is_preview=is_preview)
        folder = await asyncio.to_thread(self._scratch)
        try:
            return await run_plan(folder, job)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    @asynccontextmanager
    async def _owned(self, *, but_for: int = 0) -> AsyncGenerator[str]:
        """Have history to oneself, with nothing in it that was left halfway; but for one, which is to be undone."""
        async with self._alone, owned(self._scribe.plain) as owner:
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
        if is_busy or self._alone.locked():
            return LEASE_S
        async with self._owned() as owner:
            for plan in plans:
                await self._work.forget_plan(plan, owner)
        return None

    def _left(self) -> tuple[list[int], list[int], bool]:
        tenant = self._scribe.tenant
        with self._readers.transaction(tenant) as db:
            return rows.unfinished(db, tenant), rows.left_plans(db, tenant), is_owned(db, tenant)

    def _unfinished(self) -> list[int]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return rows.unfinished(db, self._scribe.tenant)

    def _one(self, key: int) -> Redaction:
        with self._readers.transaction(self._scribe.tenant) as db:
            return rows.redaction(db, self._scribe.tenant, key)
