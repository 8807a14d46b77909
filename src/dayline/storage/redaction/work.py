"""The steps of a redaction: each is a short transaction between heartbeats, and can be repeated."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import TypeVar

from dayline.storage.operations.background import SlicePace
from dayline.storage.redaction import lifecycle
from dayline.storage.redaction.seam import (
    BEFORE_ALL,
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
        progress = await asyncio.to_thread(self._reads.progress, key)
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
        """Change texts, then move or drop events."""
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
        await steps.walk(lambda after, limit, rows: rows.change_texts(part, after=after, limit=limit), 0)
        await steps.walk(lambda after, limit, rows: rows.note_moved(part, after=after, limit=limit), 0)
        events = self._reads.planned_events(part)
        await steps.each_event(lambda some, rows: rows.move_events(part, some), events)

    async def _undo(self, key: int, steps: "Steps", *, plan: str) -> None:
        """Restore events, then texts, from whatever point applying had reached."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._undo_part(part, steps)
        await self._engine.forget_plan(plan, steps.lease)
        await self._engine.change(lambda rows: rows.set_state(key, "undone"), steps.lease)
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _undo_part(self, part: Part, steps: "Steps") -> None:
        await steps.walk(lambda after, limit, rows: rows.restore_events(part, after=after, limit=limit), BEFORE_ALL)
        events = self._reads.changed_events(part)
        await steps.each_event(lambda some, rows: rows.restore_texts(part, some), events)
        await steps.walk(lambda after, limit, rows: rows.forget_values(part, after=after, limit=limit), 0)

    async def _clear(self, key: int, steps: "Steps") -> None:
        """Remove the originals of a final redaction."""
        for part in await asyncio.to_thread(self._reads.changed_parts, key):
            await self._clear_part(part, steps)
        await self._engine.erase_copies()
        await self._engine.change(lambda rows: rows.set_state(key, "final", has_rest=False), steps.lease)
        await steps.repeat(lambda limit, rows: rows.sweep(limit=limit))

    async def _clear_part(self, part: Part, steps: "Steps") -> None:
        await steps.repeat(lambda limit, rows: rows.forget_events(part, limit=limit))
        await self._remove_values(part, steps)
        await self._engine.clear_derived(part)
        await steps.walk(lambda after, limit, rows: rows.forget_values(part, after=after, limit=limit), 0)

    async def _remove_values(self, part: Part, steps: "Steps") -> None:
        """Remove unused values, of those whose events were moved."""
        moved = await asyncio.to_thread(self._reads.moved_values, part)
        used = await asyncio.to_thread(self._reads.used_values, part, list(moved))
        unused = moved - used
        await steps.each_value(lambda some, rows: rows.hide_values(part, some), unused)
        if unused:  # a new event may have been given one before it was hidden
            used |= await asyncio.to_thread(self._reads.used_values, part, list(unused))
        await steps.each_value(lambda some, rows: rows.remove_values(part, some), unused - used)
        await steps.each_value(lambda some, rows: rows.show_values(part, some), used)


class Steps:
    """Runs steps in transactions of a few milliseconds, one after the other."""

    def __init__(self, engine: RedactionEngine, lease: Lease, *, plan: str) -> None:
        self._engine = engine
        self.lease = lease
        self.plan = plan

    async def walk(self, step: Callable[[T, int, RedactionRows], T | None], first: T) -> None:
        """Call a step with the position that it returned, until it returns None."""
        pace = self._engine.new_pace()
        position: T | None = first
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
            await self._each(step, page, pace)

    async def each_value(self, step: Callable[[Sequence[int], RedactionRows], None], values: Set[int]) -> None:
        """Call a step with all values."""
        await self._each(step, sorted(values), self._engine.new_pace())

    async def _each(
        self, step: Callable[[Sequence[T], RedactionRows], None], items: Sequence[T], pace: SlicePace
    ) -> None:
        done = 0
        while done < len(items):
            some = items[done : done + pace.rows]
            await self._paced(partial(step, some), pace, count=len(some))
            done += len(some)

    async def _paced(self, step: Callable[[RedactionRows], T], pace: SlicePace, *, count: int | None = None) -> T:
        count = pace.rows if count is None else count
        return await self._engine.change(pace.timed(step, rows=count), self.lease, rows=count, plan=self.plan)
