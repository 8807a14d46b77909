"""The trash of one tenant: undoing acts, and letting go of them when their time is over.

act       (doing ─▶) done ─▶ undoing ─▶ undone
                      ╰────▶ let go of: its row is gone, and what it kept is purged in slices

Every server looks for what is too old, and for what another one has left undone when it ended.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from copy import copy
from functools import partial
from typing import Final

import msgspec

from dayline.model.errors import Conflict, Gone
from dayline.model.timestamps import DAY, LATEST, Microseconds, format_timestamp
from dayline.model.trash import TrashItem, Undone
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.history.act import Act, whole
from dayline.storage.history.trash import TrashSettings
from dayline.storage.postgres.connections.connection import Readers
from dayline.storage.postgres.history import merges, undoing
from dayline.storage.postgres.history.aliases import is_taken
from dayline.storage.postgres.history.undo import undo_act
from dayline.storage.postgres.redaction.redactions import PostgresRedactions
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.rows.purge import let_go, purge
from dayline.storage.postgres.rows.slices import MADE_IN_SLICES, check_done, end_cut_off
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn

SLICE_ROWS: Final = 1000
FIRST_LOOK_S: Final = 60.0  # after the start, which has enough to do

log = logging.getLogger(__name__)


class PostgresTrash:
    """The Trash of one tenant. `start` begins to look for what is too old, `close` ends it."""

    def __init__(
        self,
        scribe: Scribe,
        readers: Readers,
        redactions: PostgresRedactions,
        settings: TrashSettings,
        ages: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        self._scribe = scribe
        self._readers = readers
        self._redactions = redactions
        self._settings = settings
        self._ages = ages
        self._is_first = True
        self._task = background.task("trash", self._clear_up, interval_s=settings.look_s, tenant=scribe.tenant)
        self.merge_calls = DetachedTasks("merging")

    def through(self, scribe: Scribe) -> "PostgresTrash":
        """The same for one call, whose first change brings a token."""
        trash = copy(self)
        trash._scribe = scribe
        return trash

    def start(self) -> None:
        """Begin to clear up. Called on the event loop."""
        self._task.start()

    def look(self) -> None:
        """Something was put into the trash. Where that keeps nothing, it is let go of at once."""
        if self._settings.days == 0:
            self._task.wake()

    async def close(self) -> None:
        """Stop; undoing that is under way goes on at the next start, or on another server."""
        await self._task.close()
        await self.merge_calls.close()

    def all(self) -> list[TrashItem]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return [self._item(act) for act in acts.all_kept(db, self._scribe.tenant) if not act.is_part]

    def item(self, act: int) -> TrashItem:
        return self._item(self._find(act))

    async def undo(self, act: int, *, is_merging: bool = True) -> Undone:
        await self._scribe.check()
        found = await asyncio.to_thread(self._find, act)
        if found.kind in undoing.EVENT_ACTS and found.events > undoing.AT_ONCE:
            await asyncio.to_thread(self._check_events, found)
            await self._scribe.change(partial(_begin_slices, act=found))
            await self._in_slices(found)
            return Undone(id=act, kind=found.kind, bucket=found.bucket, events=found.events)
        if found.kind == "redaction":
            await self._redactions.through(self._scribe).undo(int(found.detail["redaction"]))
            return Undone(id=act, kind=found.kind, bucket=found.bucket, events=found.events)
        if found.kind == "merge_buckets":
            return await merges.undo(self.merge_calls, self._scribe, self._readers, act)
        is_merged = is_merging and found.kind == "delete_buckets" and await self._merge_parts(found)
        undone = await self._scribe.change(partial(undo_act, act=found, is_merging=is_merging))
        if undone.merged:
            await merges.go_on(self.merge_calls, self._scribe.plain, self._readers, undone.bucket)
        return msgspec.structs.replace(undone, merged=undone.merged or is_merged)

    async def empty(self, act: int | None = None) -> int:
        await self._scribe.check()
        if act is None:
            await self._scribe.begin()  # keeps the token, also where there is nothing
            count = await let_go(self._scribe, LATEST, ["done"]) + await self._let_go_of_redactions(LATEST)
        else:
            found = await asyncio.to_thread(self._find, act)
            if found.kind == "redaction":
                await self._redactions.through(self._scribe).make_final(int(found.detail["redaction"]))
            else:
                await self._scribe.change(partial(_forget, act=act))
            count = 1
        self._task.wake()
        return count

    async def _merge_parts(self, act: Act) -> bool:
        """Bring those buckets back whose ids are taken again, and merge both; whether there were any."""
        taken = await asyncio.to_thread(self._taken_parts, act.key)
        for part in taken:
            undone = await self._scribe.plain.change(partial(undo_act, act=part, is_merging=True))
            if undone.merged:
                await merges.go_on(self.merge_calls, self._scribe.plain, self._readers, undone.bucket)
        return bool(taken)

    async def _in_slices(self, act: Act) -> None:
        plain = self._scribe.plain
        while await plain.change(partial(undoing.undo_slice, act=act, rows=SLICE_ROWS)):
            pass

    async def _clear_up(self) -> float | None:
        """Resume, expire and purge; each although another one fails. Expires nothing at the start of a server."""
        steps: list[Callable[[], Awaitable[object]]] = [self._go_on]
        if not self._is_first:
            steps.append(self._expire)
        steps.append(partial(purge, self._scribe, self._readers))
        steps.append(partial(merges.resume, self._scribe, self._readers))
        await for_each(steps, lambda step: step())
        was_first, self._is_first = self._is_first, False
        return min(FIRST_LOOK_S, self._settings.look_s) if was_first else None

    async def _expire(self) -> None:
        moment = self._ages() - self._settings.days * DAY if self._settings.days else LATEST
        count = await let_go(self._scribe, moment, ["done", "undone"])
        with contextlib.suppress(Conflict, Gone):  # somebody else was quicker, or it has to wait for another
            count += await self._let_go_of_redactions(moment)
        if count:
            log.info("the trash has let go of %d acts", count)

    async def _let_go_of_redactions(self, moment: Microseconds) -> int:
        """Make those final that were applied before a moment, the oldest first; how many."""
        found = await asyncio.to_thread(self._applied_before, moment)
        for act in found:
            await self._redactions.make_final(int(act.detail["redaction"]))
        return len(found)

    async def _go_on(self) -> None:
        """Go on with what was interrupted, here or on another server."""
        for act in await asyncio.to_thread(self._unfinished):
            if act.state == "undoing" and act.kind in undoing.EVENT_ACTS:
                await self._in_slices(act)
            elif act.kind in MADE_IN_SLICES:
                await self._scribe.change(partial(end_cut_off, act=act.key))

    def _item(self, act: Act) -> TrashItem:
        return TrashItem(
            id=act.key,
            kind=act.kind,
            bucket=act.bucket,
            other=str(act.detail.get("other", "")),
            events=act.events,
            made=format_timestamp(act.made),
            until=format_timestamp(act.made + self._settings.days * DAY),
            state=act.state,
        )

    def _check_events(self, act: Act) -> None:
        """Raise Conflict where an event of a large act cannot go back to what it was."""
        after: int | None = 0
        while after is not None:
            with self._readers.transaction(self._scribe.tenant) as db:
                events = undoing.kept_events(db, self._scribe.tenant, act.key, after=after)
            undoing.check_events(act, events)
            after = events[-1].id if events else None

    def _applied_before(self, moment: Microseconds) -> list[Act]:
        with self._readers.transaction(self._scribe.tenant) as db:
            found = acts.older_than(db, self._scribe.tenant, moment)
        return [act for act in found if act.kind == "redaction" and act.state == "done"]

    def _find(self, act: int) -> Act:
        with self._readers.transaction(self._scribe.tenant) as db:
            return whole(acts.find(db, self._scribe.tenant, act))

    def _taken_parts(self, act: int) -> list[Act]:
        tenant = self._scribe.tenant
        with self._readers.transaction(tenant) as db:
            parts = [part for part in acts.parts_of(db, tenant, act) if part.state == "done"]
            return [part for part in parts if is_taken(db, tenant, part.bucket)]

    def _unfinished(self) -> list[Act]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return acts.unfinished(db, self._scribe.tenant)


def _begin_slices(turn: Turn, act: Act) -> None:
    undoing.bucket_of(turn, act)
    check_done(turn, acts.lock(turn, act.key))
    acts.set_state(turn, act.key, "undoing")


def _forget(turn: Turn, act: int) -> None:
    found = acts.lock_any(turn, act)
    if found is not None and found.state in ("doing", "undoing"):
        raise Conflict(f"{act} is still being done", hint="let go of it when that is over")
    acts.forget(turn, act)
