"""The number that a commit leaves in the database, by which a second try of it is known.

Of each server there is the last one only, and none below it is taken. So it is not made twice either where the first
try, believed lost, gets to the database long after the second.
"""

from typing import Final

from msgspec import Struct

from dayline.storage.postgres.connections.connection import Connection

MADE_BEFORE: Final = "DLCMT"  # the SQLSTATE of our own by which the function `beat` refuses a second try

_LEAVE: Final = """
INSERT INTO commit_mark AS kept (server, part, number, try, made) VALUES(%s, 0, %s, %s, now())
ON CONFLICT (server, part) DO UPDATE SET number = excluded.number, try = excluded.try, made = excluded.made,
    ids = NULL, starts = NULL, durations = NULL
WHERE kept.number < excluded.number
"""
_TRY: Final = "SELECT try FROM commit_mark WHERE server = %s AND part = 0 AND number = %s"
# A server has another name after each start; nobody waits for so long to know what became of a commit.
_FORGET: Final = "DELETE FROM commit_mark WHERE made < now() - interval '7 days'"


class Mark(Struct, frozen=True, kw_only=True):
    """Whose commit it is, and which."""

    server: str
    number: int


class MadeBefore(Exception):
    """An earlier try of a commit had succeeded after all."""


def leave(db: Connection, mark: Mark, *, attempt: int) -> None:
    """Write it in the transaction that is to be committed. Raises MadeBefore."""
    if not db.execute(_LEAVE, (mark.server, mark.number, attempt)).rowcount:
        raise MadeBefore


def attempt_of(db: Connection, mark: Mark) -> int | None:
    """Which try of a commit was made; None where none was."""
    row = db.execute(_TRY, (mark.server, mark.number)).fetchone()
    return None if row is None else int(row[0])


def forget_old(db: Connection) -> None:
    """Remove what servers have left that are gone for long."""
    db.execute(_FORGET)
