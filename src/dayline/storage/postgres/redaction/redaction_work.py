"""The long work of redactions: bucket after bucket, slice after slice, from wherever it was left."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from typing import Final, Protocol, TypeVar

from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.derived.word_clearing import clear_words
from dayline.storage.postgres.redaction import redaction_clearing as clearing
from dayline.storage.postgres.redaction import redaction_rows as rows
from dayline.storage.postgres.redaction import redaction_slices as slices
from dayline.storage.postgres.redaction import redaction_undoing as undoing
from dayline.storage.postgres.redaction.redaction_part import SLICE_ROWS, Part, Place
from dayline.storage.postgres.redaction.redaction_search import RedactionSearch
from dayline.storage.postgres.writing.scribe import Scribe

T = TypeVar("T")

_BEFORE_ALL: Final[Place] = (-(2**62), 0)


class Derived(Protocol):
    """What keeps data that are derived from events."""

    def redaction_under_way(self) -> AbstractContextManager[None]:
        """Make nothing meanwhile that would be stale at once."""
        ...


class RedactionWork:
    """Does what the state of a redaction says is to be done, in the name of its owner."""

    def __init__(self, scribe: Scribe, readers: Readers, derived: Derived) -> None:
        self._scribe = scribe
        self._readers = readers
        self._derived = derived
        self._search = RedactionSearch(readers, scribe.tenant)

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
        await self._scribe.change(partial(clearing.end_plan, owner=owner, plan=plan))

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
        await self._scribe.change(partial(rows.end_applying, key=key, owner=owner))
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
        await self._scribe.change(partial(rows.end_undo, key=key, owner=owner))
        await self._scribe.change(partial(clearing.sweep, owner=owner))

    async def _clear(self, key: int, owner: str) -> None:
        for bucket in await asyncio.to_thread(self._search.changed_buckets, key):
            part = Part(redaction=key, owner=owner, bucket=bucket)
            await self._repeat(clearing.forget_events, part)
            await self._remove_values(part)
            await clear_words(self._scribe, bucket)
            await self._repeat(clearing.forget_values, part)
        await self._scribe.change(partial(rows.end_rest, key=key, owner=owner))
        await self._scribe.change(partial(clearing.sweep, owner=owner))

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
            next_ = await self._scribe.change(partial(change, after=next_))

    async def _repeat(self, change: Callable[..., bool], part: Part) -> None:
        """Make a change again and again, until it finds no more."""
        while await self._scribe.change(partial(change, part=part)):
            pass

    async def _some(self, change: Callable[..., None], values: Iterable[int]) -> None:
        """Make a change of some values after the other."""
        for some in _chunks(iter(sorted(values))):
            await self._scribe.change(partial(change, values=some))

    async def _along(self, change: Callable[..., None], pages: Iterator[list[Place]]) -> None:
        """Make a change of the events in pages that are read one at a time."""
        while page := await asyncio.to_thread(next, pages, None):
            for some in _chunks(iter(page)):
                await self._scribe.change(partial(change, events=some))

    def _look(self, key: int) -> rows.ToDo:
        with self._readers.transaction(self._scribe.tenant) as db:
            return rows.to_do(db, self._scribe.tenant, key)


def _chunks(items: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(items, SLICE_ROWS)):
        yield some
