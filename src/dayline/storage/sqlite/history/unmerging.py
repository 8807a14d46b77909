"""The way back from a merge, inside the writer's transaction: copies are removed in slices, then the source is back.

The source's rows lie as they were, so that what comes back is exact. What heartbeats have added to a copy since is
given to the event that it is a copy of.
"""

from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.model.timestamps import Microseconds, month_of, start_of_month
from dayline.storage.history.act import Act
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.history import aliases
from dayline.storage.sqlite.history.merging import Merge, merge_of, note
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.writing.bucket_changes import bring_back, check_idle, set_aside
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import Changes

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


def begin(changes: Changes, act: Act) -> None:
    """From now on it is being undone. Raises Conflict where something is in the way, with nothing changed."""
    check(changes, act)
    note(changes.db, act, beginning(merge_of(act)))
    acts.set_state(changes.db, act.key, "undoing")


def check(changes: Changes, act: Act) -> None:
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
    acts.set_state(changes.db, act.key, "undone")
    if merge.is_restoring and target.bucket.id == act.bucket:
        acts.begin(
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
