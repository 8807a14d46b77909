"""Creates and upgrades the schema, also if several servers start at once."""

import contextlib
from collections.abc import Sequence
from typing import Final, Literal

import psycopg
from msgspec import Struct
from psycopg import sql

from dayline.model.errors import StoreTooNew, StoreUnusable
from dayline.storage.postgres.connection import Connection, connect, display_address, error_text
from dayline.storage.postgres.schema.step import ROLE, SCHEMA, Step
from dayline.storage.postgres.schema.tables import STEPS

_LOCK: Final = 0x4461796C696E65  # "Dayline": the advisory lock of migrations
MIN_SERVER_VERSION: Final = 140_000

State = Literal["empty", "old", "current", "newer", "too_new"]


class SchemaStatus(Struct, frozen=True, kw_only=True):
    """The schema of a database. `newer`: created by a later Dayline, and compatible with this one."""

    state: State
    version: int
    newest: int


def status_of(db: Connection) -> SchemaStatus:
    """Inspect the tables. Changes nothing."""
    newest = len(STEPS)
    row = db.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",)).fetchone()
    if row is None or row[0] is None:
        return SchemaStatus(state="empty", version=0, newest=newest)
    rows = db.execute(sql.SQL("SELECT key, value FROM {}.meta").format(sql.Identifier(SCHEMA))).fetchall()
    kept = {str(key): str(value) for key, value in rows}
    version, least = int(kept.get("version", "0")), int(kept.get("compatible_from", "0"))
    if version > newest:
        return SchemaStatus(state="too_new" if least > newest else "newer", version=version, newest=newest)
    return SchemaStatus(state="current" if version == newest else "old", version=version, newest=newest)


def migrate(address: str, steps: Sequence[Step] = STEPS) -> SchemaStatus:
    """Create or upgrade the tables, as the owner of the database. Raises StoreUnusable or StoreTooNew."""
    try:
        with connect(address, is_owner=True) as db:
            check_server(db)
            db.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            try:
                return _migrate(db, address, steps)
            finally:
                db.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreUnusable(
            f"{display_address(address)}: {error_text(error)}",
            hint="use the owner of the database: dayline database init --database postgresql://owner@…",
        ) from error


def check_server(db: Connection) -> None:
    """Raise StoreUnusable if PostgreSQL is too old, or the encoding cannot hold every text."""
    if db.info.server_version < MIN_SERVER_VERSION:
        major = db.info.server_version // 10_000
        raise StoreUnusable(
            f"PostgreSQL {major} is not supported", hint=f"use PostgreSQL {MIN_SERVER_VERSION // 10_000} or later"
        )
    encoding = db.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnusable(
            f"the database encoding {encoding} cannot store every text",
            hint="make another: CREATE DATABASE dayline ENCODING 'UTF8' TEMPLATE template0",
        )


def refuse_too_new(status: SchemaStatus, address: str) -> None:
    """Raise StoreTooNew for a schema that this program does not know."""
    if status.state == "too_new":
        raise StoreTooNew(
            f"{display_address(address)} has schema {status.version}, newer than this Dayline ({status.newest})",
            hint="install that version or a later one; nothing was changed",
        )


def _migrate(db: Connection, address: str, steps: Sequence[Step]) -> SchemaStatus:
    status = status_of(db)
    refuse_too_new(status, address)
    if status.state == "empty":
        _make_role(db)
        db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    for number in range(status.version, len(steps)):
        with db.transaction():
            db.execute(steps[number].statements.encode())
            _note(db, "version", number + 1)
            if not steps[number].is_additive:
                _note(db, "compatible_from", number + 1)
    return status_of(db)


def _note(db: Connection, key: str, value: int) -> None:
    db.execute(
        "INSERT INTO meta(key, value) VALUES(%s, %s) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (key, str(value)),
    )


def _make_role(db: Connection) -> None:
    """Create the role of the servers. It is shared by all databases of a cluster, so it may exist already."""
    name = sql.Identifier(ROLE)
    if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
        with contextlib.suppress(psycopg.errors.DuplicateObject):  # created concurrently, for another database
            db.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOBYPASSRLS").format(name))
    row = db.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone()
    if row is not None and row[0]:
        raise StoreUnusable(
            f"the role {ROLE!r} bypasses row security", hint=f"ALTER ROLE {ROLE} NOSUPERUSER NOBYPASSRLS"
        )
    db.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(name))
