"""The table of redactions: what was asked for, how far it is, and what it came to."""

import apsw
import msgspec
from msgspec import Struct

from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.privacy import RuleBook
from dayline.model.redaction import Redaction, RedactionOrder, State
from dayline.model.timestamps import Microseconds, format_timestamp
from dayline.storage.sqlite import acts
from dayline.storage.sqlite.changes import Changes
from dayline.storage.sqlite.redaction_listing import Counts

_FIELDS = """
key, made, state, rules, buckets, changed_values, changed_events, dropped_events, (
    SELECT act.key FROM act WHERE act.kind = 'redaction' AND act.state = 'done'
    AND json_extract(act.detail, '$.redaction') = redaction.key
)
"""
_ACT = "kind = 'redaction' AND json_extract(detail, '$.redaction') = ?"
_IN_TRASH = """
SELECT bucket.id FROM bucket JOIN redacted_value AS changed ON changed.bucket = bucket.key
WHERE changed.redaction = ? AND bucket.deleted IS NOT NULL LIMIT 1
"""
_OPEN = "('applying', 'applied', 'undoing')"


class ToDo(Struct, frozen=True, array_like=True):
    """How far a redaction is: its state, whether there is something to clear away, and the file with its plan."""

    state: State
    has_rest: bool
    plan: str


def redactions(db: apsw.Connection) -> list[Redaction]:
    """All of them, the newest first."""
    return [_view(row) for row in db.execute(f"SELECT {_FIELDS} FROM redaction ORDER BY key DESC")]


def redaction(db: apsw.Connection, key: int) -> Redaction:
    """One of them. Raises NotFound."""
    row = db.execute(f"SELECT {_FIELDS} FROM redaction WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise NotFound(f"there is no redaction {key}", hint="GET /api/1/privacy/redactions lists them")
    return _view(row)


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


def begin(changes: Changes, *, order: RedactionOrder, plan: str, now: Microseconds) -> int:
    """Note a new redaction, of which nothing is done yet; its number."""
    changes.db.execute(
        "INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, "
        "changed_values, changed_events, dropped_events) VALUES(?, 'applying', 0, ?, ?, ?, 0, 0, 0)",
        (now, _json(order.book), _json(order.buckets), plan),
    )
    key = changes.db.last_insert_rowid()
    acts.begin(changes.db, "redaction", now=now, detail={"redaction": key})
    return key


def set_counts(changes: Changes, *, key: int, counts: Counts) -> None:
    """Note what it came to, which ends it."""
    changes.db.execute(
        "UPDATE redaction SET state = 'applied', changed_values = ?, changed_events = ?, dropped_events = ? "
        "WHERE key = ?",
        (counts.values, counts.events, counts.dropped, key),
    )
    changes.db.execute(f"UPDATE act SET events = ? WHERE {_ACT}", (counts.events + counts.dropped, key))


def begin_undo(changes: Changes, key: int) -> None:
    """From now on it is being undone. Raises NotFound, Gone or Conflict, with nothing changed."""
    found = redaction(changes.db, key)
    if found.state == "final":
        raise Gone(f"redaction {key} is final: the originals are gone")
    above = changes.db.execute(f"SELECT min(key) FROM redaction WHERE key > ? AND state IN {_OPEN}", (key,)).get
    if above is not None:
        raise Conflict(f"redaction {above} was made after redaction {key}", hint=f"undo redaction {above} first")
    if found.state != "undone":
        _check_trash(changes.db, key)
        set_state(changes, key=key, state="undoing")
        changes.db.execute(f"UPDATE act SET state = 'undone' WHERE {_ACT}", (key,))


def begin_final(changes: Changes, key: int) -> None:
    """From now on it cannot be undone. Raises NotFound or Conflict, with nothing changed."""
    found = redaction(changes.db, key)
    if found.state in ("undoing", "undone"):
        raise Conflict(f"redaction {key} was undone: there is nothing to make final")
    below = changes.db.execute(f"SELECT max(key) FROM redaction WHERE key < ? AND state IN {_OPEN}", (key,)).get
    if below is not None:
        raise Conflict(f"redaction {below} was made before redaction {key}", hint=f"make redaction {below} final first")
    if found.state != "final":
        changes.db.execute("UPDATE redaction SET state = 'final', has_rest = 1 WHERE key = ?", (key,))
        changes.db.execute(f"DELETE FROM act WHERE {_ACT}", (key,))


def set_state(changes: Changes, *, key: int, state: State) -> None:
    """Note how far it is."""
    changes.db.execute("UPDATE redaction SET state = ? WHERE key = ?", (state, key))


def end_rest(changes: Changes, *, key: int) -> None:
    """All is cleared away."""
    changes.db.execute("UPDATE redaction SET has_rest = 0 WHERE key = ?", (key,))


def _check_trash(db: apsw.Connection, key: int) -> None:
    """Raise Conflict while a bucket that it changed is in the trash: what comes back from there is to be as it was."""
    bucket_id = db.execute(_IN_TRASH, (key,)).get
    if bucket_id is not None:
        raise Conflict(
            f"bucket {bucket_id!r} is in the trash, with what redaction {key} has changed",
            hint="restore the bucket first, or empty the trash: GET /api/1/trash",
        )


def _view(row: object) -> Redaction:
    key, made, state, rules, buckets, values, events, dropped, undo = msgspec.convert(
        row, tuple[int, int, State, str, str, int, int, int, int | None]
    )
    return Redaction(
        id=key,
        made=format_timestamp(made),
        state=state,
        rules=msgspec.json.decode(rules, type=RuleBook),
        buckets=msgspec.json.decode(buckets, type=list[str]),
        changed_values=values,
        changed_events=events,
        dropped_events=dropped,
        undo=undo,
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
