"""Copies the readable data of a damaged file into its recovery file, in slices between heartbeats."""

import logging
import shutil
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

import apsw
import msgspec

from dayline.model.bucket import Bucket
from dayline.model.errors import Unavailable
from dayline.model.time import month_of, start_of_month
from dayline.runtime.sqlite_file import UNCHANGING, attach
from dayline.storage.disk_faults import RESERVED_BYTES
from dayline.storage.operations.background import SlicePace
from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.repair.bootstrap import RecoveryState, read_state, write_state
from dayline.storage.sqlite.repair.mark import staged_path
from dayline.storage.sqlite.repair.salvage import known_trees
from dayline.storage.sqlite.repair.salvage_worker import REST, is_current
from dayline.storage.sqlite.writing.transaction import SqliteTransaction
from dayline.storage.sqlite.writing.values import RESERVATION, delete_values
from dayline.storage.sqlite.writing.writer import Writer

_LAST = "SELECT max(key) FROM (SELECT key FROM salvaged.value WHERE key > ? ORDER BY key LIMIT ?)"
_PUT_VALUE = """
INSERT OR IGNORE INTO main.value(key, bucket, hash, json)
SELECT key, bucket, hash, json FROM salvaged.value WHERE key > ? AND key <= ?
"""
# Texts that were recorded again since: from now on they have their original key.
_DOUBLE = """
SELECT new.key, old.key FROM salvaged.value AS old CROSS JOIN main.value AS new
WHERE old.key > ? AND old.key <= ? AND new.hash = old.hash AND new.bucket = old.bucket AND new.json = old.json
AND new.key <> old.key
"""
_USERS = """
SELECT bucket.id, event.start FROM main.event JOIN main.bucket ON bucket.key = event.bucket WHERE event.value = ?
"""


def copy_values(changes: SqliteTransaction, state: RecoveryState, rows: int) -> tuple[int, RecoveryState]:
    """Copy some values; returns the number of keys processed, and the new state."""
    db = changes.db
    last = db.execute(_LAST, (*state.position, rows)).get
    if not isinstance(last, int):
        return 0, msgspec.structs.replace(state, phase="events", position=(0, 0, 0))
    slice_ = (*state.position, last)
    doubles = msgspec.convert(db.execute(_DOUBLE, slice_).fetchall(), list[tuple[int, int]])
    db.execute(_PUT_VALUE, slice_)
    for new, old in doubles:
        _renumber(changes, db, new, old)
    return rows, msgspec.structs.replace(state, position=(last,))


def _renumber(changes: SqliteTransaction, db: apsw.Connection, new: int, old: int) -> None:
    """Change events from one value to another with the same text. There are few: all were recorded since the damage."""
    users = msgspec.convert(db.execute(_USERS, (new,)).fetchall(), list[tuple[str, int]])
    for bucket_id, start in users:
        if changes.has_bucket(bucket_id):
            changes.mark_month_changed(bucket_id, start=start + ORIGIN)
    db.execute("UPDATE main.event SET value = ? WHERE value = ?", (old, new))
    for column in ("value", "new_value"):
        db.execute(f"UPDATE main.operation_event SET {column} = ? WHERE {column} = ?", (old, new))
    delete_values(db, [new])
    changes.values.forget()


# Copies what can be read of a damaged file into the one that is used in its place, in slices between heartbeats.
#
#     staged (a process of its own) ─▶ buckets ─▶ values ─▶ events ─▶ the rest ─▶ done
#
# The progress is stored with each slice. After a kill it continues there at the next start; nothing is copied twice,
# and what was deleted since does not come back.


_FAR: Final = 2**62
_NEXT = """
SELECT bucket, start FROM salvaged.event WHERE (bucket, start, id) > (?, ?, ?) ORDER BY bucket, start, id LIMIT 1
"""
_ROWS = """
SELECT bucket, start, id, duration, value FROM salvaged.event
WHERE bucket = ? AND start >= ? AND start < ? AND (start, id) > (?, ?) ORDER BY start, id LIMIT ?
"""
_HAS = "SELECT 1 FROM main.event WHERE id = ?"
_PUT = "INSERT OR IGNORE INTO main.event(bucket, start, id, duration, value) VALUES(?, ?, ?, ?, ?)"
_PUT_MONTHS = """
INSERT OR REPLACE INTO main.month(bucket, month, events, longest, reach, is_sealed, changes)
SELECT bucket, (strftime('%Y', s) - 1970) * 12 + strftime('%m', s) - 1, count(*),
    max(64000000, max(duration)), max(start + duration), 0, 0
FROM (SELECT *, datetime((start + ?) / 1000000, 'unixepoch') AS s FROM main.event WHERE bucket = ?) GROUP BY 1, 2
"""

_RESERVATIONS: Final = "SELECT key FROM main.value WHERE bucket = ? AND hash = ? AND json = ?"
_BUCKETS: Final = """
SELECT key, id, type, client, hostname, created, data, creator FROM salvaged.bucket WHERE deleted IS NULL ORDER BY key
"""

BucketRow = tuple[int, str, str, str, str, int, str, str | None]
EventRow = tuple[int, int, int, int, int]

log = logging.getLogger(__name__)

run_salvage = ChildFunction("dayline.storage.sqlite.repair.salvage_worker:stage", type(None), niceness=10)


async def copy_readable(database: Path, writer: Writer) -> None:
    """Copy what is not copied yet. Raises StoreBusy or Unavailable, and continues there when called again."""
    state = await writer.change(lambda changes: read_state(changes.db))
    if state is None or state.is_done:
        return
    staged = staged_path(database).resolve()
    if not staged.exists() or not is_current(staged):
        _check_disk_space(database)
        try:
            await run_salvage(database, staged)
        except ChildFailed as error:
            raise Unavailable(f"{database.name} could not be read completely: {error}") from error
    try:
        await _copy_staged(writer, staged, state)
    finally:
        await writer.between_commits(_detach)
    log.info("All readable data of %s is available again", database.name)


def _check_disk_space(database: Path) -> None:
    needed = 2 * database.stat().st_size + RESERVED_BYTES
    if shutil.disk_usage(database.parent).free < needed:
        raise Unavailable(f"{needed >> 20:,} MiB of disk space are needed in {database.parent}")


async def _copy_staged(writer: Writer, staged: Path, state: RecoveryState) -> None:
    pace = SlicePace()
    while not state.is_done:
        copy = partial(_copy_slice, state=state, pace=pace)
        state = await writer.change(copy, rows=pace.rows, before=partial(_attach, path=staged))


def _copy_slice(changes: SqliteTransaction, state: RecoveryState, pace: SlicePace) -> RecoveryState:
    """Copy some rows; returns the new state."""
    started, rows = perf_counter(), pace.rows
    match state.phase:
        case "buckets":
            copied, after = _copy_buckets(changes, state)
        case "values":
            copied, after = copy_values(changes, state, rows)
        case "events":
            copied, after = _copy_events(changes, state, rows)
        case _:
            copied, after = _copy_rest(changes, state, rows)
    write_state(changes.db, after)
    pace.note(max(copied, 1), perf_counter() - started)
    return after


def _copy_buckets(changes: SqliteTransaction, state: RecoveryState) -> tuple[int, RecoveryState]:
    """Copy buckets that the quick scan did not find, and create those of which only events are known."""
    rows = msgspec.convert(changes.db.execute(_BUCKETS).fetchall(), list[BucketRow])
    for key, bucket_id, kind, client, hostname, created, data, creator in rows:
        if key in state.seeded or changes.has_bucket(bucket_id):
            continue
        content = msgspec.json.decode(data, type=dict[str, object])
        bucket = Bucket(
            id=bucket_id, type=kind, client=client, hostname=hostname, created=created, data=content, creator=creator
        )
        changes.create_bucket(bucket, key=key)
    return len(rows), msgspec.structs.replace(state, phase="values")


def _copy_events(changes: SqliteTransaction, state: RecoveryState, rows: int) -> tuple[int, RecoveryState]:
    """Copy events of one bucket and month."""
    db = changes.db
    bucket, start, number = state.position
    following = db.execute(_NEXT, state.position).fetchone()
    if following is None:
        return 0, msgspec.structs.replace(state, phase="rest", position=(0,))
    key, first = msgspec.convert(following, tuple[int, int])
    month = month_of(first + ORIGIN)
    if key != bucket:
        start, number = -_FAR, 0
    limits = start_of_month(month) - ORIGIN, start_of_month(month + 1) - ORIGIN
    events = msgspec.convert(db.execute(_ROWS, (key, *limits, start, number, rows)).fetchall(), list[EventRow])
    _put_events(changes, state, key, events)
    last = events[-1]
    return len(events), msgspec.structs.replace(state, position=(key, last[1], last[2]))


def _put_events(changes: SqliteTransaction, state: RecoveryState, key: int, rows: list[EventRow]) -> None:
    db = changes.db
    bucket_id = db.execute("SELECT id FROM main.bucket WHERE key = ? AND deleted IS NULL", (key,)).get
    if bucket_id is None and _is_living(db, key):
        return  # it was deleted since
    copied = 0
    # Our ids start far above those of the damaged file, so only rows collide that had the same id there.
    for row in [row for row in rows if row[2] < state.first_event]:
        number = changes.take_event_ids(1) if db.execute(_HAS, (row[2],)).get else row[2]
        db.execute(_PUT, (*row[:2], number, *row[3:]))
        copied += db.changes()
    if copied and isinstance(bucket_id, str):
        changes.add_month_events(
            bucket_id,
            events=copied,
            start=rows[0][1] + ORIGIN,
            max_duration=max(row[3] for row in rows),
            max_end=max(row[1] + row[3] for row in rows) + ORIGIN,
        )


def _is_living(db: apsw.Connection, key: int) -> bool:
    return bool(db.execute("SELECT 1 FROM salvaged.bucket WHERE key = ? AND deleted IS NULL", (key,)).get)


def _copy_rest(changes: SqliteTransaction, state: RecoveryState, rows: int) -> tuple[int, RecoveryState]:
    """Copy rows of one of the remaining tables."""
    db = changes.db
    if state.table == len(REST):
        return 0, _finish(db, state)
    name = REST[state.table]
    last = db.execute(
        f"SELECT max(rowid) FROM (SELECT rowid FROM salvaged.{name} WHERE rowid > ? ORDER BY rowid LIMIT ?)",
        (*state.position, rows),
    ).get
    if not isinstance(last, int):
        return 0, msgspec.structs.replace(state, table=state.table + 1, position=(0,))
    columns = next(tree.names for tree in known_trees().values() if tree.name == name)
    # Ids that nothing refers to are assigned again: a redaction since then has taken some of them.
    names = ", ".join(column for column in columns if (name, column) != ("redacted_value", "number"))
    db.execute(
        f"INSERT OR IGNORE INTO main.{name}({names}) SELECT {names} FROM salvaged.{name} "
        f"WHERE rowid > ? AND rowid <= ?{' AND deleted IS NOT NULL' if name == 'bucket' else ''}",
        (*state.position, last),
    )
    return last - state.position[0], msgspec.structs.replace(state, position=(last,))


def _finish(db: apsw.Connection, state: RecoveryState) -> RecoveryState:
    # The catalogue has the months of visible buckets only.
    for (key,) in db.execute("SELECT key FROM main.bucket WHERE deleted IS NOT NULL").fetchall():
        db.execute(_PUT_MONTHS, (ORIGIN, key))
    reservations = msgspec.convert(db.execute(_RESERVATIONS, RESERVATION).fetchall(), list[tuple[int]])
    delete_values(db, [key for (key,) in reservations])
    return msgspec.structs.replace(state, phase="done")


def _attach(db: apsw.Connection, path: Path) -> None:
    if db.db_filename("salvaged") != str(path):
        _detach(db)
        # Immutable: no process writes it any more, so no lock is taken on it at every commit.
        attach(db, path, "salvaged", options=UNCHANGING)


def _detach(db: apsw.Connection) -> None:
    if "salvaged" in db.db_names():
        db.execute("DETACH salvaged")
