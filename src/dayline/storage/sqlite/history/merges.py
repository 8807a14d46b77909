"""Merging a bucket into another and undoing it, in slices between heartbeats that resume after an interruption."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeVar

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict, Gone, StoreBusy
from dayline.model.time import Microseconds, month_of, now_us, start_of_month
from dayline.runtime.background import BackgroundWorkers, DetachedTasks, for_each
from dayline.storage.background import SlicePace
from dayline.storage.history.undo_log import Act
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.history import aliases, undoing
from dayline.storage.sqlite.history.aliases import Before
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import bring_back, check_idle, set_aside
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer, timed

# Merging a bucket into another, inside the writer's transaction: what begins it, and its slices.
#
# begin     the source is set aside, its id becomes an alias of the target, ids for all its events are reserved
# slices    its events are copied in order of start and id; the one of rank n gets the id first + n
# end       the act is done, and the source stays in the trash as it was
#
# From the beginning on, what a watcher sends to the source's id goes to the target. How far the slices are is noted in
# the transaction of each, so that every event is copied once, whatever interrupts the work.


_BEFORE_ALL: Final = -(2**62)

_SLICE = """
SELECT start, id, duration, value FROM event
WHERE bucket = :source AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""
_COPY_VALUES = f"""
INSERT INTO value(bucket, hash, json)
SELECT :target, old.hash, old.json
FROM (SELECT DISTINCT value FROM ({_SLICE})) AS used CROSS JOIN value AS old
WHERE old.key = used.value
AND NOT EXISTS (
    SELECT 1 FROM value AS same WHERE same.hash = old.hash AND same.bucket = :target AND same.json = old.json
)
GROUP BY old.hash, old.json
"""
# Each event with the target's value for its data. What the target has already counts; what was copied here does not.
_EVENTS = f"""
SELECT start, id, duration, new_value, EXISTS (
    SELECT 1 FROM event AS same WHERE same.bucket = :target AND same.start = moving.start
    AND same.duration = moving.duration AND same.value = new_value AND same.id NOT BETWEEN :first AND :last
) FROM (
    SELECT moving.start, moving.id, moving.duration, (
        SELECT min(same.key) FROM value AS same
        WHERE same.hash = old.hash AND same.bucket = :target AND same.json = old.json
    ) AS new_value
    FROM ({_SLICE}) AS moving CROSS JOIN value AS old WHERE old.key = moving.value
) AS moving ORDER BY start, id
"""
_INSERT = "INSERT INTO event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_IS_REDACTING = "SELECT 1 FROM redaction WHERE state IN ('applying', 'undoing')"


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

    def place(self, source: int, rows: int) -> dict[str, int]:
        """The next slice, as SQL has to know it."""
        return {
            "source": source,
            "target": self.target,
            "first": self.first,
            "last": self.last,
            "start": self.start,
            "id": self.id,
            "rows": rows,
        }


class _Moving(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    is_there: bool


def merge_of(act: Act) -> Merge:
    return msgspec.convert(act.detail, Merge)


def note(db: apsw.Connection, act: Act, merge: Merge) -> None:
    """Note how far it is."""
    db.execute("UPDATE act SET detail = ? WHERE key = ?", (msgspec.json.encode(merge).decode(), act.key))


def check_merge(source: BucketState, target: BucketState, *, is_forced: bool) -> None:
    """Raise Conflict for what cannot be merged, or should not be."""
    if source is target:
        raise Conflict(f"bucket {source.bucket.id!r} cannot be merged into itself", field="into")
    types = source.bucket.type, target.bucket.type
    if types[0] != types[1] and not is_forced:
        raise Conflict(
            f"the buckets are of different types: {types[0]!r} and {types[1]!r}",
            hint='send "force": true where they belong together all the same',
            field="into",
        )


def begin_merge(
    changes: Changes, source: BucketState, target: int, target_id: str, *, now: Microseconds, is_restoring: bool = False
) -> int:
    """Set the source aside, and let its ids lead to the target; the number of the act."""
    check_idle(changes, source.key, target)
    if changes.db.execute(_IS_REDACTING).get:
        raise Conflict("privacy rules are being applied to history, or undone", hint="merge when that is done")
    count = source.events
    first = changes.take_event_ids(count)
    names = aliases.aliases_of(changes.db, source.key)
    if source.bucket.id != target_id:
        names.append(source.bucket.id)
    set_aside(changes, source, now=now)
    changes.tell(source.bucket.id, "merged")
    changes.tell(target_id, "merged")
    before = aliases.set_aliases(changes, names, target, now=now)
    return undo_log.begin(
        changes.db,
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


def copy_slice(changes: Changes, act: Act, *, rows: int) -> bool:
    """Copy the next events of an act as it is in the file; whether there may be more. The last one ends it."""
    db, merge, source = changes.db, merge_of(act), act.bucket_key or 0
    target = changes.catalogue.by_key(merge.target)
    if target is None:
        raise AssertionError("a bucket that is being merged into cannot be deleted")
    place = merge.place(source, rows)
    db.execute(_COPY_VALUES, place)
    events = msgspec.convert(db.execute(_EVENTS, place).fetchall(), list[_Moving], strict=False)
    if not events:
        undo_log.set_state(db, act.key, "done")
        return False
    first = merge.first + merge.done
    new = [(event, first + rank) for rank, event in enumerate(events) if not event.is_there]
    db.executemany(
        _INSERT, [(merge.target, event.start, event_id, event.duration, event.value) for event, event_id in new]
    )
    _count(changes, target, [event for event, _ in new])
    note(
        db,
        act,
        msgspec.structs.replace(
            merge,
            moved=merge.moved + len(new),
            done=merge.done + len(events),
            start=events[-1].start,
            id=events[-1].id,
        ),
    )
    return True


def _count(changes: Changes, target: BucketState, events: list[_Moving]) -> None:
    """Take copied events into account, month by month."""
    for _, group in groupby(events, key=lambda event: month_of(event.start + ORIGIN)):
        part = list(group)
        changes.cover_part(
            target.bucket.id,
            events=len(part),
            start=part[0].start + ORIGIN,
            max_duration=max(event.duration for event in part),
            max_end=max(event.start + event.duration for event in part) + ORIGIN,
        )


# Carries out merges and their undoing, slice by slice between heartbeats, and goes on with what was interrupted.


T = TypeVar("T")

log = logging.getLogger(__name__)


class SqliteMerges:
    """The merges of one file, one at a time. `alone` is held meanwhile: the texts of values must not change."""

    def __init__(self, writer: Writer, readers: ReaderPool, alone: asyncio.Lock, background: BackgroundWorkers) -> None:
        self._writer = writer
        self._readers = readers
        self._alone = alone
        self._calls = DetachedTasks("merging")
        self._resuming = background.task("resuming merges", self._resume, interval_s=None)

    def start(self) -> None:
        """Begin to resume what was interrupted. Called on the event loop."""
        self._resuming.start()

    async def merge(self, writer: Writer | OnceWriter, begin: Callable[[Changes], int]) -> Act:
        """Begin a merge by what makes its act, and finish it; the act as it is then."""

        async def merge() -> Act:
            async with self._alone:
                key = await writer.change(begin)
                return await self._go_on(key)

        return await self._finished(merge())

    async def undo(self, writer: Writer | OnceWriter, key: int) -> None:
        """Undo a merge. Raises Gone or Conflict."""

        async def undo() -> Act:
            async with self._alone:
                await self._writer.change(lambda changes: check_unmerge(changes, undo_log.find(changes.db, key)))
                await asyncio.to_thread(self._check, key)
                await writer.change(lambda changes: begin_unmerge(changes, undo_log.find(changes.db, key)))
                return await self._go_on(key)

        await self._finished(undo())

    async def restore(self, writer: Writer | OnceWriter, deletion: int) -> bool:
        """Bring a deleted bucket back, and move into it what one that was made again has; whether there was one."""

        async def restore() -> bool:
            async with self._alone:
                begin = partial(begin_restoring, deletion=deletion, now=now_us())
                key = await writer.change(begin)
                if key is not None:
                    await self._go_on(key)
                return key is not None

        return await self._finished(restore())

    async def close(self) -> None:
        """Stop at the next slice; it goes on at the next start."""
        await self._resuming.close()
        await self._calls.close()

    async def _go_on(self, key: int) -> Act:
        """Make one slice after the other; the act when there are no more."""
        pace, has_more = SlicePace(), True
        while has_more:
            rows = pace.rows
            make_slice = timed(partial(_slice, key=key, rows=rows), rows=rows, pace=pace)
            has_more = await self._writer.change(make_slice, rows=rows)
        return await asyncio.to_thread(self._read, key)

    async def _finished(self, work: Coroutine[Any, Any, T]) -> T:
        """Do it in a task of its own: a client that goes away does not stop it."""
        try:
            return await self._calls.run(work)
        except StoreBusy as error:
            self._resuming.wake()
            raise StoreBusy(error.message, hint="what was begun goes on by itself") from error

    async def _resume(self) -> None:
        """Finish what was interrupted."""
        async with self._alone:
            await for_each(await asyncio.to_thread(self._unfinished), self._finish)

    async def _finish(self, key: int) -> None:
        log.info("resuming merge %d", key)
        await self._go_on(key)

    def _check(self, key: int) -> None:
        """Raise Conflict where a copy was changed by others, as far as can be told beforehand."""
        with self._readers.connection() as db:
            act = undo_log.find(db, key)
        place: Merge | None = beginning(merge_of(act))
        while place is not None:
            with self._readers.transaction() as db:
                place = check_copies(db, act, place)

    def _read(self, key: int) -> Act:
        with self._readers.connection() as db:
            act = undo_log.read(db, key)
        if act is None:
            raise Gone(f"what {key} would undo is no longer in the trash")
        return act

    def _unfinished(self) -> list[int]:
        with self._readers.connection() as db:
            return [act.key for act in undo_log.unfinished(db) if act.kind == "merge_buckets"]


def _slice(changes: Changes, key: int, rows: int) -> bool:
    act = undo_log.read(changes.db, key)
    if act is None or act.state not in ("doing", "undoing"):
        return False
    if act.state == "doing":
        return copy_slice(changes, act, rows=rows)
    return remove_slice(changes, act, rows=rows, now=now_us())


# The way back from a merge, inside the writer's transaction: copies are removed in slices, then the source is back.
#
# The source's rows lie as they were, so that what comes back is exact. What heartbeats have added to a copy since is
# given to the event that it is a copy of.


PAGE: Final = 1000

_ORIGINALS = """
SELECT event.start, event.id, event.duration, event.value, json FROM event JOIN value ON value.key = event.value
WHERE event.bucket = :source AND (start, id) > (:start, :id) ORDER BY start, id LIMIT :rows
"""
# The plus keeps SQLite from going through the whole bucket: the copies are found by their ids.
_COPIES = """
SELECT event.id, start, duration, json FROM event JOIN value ON value.key = event.value
WHERE event.id BETWEEN ? AND ? AND +event.bucket = ?
"""
_LATER = """
SELECT act.key FROM act_event JOIN act ON act.key = act_event.act
WHERE act_event.id BETWEEN ? AND ? AND act.key > ? AND act.state <> 'undone' ORDER BY act.key DESC LIMIT 1
"""
_REDACTED = """
SELECT count(*) FROM redaction WHERE made > ?
AND (state IN ('applying', 'undoing') OR (state <> 'undone' AND changed_events + dropped_events > 0))
AND (json_array_length(buckets) = 0 OR EXISTS (SELECT 1 FROM json_each(buckets) WHERE value IN (?, ?)))
"""
_REMOVE = "DELETE FROM event WHERE bucket = ? AND start = ? AND id = ?"


class _Original(Struct, frozen=True, array_like=True):
    start: int
    id: int
    duration: int
    value: int
    json: str


class _Copy(Struct, frozen=True, array_like=True):
    id: int
    start: int
    duration: int
    json: str

    def is_of(self, original: _Original) -> bool:
        """Whether it is as it was copied, or was made longer by heartbeats since."""
        return (self.start, self.json) == (original.start, original.json) and self.duration >= original.duration


def check_copies(db: apsw.Connection, act: Act, merge: Merge) -> Merge | None:
    """Look at a page of copies; where to go on, None at the end. Raises Conflict where one was changed since.

    To be called in a transaction, first with a merge of which nothing is done. Then `moved` counts what was found.
    """
    originals, copies = _page(db, act.bucket_key or 0, merge, PAGE)
    for rank, original in enumerate(originals):
        copy = copies.get(merge.first + merge.done + rank)
        if copy is not None and not copy.is_of(original):
            raise Conflict(f"event {copy.id} of bucket {merge.other!r}, which came with the merge, was changed since")
    if not originals:
        found = merge_of(act)
        if act.state == "done" and merge.moved != found.moved:
            raise Conflict(f"events of bucket {merge.other!r} that came with the merge were deleted since")
        return None
    return _further(merge, originals, moved=merge.moved + len(copies))


def beginning(merge: Merge) -> Merge:
    """The merge with nothing done yet."""
    fresh = Merge(target=0, other="", first=0, count=0, aliases={})
    return msgspec.structs.replace(merge, done=0, moved=0, start=fresh.start, id=fresh.id)


def begin_unmerge(changes: Changes, act: Act) -> None:
    """From now on it is being undone. Raises Conflict where something is in the way, with nothing changed."""
    check_unmerge(changes, act)
    note(changes.db, act, beginning(merge_of(act)))
    undo_log.set_state(changes.db, act.key, "undoing")


def check_unmerge(changes: Changes, act: Act) -> None:
    """Raise Conflict where something is in the way of undoing."""
    db, merge = changes.db, merge_of(act)
    target = changes.catalogue.by_key(merge.target)
    if target is None:
        raise Conflict(
            f"bucket {merge.other!r} was deleted or merged since", hint="undo that first: GET /api/1/trash lists it"
        )
    check_idle(changes, act.bucket_key or 0, target.key, but_for=act.key)
    if not (merge.is_restoring and target.bucket.id == act.bucket):
        aliases.check_free(changes, act.bucket, act=act, but_for=target)
    later = db.execute(_LATER, (merge.first, merge.last, act.key)).get
    if later is not None:
        raise Conflict(
            f"events that came with the merge were changed since by {later}",
            hint=f"undo that first: dayline undo {later}",
        )
    if db.execute(_REDACTED, (act.made, target.bucket.id, merge.other)).get:
        raise Conflict(
            f"privacy rules were applied to bucket {target.bucket.id!r} since the merge",
            hint="undo that first, where it is not final",
        )


def remove_slice(changes: Changes, act: Act, *, rows: int, now: Microseconds) -> bool:
    """Remove the next copies of an act as it is in the file; whether there may be more. The last one ends it."""
    merge = merge_of(act)
    target = changes.catalogue.by_key(merge.target)
    if target is None:
        raise AssertionError("a bucket that is being unmerged cannot be deleted")
    originals, copies = _page(changes.db, act.bucket_key or 0, merge, rows)
    if not originals:
        _end(changes, act, merge, target, now=now)
        return False
    pairs = [
        (original, copy)
        for rank, original in enumerate(originals)
        if (copy := copies.get(merge.first + merge.done + rank)) is not None and copy.is_of(original)
    ]
    changes.db.executemany(_REMOVE, [(merge.target, copy.start, copy.id) for _, copy in pairs])
    months = [month_of(copy.start + ORIGIN) for _, copy in pairs]
    for month in sorted(set(months)):
        changes.touch_part(target.bucket.id, start=start_of_month(month), removed=months.count(month))
    for original, copy in pairs:
        if copy.duration > original.duration:
            _lengthen(changes, act.bucket_key or 0, original, copy.duration)
    note(changes.db, act, _further(merge, originals, moved=merge.moved + len(pairs)))
    return True


def _page(db: apsw.Connection, source: int, merge: Merge, rows: int) -> tuple[list[_Original], dict[int, _Copy]]:
    """Some events of the source from where it is, and their copies by id."""
    originals = msgspec.convert(db.execute(_ORIGINALS, merge.place(source, rows)).fetchall(), list[_Original])
    first = merge.first + merge.done
    found = db.execute(_COPIES, (first, first + len(originals) - 1, merge.target)).fetchall()
    return originals, {copy.id: copy for copy in msgspec.convert(found, list[_Copy])}


def _further(merge: Merge, originals: list[_Original], *, moved: int) -> Merge:
    last = originals[-1]
    return msgspec.structs.replace(merge, done=merge.done + len(originals), start=last.start, id=last.id, moved=moved)


def _lengthen(changes: Changes, source: int, original: _Original, duration: int) -> None:
    """Make an event of a bucket that is set aside as long as its copy has become."""
    changes.settle_months()
    state = changes.catalogue.read_bucket(source)
    changes.remove_event(state, original.id, (original.start, original.duration, original.value))
    changes.put_event(state, original.id, (original.start, duration, original.value))


def _end(changes: Changes, act: Act, merge: Merge, target: BucketState, *, now: Microseconds) -> None:
    undo_log.set_state(changes.db, act.key, "undone")
    if merge.is_restoring and target.bucket.id == act.bucket:
        undo_log.begin(
            changes.db,
            "delete_bucket",
            now=now,
            bucket=target.bucket.id,
            bucket_key=target.key,
            events=target.events,
        )
        set_aside(changes, target, now=now)
        changes.tell(target.bucket.id, "deleted")
    ours = [alias for alias in merge.aliases if aliases.leads_to(changes.db, alias) == merge.target]
    aliases.put_back(changes, {alias: merge.aliases[alias] for alias in ours})
    bring_back(changes, act.bucket_key or 0)


# Bringing a deleted bucket back where its id was given to a new one meanwhile: both become one.


def begin_restoring(changes: Changes, *, deletion: int, now: Microseconds) -> int | None:
    """Bring the bucket back; the act that merges the new one into it, None where there is none."""
    act = undo_log.find(changes.db, deletion)
    if not changes.catalogue.has(act.bucket):
        undoing.undo_deletion(changes, act)
        return None
    key = act.bucket_key or 0
    new = changes.catalogue.find(act.bucket)
    merge = begin_merge(changes, new, key, act.bucket, now=now, is_restoring=True)
    bring_back(changes, key)
    undoing.end(changes, act)
    return merge
