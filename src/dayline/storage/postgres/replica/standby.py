"""Whether a standby is up to date."""

from typing import Any, Final

from msgspec import Struct

from dayline.storage.postgres.connection import Connection

# A copy made on the same server (CREATE DATABASE … TEMPLATE) has the same epoch and another number.
DATABASE: Final = """
(SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || (SELECT value FROM meta WHERE key = 'epoch')
"""
# Acknowledged commits are flushed; a standby cannot have anything beyond that.
_PRIMARY: Final = f"""
SELECT (SELECT system_identifier::text FROM pg_control_system()), left(pg_walfile_name(flushed), 8),
    {DATABASE}, (SELECT line FROM lineage), (flushed - '0/0'::pg_lsn)::bigint
FROM pg_current_wal_flush_lsn() AS flushed
"""
_STANDBY: Final = f"""
SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()),
    {DATABASE}, (SELECT line FROM lineage),
    coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0)
"""
_NOTE: Final = "INSERT INTO lineage(line) VALUES(%s) ON CONFLICT(one) DO UPDATE SET line = excluded.line"


class Primary(Struct, frozen=True):
    """The position of the primary. `noted` is the timeline stored in its data."""

    system: str
    timeline: str
    database: str
    noted: str | None
    flushed: int  # bytes of its log

    @property
    def line(self) -> str:
        return f"{self.system}/{self.timeline}"


class Standby(Struct, frozen=True):
    """The position of a standby."""

    is_standby: bool
    system: str
    database: str
    line: str | None
    replayed: int

    def has_all_of(self, primary: Primary) -> bool:
        """Whether it has everything that was acknowledged when the primary was queried."""
        return self.line == primary.line and self.replayed >= primary.flushed


def primary_of(db: Connection) -> Primary:
    """Query the primary. Raises psycopg.Error."""
    return Primary(*_row(db, _PRIMARY))


def marked_primary_of(db: Connection) -> Primary:
    """Query the primary after it has stored its timeline in the data, as every new primary must."""
    primary = primary_of(db)
    if primary.noted == primary.line:
        return primary
    db.execute(_NOTE, (primary.line,))
    return primary_of(db)


def standby_of(db: Connection) -> Standby:
    """Query a standby. Raises psycopg.Error."""
    return Standby(*_row(db, _STANDBY))


def misfit(primary: Primary, standby: Standby) -> str | None:
    """Why this server can never replace the primary for reads; None if it can once it is up to date."""
    if (standby.system, standby.database) != (primary.system, primary.database):
        return "has a different database than the primary"
    return None if standby.is_standby else "is not a standby"


def _row(db: Connection, statement: str) -> tuple[Any, ...]:
    row = db.execute(statement.encode()).fetchone()
    assert row is not None
    return row
