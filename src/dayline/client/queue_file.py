"""The SQLite file of a queue: its tables, and opening it for one process alone."""

import os
import sys
from pathlib import Path
from typing import Final

import apsw

from dayline.model.errors import StoreLocked, StoreUnusable

_APPLICATION_ID: Final = 0x44594C51  # "DYLQ"
_VERSION: Final = 1
_SCHEMA: Final = f"""
CREATE TABLE bucket(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, creation BLOB);
-- AUTOINCREMENT: the number of a call in flight must not become another's when its bucket is forgotten meanwhile.
CREATE TABLE call(
    number INTEGER PRIMARY KEY AUTOINCREMENT, bucket INTEGER NOT NULL, kind TEXT NOT NULL, pulsetime INTEGER,
    body BLOB NOT NULL, token TEXT NOT NULL, queued INTEGER NOT NULL
);
CREATE INDEX call_of_bucket ON call(bucket, number);
CREATE TABLE refused(
    number INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, kind TEXT NOT NULL, pulsetime INTEGER,
    body BLOB NOT NULL, token TEXT NOT NULL, queued INTEGER NOT NULL, refused INTEGER NOT NULL, reason TEXT NOT NULL
);
PRAGMA user_version = {_VERSION};
"""


def open_queue_file(path: Path) -> apsw.Connection:
    """Open the file, or make it. Raises StoreLocked while another process has it, StoreUnusable where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # For the user alone: it holds what the user did. SQLite gives its log the same permissions.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        db = apsw.Connection(str(path))
    except (apsw.Error, OSError) as error:
        raise _unusable(path, error) from error
    try:
        _settle(db)
        with db:
            _make_or_check(db, path)
    except apsw.BusyError as error:
        db.close()
        raise StoreLocked(
            f"the queue {path} is in use by another relay", hint="stop it, or name another file with --queue"
        ) from error
    except (apsw.Error, StoreUnusable) as error:
        db.close()
        raise error if isinstance(error, StoreUnusable) else _unusable(path, error) from error
    return db


def _settle(db: apsw.Connection) -> None:
    # One process at a time: two would send the same calls. The system lets go of it if the process dies.
    db.pragma("locking_mode", "EXCLUSIVE")
    db.pragma("auto_vacuum", "INCREMENTAL")
    db.pragma("journal_mode", "WAL")
    # FULL, not NORMAL: with NORMAL a commit in WAL mode reaches the disk only at the next checkpoint, and watchers are
    # answered on commit.
    db.pragma("synchronous", "FULL")
    if sys.platform == "darwin":
        db.pragma("fullfsync", True)  # a plain fsync on macOS leaves the data in the drive's cache
    db.pragma("trusted_schema", False)


def _make_or_check(db: apsw.Connection, path: Path) -> None:
    if db.pragma("application_id") == _APPLICATION_ID:
        if db.pragma("user_version") != _VERSION:
            raise StoreUnusable(f"the queue {path} is of another version of Dayline", hint="use that version")
    elif db.execute("SELECT count(*) FROM sqlite_schema").get:
        raise StoreUnusable(f"{path} is another database than a queue", hint="name another file with --queue")
    else:
        db.pragma("application_id", _APPLICATION_ID)
        db.execute(_SCHEMA)


def _unusable(path: Path, error: Exception) -> StoreUnusable:
    return StoreUnusable(f"cannot open the queue {path}: {error}", hint="name another file with --queue")
