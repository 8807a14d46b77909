"""The table of redactions: what was asked for, how far it is, and what it came to."""

import apsw
import msgspec
from msgspec import Struct

from dayline.model.privacy import Redaction, RedactionOrder, State
from dayline.model.time import Microseconds
from dayline.storage.redaction.lifecycle import (
    OPEN,
    REDACTION_FIELDS,
    bucket_in_trash,
    check_finishable,
    check_undoable,
    no_redaction,
    redaction_of,
)
from dayline.storage.sqlite.redaction.listing import Counts
from dayline.storage.sqlite.writing.transaction import SqliteTransaction

_FIELDS = f"""
{REDACTION_FIELDS}, (
    SELECT act.key FROM act WHERE act.kind = 'redaction' AND act.state = 'done'
    AND json_extract(act.detail, '$.redaction') = redaction.key
)
"""
_ACT = "kind = 'redaction' AND json_extract(detail, '$.redaction') = ?"
_ABOVE = f"SELECT min(key) FROM redaction WHERE key > ? AND state IN {OPEN}"
_BELOW = f"SELECT max(key) FROM redaction WHERE key < ? AND state IN {OPEN}"
_IN_TRASH = """
SELECT bucket.id FROM bucket JOIN redacted_value AS changed ON changed.bucket = bucket.key
WHERE changed.redaction = ? AND bucket.deleted IS NOT NULL LIMIT 1
"""


class ToDo(Struct, frozen=True, array_like=True):
    """How far a redaction is: its state, whether there is something to clear away, and the file with its plan."""

    state: State
    has_rest: bool
    plan: str


def redactions(db: apsw.Connection) -> list[Redaction]:
    """All of them, the newest first."""
    return [redaction_of(row) for row in db.execute(f"SELECT {_FIELDS} FROM redaction ORDER BY key DESC")]


def redaction(db: apsw.Connection, key: int) -> Redaction:
    """One of them. Raises NotFound."""
    row = db.execute(f"SELECT {_FIELDS} FROM redaction WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise no_redaction(key)
    return redaction_of(row)


def unfinished(db: apsw.Connection) -> list[int]:
    """Those that were interrupted, in the order in which they are to go on."""
    rows = db.execute("SELECT key FROM redaction WHERE state IN ('applying', 'undoing') OR has_rest ORDER BY key")
    return [key for (key,) in msgspec.convert(rows.fetchall(), list[tuple[int]])]


def to_do(db: apsw.Connection, key: int) -> ToDo:
    """How far one is."""
    row = db.execute("SELECT state, has_rest, plan FROM redaction WHERE key = ?", (key,)).fetchone()
    return msgspec.convert(row, ToDo, strict=False)


def plans_needed(db: apsw.Connection) -> set[str]:
    """The names of the files that are needed to go on."""
    rows = db.execute("SELECT plan FROM redaction WHERE state = 'applying'").fetchall()
    return {name for (name,) in msgspec.convert(rows, list[tuple[str]])}


def begin(changes: SqliteTransaction, *, order: RedactionOrder, plan: str, now: Microseconds) -> int:
    """Note a new redaction, of which nothing is done yet; its number."""
    changes.db.execute(
        "INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, "
        "changed_values, changed_events, dropped_events) VALUES(?, 'applying', 0, ?, ?, ?, 0, 0, 0)",
        (now, _json(order.book), _json(order.buckets), plan),
    )
    key = changes.db.last_insert_rowid()
    changes.add_operation("redaction", now=now, detail={"redaction": key})
    return key


def set_counts(changes: SqliteTransaction, *, key: int, counts: Counts) -> None:
    """Note what it came to, which ends it."""
    changes.db.execute(
        "UPDATE redaction SET state = 'applied', changed_values = ?, changed_events = ?, dropped_events = ? "
        "WHERE key = ?",
        (counts.values, counts.events, counts.dropped, key),
    )
    changes.db.execute(f"UPDATE act SET events = ? WHERE {_ACT}", (counts.events + counts.dropped, key))


def begin_undo(changes: SqliteTransaction, key: int) -> None:
    """From now on it is being undone. Raises NotFound, Gone or Conflict, with nothing changed."""
    found = redaction(changes.db, key)
    check_undoable(found, above=_number(changes.db, _ABOVE, key))
    if found.state != "undone":
        _check_trash(changes.db, key)
        set_state(changes, key=key, state="undoing")
        changes.db.execute(f"UPDATE act SET state = 'undone' WHERE {_ACT}", (key,))


def begin_final(changes: SqliteTransaction, key: int) -> None:
    """From now on it cannot be undone. Raises NotFound or Conflict, with nothing changed."""
    found = redaction(changes.db, key)
    check_finishable(found, below=_number(changes.db, _BELOW, key))
    if found.state != "final":
        changes.db.execute("UPDATE redaction SET state = 'final', has_rest = 1 WHERE key = ?", (key,))
        changes.db.execute(f"DELETE FROM act WHERE {_ACT}", (key,))


def set_state(changes: SqliteTransaction, *, key: int, state: State) -> None:
    """Note how far it is."""
    changes.db.execute("UPDATE redaction SET state = ? WHERE key = ?", (state, key))


def end_rest(changes: SqliteTransaction, *, key: int) -> None:
    """All is cleared away."""
    changes.db.execute("UPDATE redaction SET has_rest = 0 WHERE key = ?", (key,))


def _check_trash(db: apsw.Connection, key: int) -> None:
    """Raise Conflict while a bucket that it changed is in the trash: what comes back from there is to be as it was."""
    bucket_id = db.execute(_IN_TRASH, (key,)).get
    if bucket_id is not None:
        raise bucket_in_trash(str(bucket_id), key)


def _number(db: apsw.Connection, statement: str, key: int) -> int | None:
    found = db.execute(statement, (key,)).get
    return found if isinstance(found, int) else None


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
