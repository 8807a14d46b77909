"""The last steps of a repair: figures made anew from the rows, everything verified, and the names changed.

    days.db              damaged │ damaged │ new
    days.db-recovery     new     │ new     │
    days.db.damaged-…            │ damaged │ damaged
                                           ╰ one rename

At every moment there is one or the other: up to the rename the mark says that the file in use is the second one.
"""

import os
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.damage import Damage
from dayline.model.errors import Unavailable
from dayline.model.timestamps import SECOND, Microseconds
from dayline.runtime.files import flush_folder
from dayline.storage.sqlite.backup.snapshot_restore import link_or_copy, time_in_name
from dayline.storage.sqlite.derived.derived_mending import count_months
from dayline.storage.sqlite.derived.segment_file import remove_derived
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.repair.damage import REPAIRED
from dayline.storage.sqlite.repair.damage_files import mark_path, recovery_path, staged_path
from dayline.storage.sqlite.repair.recovery_fill import Filled, fill
from dayline.storage.sqlite.repair.recovery_seed import read_state
from dayline.storage.sqlite.repair.salvage_staging import Found, found_in

_FIGURES: Final = """
SELECT bucket.key, bucket.id,
    (SELECT count(*) FROM salvaged.event WHERE bucket = bucket.key),
    (SELECT count(*) FROM main.event WHERE bucket = bucket.key AND id >= :first)
FROM main.bucket WHERE deleted IS NULL ORDER BY bucket.key
"""
_LOST: Final = """
SELECT bucket, count(*) FROM salvaged.event_id
WHERE id NOT IN (SELECT id FROM salvaged.event) AND id NOT IN (SELECT id FROM main.event) GROUP BY 1
"""
_EXPECTED: Final = "SELECT bucket, sum(events) FROM salvaged.month GROUP BY 1"
_TEXTLESS: Final = """
SELECT event.bucket, count(*) FROM main.value JOIN main.event ON event.value = value.key
WHERE value.json = '{"lost":' || value.key || '}' GROUP BY 1
"""


class BucketOutcome(Struct, frozen=True, kw_only=True):
    """What became of the events of one bucket."""

    id: str
    saved: int  # from the damaged file
    recorded: int  # since the damage was found
    filled: int  # from a backup
    data_filled: int  # of those that were saved: their data are from a backup
    lost: int
    without_data: int  # of those that are there: when they were is known, and not what


class RepairOutcome(Struct, frozen=True, kw_only=True):
    """What a repair came to."""

    damage: str
    buckets: list[BucketOutcome]
    backup: str | None
    tables: list[str]  # of which rows were taken from the backup
    lost_pages: int
    kept: str  # where the damaged file is now


def finish(
    database: Path, damage: Damage, *, backup: Path | None, backup_name: str | None, now: Microseconds
) -> RepairOutcome:
    """Fill what is used in the place of a damaged file from a backup, verify it, and give it the name.

    Everything readable has to be copied. Call it with the file locked. Raises Unavailable where it is not right: then
    all is as it was.
    """
    recovery = recovery_path(database)
    with closing(open_writer(recovery)) as db:
        _attach(db, staged_path(database), "salvaged")
        if backup is not None:
            _attach(db, backup, "backup")
        found = found_in(db, "salvaged")
        db.execute("BEGIN IMMEDIATE")
        state = read_state(db)
        filled = Filled(events={}, texts={}, tables=[]) if backup is None else fill(db, found)
        count_months(db)
        db.execute("UPDATE main.meta SET value = random() WHERE key = 'epoch'")  # another history begins
        db.execute("INSERT OR REPLACE INTO main.meta(key, value) VALUES(?, ?)", (REPAIRED, damage.id))
        buckets = _outcomes(db, filled, first_event=state.first_event if state is not None else 1 << 62)
        _verify(db)
        db.execute("COMMIT")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    kept = _swap(database, now)
    return RepairOutcome(
        damage=damage.message,
        buckets=buckets,
        backup=backup_name,
        tables=filled.tables,
        lost_pages=sum(found.lost_pages.values()),
        kept=str(kept),
    )


def _attach(db: apsw.Connection, path: Path, name: str) -> None:
    db.execute(f"ATTACH ? AS {name}", (f"{path.resolve().as_uri()}?mode=ro&immutable=1",))


def _outcomes(db: apsw.Connection, filled: Filled, *, first_event: int) -> list[BucketOutcome]:
    rows = db.execute(_FIGURES, {"first": first_event}).fetchall()
    lost, expected, textless = (_counts(db, statement) for statement in (_LOST, _EXPECTED, _TEXTLESS))
    outcomes: list[BucketOutcome] = []
    for key, bucket_id, saved, recorded in msgspec.convert(rows, list[tuple[int, str, int, int]]):
        taken = filled.events.get(key, 0)
        missing = max(lost.get(key, 0), expected.get(key, 0) - saved - taken)
        outcomes.append(
            BucketOutcome(
                id=bucket_id,
                saved=saved,
                recorded=recorded,
                filled=taken,
                data_filled=filled.texts.get(key, 0),
                lost=max(missing, 0),
                without_data=textless.get(key, 0),
            )
        )
    return outcomes


def _counts(db: apsw.Connection, statement: str) -> dict[int, int]:
    return dict(msgspec.convert(db.execute(statement).fetchall(), list[tuple[int, int]]))


def _verify(db: apsw.Connection) -> None:
    """Raises Unavailable, and nothing is committed, if what was made is not a whole database."""
    first = db.execute("PRAGMA main.integrity_check(1)").get
    homeless = db.execute("SELECT count(*) FROM main.event WHERE value NOT IN (SELECT key FROM main.value)").get
    doubled = db.execute("SELECT count(*) - count(DISTINCT id) FROM main.event").get
    if first != "ok" or homeless or doubled:
        raise Unavailable(
            f"the new file is not right ({first}; {homeless} events without data, {doubled} twice)",
            hint="nothing was changed; restore a backup with: dayline backup restore",
        )


def _swap(database: Path, now: Microseconds) -> Path:
    recovery = recovery_path(database)
    kept = _kept(database, now)
    for suffix in ("", "-wal"):
        old, second = (path.with_name(f"{path.name}{suffix}") for path in (database, kept))
        if old.exists() and not second.exists():
            link_or_copy(old, second)
    flush_folder(database.parent)
    # A log is applied to whatever has the name, so the old one goes first. Its other name has it, too.
    for suffix in ("-wal", "-shm"):
        for path in (database, recovery):
            path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
    flush_folder(database.parent)
    os.replace(recovery, database)
    flush_folder(database.parent)
    clear_away(database)
    return kept


def clear_away(database: Path) -> None:
    """Remove what a repair needed, and what was derived from the file that was replaced."""
    recovery = recovery_path(database)
    staged_path(database).unlink(missing_ok=True)
    remove_derived(recovery)
    remove_derived(database)
    mark_path(database).unlink(missing_ok=True)
    flush_folder(database.parent)


def _kept(database: Path, now: Microseconds) -> Path:
    """The name to keep the damaged file by; that of a repair that was cut off, where there was one."""
    for path in database.parent.glob(f"{database.name}.damaged-*"):
        if not path.name.endswith(("-wal", ".part")) and path.samefile(database):
            return path
    while (path := database.with_name(f"{database.name}.damaged-{time_in_name(now)}")).exists():
        now += SECOND
    return path


def staged_found(database: Path) -> Found | None:
    """What was found in a damaged file, once it was read through."""
    if not staged_path(database).exists():
        return None
    with closing(apsw.Connection(str(staged_path(database)), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        return found_in(db)
