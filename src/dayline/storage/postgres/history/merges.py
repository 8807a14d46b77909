"""Merging a bucket into another and undoing it, in slices between heartbeats that resume after an interruption."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict, Gone, StoreBusy
from dayline.model.time import Microseconds, now_us
from dayline.model.upkeep import Undone
from dayline.runtime.background import DetachedTasks
from dayline.storage.history.undo_log import Act
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.history import aliases
from dayline.storage.postgres.history.aliases import Before
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.writing.changes import bring_back, check_idle, count_events, lock_key, set_aside
from dayline.storage.postgres.writing.transaction import EventRow, Found, Turn
from dayline.storage.postgres.writing.writer import Scribe

# Merging a bucket into another: what begins it, and its slices, each in one transaction.
#
# begin     the source is set aside, its id becomes an alias of the target, ids for all its events are reserved
# slices    its events are copied in order of start and id; the one of rank n gets the id first + n
# end       the act is done, and the source stays in the trash as it was
#
# From the beginning on, what a watcher sends to the source's id goes to the target. How far the slices are is noted in
# the transaction of each, under the lock of the act: so every event is copied once, whatever interrupts the work, and
# however many servers do it. Both buckets are locked before anything else.


SLICE_ROWS: Final = 500  # a heartbeat of one of the buckets waits for one slice at most
_BEFORE_ALL: Final = -(2**62)

_SLICE: Final = """
SELECT start, id, duration, value FROM event
WHERE tenant = %(tenant)s AND bucket = %(source)s AND (start, id) > (%(start)s, %(id)s)
ORDER BY start, id LIMIT %(rows)s
"""
# For each of the events `moving` the text of its data, and the number that the target has for that, or NULL. Each is
# looked up by itself, and in the order of the index that fits: of a table that has grown just now the planner knows
# nothing yet, and is easily led to go through a whole dictionary for every event.
SAME_VALUE: Final = """
CROSS JOIN LATERAL (
    SELECT hash, json FROM value
    WHERE tenant = %(tenant)s AND bucket = %(source)s AND key BETWEEN moving.value AND moving.value
    ORDER BY key LIMIT 1
) AS old
LEFT JOIN LATERAL (
    SELECT key FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(target)s AND hash = old.hash AND json = old.json
    AND salt >= 0 LIMIT 1
) AS same ON true
"""
# Texts of one hash are told apart by the salt, those that are new here too.
_COPY_VALUES: Final = f"""
INSERT INTO value(tenant, bucket, hash, salt, json)
SELECT %(tenant)s, %(target)s, new.hash, row_number() OVER (PARTITION BY new.hash) - 1 + (
    SELECT coalesce(max(salt) + 1, 0) FROM value
    WHERE tenant = %(tenant)s AND bucket::float8 = %(target)s AND hash = new.hash AND salt >= 0
), new.json
FROM (
    SELECT DISTINCT old.hash, old.json FROM (SELECT DISTINCT value FROM ({_SLICE}) AS slice) AS moving
    {SAME_VALUE} WHERE same.key IS NULL
) AS new
"""
# What the target has already counts; what was copied here does not.
_COPY_EVENTS: Final = f"""
WITH copying AS MATERIALIZED (
    SELECT moving.start, moving.id, moving.duration, same.key AS value,
        %(next)s + row_number() OVER (ORDER BY moving.start, moving.id) - 1 AS new_id
    FROM ({_SLICE}) AS moving {SAME_VALUE}
), judged AS MATERIALIZED (
    SELECT copying.*, EXISTS (
        SELECT 1 FROM event AS same WHERE same.tenant = %(tenant)s AND same.bucket = %(target)s
        AND same.start = copying.start AND same.duration = copying.duration AND same.value = copying.value
        AND same.id NOT BETWEEN %(first)s AND %(last)s
    ) AS is_there FROM copying
), copied AS (
    INSERT INTO event(tenant, bucket, start, id, duration, value)
    SELECT %(tenant)s, %(target)s, start, new_id, duration, value FROM judged WHERE NOT is_there
)
SELECT start, id, duration, is_there FROM judged ORDER BY start, id
"""
_IS_REDACTING: Final = "SELECT 1 FROM redaction WHERE tenant = %s AND state IN ('applying', 'undoing')"
_LOCK: Final = "SELECT 1 FROM bucket WHERE tenant = %s AND key = ANY(%s) ORDER BY key FOR UPDATE"


class Merge(Struct, frozen=True, kw_only=True):
    """What the act of a merge has to know: where to, which ids are reserved, and how far it is, or its undoing.

    `is_restoring`: the target came back from the trash with it, and had the same id.
    """

    target: int
    other: str
    first: int
    count: int
    aliases: Before
    is_restoring: bool = False
    moved: int = 0
    done: int = 0
    start: int = _BEFORE_ALL
    id: int = 0

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    @property
    def next(self) -> int:
        """The id of the next copy."""
        return self.first + self.done

    @property
    def afresh(self) -> "Merge":
        """The same with nothing done yet."""
        return msgspec.structs.replace(self, done=0, moved=0, start=_BEFORE_ALL, id=0)

    def place(self, tenant: str, source: int, rows: int) -> dict[str, object]:
        """The next slice, as SQL has to know it."""
        own = {field: getattr(self, field) for field in ("target", "first", "last", "next", "start", "id")}
        return {**own, "tenant": tenant, "source": source, "rows": rows}

    def further(self, *, done: int, moved: int, start: int, event_id: int) -> "Merge":
        """The same after a slice that ended with this event."""
        return msgspec.structs.replace(self, done=self.done + done, moved=self.moved + moved, start=start, id=event_id)


def merge_of(act: Act) -> Merge:
    return msgspec.convert(act.detail, Merge)


def lock_buckets(turn: Turn, *keys: int) -> None:
    """Lock buckets, those that are set aside too."""
    turn.db.execute(_LOCK, (turn.tenant, list(keys)))


def check_merge(source: Found, target: Found, *, is_forced: bool) -> None:
    """Raise Conflict for what cannot be merged, or should not be."""
    if source.key == target.key:
        raise Conflict(f"bucket {source.bucket.id!r} cannot be merged into itself", field="into")
    types = source.bucket.type, target.bucket.type
    if types[0] != types[1] and not is_forced:
        raise Conflict(
            f"the buckets are of different types: {types[0]!r} and {types[1]!r}",
            hint='send "force": true where they belong together all the same',
            field="into",
        )


def begin_merge(
    turn: Turn, source: Found, target: int, target_id: str, *, now: Microseconds, is_restoring: bool = False
) -> int:
    """Set the source aside, and let its ids lead to the target; the number of the act. Both are locked."""
    check_idle(turn, source.key, target)
    if turn.db.execute(_IS_REDACTING, (turn.tenant,)).fetchone() is not None:
        raise Conflict("privacy rules are being applied to history, or undone", hint="merge when that is done")
    count = count_events(turn, source.key)
    names = aliases.aliases_of(turn, source.key)
    if source.bucket.id != target_id:
        names.append(source.bucket.id)
    set_aside(turn, source, now=now)
    turn.tell(source.bucket.id, "merged")
    turn.tell(target_id, "merged")
    before = aliases.set_aliases(turn, names, target, now=now)
    turn.touch(target)
    first = turn.take_event_ids(count)
    return undo_log.begin(
        turn,
        "merge_buckets",
        now=now,
        bucket=source.bucket.id,
        bucket_key=source.key,
        events=count,
        detail=Merge(
            target=target, other=target_id, first=first, count=count, aliases=before, is_restoring=is_restoring
        ),
        state="doing",
    )


def begin_restoring(turn: Turn, deletion: Act, *, now: Microseconds) -> int:
    """Bring a deleted bucket back, and begin to merge the one into it that was given its id since; the act of that."""
    key = deletion.bucket_key or 0
    new = turn.find(deletion.bucket)
    merge = begin_merge(turn, new, key, deletion.bucket, now=now, is_restoring=True)
    bring_back(turn, key)
    return merge


def copy_slice(turn: Turn, act: Act, *, rows: int = SLICE_ROWS) -> bool:
    """Copy the next events of an act as it is in the database; whether there may be more. The last one ends it."""
    merge = merge_of(act)
    place = merge.place(turn.tenant, act.bucket_key or 0, rows)
    turn.db.execute(_COPY_VALUES, place)
    events = turn.db.execute(_COPY_EVENTS, place).fetchall()
    if not events:
        undo_log.set_state(turn, act.key, "done")
        return False
    moved = 0
    for start, _, duration, is_there in events:
        if not is_there:
            turn.cover(merge.target, start, duration, events=1)
            moved += 1
    last_start, last_id, *_ = events[-1]
    further = merge.further(done=len(events), moved=moved, start=last_start, event_id=last_id)
    undo_log.set_detail(turn, act.key, further)
    return True


# Carries out merges and their undoing, slice by slice between heartbeats, and goes on with what was interrupted.
#
# Every slice takes the lock of its act and begins where the one before it has ended. So nobody owns a merge: any
# server may go on with any of them, and where two do so, they take turns.


T = TypeVar("T")

STILL_S: Final = (
    15.0  # a merge that has not moved for so long was left: a server gives up after ten without the database
)

log = logging.getLogger(__name__)


async def merge(calls: DetachedTasks, scribe: Scribe, readers: Readers, begin: Callable[[Turn], int]) -> Act:
    """Begin a merge by what makes its act, and finish it; the act as it is then. `calls` are closed with the tenant."""

    async def work() -> Act:
        return await _finish(scribe, readers, await scribe.change(lambda turn: _small_at_once(turn, begin(turn))))

    return await _finished(calls, work())


async def undo(calls: DetachedTasks, scribe: Scribe, readers: Readers, key: int) -> Undone:
    """Undo a merge, after its end. Raises Gone or Conflict."""

    async def work() -> Undone:
        act = await asyncio.to_thread(_find, readers, scribe.tenant, key)
        if act.state == "doing":
            act = await _finish(scribe, readers, key)
        await scribe.plain.change(partial(_check, act=act))
        await asyncio.to_thread(_check_copies, readers, scribe.tenant, act)
        undone = await scribe.change(partial(begin_undoing, act=act))
        await _finish(scribe, readers, key)
        return undone

    return await _finished(calls, work())


async def go_on(calls: DetachedTasks, scribe: Scribe, readers: Readers, bucket_id: str) -> None:
    """Finish what was begun with merging a bucket of this id."""

    async def work() -> None:
        for act in await asyncio.to_thread(_unfinished, readers, scribe.tenant):
            if act.bucket == bucket_id:
                await _finish(scribe, readers, act.key)

    await _finished(calls, work())


async def _pause() -> None:
    await asyncio.sleep(STILL_S)


async def resume(scribe: Scribe, readers: Readers, *, pause: Callable[[], Awaitable[None]] = _pause) -> int:
    """Go on with merges that stood still during the pause; how many there were. To be called now and then."""
    before = {act.key: act for act in await asyncio.to_thread(_unfinished, readers, scribe.tenant)}
    if not before:
        return 0
    await pause()
    after = await asyncio.to_thread(_unfinished, readers, scribe.tenant)
    left = [act.key for act in after if before.get(act.key) == act]
    for key in left:
        log.info("the merge %d goes on", key)
        await _finish(scribe, readers, key)
    return len(left)


def undo_at_once(turn: Turn, act: Act) -> Undone:
    """Undo a merge whose buckets and act are locked; one of many events is only begun, and wants `go_on`."""
    check_unmerge(turn, act)
    if act.events <= SLICE_ROWS:
        check_copies(turn.db, turn.tenant, act)
    begin_unmerge(turn, act)
    _small_at_once(turn, act.key)
    return Undone(id=act.key, kind=act.kind, bucket=act.bucket, events=act.events)


def restore_at_once(turn: Turn, deletion: Act) -> int:
    """Bring a deleted bucket back that is locked, and merge the one into it that has its id; the act of that.

    One of many events is only begun, and wants `go_on`.
    """
    return _small_at_once(turn, begin_restoring(turn, deletion, now=now_us()))


def _small_at_once(turn: Turn, key: int) -> int:
    """Make the slices of a small merge, or of its undoing, in the transaction that begins it."""
    act = undo_log.read(turn.db, turn.tenant, key)
    assert act is not None
    if act.events <= SLICE_ROWS:
        unwritten = 0
        while _slice_of(turn, act, unwritten=unwritten):
            act = undo_log.read(turn.db, turn.tenant, key)
            assert act is not None
            unwritten = merge_of(act).moved
    return key


def begin_undoing(turn: Turn, act: Act) -> Undone:
    """The same as `undo_at_once` for a merge that nothing is locked of yet."""
    lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    return undo_at_once(turn, undo_log.lock(turn, act.key))


def _check(turn: Turn, act: Act) -> None:
    lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    check_unmerge(turn, undo_log.lock(turn, act.key))


async def _finish(scribe: Scribe, readers: Readers, key: int) -> Act:
    """Make one slice after the other; the act when there are no more."""
    plain = scribe.plain
    while (act := await asyncio.to_thread(read, readers, scribe.tenant, key)).state in ("doing", "undoing"):
        while await plain.change(partial(make_slice, act=act)):
            pass
    return act


def make_slice(turn: Turn, act: Act) -> bool:
    """One slice of an act, whichever is next; whether there may be more."""
    lock_buckets(turn, act.bucket_key or 0, merge_of(act).target)
    found = undo_log.lock_any(turn, act.key)
    return found is not None and _slice_of(turn, found)


def _slice_of(turn: Turn, act: Act, *, unwritten: int = 0) -> bool:
    match act.state:
        case "doing":
            return copy_slice(turn, act)
        case "undoing":
            return remove_slice(turn, act, now=now_us(), unwritten=unwritten)
        case _:
            return False


async def _finished(calls: DetachedTasks, work: Coroutine[Any, Any, T]) -> T:
    """Do it in a task of its own: a client that goes away does not stop it."""
    try:
        return await calls.run(work)
    except StoreBusy as error:
        raise StoreBusy(error.message, hint="what was begun goes on by itself") from error


def _find(readers: Readers, tenant: str, key: int) -> Act:
    with readers.transaction(tenant) as db:
        return undo_log.find(db, tenant, key)


def read(readers: Readers, tenant: str, key: int) -> Act:
    """A merge, whatever its state. Raises Gone."""
    with readers.transaction(tenant) as db:
        act = undo_log.read(db, tenant, key)
    if act is None:
        raise Gone(f"what {key} would undo is no longer in the trash")
    return act


def _check_copies(readers: Readers, tenant: str, act: Act) -> None:
    with readers.transaction(tenant) as db:
        check_copies(db, tenant, act)


def _unfinished(readers: Readers, tenant: str) -> list[Act]:
    with readers.transaction(tenant) as db:
        return [act for act in undo_log.unfinished(db, tenant) if act.kind == "merge_buckets"]


# The way back from a merge: copies are removed in slices, each in one transaction, then the source is back.
#
# The source's rows lie as they were, so that what comes back is exact. What heartbeats have added to a copy since is
# given to the event that it is a copy of. Both buckets are locked before anything else, and then the act.


# Copies are found by their ids, which were reserved in the order of the originals. Put in one row by their order, since
# a join of so many by a number that is reckoned is beyond what the planner can know.
_PAIRS: Final = f"""
SELECT start, id, duration, value, copy_start, copy_id, copy_duration, copy_value,
    coalesce(copy_start = start AND copy_duration >= duration AND copy_value = same_value, false) AS is_same
FROM (
    SELECT *, lead(start) OVER pair AS copy_start, lead(id) OVER pair AS copy_id,
        lead(duration) OVER pair AS copy_duration, lead(value) OVER pair AS copy_value
    FROM (
        SELECT row_number() OVER (ORDER BY start, id) AS rank, false AS is_copy, start, id, duration, value,
            same.key AS same_value
        FROM (
            SELECT start, id, duration, value FROM event
            WHERE tenant = %(tenant)s AND bucket = %(source)s AND (start, id) > (%(start)s, %(id)s)
            ORDER BY start, id LIMIT %(rows)s
        ) AS moving {SAME_VALUE}
        UNION ALL
        SELECT id - %(next)s + 1, true, start, id, duration, value, NULL FROM event
        WHERE tenant = %(tenant)s AND bucket = %(target)s
        AND id BETWEEN %(next)s AND least(%(last)s, %(next)s::bigint + %(rows)s - 1)
    ) AS both_buckets
    WINDOW pair AS (PARTITION BY rank ORDER BY is_copy)
) AS paired WHERE NOT is_copy
"""
_UNMERGE_SLICE: Final = f"{_PAIRS} ORDER BY start, id"
_CHECK: Final = f"SELECT count(copy_id), min(copy_id) FILTER (WHERE NOT is_same) FROM ({_PAIRS}) AS pair"
_LATER: Final = """
SELECT act.key FROM act_event JOIN act ON act.tenant = act_event.tenant AND act.key = act_event.act
WHERE act_event.tenant = %s AND act_event.id BETWEEN %s AND %s AND act.key > %s AND act.state <> 'undone'
ORDER BY act.key DESC LIMIT 1
"""
_REDACTIONS: Final = """
SELECT buckets FROM redaction WHERE tenant = %s AND made > %s
AND (state IN ('applying', 'undoing') OR (state <> 'undone' AND changed_events + dropped_events > 0))
"""


def check_copies(db: Connection, tenant: str, act: Act) -> None:
    """Raise Conflict where a copy was changed by others since. Takes a while where there are many."""
    merge = merge_of(act)
    place = merge.afresh.place(tenant, act.bucket_key or 0, max(1, merge.count))
    row = db.execute(_CHECK, place).fetchone()
    assert row is not None
    found, changed = row
    if changed is not None:
        raise Conflict(f"event {changed} of bucket {merge.other!r}, which came with the merge, was changed since")
    if found != merge.moved:
        raise Conflict(f"events of bucket {merge.other!r} that came with the merge were deleted since")


def check_unmerge(turn: Turn, act: Act) -> None:
    """Raise Conflict where something is in the way of undoing, but for changed copies."""
    merge = merge_of(act)
    if act.state != "done":
        raise Conflict(f"what {act.key} would undo is still being done", hint="undo it when it is done")
    target = lock_key(turn, merge.target)
    if target is None:
        raise Conflict(
            f"bucket {merge.other!r} was deleted or merged since", hint="undo that first: GET /api/1/trash lists it"
        )
    check_idle(turn, act.bucket_key or 0, target.key, but_for=act.key)
    if not (merge.is_restoring and target.bucket.id == act.bucket):
        aliases.check_free(turn, act.bucket, act=act, but_for=target.key)
    later = turn.db.execute(_LATER, (turn.tenant, merge.first, merge.last, act.key)).fetchone()
    if later is not None:
        raise Conflict(
            f"events that came with the merge were changed since by {later[0]}",
            hint=f"undo that first: dayline undo {later[0]}",
        )
    if _is_redacted(turn, act, {target.bucket.id, merge.other}):
        raise Conflict(
            f"privacy rules were applied to bucket {target.bucket.id!r} since the merge",
            hint="undo that first, where it is not final",
        )


def _is_redacted(turn: Turn, act: Act, bucket_ids: set[str]) -> bool:
    """Whether rules were applied since to everything, or to one of these buckets."""
    rows = turn.db.execute(_REDACTIONS, (turn.tenant, act.made)).fetchall()
    meant = [msgspec.json.decode(buckets, type=set[str]) for (buckets,) in rows]
    return any(not names or names & bucket_ids for names in meant)


def begin_unmerge(turn: Turn, act: Act) -> None:
    """From now on it is being undone. Raises Conflict where something is in the way, with nothing changed."""
    check_unmerge(turn, act)
    undo_log.set_detail(turn, act.key, merge_of(act).afresh)
    undo_log.set_state(turn, act.key, "undoing")


def remove_slice(turn: Turn, act: Act, *, now: Microseconds, rows: int = SLICE_ROWS, unwritten: int = 0) -> bool:
    """Remove the next copies of an act as it is in the database; whether there may be more. The last one ends it.

    `unwritten` counts those that were removed before in the same transaction.
    """
    merge, source = merge_of(act), act.bucket_key or 0
    target = lock_key(turn, merge.target)
    assert target is not None, "a bucket that is being unmerged cannot be deleted"
    found = turn.db.execute(_UNMERGE_SLICE, merge.place(turn.tenant, source, rows)).fetchall()
    if not found:
        _end(turn, act, merge, target, now=now, unwritten=unwritten)
        return False
    # Those that are as they were copied, or were made longer by heartbeats since.
    pairs = [(EventRow(source, *row[:4]), EventRow(target.key, *row[4:8])) for row in found if row[8]]
    if pairs:
        turn.remove(target, [copy for _, copy in pairs])
    for event, copy in pairs:
        if copy.duration > event.duration:
            turn.put(EventRow(source, event.start, event.id, copy.duration, event.value), is_new=False)
    last_start, last_id, *_ = found[-1]
    further = merge.further(done=len(found), moved=len(pairs), start=last_start, event_id=last_id)
    undo_log.set_detail(turn, act.key, further)
    return True


def _end(turn: Turn, act: Act, merge: Merge, target: Found, *, now: Microseconds, unwritten: int) -> None:
    undo_log.end_undoing(turn, act.key)
    if merge.is_restoring and target.bucket.id == act.bucket:
        undo_log.begin(
            turn,
            "delete_bucket",
            now=now,
            bucket=target.bucket.id,
            bucket_key=target.key,
            events=count_events(turn, target.key) - unwritten,
        )
        set_aside(turn, target, now=now)
        turn.tell(target.bucket.id, "deleted")
    places = aliases.places_of(turn, merge.aliases)
    ours = [alias for alias, place in places.items() if place is not None and place[0] == merge.target]
    aliases.put_back(turn, {alias: merge.aliases[alias] for alias in ours})
    turn.touch(merge.target)
    bring_back(turn, act.bucket_key or 0)
