"""Merging a bucket into another: what begins it, and its slices, each in one transaction.

begin     the source is set aside, its id becomes an alias of the target, ids for all its events are reserved
slices    its events are copied in order of start and id; the one of rank n gets the id first + n
end       the act is done, and the source stays in the trash as it was

From the beginning on, what a watcher sends to the source's id goes to the target. How far the slices are is noted in
the transaction of each, under the lock of the act: so every event is copied once, whatever interrupts the work, and
however many servers do it. Both buckets are locked before anything else.
"""

from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.model.timestamps import Microseconds
from dayline.storage.history.act import Act
from dayline.storage.postgres.history import aliases
from dayline.storage.postgres.history.aliases import Before
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.writing.bucket_changes import bring_back, check_idle, count_events, set_aside
from dayline.storage.postgres.writing.turn import Found, Turn

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


def check(source: Found, target: Found, *, is_forced: bool) -> None:
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


def begin(
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
    return acts.begin(
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
    merge = begin(turn, new, key, deletion.bucket, now=now, is_restoring=True)
    bring_back(turn, key)
    return merge


def copy_slice(turn: Turn, act: Act, *, rows: int = SLICE_ROWS) -> bool:
    """Copy the next events of an act as it is in the database; whether there may be more. The last one ends it."""
    merge = merge_of(act)
    place = merge.place(turn.tenant, act.bucket_key or 0, rows)
    turn.db.execute(_COPY_VALUES, place)
    events = turn.db.execute(_COPY_EVENTS, place).fetchall()
    if not events:
        acts.set_state(turn, act.key, "done")
        return False
    moved = 0
    for start, _, duration, is_there in events:
        if not is_there:
            turn.cover(merge.target, start, duration, events=1)
            moved += 1
    last_start, last_id, *_ = events[-1]
    further = merge.further(done=len(events), moved=moved, start=last_start, event_id=last_id)
    acts.set_detail(turn, act.key, further)
    return True
