"""The table of redactions: what was asked for, how far it is, and what it came to. Only its owner changes it."""

from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import StoreBusy
from dayline.model.privacy import Redaction, RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.redaction.ownership import hold
from dayline.storage.postgres.redaction.plan_worker import Planned
from dayline.storage.postgres.rows.undo_log import NOW
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.redaction.lifecycle import (
    OPEN,
    REDACTION_FIELDS,
    bucket_in_trash,
    check_finishable,
    check_undoable,
    no_redaction,
    redaction_of,
)

LEFT_S: Final = 3600.0  # a plan that nobody has begun with for so long was left by a server that ended

_ACT: Final = "tenant = %(tenant)s AND kind = 'redaction' AND (detail::json ->> 'redaction')::bigint = %(key)s"
_SELECT: Final = f"""
SELECT {REDACTION_FIELDS}, (
    SELECT act.key FROM act WHERE act.tenant = %(tenant)s AND kind = 'redaction' AND act.state = 'done'
    AND (detail::json ->> 'redaction')::bigint = redaction.key
) AS undo FROM redaction WHERE tenant = %(tenant)s
"""
_UNFINISHED: Final = """
SELECT key FROM redaction WHERE tenant = %s AND (state IN ('applying', 'undoing') OR has_rest) ORDER BY key
"""
_TO_DO: Final = "SELECT state, has_rest, plan FROM redaction WHERE tenant = %s AND key = %s"
_BEGIN: Final = """
INSERT INTO redaction(tenant, key, made, state, rules, buckets, plan, changed_values, changed_events, dropped_events)
SELECT %(tenant)s, coalesce(max(key), 0) + 1, %(now)s, 'applying', %(rules)s, %(buckets)s, %(plan)s, %(values)s, 0, 0
FROM redaction WHERE tenant = %(tenant)s RETURNING key
"""
_PLAN: Final = "SELECT 1 FROM redaction_plan WHERE tenant = %s AND number = %s FOR UPDATE"
_COUNT: Final = """
UPDATE redaction SET changed_events = changed_events + %s, dropped_events = dropped_events + %s
WHERE tenant = %s AND key = %s
"""
_END: Final = """
UPDATE redaction SET state = 'applied', plan = NULL WHERE tenant = %s AND key = %s
RETURNING changed_events + dropped_events
"""
_ABOVE: Final = f"SELECT min(key) FROM redaction WHERE tenant = %s AND key > %s AND state IN {OPEN}"
_BELOW: Final = f"SELECT max(key) FROM redaction WHERE tenant = %s AND key < %s AND state IN {OPEN}"
_IN_TRASH: Final = """
SELECT id FROM bucket WHERE tenant = %(tenant)s AND deleted IS NOT NULL AND EXISTS (
    SELECT 1 FROM redacted_value AS changed
    WHERE changed.tenant = %(tenant)s AND changed.bucket = bucket.key AND changed.redaction = %(key)s
) LIMIT 1
"""
_LEFT_PLANS: Final = f"""
SELECT number FROM redaction_plan WHERE tenant = %(tenant)s AND made < {NOW} - %(left)s
AND NOT EXISTS (SELECT 1 FROM redaction WHERE redaction.tenant = %(tenant)s AND redaction.plan = number)
"""


class ToDo(Struct, frozen=True, array_like=True):
    """How far a redaction is: its state, whether there is something to clear away, and its plan."""

    state: State
    has_rest: bool
    plan: int | None


def redactions(db: Connection, tenant: str) -> list[Redaction]:
    """All of them, the newest first."""
    rows = db.execute(f"{_SELECT} ORDER BY key DESC".encode(), {"tenant": tenant}).fetchall()
    return [redaction_of(row) for row in rows]


def redaction(db: Connection, tenant: str, key: int) -> Redaction:
    """One of them. Raises NotFound."""
    row = db.execute(f"{_SELECT} AND key = %(key)s".encode(), {"tenant": tenant, "key": key}).fetchone()
    if row is None:
        raise no_redaction(key)
    return redaction_of(row)


def unfinished(db: Connection, tenant: str) -> list[int]:
    """Those that are under way or were interrupted, in the order in which they are to go on."""
    return [key for (key,) in db.execute(_UNFINISHED, (tenant,)).fetchall()]


def to_do(db: Connection, tenant: str, key: int) -> ToDo:
    """How far one is. Raises NotFound."""
    row = db.execute(_TO_DO, (tenant, key)).fetchone()
    if row is None:
        raise no_redaction(key)
    return msgspec.convert(row, ToDo)


def left_plans(db: Connection, tenant: str) -> list[int]:
    """Plans that nobody is going to carry out."""
    rows = db.execute(_LEFT_PLANS.encode(), {"tenant": tenant, "left": int(LEFT_S * 1_000_000)}).fetchall()
    return [number for (number,) in rows]


def begin(turn: PostgresTransaction, *, owner: str, order: RedactionOrder, planned: Planned, now: Microseconds) -> int:
    """Note a new redaction, of which nothing is done yet; its number."""
    hold(turn, owner)
    if turn.db.execute(_PLAN, (turn.tenant, planned.plan)).fetchone() is None:
        raise StoreBusy("the plan was given up meanwhile", hint="nothing was changed; send it again")
    place = {
        "tenant": turn.tenant,
        "now": now,
        "rules": _json(order.book),
        "buckets": _json(order.buckets),
        "plan": planned.plan,
        "values": planned.preview.changed_values,
    }
    row = turn.db.execute(_BEGIN, place).fetchone()
    assert row is not None
    turn.add_operation("redaction", now=now, detail={"redaction": row[0]})
    return int(row[0])


def count(turn: PostgresTransaction, key: int, *, events: int, dropped: int = 0) -> None:
    """Note that so many events more were changed, or dropped."""
    turn.db.execute(_COUNT, (events, dropped, turn.tenant, key))


def end_applying(turn: PostgresTransaction, *, key: int, owner: str) -> None:
    """Note what it came to."""
    hold(turn, owner)
    row = turn.db.execute(_END, (turn.tenant, key)).fetchone()
    events = 0 if row is None else row[0]
    place = {"tenant": turn.tenant, "key": key, "events": events}
    turn.db.execute(f"UPDATE act SET events = %(events)s WHERE {_ACT}".encode(), place)


def begin_undo(turn: PostgresTransaction, *, key: int, owner: str) -> None:
    """From now on it is being undone. Raises NotFound, Gone or Conflict, with nothing changed."""
    hold(turn, owner)
    found = redaction(turn.db, turn.tenant, key)
    check_undoable(found, above=_number(turn, _ABOVE, key))
    if found.state == "undone":
        return
    place = {"tenant": turn.tenant, "key": key}
    row = turn.db.execute(_IN_TRASH, place).fetchone()
    if row is not None:
        raise bucket_in_trash(row[0], key)
    set_state(turn, key, "undoing")
    turn.db.execute(f"UPDATE act SET state = 'undone' WHERE {_ACT}".encode(), place)


def begin_final(turn: PostgresTransaction, *, key: int, owner: str) -> None:
    """From now on it cannot be undone. Raises NotFound or Conflict, with nothing changed."""
    hold(turn, owner)
    found = redaction(turn.db, turn.tenant, key)
    check_finishable(found, below=_number(turn, _BELOW, key))
    if found.state != "final":
        place = {"tenant": turn.tenant, "key": key}
        turn.db.execute(
            "UPDATE redaction SET state = 'final', has_rest = true WHERE tenant = %(tenant)s AND key = %(key)s", place
        )
        turn.db.execute(f"DELETE FROM act WHERE {_ACT}".encode(), place)


def end_undo(turn: PostgresTransaction, *, key: int, owner: str) -> None:
    """All is as it was."""
    hold(turn, owner)
    turn.db.execute("UPDATE redaction SET plan = NULL WHERE tenant = %s AND key = %s", (turn.tenant, key))
    set_state(turn, key, "undone")


def end_rest(turn: PostgresTransaction, *, key: int, owner: str) -> None:
    """All is cleared away."""
    hold(turn, owner)
    turn.db.execute("UPDATE redaction SET has_rest = false WHERE tenant = %s AND key = %s", (turn.tenant, key))


def set_state(turn: PostgresTransaction, key: int, state: State) -> None:
    """Note how far it is."""
    turn.db.execute("UPDATE redaction SET state = %s WHERE tenant = %s AND key = %s", (state, turn.tenant, key))


def _number(turn: PostgresTransaction, statement: str, key: int) -> int | None:
    row = turn.db.execute(statement.encode(), (turn.tenant, key)).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
