"""The trash of one tenant: undoing operations, expiring them, and purging what has expired in short slices."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from functools import partial
from typing import Final

import msgspec

from dayline.model.errors import Conflict, Gone
from dayline.model.time import DAY, LATEST, Microseconds, format_timestamp
from dayline.model.upkeep import TrashItem, Undone
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.history.trash import TrashPolicy
from dayline.storage.history.undo_log import Act, whole
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.derived.words import clear_words
from dayline.storage.postgres.history import merges, moves, undoing
from dayline.storage.postgres.history.aliases import is_taken
from dayline.storage.postgres.redaction.redactions import PostgresRedactions
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.rows.undo_log import MADE_IN_SLICES, check_done, end_cut_off
from dayline.storage.postgres.writing.transaction import Turn
from dayline.storage.postgres.writing.writer import Scribe

# Removes what the trash has let go of, in short slices, so that deleting a bucket of any size costs nothing.
#
# Several servers may do so at once: what one of them holds is left to it.


SLICE_ROWS: Final = 1000
_FAR: Final = 2**62  # beyond every key and every time

# Not while an act can bring it back.
_PURGEABLE: Final = """
bucket.tenant = %(tenant)s AND bucket.deleted IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM act WHERE act.tenant = %(tenant)s AND act.bucket_key = bucket.key
    AND act.kind IN ('delete_bucket', 'merge_buckets') AND act.state <> 'undone'
)
"""
_DELETED: Final = f"SELECT key FROM bucket WHERE {_PURGEABLE} ORDER BY key"
_HOLD: Final = f"SELECT 1 FROM bucket WHERE {_PURGEABLE} AND key = %(key)s FOR UPDATE SKIP LOCKED"
# The acts that events are kept for, found by going from one to the next: there are few of them, and many events.
_ORPHANS: Final = """
WITH RECURSIVE kept(act) AS (
    SELECT (SELECT min(act) FROM act_event WHERE tenant = %(tenant)s)
    UNION ALL
    SELECT (SELECT min(act_event.act) FROM act_event WHERE tenant = %(tenant)s AND act_event.act > kept.act)
    FROM kept WHERE kept.act IS NOT NULL
)
SELECT act FROM kept
WHERE act IS NOT NULL AND NOT EXISTS (SELECT 1 FROM act WHERE act.tenant = %(tenant)s AND act.key = kept.act)
"""
# By ranges of the keys: what is to go is found by going along the index, whatever the planner knows of the tables. The
# edge is selected as a whole, since row security lets an index be used for what is leakproof alone: coalesce is not.
_PURGE_KEPT: Final = """
DELETE FROM act_event WHERE tenant = %(tenant)s AND act = %(act)s AND id <= (SELECT coalesce((
    SELECT id FROM act_event WHERE tenant = %(tenant)s AND act = %(act)s ORDER BY id LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_EVENTS: Final = """
DELETE FROM event WHERE tenant = %(tenant)s AND bucket = %(key)s AND start <= (SELECT coalesce((
    SELECT start FROM event WHERE tenant = %(tenant)s AND bucket = %(key)s ORDER BY start LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_VALUES: Final = """
DELETE FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s AND key <= (SELECT coalesce((
    SELECT key FROM value WHERE tenant = %(tenant)s AND bucket = %(key)s ORDER BY key LIMIT 1 OFFSET %(rows)s
), %(far)s))
"""
_PURGE_ROWS: Final = """
DELETE FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s AND ({columns}) <= (
    SELECT {columns} FROM (
        (
            SELECT {columns} FROM {table} WHERE tenant = %(tenant)s AND bucket = %(key)s
            ORDER BY {columns} LIMIT 1 OFFSET %(rows)s
        ) UNION ALL SELECT %(far)s, %(far)s
    ) AS edge ORDER BY {columns} LIMIT 1
)
"""
_PURGE_REDACTED: Final = tuple(
    _PURGE_ROWS.format(table=table, columns=columns)
    for table, columns in (
        ("redacted_event", "redaction, start"),
        ("redacted_value", "redaction, value"),
        ("redaction_change", "plan, value"),
    )
)
_PURGE_BUCKET: Final = (
    "DELETE FROM segment WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM pack WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM month WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM act WHERE tenant = %(tenant)s AND bucket_key = %(key)s",
    "DELETE FROM alias WHERE tenant = %(tenant)s AND bucket = %(key)s",
    "DELETE FROM bucket WHERE tenant = %(tenant)s AND key = %(key)s",
)
_LET_GO: Final = """
DELETE FROM act WHERE tenant = %(tenant)s AND key IN (
    SELECT key FROM act WHERE tenant = %(tenant)s AND made < %(moment)s AND state = ANY(%(states)s)
    AND (kind <> 'redaction' OR state = 'undone')
    ORDER BY key LIMIT %(rows)s FOR UPDATE SKIP LOCKED
) RETURNING detail::json ->> 'part_of' IS NULL
"""


async def purge(scribe: Scribe, readers: Readers) -> None:
    """Remove what acts and buckets have left behind. Interrupted, it goes on where it was the next time."""
    for key in await asyncio.to_thread(_found, readers, scribe.tenant, _DELETED):
        await clear_words(scribe, key)
        while await scribe.change(partial(_purge_bucket, key=key)):
            pass
    for act in await asyncio.to_thread(_found, readers, scribe.tenant, _ORPHANS):
        while await scribe.change(partial(_purge_kept_events, act=act)):
            pass


async def let_go(scribe: Scribe, moment: Microseconds, states: Sequence[str]) -> int:
    """Forget acts in these states that were made before a moment, but for those that somebody undoes now."""
    count = 0
    while wholes := await scribe.change(partial(_let_go, moment=moment, states=states)):
        count += sum(wholes)
    return count


def _let_go(turn: Turn, moment: Microseconds, states: Sequence[str]) -> list[bool]:
    """For each act that was deleted whether it was one of its own, and not a part of another."""
    place = {"tenant": turn.tenant, "moment": moment, "states": list(states), "rows": SLICE_ROWS}
    return [is_whole for (is_whole,) in turn.db.execute(_LET_GO, place).fetchall()]


def _found(readers: Readers, tenant: str, statement: str) -> list[int]:
    with readers.transaction(tenant) as db:
        return _numbers(db, statement, tenant)


def _numbers(db: Connection, statement: str, tenant: str) -> list[int]:
    return [int(number) for (number,) in db.execute(statement.encode(), {"tenant": tenant}).fetchall()]


def _purge_kept_events(turn: Turn, act: int) -> bool:
    """Remove what an act that is gone has kept of events; whether there may be more."""
    place = {"tenant": turn.tenant, "act": act, "rows": SLICE_ROWS, "far": _FAR}
    return turn.db.execute(_PURGE_KEPT, place).rowcount > 0


def _purge_bucket(turn: Turn, key: int) -> bool:
    """Remove some rows of a bucket, and at last the bucket; whether there may be more."""
    place = {"tenant": turn.tenant, "key": key, "rows": SLICE_ROWS, "far": _FAR}
    if turn.db.execute(_HOLD, place).fetchone() is None:
        return False
    for statement in (_PURGE_EVENTS, _PURGE_VALUES, *_PURGE_REDACTED):
        if turn.db.execute(statement.encode(), place).rowcount:
            return True
    for statement in _PURGE_BUCKET:
        turn.db.execute(statement.encode(), place)
    return False


# Undoes one act in one transaction, whatever its kind. Of large merges, and their undoing, it is the beginning.


_LOCK: Final = """
SELECT id FROM bucket WHERE tenant = %(tenant)s AND (key = ANY(%(keys)s) OR (id = %(id)s AND deleted IS NULL))
ORDER BY key FOR UPDATE
"""


def undo_act(turn: Turn, act: Act, *, is_merging: bool) -> Undone:
    """Restore what an act has changed; raises Gone or Conflict, with nothing changed."""
    # The bucket, the one that it was merged into, and the one that was made again in its place.
    parts = [part.bucket_key for part in undo_log.parts_of(turn.db, turn.tenant, act.key)]
    keys = [key for key in (act.bucket_key, act.detail.get("target"), *parts) if key is not None]
    turn.db.execute(_LOCK, {"tenant": turn.tenant, "keys": keys, "id": act.bucket})
    found = undo_log.lock(turn, act.key)  # as it is now: two may undo the same at once
    check_done(turn, found)
    match found.kind:
        case "rename_bucket":
            return moves.undo_rename(turn, found)
        case "rehost_bucket":
            return moves.undo_rehost(turn, found)
        case "merge_buckets":
            return moves.undo_merge(turn, found)
        case "remove_alias":
            return moves.undo_remove_alias(turn, found)
        case "delete_bucket":
            return _bring_back(turn, found, is_merging=is_merging)
        case "delete_buckets":
            undoing.undo_deletions(turn, found)
        case "update_bucket":
            undoing.undo_update(turn, found)
        case "split_event":
            undoing.undo_split(turn, found)
        case _:
            undoing.undo_events(turn, found)
    return _undone(found)


def _bring_back(turn: Turn, act: Act, *, is_merging: bool) -> Undone:
    """Bring a deleted bucket back; where its id was given to a new one meanwhile, both become one."""
    if not (is_merging and is_taken(turn.db, turn.tenant, act.bucket)):
        undoing.undo_deletion(turn, act)
        return _undone(act)
    moves.merge_restored(turn, act)
    undo_log.end_undoing(turn, act.key)
    return _undone(act, is_merged=True)


def _undone(act: Act, *, is_merged: bool = False) -> Undone:
    return Undone(id=act.key, kind=act.kind, bucket=act.bucket, events=act.events, merged=is_merged)


# The trash of one tenant: undoing acts, and letting go of them when their time is over.
#
# act       (doing ─▶) done ─▶ undoing ─▶ undone
#                       ╰────▶ let go of: its row is gone, and what it kept is purged in slices
#
# Every server looks for what is too old, and for what another one has left undone when it ended.


FIRST_LOOK_S: Final = 60.0  # after the start, which has enough to do

log = logging.getLogger(__name__)


class PostgresTrash:
    """The Trash of one tenant. `start` begins to look for what is too old, `close` ends it."""

    def __init__(
        self,
        scribe: Scribe,
        readers: Readers,
        redactions: PostgresRedactions,
        policy: TrashPolicy,
        ages: Callable[[], Microseconds],
        background: BackgroundWorkers,
    ) -> None:
        self._scribe = scribe
        self._readers = readers
        self._redactions = redactions
        self._policy = policy
        self._ages = ages
        self._is_first = True
        self._task = background.task("trash", self._clear_up, interval_s=policy.interval_s, tenant=scribe.tenant)
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
        if self._policy.days == 0:
            self._task.wake()

    async def close(self) -> None:
        """Stop; undoing that is under way goes on at the next start, or on another server."""
        await self._task.close()
        await self.merge_calls.close()

    def all(self) -> list[TrashItem]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return [self._item(act) for act in undo_log.all_kept(db, self._scribe.tenant) if not act.is_part]

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
        return min(FIRST_LOOK_S, self._policy.interval_s) if was_first else None

    async def _expire(self) -> None:
        moment = self._ages() - self._policy.days * DAY if self._policy.days else LATEST
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
            until=format_timestamp(act.made + self._policy.days * DAY),
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
            found = undo_log.older_than(db, self._scribe.tenant, moment)
        return [act for act in found if act.kind == "redaction" and act.state == "done"]

    def _find(self, act: int) -> Act:
        with self._readers.transaction(self._scribe.tenant) as db:
            return whole(undo_log.find(db, self._scribe.tenant, act))

    def _taken_parts(self, act: int) -> list[Act]:
        tenant = self._scribe.tenant
        with self._readers.transaction(tenant) as db:
            parts = [part for part in undo_log.parts_of(db, tenant, act) if part.state == "done"]
            return [part for part in parts if is_taken(db, tenant, part.bucket)]

    def _unfinished(self) -> list[Act]:
        with self._readers.transaction(self._scribe.tenant) as db:
            return undo_log.unfinished(db, self._scribe.tenant)


def _begin_slices(turn: Turn, act: Act) -> None:
    undoing.bucket_of(turn, act)
    check_done(turn, undo_log.lock(turn, act.key))
    undo_log.set_state(turn, act.key, "undoing")


def _forget(turn: Turn, act: int) -> None:
    found = undo_log.lock_any(turn, act)
    if found is not None and found.state in ("doing", "undoing"):
        raise Conflict(f"{act} is still being done", hint="let go of it when that is over")
    undo_log.forget(turn, act)
