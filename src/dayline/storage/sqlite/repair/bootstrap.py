"""Creates the recovery file of a damaged database within moments: everything but events and their texts.

It has the buckets, so that watchers find theirs, and the keys and settings, so that the same clients have access and
the same privacy rules apply. Its own ids (of events, values, buckets, operations) start far above those of the damaged
file, so that everything can be copied into it later with its original ids.
"""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import apsw
import msgspec
from msgspec import Struct

from dayline.config.data_folder import DataFile, beside, data_file
from dayline.model.bucket import Bucket
from dayline.model.errors import SettingsInvalid, StoreUnusable
from dayline.model.health import Damage
from dayline.model.time import now_us
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID
from dayline.runtime.files import replace_file
from dayline.storage.sqlite.backup.restore import time_in_name
from dayline.storage.sqlite.file.connection import open_writer, remove_database
from dayline.storage.sqlite.file.schema import FORMER_NAMES, migrate
from dayline.storage.sqlite.repair.mark import STATE, damage_in, look, recovery_path
from dayline.storage.sqlite.repair.pages import Pages
from dayline.storage.sqlite.repair.records import Record
from dayline.storage.sqlite.repair.salvage import Salvage, Tree
from dayline.storage.sqlite.writing.catalogue import INSERT_BUCKET, bucket_row
from dayline.storage.sqlite.writing.values import reserve_keys

ID_GAP: Final = 1 << 20  # gap between the last id found and the first new one
_WIDE_ID_GAP: Final = 1 << 31  # the same if no id was found
_SMALL: Final = (
    "bucket", "access_key", "session", "once", "setting", "setting_history", "own_setting", "own_setting_history",
    "alias",
)  # fmt: skip
_COUNTED: Final = ("bucket", "operation", "redaction")  # tables whose ids are never reused
_WANTED: Final = frozenset({*_SMALL, *_COUNTED, "bucket_id", "meta", "sqlite_sequence", "event_id", "value", "audit"})
UNKNOWN: Final = "unknown"
_KEYS: Final = "SELECT key FROM bucket ORDER BY key"
_AUDIT: Final = """
INSERT INTO audit(number, slot, who, key_id, address, call, bucket, status, first, last, count)
VALUES(:number, :when, 'dayline', '', '', 'found_damage', '', 200, :when, :when, 1)
"""

log = logging.getLogger(__name__)

Phase: TypeAlias = Literal["buckets", "values", "events", "rest", "done"]


class RecoveryState(Struct, frozen=True, kw_only=True):
    """The progress of copying the readable data, stored with every slice in the same transaction."""

    damage: str
    first_event: int
    first_value: int
    seeded: tuple[int, ...] = ()  # the keys of the buckets that it started with
    phase: Phase = "buckets"
    table: int = 0  # of the remaining tables, the number done
    position: tuple[int, ...] = (0,)

    @property
    def is_done(self) -> bool:
        return self.phase == "done"


def make_recovery(database: Path, damage: Damage, known: Mapping[int, Bucket] = MappingProxyType({})) -> Path:
    """The recovery file for this damage, created unless it exists. `known` are buckets in memory.

    Any other file with its name is renamed: a damaged one, one for another damage, and a plain one that another program
    put there although this process has a key.
    """
    path = recovery_path(database)
    if path.exists():
        reason = _reason_not_to_use(path, damage)
        if reason is None:
            return path
        _rename(path, reason)
    part = data_file(path, DataFile.PART)
    remove_database(part)
    with Pages(database) as pages:
        seeds = _Seeds(Salvage(pages).rows(_WANTED, is_hasty=True))
    with closing(open_writer(part)) as db:
        migrate(db)
        db.execute("BEGIN IMMEDIATE")
        _put_known(db, known)
        seeds.plant(db, damage)
        db.execute("COMMIT")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    replace_file(part, path)
    return path


def _reason_not_to_use(recovery: Path, damage: Damage) -> str | None:
    try:
        message = look(recovery)
    except (StoreUnusable, SettingsInvalid) as error:
        return error.message
    if message is not None:
        return f"it is damaged too: {message}"
    if damage.id and damage_in(recovery) != damage.id:
        return "it does not belong to this damage"
    return None


def _rename(recovery: Path, reason: str) -> None:
    kept = data_file(recovery, DataFile.KEPT_BY_REPAIR, time_in_name(now_us()))
    for suffix in ("", "-wal"):
        old = beside(recovery, suffix)
        if old.exists():
            os.replace(old, beside(kept, suffix))
    beside(recovery, "-shm").unlink(missing_ok=True)
    log.error("%s is not used, and kept in %s: %s", recovery.name, kept.name, reason)


def read_state(db: apsw.Connection) -> RecoveryState | None:
    """None in any file but a recovery file."""
    text = db.execute("SELECT value FROM meta WHERE key = ?", (STATE,)).get
    return msgspec.json.decode(text, type=RecoveryState) if isinstance(text, str) else None


def write_state(db: apsw.Connection, state: RecoveryState) -> None:
    text = msgspec.json.encode(state).decode()
    db.execute("INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", (STATE, text))


def put_rows(db: apsw.Connection, tree: Tree, rows: Iterable[Record], *, table: str = "") -> None:
    """Write recovered rows, except those that exist already or violate a constraint."""
    target = table or f"main.{tree.name}"
    names, places = ", ".join(tree.names), ", ".join("?" * len(tree.names))
    statement = f"INSERT OR IGNORE INTO {target}({names}) VALUES({places})"
    for row in rows:
        with suppress(apsw.ConstraintError):
            db.execute(statement, whole_row(tree, row))


def whole_row(tree: Tree, row: Record) -> Record:
    """A row with the columns that were added after it was written."""
    missing = tree.names[len(row) :]
    return (*row, *(0 if name == "dictionary" else None for name in missing))


class _Seeds:
    def __init__(self, found: Iterable[tuple[Tree, Sequence[Record]]]) -> None:
        self._rows: dict[str, tuple[Tree, list[Record]]] = {}
        self._ids: dict[int, str] = {}  # of buckets, from their index
        self._highest: dict[str, int] = {}
        for tree, rows in found:
            self._take(tree, rows)

    def _take(self, tree: Tree, rows: Sequence[Record]) -> None:
        if tree.name in _SMALL:
            self._rows.setdefault(tree.name, (tree, []))[1].extend(rows)
        for row in rows:
            first, second = row[0], row[1]
            if tree.name == "bucket_id" and isinstance(first, str) and isinstance(second, int):
                self._ids[second] = first
            elif tree.name in ("meta", "sqlite_sequence") and isinstance(second, int):
                self._raise(str(first), second)
            elif isinstance(first, int) and not (tree.name == "event_id" and first >= FIRST_MIRROR_ID):
                self._raise(tree.name, first)

    def _raise(self, stored_name: str, number: int) -> None:
        name = FORMER_NAMES.get(stored_name, stored_name)
        self._highest[name] = max(number, self._highest.get(name, 0))

    def plant(self, db: apsw.Connection, damage: Damage) -> None:
        for tree, rows in self._rows.values():
            put_rows(db, tree, _living(rows) if tree.name == "bucket" else rows)
        put_known_ids(db, self._ids)
        for name in _COUNTED:
            number = self._highest.get(name, 0) + ID_GAP
            db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)", (name, number))
        state = RecoveryState(
            damage=damage.id,
            first_event=max(self._behind("event_id"), self._highest.get("next_event_id", 0)),
            first_value=self._behind("value"),
            seeded=tuple(key for (key,) in msgspec.convert(db.execute(_KEYS).fetchall(), list[tuple[int]])),
        )
        db.execute("INSERT INTO meta(key, value) VALUES('next_event_id', ?)", (state.first_event,))
        reserve_keys(db, upto=state.first_value - 1)
        # An audit entry that records the damage, and separates the numbers of later entries.
        db.execute(_AUDIT, {"number": self._highest.get("audit", 0) + ID_GAP, "when": damage.found})
        write_state(db, state)

    def _behind(self, name: str) -> int:
        highest = self._highest.get(name, 0)
        return highest + (ID_GAP if highest else _WIDE_ID_GAP)


def put_known_ids(db: apsw.Connection, ids: dict[int, str]) -> None:
    """Create buckets of which only the ids are known, because only their index was readable."""
    for key, bucket_id in ids.items():
        db.execute(
            "INSERT OR IGNORE INTO bucket(key, id, type, client, hostname, created, data) VALUES(?, ?, ?, ?, ?, ?, ?)",
            (key, bucket_id, UNKNOWN, UNKNOWN, UNKNOWN, now_us(), "{}"),
        )


def _put_known(db: apsw.Connection, known: Mapping[int, Bucket]) -> None:
    db.executemany(INSERT_BUCKET, [bucket_row(bucket, key) for key, bucket in known.items()])


def _living(rows: Iterable[Record]) -> list[Record]:
    """Buckets that are not deleted. Deleted ones are copied last; otherwise their data would be purged now."""
    return [row for row in rows if row[7] is None]
