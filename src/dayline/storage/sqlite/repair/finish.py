"""The last steps of a repair: missing data from a backup, statistics rebuilt, everything verified, files renamed."""

import shutil
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.config.data_folder import DataFile, beside, data_file, data_files, make_own_folder
from dayline.model.errors import Unavailable
from dayline.model.health import Damage
from dayline.model.time import SECOND, Microseconds
from dayline.runtime.files import flush_folder, replace_file
from dayline.runtime.sqlite_file import UNCHANGING, attach
from dayline.storage.sqlite.backup.restore import link_or_copy, time_in_name
from dayline.storage.sqlite.derived.check import count_months
from dayline.storage.sqlite.derived.file import remove_derived
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.repair.bootstrap import UNKNOWN, read_state
from dayline.storage.sqlite.repair.mark import REPAIRED, mark_path, recovery_path, staged_path
from dayline.storage.sqlite.repair.salvage_worker import SalvageReport, read_report

# Takes from a backup what the damaged file no longer has. An event of the backup is taken if it provably still existed:
# its id is in the index of the damaged file, and its row is on no readable page. If pages of both the index and the
# events are lost, it is taken if the statistics of its month show that events are missing, and nothing shows that it
# was deleted or redacted since. A text is taken if a recovered event uses it and the text itself is lost, unless a
# redaction changed it.


# Tables that are taken from the backup as they are, if pages of them are lost.
_SMALL: Final = ("setting", "setting_history", "own_setting", "own_setting_history", "access_key", "alias", "audit")
_MONTH = "(strftime('%Y', {0}) - 1970) * 12 + strftime('%m', {0}) - 1"
_WHEN = f"datetime((event.start + {ORIGIN}) / 1000000, 'unixepoch')"

_TEXTS = """
UPDATE main.value SET (hash, json) = (SELECT hash, json FROM backup.value AS old WHERE old.key = value.key)
WHERE json = '{"lost":' || key || '}'
AND EXISTS (SELECT 1 FROM backup.value AS old WHERE old.key = value.key AND old.bucket = value.bucket)
AND key NOT IN (SELECT value FROM main.redacted_value)
AND (:has_redactions OR bucket IN (
    SELECT now.key FROM main.bucket AS now JOIN backup.bucket AS old ON old.key = now.key
    WHERE old.dictionary = now.dictionary
))
"""
_PROVEN = """
INSERT OR IGNORE INTO temp.missing(id, bucket, start, duration, value)
SELECT event.id, event.bucket, event.start, event.duration, event.value
FROM salvaged.event_id AS place CROSS JOIN backup.event AS event
WHERE place.id NOT IN (SELECT id FROM salvaged.event) AND event.id = place.id AND event.bucket = place.bucket
AND event.id NOT IN (SELECT id FROM main.event)
"""
_LIKELY = f"""
INSERT OR IGNORE INTO temp.missing(id, bucket, start, duration, value)
SELECT event.id, event.bucket, event.start, event.duration, event.value FROM backup.event AS event
WHERE event.id NOT IN (SELECT id FROM main.event) AND event.id NOT IN (SELECT id FROM salvaged.event)
AND event.id NOT IN (SELECT id FROM salvaged.event_id)
AND event.id NOT IN (SELECT id FROM main.operation_event) AND event.id NOT IN (SELECT id FROM main.redacted_event)
AND (event.bucket, {_MONTH.format(_WHEN)}) NOT IN (SELECT bucket, month FROM temp.whole_month)
"""
_WHOLE_MONTHS = f"""
CREATE TEMP TABLE whole_month AS
SELECT month.bucket, month.month FROM salvaged.month AS month LEFT JOIN (
    SELECT bucket, {_MONTH.format(_WHEN)} AS number, count(*) AS events FROM salvaged.event AS event GROUP BY 1, 2
) AS saved ON saved.bucket = month.bucket AND saved.number = month.month
WHERE coalesce(saved.events, 0) >= month.events
"""
_BUCKETS = """
SELECT key, id FROM backup.bucket WHERE key IN (SELECT bucket FROM temp.missing)
OR key IN (SELECT key FROM main.bucket WHERE type = :unknown AND client = :unknown)
"""
_PUT_VALUES = """
INSERT OR IGNORE INTO main.value(key, bucket, hash, json)
SELECT key, bucket, hash, json FROM backup.value WHERE key IN (SELECT value FROM temp.missing)
"""
_PUT_EVENTS = """
INSERT OR IGNORE INTO main.event(bucket, start, id, duration, value)
SELECT missing.bucket, missing.start, missing.id, missing.duration, missing.value FROM temp.missing AS missing
JOIN main.bucket ON bucket.key = missing.bucket
JOIN main.value AS new ON new.key = missing.value AND new.bucket = missing.bucket
JOIN backup.value AS old ON old.key = missing.value AND old.bucket = missing.bucket
WHERE new.hash = old.hash OR new.hash = new.key
"""


class Filled(Struct, frozen=True, kw_only=True):
    """What was taken from a backup: events, and events that got their data back, per bucket; and the tables."""

    events: dict[int, int]
    texts: dict[int, int]
    tables: list[str]


def fill(db: apsw.Connection, found: SalvageReport) -> Filled:
    """Fill `main` from `backup` and `salvaged`, all attached. Call it within a transaction."""
    textless = _textless(db)
    db.execute(_TEXTS, {"has_redactions": not _lost(found, ("redacted_value",))})
    still = _textless(db)
    texts = {bucket: count - still.get(bucket, 0) for bucket, count in textless.items()}
    db.execute("CREATE TEMP TABLE missing(id INTEGER PRIMARY KEY, bucket, start, duration, value)")
    db.execute(_PROVEN)
    if _lost(found, ("event",)) and _lost(found, ("event_id",)):
        db.execute(_WHOLE_MONTHS)
        db.execute(_LIKELY)
    _fill_buckets(db)
    before = _events(db)
    db.execute(_PUT_VALUES)
    db.execute(_PUT_EVENTS)
    events = {key: count - before.get(key, 0) for key, count in _events(db).items()}
    return Filled(events=_positive(events), texts=_positive(texts), tables=list(_fill_tables(db, found)))


def _lost(found: SalvageReport, names: Iterable[str]) -> bool:
    return any(found.lost_pages.get(name) or found.lost_rows.get(name) for name in (*names, ""))


def _textless(db: apsw.Connection) -> dict[int, int]:
    rows = db.execute(
        "SELECT event.bucket, count(*) FROM main.value JOIN main.event ON event.value = value.key "
        "WHERE value.json = '{\"lost\":' || value.key || '}' GROUP BY 1"
    ).fetchall()
    return dict(msgspec.convert(rows, list[tuple[int, int]]))


def _events(db: apsw.Connection) -> dict[int, int]:
    rows = db.execute("SELECT bucket, count(*) FROM main.event GROUP BY 1").fetchall()
    return dict(msgspec.convert(rows, list[tuple[int, int]]))


def _fill_buckets(db: apsw.Connection) -> None:
    """Buckets whose row is lost, as in the backup. A bucket created again with the same id is merged with it."""
    rows = db.execute(_BUCKETS, {"unknown": UNKNOWN}).fetchall()
    for key, bucket_id in msgspec.convert(rows, list[tuple[int, str]]):
        made_again = db.execute(
            "SELECT key FROM main.bucket WHERE id = ? AND deleted IS NULL AND key <> ?", (bucket_id, key)
        ).get
        if isinstance(made_again, int):
            _join(db, made_again, key)
        known = db.execute("SELECT type FROM main.bucket WHERE key = ?", (key,)).get
        if known in (None, UNKNOWN):
            db.execute("INSERT OR REPLACE INTO main.bucket SELECT * FROM backup.bucket WHERE key = ?", (key,))


def _join(db: apsw.Connection, new: int, old: int) -> None:
    db.execute("UPDATE main.event SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.value SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.operation SET bucket_key = ? WHERE bucket_key = ?", (old, new))
    db.execute("UPDATE main.operation_event SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("UPDATE main.alias SET bucket = ? WHERE bucket = ?", (old, new))
    db.execute("DELETE FROM main.bucket WHERE key = ?", (new,))


def _fill_tables(db: apsw.Connection, found: SalvageReport) -> Iterable[str]:
    for name in _SMALL:
        if _lost(found, (name,)):
            before = db.total_changes()
            with suppress(apsw.ConstraintError):
                db.execute(f"INSERT OR IGNORE INTO main.{name} SELECT * FROM backup.{name}")
            if db.total_changes() > before:
                yield name


def _positive(counts: dict[int, int]) -> dict[int, int]:
    return {key: count for key, count in counts.items() if count > 0}


# The last steps of a repair: statistics rebuilt from the rows, everything verified, and the files renamed.
#
#     days.db              damaged │ damaged │ new
#     days.db-recovery     new     │ new     │
#     days.db.damaged-…            │ damaged │ damaged
#                                            ╰ one rename
#
# At every moment there is one or the other: up to the rename the mark says that the file in use is the second one.


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
    """What happened to the events of one bucket."""

    id: str
    saved: int  # from the damaged file
    recorded: int  # since the damage was found
    filled: int  # from a backup
    data_filled: int  # recovered events with data from a backup
    lost: int
    without_data: int  # events without data: only their times are known


class RepairOutcome(Struct, frozen=True, kw_only=True):
    """The result of a repair."""

    damage: str
    buckets: list[BucketOutcome]
    backup: str | None
    tables: list[str]  # with rows taken from the backup
    lost_pages: int
    kept: str  # the path of the damaged file


def finish(
    database: Path, damage: Damage, *, backup: Path | None, backup_name: str | None, now: Microseconds
) -> RepairOutcome:
    """Complete the recovery file from a backup, verify it, and rename it to the database.

    Everything readable must be copied already, and the file must be locked. Raises Unavailable if the verification
    fails, with nothing changed.
    """
    recovery = recovery_path(database)
    with closing(open_writer(recovery)) as db:
        attach(db, staged_path(database), "salvaged", options=UNCHANGING)
        if backup is not None:
            attach(db, backup, "backup", options=UNCHANGING)
        salvaged = read_report(db, "salvaged")
        db.execute("BEGIN IMMEDIATE")
        state = read_state(db)
        filled = Filled(events={}, texts={}, tables=[]) if backup is None else fill(db, salvaged)
        count_months(db)
        db.execute("UPDATE main.meta SET value = random() WHERE key = 'epoch'")  # a new history starts
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
        lost_pages=sum(salvaged.lost_pages.values()),
        kept=str(kept),
    )


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
    """Raises Unavailable, with nothing committed, if the result is not a complete database."""
    first = db.execute("PRAGMA main.integrity_check(1)").get
    homeless = db.execute("SELECT count(*) FROM main.event WHERE value NOT IN (SELECT key FROM main.value)").get
    doubled = db.execute("SELECT count(*) - count(DISTINCT id) FROM main.event").get
    if first != "ok" or homeless or doubled:
        raise Unavailable(
            f"the new file failed verification ({first}; {homeless} events without data, {doubled} duplicates)",
            hint="nothing was changed; restore a backup with: dayline backup restore",
        )


def _swap(database: Path, now: Microseconds) -> Path:
    recovery = recovery_path(database)
    kept = _kept(database, now)
    for suffix in ("", "-wal"):
        old, second = (beside(path, suffix) for path in (database, kept))
        if old.exists() and not second.exists():
            link_or_copy(old, second)
    flush_folder(database.parent)
    # SQLite applies a log to any file with that name, so the old log is removed first. The kept file has it too.
    for suffix in ("-wal", "-shm"):
        for path in (database, recovery):
            beside(path, suffix).unlink(missing_ok=True)
    flush_folder(database.parent)
    for plan in data_files(recovery, DataFile.REDACTION):  # of redactions that the new file continues
        plan.replace(make_own_folder(database) / plan.name)
    shutil.rmtree(data_file(recovery, DataFile.FOLDER), ignore_errors=True)
    replace_file(recovery, database)
    clear_away(database)
    return kept


def clear_away(database: Path) -> None:
    """Delete the temporary files of a repair, and the data derived from the replaced file."""
    staged_path(database).unlink(missing_ok=True)
    remove_derived(database)
    mark_path(database).unlink(missing_ok=True)
    flush_folder(database.parent)


def _kept(database: Path, now: Microseconds) -> Path:
    """The name for keeping the damaged file; the one that an interrupted repair has used, if any."""
    for path in data_files(database, DataFile.KEPT_BY_REPAIR):
        if not path.name.endswith(("-wal", ".part")) and path.samefile(database):
            return path
    while (path := data_file(database, DataFile.KEPT_BY_REPAIR, time_in_name(now))).exists():
        now += SECOND
    return path
