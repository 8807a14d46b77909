"""The way back from a merge: copies are removed in slices, each in one transaction, then the source is back.

The source's rows lie as they were, so that what comes back is exact. What heartbeats have added to a copy since is
given to the event that it is a copy of. Both buckets are locked before anything else, and then the act.
"""

from typing import Final

import msgspec

from dayline.model.errors import Conflict
from dayline.model.timestamps import Microseconds
from dayline.storage.history.act import Act
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.history import aliases
from dayline.storage.postgres.history.merging import SAME_VALUE, SLICE_ROWS, Merge, merge_of
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.writing.bucket_changes import bring_back, check_idle, count_events, lock_key, set_aside
from dayline.storage.postgres.writing.turn import EventRow, Found, Turn

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
_SLICE: Final = f"{_PAIRS} ORDER BY start, id"
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


def check(turn: Turn, act: Act) -> None:
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


def begin(turn: Turn, act: Act) -> None:
    """From now on it is being undone. Raises Conflict where something is in the way, with nothing changed."""
    check(turn, act)
    acts.set_detail(turn, act.key, merge_of(act).afresh)
    acts.set_state(turn, act.key, "undoing")


def remove_slice(turn: Turn, act: Act, *, now: Microseconds, rows: int = SLICE_ROWS, unwritten: int = 0) -> bool:
    """Remove the next copies of an act as it is in the database; whether there may be more. The last one ends it.

    `unwritten` counts those that were removed before in the same transaction.
    """
    merge, source = merge_of(act), act.bucket_key or 0
    target = lock_key(turn, merge.target)
    assert target is not None, "a bucket that is being unmerged cannot be deleted"
    found = turn.db.execute(_SLICE, merge.place(turn.tenant, source, rows)).fetchall()
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
    acts.set_detail(turn, act.key, further)
    return True


def _end(turn: Turn, act: Act, merge: Merge, target: Found, *, now: Microseconds, unwritten: int) -> None:
    acts.end_undoing(turn, act.key)
    if merge.is_restoring and target.bucket.id == act.bucket:
        acts.begin(
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
