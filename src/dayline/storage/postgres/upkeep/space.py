"""What takes up disk space: by bucket, by year and by table."""

from typing import Final, cast

from msgspec import Struct

from dayline.model.upkeep.space import FileSpace
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.rows.read_transaction import PostgresReadTransaction
from dayline.storage.postgres.schema.step import SCHEMA
from dayline.storage.postgres.schema.tables import TENANT_TABLES
from dayline.storage.retention.space import (
    OtherSizes,
    WeighedBucket,
    file_space,
    share_events,
    share_values,
    weighed_buckets,
)
from dayline.storage.retention.upkeep import Measured

# The bytes of each table that belong to a tenant: its share by rows. PostgreSQL knows the size of a table with its
# indexes, and the rows of all tenants as of the last autovacuum; row security hides the actual rows of other tenants.
# So the result is an estimate, which reveals of other tenants only the average size of a row.


# An estimate of rows may be off by this much: a tenant with at least this share of a table has all of it.
_AS_GOOD_AS_ALL: Final = 0.9
# For a table that was never analyzed: bytes of a row with its index entries, rather too high.
_GUESSED_ROW: Final = 400
# Rows as the planner estimates them: the density of the last analysis times the current pages. Partitions count for
# their table.
_TABLES: Final = """
SELECT coalesce(whole.relname, part.relname)::text,
    sum(pg_total_relation_size(part.oid))::bigint,
    sum(CASE WHEN part.reltuples > 0 AND part.relpages > 0
        THEN part.reltuples / part.relpages * (pg_relation_size(part.oid) / current_setting('block_size')::bigint)
        ELSE pg_total_relation_size(part.oid) / %(guessed)s::float8 END)::float8
FROM pg_class AS part
LEFT JOIN pg_inherits ON pg_inherits.inhrelid = part.oid
LEFT JOIN pg_class AS whole ON whole.oid = pg_inherits.inhparent
WHERE part.relnamespace = %(schema)s::regnamespace AND part.relkind = 'r' GROUP BY 1
"""
_EVENTS: Final = "SELECT coalesce(sum(events), 0)::bigint FROM month WHERE tenant = %s"


class TableSizes(Struct, frozen=True):
    """Bytes by table, including indexes, and the number of events."""

    tables: dict[str, int]
    events: int

    def of(self, *names: str) -> int:
        return sum(self.tables.get(name, 0) for name in names)

    @property
    def event_bytes(self) -> float:
        """The size of one event with its share of the indexes."""
        return self.of("event") / self.events if self.events else 0.0


def table_sizes(db: Connection, tenant: str) -> TableSizes:
    """A tenant's share of the tables; shared tables count for the unnamed tenant."""
    found = db.execute(_TABLES, {"schema": SCHEMA, "guessed": _GUESSED_ROW}).fetchall()
    own = _own_rows(db, tenant)
    tables = {name: round(size * _share(own[name], rows)) for name, size, rows in found if name in own}
    if not tenant:
        tables |= {name: size for name, size, _ in found if name not in own}
    return TableSizes(tables, own["event"])


def _own_rows(db: Connection, tenant: str) -> dict[str, int]:
    """The number of rows per table that belong to the tenant. Events are counted by month."""
    names = [name for name in TENANT_TABLES if name != "event"]
    counts = ", ".join(f"(SELECT count(*) FROM {name} WHERE tenant = %(tenant)s)" for name in names)
    row = db.execute(f"SELECT {counts}".encode(), {"tenant": tenant}).fetchone()
    events = db.execute(_EVENTS, (tenant,)).fetchone()
    assert row is not None
    assert events is not None
    return {"event": int(events[0]), **dict(zip(names, cast("tuple[int, ...]", row), strict=True))}


def _share(own: int, rows: float) -> float:
    return 1.0 if own >= rows * _AS_GOOD_AS_ALL else own / rows


# Disk space per bucket, per year, and of everything else. A bucket's share of the events is by count, of the values by
# the length of their texts. ValueDictionary used only by the trash count for their bucket.


_VALUE_OVERHEAD: Final = 100  # bytes of a value's row and index entries, without its text
_DERIVED: Final = ("segment", "pack", "word_mark", "word_places")
_TRASH: Final = ("operation", "operation_event")
_REDACTIONS: Final = (
    "redaction", "redaction_owner", "redaction_plan", "redaction_change", "redacted_value", "redacted_event",
)  # fmt: skip
_VALUES: Final = """
SELECT bucket, count(*), sum(octet_length(json))::bigint FROM value WHERE tenant = %s GROUP BY bucket
"""


def measure_tenant(db: Connection, tenant: str) -> Measured:
    """Measure a tenant's data, as of one point in time."""
    sizes = table_sizes(db, tenant)
    buckets = _weighed(db, tenant)
    derived = sizes.of(*_DERIVED)
    return Measured(database=_space(sizes, buckets, but_for=derived), segments=derived, log=0)


def _weighed(db: Connection, tenant: str) -> list[WeighedBucket]:
    buckets = weighed_buckets(PostgresReadTransaction(db, tenant))
    for key, values, length in db.execute(_VALUES, (tenant,)).fetchall():
        if key in buckets:
            buckets[key].values, buckets[key].texts = values, length + values * _VALUE_OVERHEAD
    return list(buckets.values())


def _space(sizes: TableSizes, buckets: list[WeighedBucket], *, but_for: int) -> FileSpace:
    share_events(buckets, sizes.of("event"))
    share_values(buckets, sizes.of("value"))
    other_sizes = OtherSizes(
        file=sizes.of(*sizes.tables) - but_for,
        trash=sizes.of(*_TRASH),
        redactions=sizes.of(*_REDACTIONS),
        audit=sizes.of("audit"),
    )
    return file_space(buckets, other_sizes, is_exact=False)
