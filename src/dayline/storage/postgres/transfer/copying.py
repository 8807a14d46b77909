"""A tenant of a PostgreSQL database as the source or the target of a copy.

The target is filled in one transaction: an interrupted copy leaves nothing.
"""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from dayline.model.errors import Conflict, Invalid, StoreUnusable
from dayline.storage.postgres.connection import Connection, display_address, error_text, transaction
from dayline.storage.postgres.rows.arrays import as_array, as_text_array
from dayline.storage.postgres.rows.reader import JSON_MEMBERS
from dayline.storage.postgres.schema.exclusive import hold, opened, refuse_others
from dayline.storage.postgres.schema.migrate import status_of
from dayline.storage.postgres.schema.step import SCHEMA
from dayline.storage.postgres.writing.values import numbers_of
from dayline.storage.transfer.copying import (
    ROWS_AT_ONCE,
    TABLES,
    BucketValue,
    Copied,
    CopiedEvent,
    CopiedTable,
    CopyTarget,
    Counters,
    Row,
    repeated_id,
)

# A session belongs to the tenant of the key it was opened with; without one, to the unnamed tenant.
_OWN_SESSIONS: Final = """
WHERE coalesce((SELECT access_key.tenant FROM access_key WHERE access_key.id = session.key_id), '') = %(tenant)s
"""
_ORDER: Final = {
    "access_key": "ORDER BY place", "bucket": "ORDER BY key", "alias": 'ORDER BY id COLLATE "C"',
    "setting": 'ORDER BY key COLLATE "C"', "own_setting": 'ORDER BY key COLLATE "C"',
    "setting_history": "ORDER BY number", "own_setting_history": "ORDER BY number", "audit": "ORDER BY number",
    "once": 'ORDER BY token COLLATE "C"',
}  # fmt: skip
_UNFINISHED: Final = """
SELECT EXISTS (SELECT 1 FROM operation WHERE tenant = %(tenant)s AND state IN ('doing', 'undoing')) OR EXISTS (
    SELECT 1 FROM redaction WHERE tenant = %(tenant)s AND (state IN ('applying', 'undoing') OR has_rest)
)
"""
_EVENTS: Final = """
SELECT event.start, event.id, event.duration, convert_to(value.json, 'UTF8')
FROM event JOIN value ON value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = event.value
WHERE event.tenant = %(tenant)s AND event.bucket = %(bucket)s
"""
_EVENT_LINES: Final = f"""
SELECT convert_to(%(head)s::text || id || ',' || {JSON_MEMBERS}, 'UTF8') FROM (
    SELECT event.id, event.start AS moment, event.duration AS span, value.json
    FROM event JOIN value ON value.tenant = %(tenant)s AND value.bucket = %(bucket)s AND value.key = event.value
    WHERE event.tenant = %(tenant)s AND event.bucket = %(bucket)s ORDER BY event.start, event.id
) AS line
"""
_REPEATED: Final = "SELECT id FROM event WHERE tenant = %s GROUP BY id HAVING count(*) > 1 LIMIT 1"
_MEASURE: Final = """
UPDATE bucket SET first_start = found.first, last_end = found.last, version = 1
FROM (
    SELECT bucket, min(start) AS first, max(start + duration) AS last
    FROM event WHERE tenant = %(tenant)s GROUP BY bucket
) AS found
WHERE bucket.tenant = %(tenant)s AND bucket.key = found.bucket
"""
_RAISE_IDS: Final = """
INSERT INTO tenant AS kept (id, next_event_id, next_operation) VALUES(%s, %s, %s)
ON CONFLICT (id) DO UPDATE SET
    next_event_id = greatest(kept.next_event_id, excluded.next_event_id),
    next_operation = greatest(kept.next_operation, excluded.next_operation)
"""
_SEQUENCES: Final = {"bucket": "key", "value": "key"}


@contextmanager
def copied_tenant(address: str, tenant: str = "") -> Generator["CopiedTenant"]:
    """A snapshot of a tenant as the source. Raises Unavailable errors, or Conflict."""
    with opened(address) as db, transaction(db, tenant, is_snapshot=True):
        refuse_others(db, address)
        if _one(db, _UNFINISHED, {"tenant": tenant}):
            raise Conflict(
                f"{display_address(address)} has an interrupted operation",
                hint="start a server on it and let the operation finish",
            )
        yield CopiedTenant(db, address, tenant)


@contextmanager
def archived_tenant(address: str, tenant: str = "") -> Generator["CopiedTenant"]:
    """A snapshot of a tenant; servers may keep recording. Raises Unavailable errors."""
    with opened(address) as db, transaction(db, tenant, is_snapshot=True):
        yield CopiedTenant(db, address, tenant)


@contextmanager
def new_tenant(address: str, tenant: str = "") -> Generator["NewTenant"]:
    """An empty tenant as the target; it stays empty unless the copy is kept. Raises Unavailable errors, or Conflict."""
    with opened(address) as db:
        try:
            with transaction(db, tenant):
                refuse_others(db, address)
                hold(db, address, [table.name for table in TABLES])
                full = [table.name for table in TABLES if not _is_empty(db, table, tenant)]
                if full:
                    raise Conflict(
                        f"{display_address(address)} is not empty: there are rows in {', '.join(full)}",
                        hint="use a new database: createdb NAME; dayline database init --database postgresql://…/NAME",
                    )
                made = NewTenant(db, address, tenant)
                yield made
                if not made.is_kept:
                    db.rollback()
        except psycopg.errors.UniqueViolation as error:
            raise Conflict(
                f"{display_address(address)} already has the same keys for another tenant: {error_text(error)}",
                hint="copy to that tenant, or to another database",
            ) from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise StoreUnusable(
                f"{display_address(address)}: {error_text(error)}",
                hint="copy as the owner of the database, who created the tables",
            ) from error


class CopiedTenant(Copied):
    """An open transaction on a tenant."""

    def __init__(self, db: Connection, address: str, tenant: str) -> None:
        self._db = db
        self._address = address
        self._tenant = tenant

    @property
    def name(self) -> str:
        return display_address(self._address)

    @property
    def schema(self) -> int:
        return status_of(self._db).version

    def count_events(self) -> int:
        return int(_one(self._db, "SELECT count(*) FROM event WHERE tenant = %s", (self._tenant,)))

    def events(self, bucket: int) -> Iterator[CopiedEvent]:
        for rows in self._pages(_EVENTS, {"tenant": self._tenant, "bucket": bucket}):
            for row in rows:
                yield CopiedEvent(*row)

    def event_lines(self, bucket: int, head: str) -> Iterator[bytes]:
        for rows in self._pages(_EVENT_LINES, {"tenant": self._tenant, "bucket": bucket, "head": head}):
            yield from (line for (line,) in rows)

    def rows(self, table: CopiedTable) -> Iterator[Sequence[Row]]:
        return self._pages(
            f"SELECT {', '.join(table.columns)} FROM {table.name} {_own(table)} {_ORDER.get(table.name, '')}",
            {"tenant": self._tenant},
        )

    def counters(self) -> Counters:
        return Counters(
            event=int(_one(self._db, "SELECT max(next_event_id) FROM tenant WHERE id = %s", (self._tenant,)) or 1),
            operation=int(_one(self._db, "SELECT max(next_operation) FROM tenant WHERE id = %s", (self._tenant,)) or 1),
            **{table: self._after(table) for table in ("bucket", "value")},
        )

    def left_out(self) -> list[str]:
        rows = self._db.execute(
            "SELECT DISTINCT tenant FROM access_key WHERE tenant <> %s ORDER BY tenant", (self._tenant,)
        ).fetchall()
        return [f"the data of {tenant}" if tenant else "the data of the unnamed tenant" for (tenant,) in rows]

    def _after(self, table: str) -> int:
        last, is_used = self._db.execute(
            f"SELECT last_value, is_called FROM {_sequence(table)}".encode()
        ).fetchone() or (
            1,
            False,
        )
        return int(last) + int(is_used)

    def _pages(self, statement: str, values: dict[str, object]) -> Iterator[Sequence[Row]]:
        """Read with a server-side cursor, so that not everything is in memory."""
        with self._db.cursor("copying", binary=True) as cursor:
            cursor.execute(statement.encode(), values)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield rows


class NewTenant(CopiedTenant, CopyTarget):
    """A tenant being filled."""

    def write(self, table: CopiedTable, rows: Sequence[Row]) -> None:
        is_session = table.name == "session"
        owner, whose = ("", "") if is_session else ("tenant, ", "%s, ")
        arrays = ", ".join(f"%s::{kind}[]" for kind in table.columns.values())
        columns = ", ".join(table.columns)
        values = [_array(table, column, place, rows) for place, column in enumerate(table.columns)]
        self._db.execute(
            f"INSERT INTO {table.name}({owner}{columns}) SELECT {whose}* FROM unnest({arrays})".encode(),
            ([] if is_session else [self._tenant]) + values,
            prepare=False,
        )

    def settle(self, counters: Counters) -> None:
        twice = _one(self._db, _REPEATED, (self._tenant,))
        if twice is not None:
            raise repeated_id(int(twice))
        self._db.execute("UPDATE bucket SET version = 1 WHERE tenant = %s", (self._tenant,))
        self._db.execute(_MEASURE, {"tenant": self._tenant})
        self._db.execute(_RAISE_IDS, (self._tenant, counters.event, counters.operation))
        for table, number in (("bucket", counters.bucket), ("value", counters.value)):
            # Of all tenants: another may have higher ones.
            name = _sequence(table)
            self._db.execute(
                f"SELECT setval('{name}', greatest(%s, last_value + is_called::integer), false) FROM {name}".encode(),
                (number,),
            )
        # The planner has no statistics of the new rows, and all of them are queried next.
        self._db.execute("ANALYZE bucket, value, event, month, operation_event, audit")

    def value_keys(self, values: Collection[BucketValue]) -> dict[BucketValue, int]:
        return numbers_of(self._db, self._tenant, values)


def _own(table: CopiedTable) -> str:
    """The condition for a tenant's rows of a table."""
    return _OWN_SESSIONS if table.name == "session" else "WHERE tenant = %(tenant)s"


def _is_empty(db: Connection, table: CopiedTable, tenant: str) -> bool:
    return not _one(db, f"SELECT EXISTS (SELECT 1 FROM {table.name} {_own(table)})", {"tenant": tenant})


def _array(table: CopiedTable, column: str, place: int, rows: Sequence[Row]) -> object:
    values = [row[place] for row in rows]
    kind = table.columns[column]
    if kind == "bigint":
        return as_array(values)
    if kind == "bytea":
        return values
    if any("\0" in value for value in values if value is not None):
        raise Invalid(f"{column} in {table.name} contains a NUL character, which PostgreSQL cannot store")
    return values if None in values else as_text_array(values)


def _sequence(table: str) -> str:
    return f"{SCHEMA}.{table}_{_SEQUENCES[table]}_seq"


def _one(db: Connection, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> Any:
    row = db.execute(statement.encode(), values).fetchone()
    return None if row is None else row[0]
