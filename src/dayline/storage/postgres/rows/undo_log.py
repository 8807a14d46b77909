"""The undo log: what was done, what events were before and after, and operations that are still being made."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict
from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind, ActState
from dayline.storage.history.undo_log import ACT_FIELDS, PART_OF, Act, act_of, not_undone
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.writing.transaction import EventRow, Turn

# The table of acts: what was done, and what events were before it and after it.
#
# Whoever changes an act has locked its bucket by then, if there is one: bucket, act and counter are taken in this
# order.


# Numbered for each tenant, in the order of the commits: until then nobody else gets a number.
_BEGIN: Final = """
WITH taken AS (UPDATE tenant SET next_act = next_act + 1 WHERE id = %(tenant)s RETURNING next_act - 1 AS key)
INSERT INTO act(tenant, key, kind, made, state, bucket, bucket_key, events, detail)
SELECT %(tenant)s, key, %(kind)s, %(made)s, %(state)s, %(bucket)s, %(bucket_key)s, %(events)s, %(detail)s FROM taken
RETURNING key
"""
_NOTE: Final = """
INSERT INTO act_event(tenant, act, id, bucket, start, duration, value, new_start, new_duration, new_value)
SELECT %s, %s, new.* FROM unnest(
    %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]
) AS new
ON CONFLICT (tenant, act, id) DO UPDATE SET
    new_start = excluded.new_start, new_duration = excluded.new_duration, new_value = excluded.new_value
"""
_WHOLE: Final = f"(detail::json ->> '{PART_OF}')::bigint"
_COUNT: Final = """
UPDATE act SET events = (SELECT count(*) FROM act_event WHERE tenant = %(tenant)s AND act = %(act)s)
WHERE tenant = %(tenant)s AND key = %(act)s
"""


class EventNote(Struct, frozen=True):
    """What an act did to one event: None where there was none before, or is none after it."""

    before: EventRow | None
    after: EventRow | None

    @property
    def row(self) -> EventRow:
        row = self.before or self.after
        assert row is not None
        return row


def begin(
    turn: Turn,
    kind: ActKind,
    *,
    now: Microseconds,
    bucket: str = "",
    bucket_key: int | None = None,
    events: int = 0,
    detail: object = None,
    state: ActState = "done",
) -> int:
    """Note an act; the number that undoes it. `detail` is an object, for whatever undoing it needs to know."""
    act = {
        "tenant": turn.tenant,
        "kind": kind,
        "made": now,
        "state": state,
        "bucket": bucket,
        "bucket_key": bucket_key,
        "events": events,
        "detail": "{}" if detail is None else msgspec.json.encode(detail).decode(),
    }
    row = turn.db.execute(_BEGIN, act).fetchone()
    assert row is not None
    return int(row[0])


def note_events(turn: Turn, act: int, notes: Sequence[EventNote]) -> None:
    """Note what an act did to events, each of them once. What is known of them before stays."""
    if not notes:
        return
    rows = [note.row for note in notes]
    befores, afters = [note.before for note in notes], [note.after for note in notes]
    turn.db.execute(
        _NOTE,
        (
            turn.tenant,
            act,
            [row.id for row in rows],
            [row.bucket for row in rows],
            *_columns(befores),
            *_columns(afters),
        ),
    )


def count_events(turn: Turn, act: int) -> None:
    """Note how many events the act has changed."""
    turn.db.execute(_COUNT, {"tenant": turn.tenant, "act": act})


def set_state(turn: Turn, act: int, state: ActState) -> None:
    turn.db.execute("UPDATE act SET state = %s WHERE tenant = %s AND key = %s", (state, turn.tenant, act))


def set_detail(turn: Turn, act: int, detail: object) -> None:
    """Note how far it is."""
    text = msgspec.json.encode(detail).decode()
    turn.db.execute("UPDATE act SET detail = %s WHERE tenant = %s AND key = %s", (text, turn.tenant, act))


def end_undoing(turn: Turn, act: int) -> None:
    """It is undone, and what it kept of events is needed no longer."""
    turn.db.execute("DELETE FROM act_event WHERE tenant = %s AND act = %s", (turn.tenant, act))
    set_state(turn, act, "undone")


def find(db: Connection, tenant: str, act: int) -> Act:
    """One act that has not been undone. Raises NotFound, or Gone."""
    return not_undone(act, read(db, tenant, act), newest=lambda: _newest(db, tenant))


def lock(turn: Turn, act: int) -> Act:
    """The same, and nobody else changes it until the commit: two may undo the same at once."""
    return not_undone(act, lock_any(turn, act), newest=lambda: _newest(turn.db, turn.tenant))


def read(db: Connection, tenant: str, act: int) -> Act | None:
    """One act, whatever its state."""
    row = db.execute(f"SELECT {ACT_FIELDS} FROM act WHERE tenant = %s AND key = %s", (tenant, act)).fetchone()
    return None if row is None else act_of(row)


def lock_any(turn: Turn, act: int) -> Act | None:
    """One act, whatever its state, that nobody else changes until the commit."""
    place = (turn.tenant, act)
    row = turn.db.execute(f"SELECT {ACT_FIELDS} FROM act WHERE tenant = %s AND key = %s FOR UPDATE", place).fetchone()
    return None if row is None else act_of(row)


def parts_of(db: Connection, tenant: str, act: int) -> list[Act]:
    """The acts that one consists of, the oldest first."""
    return _some(db, f"{_WHOLE} = %s", (tenant, act))


def forget(turn: Turn, act: int) -> None:
    """Delete an act and its parts: what they did cannot be undone any more."""
    statement = f"DELETE FROM act WHERE tenant = %(tenant)s AND (key = %(act)s OR {_WHOLE} = %(act)s)"
    turn.db.execute(statement.encode(), {"tenant": turn.tenant, "act": act})


def all_kept(db: Connection, tenant: str) -> list[Act]:
    """Every act that can be undone, the newest first."""
    return _some(db, "state IN ('doing', 'done')", (tenant,), order="key DESC")


def unfinished(db: Connection, tenant: str) -> list[Act]:
    """Acts, and the undoing of acts, that are under way or were interrupted, the oldest first."""
    return _some(db, "state IN ('doing', 'undoing')", (tenant,))


def older_than(db: Connection, tenant: str, moment: Microseconds) -> list[Act]:
    """Acts that are finished, one way or the other, and were made before a moment; the oldest first."""
    return _some(db, "made < %s AND state IN ('done', 'undone')", (tenant, moment))


def _some(db: Connection, which: str, values: tuple[object, ...], *, order: str = "key") -> list[Act]:
    statement = f"SELECT {ACT_FIELDS} FROM act WHERE tenant = %s AND {which} ORDER BY {order}"
    return [act_of(row) for row in db.execute(statement.encode(), values).fetchall()]


def _newest(db: Connection, tenant: str) -> int:
    row = db.execute("SELECT next_act - 1 FROM tenant WHERE id = %s", (tenant,)).fetchone()
    return 0 if row is None else int(row[0])


def _columns(rows: Iterable[EventRow | None]) -> tuple[list[int | None], list[int | None], list[int | None]]:
    starts: list[int | None] = []
    durations: list[int | None] = []
    values: list[int | None] = []
    for row in rows:
        starts.append(None if row is None else row.start)
        durations.append(None if row is None else row.duration)
        values.append(None if row is None else row.value)
    return starts, durations, values


# Acts that are made in many slices, each a transaction of its own: which of them are still being made.
#
# The server that makes one notes the time with every slice. Where that was long ago, it was cut off: the server has
# ended, or lost the database.


MADE_IN_SLICES: Final[tuple[ActKind, ...]] = ("mend_events", "delete_events", "thin_bucket")
LEASE_S: Final = 30.0  # a slice takes a part of a second; a server gives up after ten without the database

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_NOTE_SLICE: Final = f"""
UPDATE act SET events = events + %s, detail = json_build_object('seen', {NOW})::text WHERE tenant = %s AND key = %s
"""
_END: Final = """
UPDATE act SET state = 'done', detail = '{}',
    events = (SELECT count(*) FROM act_event WHERE tenant = %(tenant)s AND act = %(act)s)
WHERE tenant = %(tenant)s AND key = %(act)s AND state = 'doing'
"""
_FORGET_EMPTY: Final = "DELETE FROM act WHERE tenant = %(tenant)s AND key = %(act)s AND events = 0"
_AGE: Final = f"SELECT {NOW} - %s"


def note_slice(turn: Turn, act: int, *, events: int) -> None:
    """So many events more, and it goes on. One that it comes back to may be counted twice until the end."""
    turn.db.execute(_NOTE_SLICE, (events, turn.tenant, act))


def end(turn: Turn, act: int) -> None:
    """It is done; where it did nothing, it never was."""
    place = {"tenant": turn.tenant, "act": act}
    if turn.db.execute(_END, place).rowcount:
        turn.db.execute(_FORGET_EMPTY, place)


def end_cut_off(turn: Turn, act: int) -> None:
    """What it had done by the time that it was cut off is all it did: that can be undone."""
    found = lock_any(turn, act)
    if found is not None and found.state == "doing" and not _is_under_way(turn, found):
        end(turn, act)


def check_done(turn: Turn, act: Act) -> None:
    """Raise Conflict for an act that is still being made.

    Mending, deleting or thinning that was cut off can be undone as far as it came.
    """
    if act.state != "doing" or act.kind == "merge_buckets":
        return
    if act.kind not in MADE_IN_SLICES or _is_under_way(turn, act):
        raise Conflict(f"what {act.key} would undo is still being done", hint="wait until it is done, then undo it")


def _is_under_way(turn: Turn, act: Act) -> bool:
    row = turn.db.execute(_AGE, (int(act.detail.get("seen", 0)),)).fetchone()
    return row is not None and row[0] < LEASE_S * 1_000_000
