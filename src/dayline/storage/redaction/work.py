"""The steps of a redaction: each is a short transaction between heartbeats, and can be repeated."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol, TypeVar

from dayline.storage.engine.tenant import Fence, TenantWriter
from dayline.storage.operations.background import SlicePace
from dayline.storage.redaction import lifecycle
from dayline.storage.redaction.records import Part
from dayline.storage.redaction.rows import RedactionRows
from dayline.storage.redaction.seam import RedactionEngine

S = TypeVar("S")
T = TypeVar("T")

log = logging.getLogger(__name__)


class DerivedData(Protocol):
    def redaction_under_way(self) -> AbstractContextManager[None]:
        """Build nothing that would be outdated at once."""
        ...


class RedactionWork:
    """Finishes redactions. The caller holds the lease."""

    def __init__(self, engine: RedactionEngine, writer: TenantWriter, derived: DerivedData) -> None:
        self._engine = engine
        self._reads = engine.reads
        self._writer = writer
        self._derived = derived

    async def finish(self, key: int, fence: Fence) -> None:
        """Do what is left of it. Raises StoreBusy if the database takes no writes; call it again then."""
        progress = lifecycle.find(await asyncio.to_thread(self._reads.records), key)
        steps = Steps(self._engine, self._writer, fence)
        if progress.is_unfinished:
            with self._derived.redaction_under_way():
                if progress.state == "applying":
                    await self._apply(key, steps, plan=progress.plan)
                elif progress.state == "undoing":
                    await self._undo(key, steps, plan=progress.plan)
                else:
                    await self._clear(key, steps)

    async def _apply(self, key: int, steps: "Steps", *, plan: str) -> None:
        """Change texts, then drop events."""
        parts = await asyncio.to_thread(self._reads.planned_parts, key, plan)
        if parts is None:
            log.error("Redaction %d cannot be resumed, its plan is gone: undo it and apply the rules again", key)
            return
        for part in parts:
            await self._apply_part(part, steps)
        await steps.run(lambda rows: lifecycle.end_applying(rows, key))
        await self._engine.forget_plan(plan, steps.fence)

    async def _apply_part(self, part: Part, steps: "Steps") -> None:
        await steps.each(lambda some, rows: rows.change_texts(part, some), self._reads.planned_texts(part))
        await steps.each(lambda some, rows: rows.lengthen_texts(some), self._reads.longer_texts(part))
        while await steps.each(lambda some, rows: rows.drop_events(part, some), self._reads.planned_events(part)):
            pass  # again: an event that was split or moved since its page was read is in none

    async def _undo(self, key: int, steps: "Steps", *, plan: str) -> None:
        """Restore texts, then events, from whatever point applying had reached."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._undo_part(part, steps)
        await self._engine.forget_plan(plan, steps.fence)
        await steps.run(lambda rows: lifecycle.end_undo(rows, key))
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _undo_part(self, part: Part, steps: "Steps") -> None:
        await steps.walk(lambda after, limit, rows: rows.restore_texts(part, after=after, limit=limit))
        await steps.repeat(lambda limit, rows: rows.restore_events(part, limit=limit))

    async def _clear(self, key: int, steps: "Steps") -> None:
        """Remove the originals of a final redaction."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._clear_part(part, steps)
        await self._engine.erase_copies()
        await steps.run(lambda rows: lifecycle.end_final(rows, key))
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _clear_part(self, part: Part, steps: "Steps") -> None:
        await steps.repeat(lambda limit, rows: rows.clear_events(part, limit=limit))
        await self._engine.clear_derived(part)
        await steps.walk(lambda after, limit, rows: rows.clear_texts(part, after=after, limit=limit))


class Steps:
    """Runs steps in transactions of a few milliseconds, one after the other."""

    def __init__(self, engine: RedactionEngine, writer: TenantWriter, fence: Fence) -> None:
        self._engine = engine
        self._writer = writer.plain
        self.fence = fence

    async def run(self, step: Callable[[RedactionRows], T], *, rows: int = 1) -> T:
        return await self._writer.change(lambda tx: step(self._engine.rows(tx, self.fence)), rows=rows)

    async def walk(self, step: Callable[[int, int, RedactionRows], int | None]) -> None:
        """Call a step with the position that it returned, from 0 on, until it returns None."""
        pace = self._writer.new_pace()
        position: int | None = 0
        while position is not None:
            position = await self._paced(partial(step, position, pace.rows), pace, rows=pace.rows)

    async def repeat(self, step: Callable[[int, RedactionRows], bool]) -> None:
        """Call a step while it returns True."""
        pace = self._writer.new_pace()
        while await self._paced(partial(step, pace.rows), pace, rows=pace.rows):
            pass

    async def each(self, step: Callable[[Sequence[S], RedactionRows], None], pages: Iterator[list[S]]) -> bool:
        """Call a step with all items of pages that are read one at a time; returns whether there are any."""
        pace, has_items = self._writer.new_pace(), False
        while page := await asyncio.to_thread(next, pages, None):
            done, has_items = 0, True
            while done < len(page):
                some = page[done : done + pace.rows]
                await self._paced(partial(step, some), pace, rows=len(some))
                done += len(some)
        return has_items

    async def _paced(self, step: Callable[[RedactionRows], T], pace: SlicePace, *, rows: int) -> T:
        return await self.run(pace.timed(step, rows=rows), rows=rows)
