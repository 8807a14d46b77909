"""The trash of one file: undoing acts, and letting go of them when their time is over.

act       (doing ─▶) done ─▶ undoing ─▶ undone
                      ╰────▶ let go of: its row is gone, and what it kept is purged in slices
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Final

from dayline.model.errors import Conflict, Gone, Unavailable
from dayline.model.timestamps import DAY, LATEST, Microseconds, format_timestamp
from dayline.model.trash import ActKind, TrashItem, Undone
from dayline.runtime.background import BackgroundWorkers, for_each
from dayline.storage.history.act import Act, whole
from dayline.storage.history.trash import TrashSettings
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.history import aliases, renaming, undoing
from dayline.storage.sqlite.history.merges import SqliteMerges
from dayline.storage.sqlite.redaction.redactions import SqliteRedactions
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.rows.purge import Purger
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.once import OnceWriter
from dayline.storage.sqlite.writing.writer import Writer

SLICE_ROWS: Final = 500
FIRST_LOOK_S: Final = 60.0  # after the start, which has enough to do

_IN_SLICES: Final[tuple[ActKind, ...]] = ("mend_events", "delete_events")

log = logging.getLogger(__name__)


class SqliteTrash:
    """The Trash of one file. `start` begins to resume interrupted undos and to expire old entries, `close` ends it."""

    def __init__(
        self,
        writer: Writer,
        readers: ReaderPool,
        redactions: SqliteRedactions,
        merges: SqliteMerges,
        purger: Purger,
        settings: TrashSettings,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._redactions = redactions
        self._merges = merges
        self._purger = purger
        self._settings = settings
        self._clock = clock
        self.under_way: set[int] = set()  # acts that are still being done, slice by slice
        self._resuming = background.task("resuming undos", self._resume, interval_s=None)
        self._expiry = background.task(
            "trash expiry",
            self._expire,
            interval_s=settings.look_s,
            initial_delay_s=min(FIRST_LOOK_S, settings.look_s),
        )

    def start(self) -> None:
        """Called on the event loop."""
        self._resuming.start()
        self._expiry.start()

    def through(self, writer: Writer | OnceWriter) -> "SqliteTrash":
        """The same for one call, whose first change brings a token."""
        trash = copy(self)
        trash._writer = writer
        return trash

    def look(self) -> None:
        """Something was put into the trash. Where that keeps nothing, it is let go of at once."""
        if self._settings.days == 0:
            self._expiry.wake()

    async def close(self) -> None:
        """Stop; undoing that is under way goes on at the next start."""
        await self._resuming.close()
        await self._expiry.close()

    def all(self) -> list[TrashItem]:
        with self._readers.connection() as db:
            return [self._item(act) for act in acts.all_kept(db) if not act.is_part]

    def item(self, act: int) -> TrashItem:
        with self._readers.connection() as db:
            return self._item(whole(acts.find(db, act)))

    async def undo(self, act: int, *, is_merging: bool = True) -> Undone:
        await self._check_token()
        found = await asyncio.to_thread(self._find, act)
        if act in self.under_way:
            raise Conflict(f"what {act} would undo is still being done", hint="wait until it is done, then undo it")
        _check_done(found)
        is_merged = False
        match found.kind:
            case "redaction":
                await self._redactions.through(self._writer).undo(int(found.detail["redaction"]))
            case "update_bucket":
                await self._change(found, undoing.undo_update)
            case "delete_bucket" if is_merging and found.bucket in self._writer.catalogue.published.by_id:
                is_merged = await self._merges.restore(self._writer, act)
            case "delete_bucket":
                await self._change(found, undoing.undo_deletion)
            case "delete_buckets":
                is_merged = is_merging and await self._merge_parts(found)
                await self._change(found, undoing.undo_deletions)
            case "merge_buckets":
                await self._merges.undo(self._writer, act)
            case "split_event":
                await self._change(found, undoing.undo_split)
            case "rename_bucket" | "rehost_bucket":
                await self._change(found, renaming.undo_renaming)
            case "remove_alias":
                await self._change(found, aliases.undo_removal)
            case _ if found.events <= undoing.AT_ONCE:
                await self._change(found, undoing.undo_events, rows=found.events)
            case _:
                await asyncio.to_thread(self._check_events, found)
                await self._change(found, _begin_slices)
                try:
                    await self._in_slices(found)
                except Unavailable:
                    self._resuming.wake()  # what was begun is finished, though this call fails
                    raise
        return Undone(id=act, kind=found.kind, bucket=found.bucket, events=found.events, merged=is_merged)

    async def empty(self, act: int | None = None) -> int:
        await self._check_token()
        if act is not None:
            doomed = [await asyncio.to_thread(self._find, act)]
        else:
            kept = await asyncio.to_thread(self._kept)
            doomed = [one for one in reversed(kept) if one.state == "done" and not one.is_part]
            await self._writer.change(lambda changes: None)  # keeps the token, also where there is nothing
        for one in doomed:
            await self._let_go(one)
        self._purger.again()
        return len(doomed)

    async def _check_token(self) -> None:
        """Raise AlreadyDone before anything else could be wrong with a call that is sent again."""
        if isinstance(self._writer, OnceWriter):
            await self._writer.check()

    async def _change(self, act: Act, undo: Callable[[Changes, Act], None], *, rows: int = 1) -> None:
        def change(changes: Changes) -> None:
            found = acts.find(changes.db, act.key)  # as it is now: two may undo the same at once
            _check_done(found)
            undo(changes, found)

        await self._writer.change(change, rows=rows)

    async def _merge_parts(self, act: Act) -> bool:
        """Bring those buckets back whose ids are taken again, and merge both; whether there were any."""
        writer = self._writer.plain if isinstance(self._writer, OnceWriter) else self._writer
        taken = [
            part
            for part in await asyncio.to_thread(self._parts, act.key)
            if part.state == "done" and part.bucket in writer.catalogue.published.by_id
        ]
        for part in taken:
            await self._merges.restore(writer, part.key)
        return bool(taken)

    async def _in_slices(self, act: Act) -> None:
        writer = self._writer.plain if isinstance(self._writer, OnceWriter) else self._writer
        while await writer.change(partial(undoing.undo_slice, act=act, rows=SLICE_ROWS), rows=SLICE_ROWS):
            pass
        await writer.change(lambda changes: undoing.end(changes, act))

    async def _let_go(self, act: Act) -> None:
        if act.kind == "redaction":
            await self._redactions.make_final(int(act.detail["redaction"]))
        else:
            await self._writer.change(partial(_forget, act=act.key))

    async def _resume(self) -> None:
        """Finish what was interrupted."""
        await for_each(await asyncio.to_thread(self._unfinished), self._finish)

    async def _finish(self, act: Act) -> None:
        if act.state == "undoing" and act.kind != "merge_buckets":  # SqliteMerges resumes those
            await self._in_slices(act)
        elif act.kind in _IN_SLICES:
            await self._end_interrupted(act)

    async def _expire(self) -> None:
        moment = self._clock() - self._settings.days * DAY if self._settings.days else LATEST
        for act in await asyncio.to_thread(self._older_than, moment):
            with contextlib.suppress(Conflict, Gone):  # somebody else was quicker, or it has to wait for another
                await self._let_go(act)
                log.info("the trash has let go of %s of %s", act.kind, act.bucket or "several buckets")
            self._purger.again()

    async def _end_interrupted(self, act: Act) -> None:
        """What it had done by then is all it did: that can be undone."""
        if act.key not in self.under_way:
            await self._writer.change(lambda changes: acts.end(changes.db, act.key))

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
            with self._readers.connection() as db:
                events = undoing.kept_events(db, act, after=after)
            undoing.check_events(act, events)
            after = events[-1].id if events else None

    def _find(self, act: int) -> Act:
        with self._readers.connection() as db:
            return whole(acts.find(db, act))

    def _parts(self, act: int) -> list[Act]:
        with self._readers.connection() as db:
            return acts.parts_of(db, act)

    def _kept(self) -> list[Act]:
        with self._readers.connection() as db:
            return acts.all_kept(db)

    def _unfinished(self) -> list[Act]:
        with self._readers.connection() as db:
            return acts.unfinished(db)

    def _older_than(self, moment: Microseconds) -> list[Act]:
        with self._readers.connection() as db:
            return acts.older_than(db, moment)


def _begin_slices(changes: Changes, act: Act) -> None:
    undoing.bucket_of(changes, act)
    acts.set_state(changes.db, act.key, "undoing")


def _forget(changes: Changes, *, act: int) -> None:
    found = acts.read(changes.db, act)
    if found is not None and found.state in ("doing", "undoing"):
        raise Conflict(f"{act} is still being done", hint="let go of it when that is over")
    acts.forget(changes.db, act)


def _check_done(act: Act) -> None:
    """Raise Conflict for one that is still being made.

    Whoever undoes a merge waits for its end; mending or deleting that was cut off can be undone as far as it came.
    """
    if act.state == "doing" and act.kind not in (*_IN_SLICES, "merge_buckets"):
        raise Conflict(f"what {act.key} would undo is still being done", hint="undo it when it is done")
