"""The way back from an act, inside a transaction.

Everything is looked at before anything is changed: an act whose events or bucket were changed by others since is not
undone halfway, but refused. The bucket is locked by then, and the act.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.model.upkeep import ActKind
from dayline.storage.history.undo_log import Act
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.history.aliases import check_free
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.writing.changes import BY_ID, bring_back, lock_key, set_fields
from dayline.storage.postgres.writing.transaction import EventRow, Found, Turn

EVENT_ACTS: Final[tuple[ActKind, ...]] = (
    "delete_events", "replace_events", "insert_events", "mend_events", "thin_bucket",
)  # fmt: skip
AT_ONCE: Final = 1000  # events that are put back in one transaction; more are put back in slices

_KEPT: Final = """
SELECT id, bucket, start, duration, value, new_start, new_duration, new_value FROM act_event
WHERE tenant = %s AND act = %s AND id > %s ORDER BY id LIMIT %s
"""
# By lists of keys rather than a join: so it is the indexes that are used, whatever the planner knows of the tables.
_CURRENT_OF_RANGE: Final = (
    "SELECT bucket, start, id, duration, value FROM event WHERE tenant = %s AND id BETWEEN %s AND %s"
)
_DENSE: Final = 4  # times as many ids as are wanted: those of a whole range are found sooner then
_READABLE: Final = (
    "SELECT bucket, key FROM value WHERE tenant = %s AND bucket = ANY(%s) AND key = ANY(%s) AND salt >= 0"
)
# Values that events were moved away from by a redaction since.
_REDACTED: Final = """
SELECT bucket, value FROM redacted_value
WHERE tenant = %(tenant)s AND bucket = ANY(%(buckets)s) AND value = ANY(%(values)s) AND json IS NULL AND hash <> 0
AND redaction = ANY(ARRAY(
    SELECT key FROM redaction WHERE tenant = %(tenant)s AND state IN ('applying', 'applied')
    AND made > (SELECT made FROM act WHERE tenant = %(tenant)s AND key = %(act)s)
))
"""
_FORGET: Final = "DELETE FROM act_event WHERE tenant = %s AND act = %s AND id <= %s"


class KeptEvent(Struct, frozen=True):
    """An event of an act: as it was before it, as it left it, and as it is now; None where there is none.

    `is_lost`: its former data cannot be read any more.
    """

    id: int
    old: EventRow | None
    left: EventRow | None
    current: EventRow | None
    is_lost: bool

    @property
    def before(self) -> EventRow | None:
        """Where it goes back to: with what heartbeats have added since."""
        return None if self.old is None else longer(self.old, self.growth)

    @property
    def growth(self) -> int:
        if self.current is None or self.left is None:
            return 0
        return self.current.duration - self.left.duration

    @property
    def is_as_it_was_left(self) -> bool:
        """Whether nobody has touched it since, but for heartbeats that made it longer."""
        if self.current is None or self.left is None:
            return self.current is self.left
        return longer(self.left, self.growth) == self.current and self.growth >= 0


def longer(row: EventRow, growth: int) -> EventRow:
    return EventRow(row.bucket, row.start, row.id, row.duration + growth, row.value)


def kept_events(db: Connection, tenant: str, act: int, *, after: int = 0, rows: int = AT_ONCE) -> list[KeptEvent]:
    """The events of an act, in order of their ids."""
    kept = db.execute(_KEPT, (tenant, act, after, rows)).fetchall()
    ids, buckets = [row[0] for row in kept], list({row[1] for row in kept})
    current = _current(db, tenant, ids)
    values = list({row[4] for row in kept if row[4] is not None})
    readable = {(bucket, key) for bucket, key in db.execute(_READABLE, (tenant, buckets, values)).fetchall()}
    place = {"tenant": tenant, "act": act, "buckets": buckets, "values": values}
    readable -= {(bucket, key) for bucket, key in db.execute(_REDACTED, place).fetchall()}
    return [
        KeptEvent(
            event_id,
            _row(event_id, bucket, old),
            _row(event_id, bucket, left),
            current.get(event_id),
            old[2] is not None and (bucket, old[2]) not in readable,
        )
        for event_id, bucket, *places in kept
        for old, left in ((places[:3], places[3:]),)
    ]


def _current(db: Connection, tenant: str, ids: Sequence[int]) -> dict[int, EventRow]:
    """The events that have these ids now, in whichever bucket; others may be among them. The ids ascend."""
    if ids and ids[-1] - ids[0] < _DENSE * len(ids):
        found = db.execute(_CURRENT_OF_RANGE, (tenant, ids[0], ids[-1]))
    else:
        found = db.execute(BY_ID, {"tenant": tenant, "ids": ids})
    return {row[2]: EventRow(*row) for row in found.fetchall()}


def check_events(act: Act, events: Iterable[KeptEvent]) -> None:
    """Raise Conflict where an event cannot go back to what it was."""
    for event in events:
        if not event.is_as_it_was_left:
            raise Conflict(
                f"event {event.id} of bucket {act.bucket!r} was changed again since",
                hint="undo the later change first: GET /api/1/trash lists them",
            )
        if event.is_lost:
            raise Conflict(f"the data of event {event.id} of bucket {act.bucket!r} were redacted since")


def undo_events(turn: Turn, act: Act) -> None:
    """Put the events of a small act back."""
    state = bucket_of(turn, act)
    events = _kept_now(turn, act)
    check_events(act, events)
    _put_back(turn, state, events)
    undo_log.end_undoing(turn, act.key)


def undo_split(turn: Turn, act: Act) -> None:
    """Make one event of both parts again, with what heartbeats have added to the second since."""
    state = bucket_of(turn, act)
    events = _kept_now(turn, act)
    check_events(act, events)
    growth = sum(event.growth for event in events if event.before is None)
    _put_back(turn, state, events, growth=growth)
    undo_log.end_undoing(turn, act.key)


def undo_slice(turn: Turn, act: Act, *, rows: int) -> bool:
    """Put some events of a large act back, and forget them; whether there may be more. The last one ends it.

    Several servers may do this at once: each slice begins where the one before it has ended.
    """
    state = lock_key(turn, act.bucket_key or 0)
    found = undo_log.lock_any(turn, act.key)
    if found is None or found.state != "undoing":
        return False
    events = _kept_now(turn, act, rows=rows)
    if not events:
        undo_log.end_undoing(turn, act.key)
        return False
    if state is not None:
        _put_back(turn, state, [event for event in events if event.is_as_it_was_left and not event.is_lost])
    turn.db.execute(_FORGET, (turn.tenant, act.key, events[-1].id))
    return True


def undo_update(turn: Turn, act: Act) -> None:
    """Give a bucket its former fields."""
    state = bucket_of(turn, act)
    after: dict[str, Any] = act.detail["after"]
    if any(getattr(state.bucket, field) != value for field, value in after.items()):
        raise Conflict(
            f"bucket {state.bucket.id!r} was changed again since",
            hint="undo the later change first: GET /api/1/trash lists them",
        )
    set_fields(turn, state, act.detail["before"])
    undo_log.end_undoing(turn, act.key)


def undo_deletion(turn: Turn, act: Act) -> None:
    """Bring a deleted bucket back."""
    check_free(turn, act.bucket, act=act)
    bring_back(turn, act.bucket_key or 0)
    undo_log.end_undoing(turn, act.key)


def undo_deletions(turn: Turn, act: Act) -> None:
    """Bring all buckets of one deletion back, but for those that are back already. Raises Conflict."""
    for part in undo_log.parts_of(turn.db, turn.tenant, act.key):
        if part.state == "done":
            undo_deletion(turn, part)
    undo_log.end_undoing(turn, act.key)


def bucket_of(turn: Turn, act: Act) -> Found:
    """The bucket of an act, locked. Raises Conflict where it was deleted since."""
    state = lock_key(turn, act.bucket_key or 0)
    if state is None:
        raise Conflict(
            f"bucket {act.bucket!r} was deleted since, or merged", hint="restore it first: GET /api/1/trash lists it"
        )
    return state


def _kept_now(turn: Turn, act: Act, *, rows: int | None = None) -> list[KeptEvent]:
    """The events of an act. The counter is locked: nobody gives their ids to another bucket until the commit."""
    turn.take_event_ids(0)
    return kept_events(turn.db, turn.tenant, act.key, rows=max(AT_ONCE, act.events) if rows is None else rows)


def _put_back(turn: Turn, state: Found, events: Sequence[KeptEvent], *, growth: int = 0) -> None:
    """Give events back what they were; those that there were before last longer by `growth`."""
    removed = [event.current for event in events if event.current is not None]
    if removed:
        turn.remove(state, removed)
    for event in events:
        if (row := event.before) is not None:
            turn.put(longer(row, growth), is_new=True)
    if events:
        turn.tell(state.bucket.id, "changed")


def _row(event_id: int, bucket: int, place: Sequence[int | None]) -> EventRow | None:
    start, duration, value = place
    if start is None or duration is None or value is None:
        return None
    return EventRow(bucket, start, event_id, duration, value)
