"""The trash of one file: undoing operations, expiring them, and purging what has expired in short slices."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Final

import msgspec

from dayline.model.errors import Conflict, Gone, Unavailable
from dayline.model.time import DAY, LATEST, Microseconds, format_timestamp
from dayline.model.upkeep import ActKind, TrashItem, Undone
from dayline.runtime.background import BackgroundWorkers, for_each
from dayline.storage.history.trash import TrashPolicy
from dayline.storage.history.undo_log import Act, whole
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.history import aliases, renaming, undoing
from dayline.storage.sqlite.history.merges import SqliteMerges
from dayline.storage.sqlite.redaction.redactions import SqliteRedactions
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.transaction import Changes, delete_values
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer

SLICE_ROWS: Final = 500
# Not while an act can bring it back.
_DELETED: Final = """
SELECT key FROM bucket WHERE deleted IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM act WHERE act.bucket_key = bucket.key AND act.kind IN ('delete_bucket', 'merge_buckets')
    AND act.state <> 'undone'
)
"""
ACTS_PER_SLICE: Final = 100  # a search in the index for each
# The acts for which events are kept, found by going from one to the next: there are few of them, and many events.
_NEXT_ACTS: Final = """
WITH RECURSIVE kept(act) AS (
    SELECT (SELECT min(act) FROM act_event WHERE act > :after)
    UNION ALL
    SELECT (SELECT min(act_event.act) FROM act_event WHERE act_event.act > kept.act) FROM kept
    WHERE kept.act IS NOT NULL LIMIT :acts
)
SELECT act, NOT EXISTS (SELECT 1 FROM act WHERE act.key = kept.act) FROM kept WHERE act IS NOT NULL
"""
_PURGE_KEPT: Final = """
DELETE FROM act_event WHERE act = :act AND id <= coalesce(
    (SELECT id FROM act_event WHERE act = :act ORDER BY id LIMIT 1 OFFSET :rows), :far
)
"""
_FAR: Final = 2**62  # beyond every id and every time
_NEXT_VALUES: Final = "SELECT key, bucket FROM value WHERE key > ? ORDER BY key LIMIT ?"


class Purger:
    """Purges in the background: once after `start`, and after every `again`."""

    def __init__(self, writer: Writer, background: BackgroundWorkers) -> None:
        self._task = background.task("purge of deleted data", partial(purge_deleted, writer), interval_s=None)

    def start(self) -> None:
        """Called on the event loop."""
        self._task.start()

    def again(self) -> None:
        """There may be something to purge."""
        self._task.wake()

    async def close(self) -> None:
        """Stop; the rest is purged after the next start."""
        await self._task.close()


async def purge_deleted(writer: Writer) -> None:
    """Remove what acts and buckets have left behind. Interrupted, it goes on where it was the next time."""
    for key in await writer.change(_deleted):
        while await writer.change(partial(_purge_events, key=key), rows=SLICE_ROWS):
            pass
        number: int | None = 0
        while number is not None:
            number = await writer.change(partial(_purge_values, key=key, number=number), rows=SLICE_ROWS)
        await writer.change(partial(_purge_bucket, key=key))
    # Last, since purging a bucket deletes its acts.
    after: int | None = 0
    while after is not None:
        after, orphans = await writer.change(partial(_next_orphans, after=after), rows=ACTS_PER_SLICE)
        for act in orphans:
            while await writer.change(partial(_purge_kept_events, act=act), rows=SLICE_ROWS):
                pass


def _deleted(changes: Changes) -> list[int]:
    rows = changes.db.execute(_DELETED).fetchall()
    return [key for (key,) in msgspec.convert(rows, list[tuple[int]])]


def _next_orphans(changes: Changes, after: int) -> tuple[int | None, list[int]]:
    """Look at the next acts with kept events: where to continue, None at the end, and those that are deleted."""
    rows = changes.db.execute(_NEXT_ACTS, {"after": after, "acts": ACTS_PER_SLICE}).fetchall()
    found = msgspec.convert(rows, list[tuple[int, int]])
    last = found[-1][0] if len(found) == ACTS_PER_SLICE else None
    return last, [act for act, is_orphan in found if is_orphan]


def _purge_kept_events(changes: Changes, act: int) -> bool:
    """Remove some of what a deleted act has kept of events; whether there was any."""
    changes.db.execute(_PURGE_KEPT, {"act": act, "rows": SLICE_ROWS - 1, "far": _FAR})
    return changes.db.changes() > 0


def _purge_events(changes: Changes, key: int) -> bool:
    """Remove the oldest events; whether there were any."""
    db = changes.db
    db.execute(
        "DELETE FROM event WHERE bucket = :key AND start <= coalesce("
        "(SELECT start FROM event WHERE bucket = :key ORDER BY start LIMIT 1 OFFSET :rows), :far)",
        {"key": key, "rows": SLICE_ROWS - 1, "far": _FAR},
    )
    return db.changes() > 0


def _purge_values(changes: Changes, key: int, number: int) -> int | None:
    """Remove the bucket's values among the next ones of the dictionary; where to go on, None at its end."""
    rows = changes.db.execute(_NEXT_VALUES, (number, SLICE_ROWS)).fetchall()
    slice_ = msgspec.convert(rows, list[tuple[int, int]])
    delete_values(changes.db, [value for value, bucket in slice_ if bucket == key])
    return slice_[-1][0] if slice_ else None


def _purge_bucket(changes: Changes, key: int) -> None:
    changes.db.execute("DELETE FROM month WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM act WHERE bucket_key = ?", (key,))
    changes.db.execute("DELETE FROM alias WHERE bucket = ?", (key,))
    changes.db.execute("DELETE FROM bucket WHERE key = ?", (key,))


# The trash of one file: undoing acts, and letting go of them when their time is over.
#
# act       (doing ─▶) done ─▶ undoing ─▶ undone
#                       ╰────▶ let go of: its row is gone, and what it kept is purged in slices


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
        policy: TrashPolicy,
        clock: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        self._writer: Writer | OnceWriter = writer
        self._readers = readers
        self._redactions = redactions
        self._merges = merges
        self._purger = purger
        self._policy = policy
        self._clock = clock
        self.under_way: set[int] = set()  # acts that are still being done, slice by slice
        self._resuming = background.task("resuming undos", self._resume, interval_s=None)
        self._expiry = background.task(
            "trash expiry",
            self._expire,
            interval_s=policy.interval_s,
            initial_delay_s=min(FIRST_LOOK_S, policy.interval_s),
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
        if self._policy.days == 0:
            self._expiry.wake()

    async def close(self) -> None:
        """Stop; undoing that is under way goes on at the next start."""
        await self._resuming.close()
        await self._expiry.close()

    def all(self) -> list[TrashItem]:
        with self._readers.connection() as db:
            return [self._item(act) for act in undo_log.all_kept(db) if not act.is_part]

    def item(self, act: int) -> TrashItem:
        with self._readers.connection() as db:
            return self._item(whole(undo_log.find(db, act)))

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
            found = undo_log.find(changes.db, act.key)  # as it is now: two may undo the same at once
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
        moment = self._clock() - self._policy.days * DAY if self._policy.days else LATEST
        for act in await asyncio.to_thread(self._older_than, moment):
            with contextlib.suppress(Conflict, Gone):  # somebody else was quicker, or it has to wait for another
                await self._let_go(act)
                log.info("the trash has let go of %s of %s", act.kind, act.bucket or "several buckets")
            self._purger.again()

    async def _end_interrupted(self, act: Act) -> None:
        """What it had done by then is all it did: that can be undone."""
        if act.key not in self.under_way:
            await self._writer.change(lambda changes: undo_log.end(changes.db, act.key))

    def _item(self, act: Act) -> TrashItem:
        return TrashItem(
            id=act.key,
            kind=act.kind,
            bucket=act.bucket,
            other=str(act.detail.get("other", "")),
            events=act.events,
            made=format_timestamp(act.made),
            until=format_timestamp(act.made + self._policy.days * DAY),
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
            return whole(undo_log.find(db, act))

    def _parts(self, act: int) -> list[Act]:
        with self._readers.connection() as db:
            return undo_log.parts_of(db, act)

    def _kept(self) -> list[Act]:
        with self._readers.connection() as db:
            return undo_log.all_kept(db)

    def _unfinished(self) -> list[Act]:
        with self._readers.connection() as db:
            return undo_log.unfinished(db)

    def _older_than(self, moment: Microseconds) -> list[Act]:
        with self._readers.connection() as db:
            return undo_log.older_than(db, moment)


def _begin_slices(changes: Changes, act: Act) -> None:
    undoing.bucket_of(changes, act)
    undo_log.set_state(changes.db, act.key, "undoing")


def _forget(changes: Changes, *, act: int) -> None:
    found = undo_log.read(changes.db, act)
    if found is not None and found.state in ("doing", "undoing"):
        raise Conflict(f"{act} is still being done", hint="let go of it when that is over")
    undo_log.forget(changes.db, act)


def _check_done(act: Act) -> None:
    """Raise Conflict for one that is still being made.

    Whoever undoes a merge waits for its end; mending or deleting that was cut off can be undone as far as it came.
    """
    if act.state == "doing" and act.kind not in (*_IN_SLICES, "merge_buckets"):
        raise Conflict(f"what {act.key} would undo is still being done", hint="undo it when it is done")
