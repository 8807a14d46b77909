"""The files beside a damaged database.

days.db                    damaged: nothing is written to it any more
days.db-damaged            the mark: when it was found, and what
days.db-recovery           what is used in its place until it is repaired
days.db-recovery-staged    what can be read of it, on the way into that
"""

import os
from pathlib import Path


def mark_path(database: Path) -> Path:
    return database.with_name(f"{database.name}-damaged")


def recovery_path(database: Path) -> Path:
    return database.with_name(f"{database.name}-recovery")


def staged_path(database: Path) -> Path:
    return database.with_name(f"{database.name}-recovery-staged")


def set_aside(database: Path, kept: Path) -> None:
    """Before another file takes the name of a damaged one: keep what was used in its place with it; then the mark goes.

    In this order, so that whatever happens in between, nothing that was recorded is removed.
    """
    if not mark_path(database).exists():
        return
    for suffix in ("", "-wal"):
        old = recovery_path(database).with_name(f"{recovery_path(database).name}{suffix}")
        if old.exists():
            os.replace(old, kept.with_name(f"{recovery_path(kept).name}{suffix}"))
    staged_path(database).unlink(missing_ok=True)
    mark_path(database).unlink()
