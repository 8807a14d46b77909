"""The redactions of one tenant, for either engine."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, TypeVar

from dayline.model.errors import DaylineError, StoreBusy
from dayline.model.privacy.redaction import Redaction, RedactionOrder, RedactionPreview
from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.engine.tenant import Fence, TenantWriter
from dayline.storage.redaction import lifecycle
from dayline.storage.redaction.rows import RedactionRows
from dayline.storage.redaction.seam import RedactionEngine
from dayline.storage.redaction.work import DerivedData, RedactionWork

T = TypeVar("T")

log = logging.getLogger(__name__)


class Redactions:
    """Redactions of one tenant: privacy rules applied to stored events.

    They are a stack: undo the newest first, make the oldest final first. An interrupted one resumes automatically.
    Events that arrive while rules are being applied are kept as they are.

    What is to be done is stored before anything is done: the state of the redaction, and its plan. `start` begins to
    resume what was interrupted. `exclusive` is held while values change; hold it to rely on their texts.

    `interval_s` is the pause between two looks for what another server has left unfinished, `lease_s` the time after
    which a server that no longer responds has lost its lease; None if no other server can use the database.
    """

    def __init__(
        self,
        engine: RedactionEngine,
        writer: TenantWriter,
        derived: DerivedData,
        background: BackgroundWorkers,
        *,
        tenant: str = "",
        interval_s: float | None = None,
        lease_s: float | None = None,
    ) -> None:
        self.exclusive = asyncio.Lock()
        self._engine = engine
        self._reads = engine.reads
        self._writer = writer
        self._lease_s = lease_s
        self._work = RedactionWork(engine, writer, derived)
        self._calls = DetachedTasks("redacting")
        self._resuming = background.task(
            "resuming redactions", self._resume, interval_s=interval_s, retry_s=lease_s, tenant=tenant
        )

    def start(self) -> None:
        """Called on the event loop."""
        self._resuming.start()

    async def close(self) -> None:
        """Stop after the current step; the rest is done after the next start, or by another server."""
        await self._resuming.close()
        await self._calls.close()

    def through(self, writer: TenantWriter) -> "Redactions":
        """The same for one call, whose first change uses its tokens."""
        redactions = copy(self)
        redactions._writer = writer
        return redactions

    def all(self) -> list[Redaction]:
        """Every redaction, the newest first. Call it on a thread."""
        return [record.redaction for record in reversed(self._reads.records())]

    async def preview(self, order: RedactionOrder) -> RedactionPreview:
        """What the rules would change, with samples. Changes nothing."""
        return (await self._engine.plan(order, is_preview=True)).preview

    async def apply(self, order: RedactionOrder) -> Redaction:
        """Apply rules in short slices; returns when all of it is done."""
        return await self._finished(self._apply(order))

    async def undo(self, redaction_id: int) -> Redaction:
        """Restore ids, times and data of all changed events.

        Raises NotFound, Gone if it is final, Conflict if a newer one is not undone.
        """
        return await self._finished(self._change(redaction_id, lifecycle.begin_undo, is_resuming=False))

    async def make_final(self, redaction_id: int) -> Redaction:
        """Remove the originals from the disk.

        Raises NotFound, Conflict if it was undone or an older one is not final.
        """
        return await self._finished(self._change(redaction_id, lifecycle.begin_final))

    async def _apply(self, order: RedactionOrder) -> int:
        await self._writer.check_tokens()
        async with self._leased() as fence:
            planned = await self._engine.plan(order, is_preview=False)
            try:
                key = await self._begin(lambda rows: lifecycle.begin(rows, order, planned, now=now_us()), fence)
            except Exception:
                with contextlib.suppress(DaylineError):  # it is removed later
                    await self._engine.forget_plan(planned.plan, fence)
                raise
            await self._work.finish(key, fence)
            return key

    async def _change(self, key: int, begin: Callable[[RedactionRows, int], None], *, is_resuming: bool = True) -> int:
        async with self._leased(except_for=None if is_resuming else key) as fence:
            await self._begin(lambda rows: begin(rows, key), fence)
            await self._work.finish(key, fence)
            return key

    async def _begin(self, begin: Callable[[RedactionRows], T], fence: Fence) -> T:
        """Make the first change of a call, which uses its tokens."""
        return await self._writer.change(lambda tx: begin(self._engine.rows(tx, fence)))

    @asynccontextmanager
    async def _leased(self, *, except_for: int | None = None) -> AsyncGenerator[Fence]:
        """Work alone on redactions, after finishing all that were interrupted, except for one."""
        async with self.exclusive, self._writer.lease() as fence:
            unfinished = await asyncio.to_thread(self._unfinished)
            await for_each((key for key in unfinished if key != except_for), lambda key: self._finish(key, fence))
            yield fence

    async def _finish(self, key: int, fence: Fence) -> None:
        log.info("Resuming redaction %d", key)
        await self._work.finish(key, fence)

    async def _finished(self, work: Coroutine[Any, Any, int]) -> Redaction:
        """Run it in a separate task, which continues if the client disconnects."""
        try:
            key = await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="Dayline resumes what was begun automatically") from error
        return lifecycle.find(await asyncio.to_thread(self._reads.records), key).redaction

    async def _resume(self) -> float | None:
        """Finish what was interrupted; try again soon while another server works on it."""
        unfinished, plans, is_leased = await asyncio.to_thread(self._left)
        if not unfinished and not plans:
            return None
        if is_leased:
            return self._lease_s
        async with self._leased() as fence:
            for plan in await asyncio.to_thread(self._reads.abandoned_plans):
                await self._engine.forget_plan(plan, fence)
        return None

    def _left(self) -> tuple[list[int], list[str], bool]:
        return self._unfinished(), self._reads.abandoned_plans(), self._reads.is_leased()

    def _unfinished(self) -> list[int]:
        return [record.redaction.id for record in self._reads.records() if record.is_unfinished]
