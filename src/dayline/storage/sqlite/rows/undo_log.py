"""The table of acts: what was done, and what events were before it and after it."""

from typing import Final

import apsw
import msgspec

from dayline.model.time import Microseconds
from dayline.model.upkeep import ActKind, ActState
from dayline.storage.history.undo_log import ACT_FIELDS, PART_OF, Act, act_of, not_undone

_NOTE = (
    "INSERT INTO act_event(act, id, bucket, start, duration, value, new_start, new_duration, new_value) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(act, id) DO UPDATE SET "
    "new_start = excluded.new_start, new_duration = excluded.new_duration, new_value = excluded.new_value"
)

Place = tuple[int, int, int]  # start since ORIGIN, duration, value: where an event stands, and what it says
_NOWHERE: Final = (None, None, None)


def begin(
    db: apsw.Connection,
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
    text = "{}" if detail is None else msgspec.json.encode(detail).decode()
    db.execute(
        "INSERT INTO act(kind, made, state, bucket, bucket_key, events, detail) VALUES(?, ?, ?, ?, ?, ?, ?)",
        (kind, now, state, bucket, bucket_key, events, text),
    )
    return db.last_insert_rowid()


def note_event(
    db: apsw.Connection, act: int, event_id: int, bucket_key: int, *, before: Place | None, after: Place | None
) -> None:
    """Note what an act did to one event: None where there was none before, or is none after it."""
    db.execute(_NOTE, (act, event_id, bucket_key, *(before or _NOWHERE), *(after or _NOWHERE)))


def count_events(db: apsw.Connection, act: int) -> None:
    """Note how many events the act has changed."""
    db.execute("UPDATE act SET events = (SELECT count(*) FROM act_event WHERE act = ?) WHERE key = ?", (act, act))


def set_state(db: apsw.Connection, act: int, state: ActState) -> None:
    db.execute("UPDATE act SET state = ? WHERE key = ?", (state, act))


def end(db: apsw.Connection, act: int) -> None:
    """Note that an act is done which was made in slices."""
    db.execute("UPDATE act SET state = 'done' WHERE key = ? AND state = 'doing'", (act,))


def find(db: apsw.Connection, act: int) -> Act:
    """One act that has not been undone. Raises NotFound, or Gone."""
    newest = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'act'"
    return not_undone(act, read(db, act), newest=lambda: int(db.execute(newest).get))


def read(db: apsw.Connection, act: int) -> Act | None:
    """One act, whatever its state."""
    row = db.execute(f"SELECT {ACT_FIELDS} FROM act WHERE key = ?", (act,)).fetchone()
    return None if row is None else act_of(row)


def parts_of(db: apsw.Connection, act: int) -> list[Act]:
    """The acts that one consists of, the oldest first."""
    rows = db.execute(
        f"SELECT {ACT_FIELDS} FROM act WHERE json_extract(detail, '$.{PART_OF}') = ? ORDER BY key", (act,)
    )
    return [act_of(row) for row in rows]


def forget(db: apsw.Connection, act: int) -> None:
    """Delete an act and its parts: what they did cannot be undone any more."""
    db.execute(f"DELETE FROM act WHERE key = :act OR json_extract(detail, '$.{PART_OF}') = :act", {"act": act})


def all_kept(db: apsw.Connection) -> list[Act]:
    """Every act that can be undone, the newest first."""
    rows = db.execute(f"SELECT {ACT_FIELDS} FROM act WHERE state IN ('doing', 'done') ORDER BY key DESC")
    return [act_of(row) for row in rows]


def unfinished(db: apsw.Connection) -> list[Act]:
    """Acts, and the undoing of acts, that were interrupted, the oldest first."""
    rows = db.execute(f"SELECT {ACT_FIELDS} FROM act WHERE state IN ('doing', 'undoing') ORDER BY key")
    return [act_of(row) for row in rows]


def older_than(db: apsw.Connection, moment: Microseconds) -> list[Act]:
    """Acts that are finished, one way or the other, and were made before a moment; the oldest first."""
    rows = db.execute(
        f"SELECT {ACT_FIELDS} FROM act WHERE made < ? AND state IN ('done', 'undone') ORDER BY key", (moment,)
    )
    return [act_of(row) for row in rows]
