"""Empties the write-ahead log, so that nothing that was removed from the database still stands there."""

from pathlib import Path
from time import monotonic, sleep
from typing import Final

import apsw

from dayline.model.errors import StoreBusy
from dayline.storage.faults import STORAGE_FAULTS, fault_of
from dayline.storage.sqlite.file.connection import open_writer

PATIENCE_S: Final = 15.0  # readers stay for five seconds at most
_BETWEEN_TRIES_S: Final = 0.02


def empty_log(database: Path) -> None:
    """Move all that is in the log into the file, and make it a log of no length. Raises StoreBusy.

    Not for the event loop. The writer is held for the little that came in since the first, unhurried move.
    """
    try:
        _empty_log(database)
    except STORAGE_FAULTS as error:
        fault = fault_of(error, database)
        raise StoreBusy(
            f"the write-ahead log cannot be emptied: {fault.message}", hint=f"{fault.hint}, then send it again"
        ) from error


def _empty_log(database: Path) -> None:
    db = open_writer(database)
    try:
        db.set_busy_timeout(0)  # others are not kept waiting while this one waits
        deadline = monotonic() + PATIENCE_S
        while not _is_emptied(db):
            if monotonic() > deadline:
                raise StoreBusy("the write-ahead log is in use by others", hint="its end is cleared away later")
            sleep(_BETWEEN_TRIES_S)
    finally:
        db.close()


def _is_emptied(db: apsw.Connection) -> bool:
    try:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.LockedError):
        return False
    return True
