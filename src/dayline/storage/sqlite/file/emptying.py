"""Empties the write-ahead log, so that deleted data is not left in it."""

from pathlib import Path
from time import monotonic, sleep
from typing import Final

import apsw

from dayline.model.errors import StoreBusy
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.faults import STORAGE_FAULTS, fault_of

PATIENCE_S: Final = 15.0  # readers stay for five seconds at most
_BETWEEN_EMPTYING_S: Final = 0.02


def empty_log(database: Path) -> None:
    """Checkpoint the log and truncate it. Raises StoreBusy.

    Do not call it on the event loop. The writer is held only for what was written during the first checkpoint.
    """
    try:
        _empty_log(database)
    except STORAGE_FAULTS as error:
        fault = fault_of(error, database)
        raise StoreBusy(
            f"cannot empty the write-ahead log: {fault.message}", hint=f"{fault.hint}, then retry the request"
        ) from error


def _empty_log(database: Path) -> None:
    db = open_writer(database)
    try:
        db.set_busy_timeout(0)  # do not block others while waiting
        deadline = monotonic() + PATIENCE_S
        while not _is_emptied(db):
            if monotonic() > deadline:
                raise StoreBusy("the write-ahead log is in use by another connection", hint="it is truncated later")
            sleep(_BETWEEN_EMPTYING_S)
    finally:
        db.close()


def _is_emptied(db: apsw.Connection) -> bool:
    try:
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.LockedError):
        return False
    return True
