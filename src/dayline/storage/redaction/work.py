"""The steps of a redaction: each is a short transaction between heartbeats, and can be repeated."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from dayline.storage.operations.background import SlicePace
from dayline.storage.redaction import lifecycle
from dayline.storage.redaction.seam import (
    DerivedData,
    EventKey,
    Lease,
    Part,
    RedactionEngine,
    RedactionRows,
)

T = TypeVar("T")

log = logging.getLogger(__name__)


class RedactionWork:
    """Finishes redactions. The caller holds the lease."""

    def __init__(self, engine: RedactionEngine, derived: DerivedData) -> None:
        self._engine = engine
        self._reads = engine.reads
        self._derived = derived

    async def finish(self, key: int, lease: Lease) -> None:
        """Do what is left of it. Raises StoreBusy if the database takes no writes; call it again then."""
        progress = lifecycle.find(await asyncio.to_thread(self._reads.records), key)
        steps = Steps(self._engine, lease, plan=progress.plan if progress.state == "applying" else "")
        if progress.state == "applying":
            with self._derived.redaction_under_way():
                await self._apply(key, steps)
        elif progress.state == "undoing":
            with self._derived.redaction_under_way():
                await self._undo(key, steps, plan=progress.plan)
        elif progress.has_rest:
            with self._derived.redaction_under_way():
                await self._clear(key, steps)

    async def _apply(self, key: int, steps: "Steps") -> None:
        """Change texts, then drop events."""
        plan = steps.plan
        parts = await asyncio.to_thread(self._reads.planned_parts, key, plan)
        if parts is None:
            log.error("redaction %d cannot be resumed, its plan is gone: undo it and apply the rules again", key)
            return
        try:
            for part in parts:
                await self._apply_part(part, steps)
        finally:
            await self._engine.release_plan()
        counts = await asyncio.to_thread(self._reads.counts, key, plan)
        await self._engine.change(lambda rows: lifecycle.end_applying(rows, key, counts), steps.lease)
        await self._engine.forget_plan(plan, steps.lease)

    async def _apply_part(self, part: Part, steps: "Steps") -> None:
        await steps.walk(lambda after, limit, rows: rows.change_texts(part, after=after, limit=limit))
        await steps.walk(lambda after, limit, rows: rows.lengthen_texts(part, after=after, limit=limit))
        await steps.each_event(lambda some, rows: rows.drop_events(part, some), self._reads.planned_events(part))

    async def _undo(self, key: int, steps: "Steps", *, plan: str) -> None:
        """Restore texts, then events, from whatever point applying had reached."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._undo_part(part, steps)
        await self._engine.forget_plan(plan, steps.lease)
        await self._engine.change(lambda rows: lifecycle.end_undo(rows, key), steps.lease)
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _undo_part(self, part: Part, steps: "Steps") -> None:
        await steps.walk(lambda after, limit, rows: rows.restore_texts(part, after=after, limit=limit))
        await steps.repeat(lambda limit, rows: rows.restore_events(part, limit=limit))

    async def _clear(self, key: int, steps: "Steps") -> None:
        """Remove the originals of a final redaction."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._clear_part(part, steps)
        await self._engine.erase_copies()
        await self._engine.change(lambda rows: rows.set_state(key, "final", has_rest=False), steps.lease)
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _clear_part(self, part: Part, steps: "Steps") -> None:
        await steps.repeat(lambda limit, rows: rows.forget_events(part, limit=limit))
        await self._engine.clear_derived(part)
        await steps.walk(lambda after, limit, rows: rows.forget_values(part, after=after, limit=limit))


class Steps:
    """Runs steps in transactions of a few milliseconds, one after the other."""

    def __init__(self, engine: RedactionEngine, lease: Lease, *, plan: str) -> None:
        self._engine = engine
        self.lease = lease
        self.plan = plan

    async def walk(self, step: Callable[[int, int, RedactionRows], int | None]) -> None:
        """Call a step with the key that it returned, from 0 on, until it returns None."""
        pace = self._engine.new_pace()
        position: int | None = 0
        while position is not None:
            position = await self._paced(partial(step, position, pace.rows), pace)

    async def repeat(self, step: Callable[[int, RedactionRows], bool]) -> None:
        """Call a step while it returns True."""
        pace = self._engine.new_pace()
        while await self._paced(partial(step, pace.rows), pace):
            pass

    async def each_event(
        self, step: Callable[[Sequence[EventKey], RedactionRows], None], pages: Iterator[list[EventKey]]
    ) -> None:
        """Call a step with all events of pages that are read one at a time."""
        pace = self._engine.new_pace()
        while page := await asyncio.to_thread(next, pages, None):
            done = 0
            while done < len(page):
                some = page[done : done + pace.rows]
                await self._paced(partial(step, some), pace, count=len(some))
                done += len(some)

    async def _paced(self, step: Callable[[RedactionRows], T], pace: SlicePace, *, count: int | None = None) -> T:
        count = pace.rows if count is None else count
        return await self._engine.change(pace.timed(step, rows=count), self.lease, rows=count, plan=self.plan)
