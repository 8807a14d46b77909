"""What takes up disk space: by bucket, by year and by table."""

from typing import Final, cast

from msgspec import Struct

from dayline.model.upkeep import FileSpace
from dayline.storage.postgres.connection import Connection
from dayline.storage.postgres.schema.step import SCHEMA
from dayline.storage.postgres.schema.tables import TENANT_TABLES
from dayline.storage.retention.space import OtherSizes, WeighedBucket, file_space, share_events, share_values
from dayline.storage.retention.upkeep import Measured

# How many bytes of each table are a tenant's: its share of them, by rows.
#
# How large a table is with its indexes PostgreSQL knows. How many rows all tenants have in it, it knows as of the last
# look of autovacuum; nobody else sees them. So what is told is an estimate, and tells nothing of the others but how
# much room a row takes.


# So far an estimate of rows may be off: who has at least so much of a table has all of it.
_AS_GOOD_AS_ALL: Final = 0.9
# Of a table that was never looked at: bytes of a row with its places in the indexes, rather more than there are.
_GUESSED_ROW: Final = 400
# Rows as the planner reckons them: as dense as at the last look, on as many pages as there are now. Parts of a table
# count as the table.
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
    """Bytes by the names of tables, with their indexes; and how many events there are."""

    tables: dict[str, int]
    events: int

    def of(self, *names: str) -> int:
        return sum(self.tables.get(name, 0) for name in names)

    @property
    def event_bytes(self) -> float:
        """What one event takes, with its share of the indexes."""
        return self.of("event") / self.events if self.events else 0.0


def table_sizes(db: Connection, tenant: str) -> TableSizes:
    """What a tenant has of the tables; and of those of the whole database, the one without a name."""
    found = db.execute(_TABLES, {"schema": SCHEMA, "guessed": _GUESSED_ROW}).fetchall()
    own = _own_rows(db, tenant)
    tables = {name: round(size * _share(own[name], rows)) for name, size, rows in found if name in own}
    if not tenant:
        tables |= {name: size for name, size, _ in found if name not in own}
    return TableSizes(tables, own["event"])


def _own_rows(db: Connection, tenant: str) -> dict[str, int]:
    """How many rows of each table are the tenant's. Events were counted by month."""
    names = [name for name in TENANT_TABLES if name != "event"]
    counts = ", ".join(f"(SELECT count(*) FROM {name} WHERE tenant = %(tenant)s)" for name in names)
    row = db.execute(f"SELECT {counts}".encode(), {"tenant": tenant}).fetchone()
    events = db.execute(_EVENTS, (tenant,)).fetchone()
    assert row is not None
    assert events is not None
    return {"event": int(events[0]), **dict(zip(names, cast("tuple[int, ...]", row), strict=True))}


def _share(own: int, rows: float) -> float:
    return 1.0 if own >= rows * _AS_GOOD_AS_ALL else own / rows


# What takes room in a database: per bucket, per year, and for all that is no bucket's.
#
# What one bucket has of the events is its share by count, of the values by the length of their texts. Who has a value
# is not looked up: those that only the trash has count for their bucket.


_EPOCH_YEAR: Final = 1970
_VALUE_OVERHEAD: Final = 100  # bytes of a value's row and of its places in the indexes, besides its text
_DERIVED: Final = ("segment", "pack", "word_mark", "word_places")
_TRASH: Final = ("act", "act_event")
_REDACTIONS: Final = (
    "redaction", "redaction_owner", "redaction_plan", "redaction_change", "redacted_value", "redacted_event",
    "replaced_event",
)  # fmt: skip
_BUCKETS: Final = "SELECT key, id, deleted IS NOT NULL FROM bucket WHERE tenant = %s"
_YEARS: Final = """
SELECT bucket, month / 12, sum(events)::bigint FROM month WHERE tenant = %s AND events > 0 GROUP BY bucket, month / 12
"""
_VALUES: Final = """
SELECT bucket, count(*), sum(octet_length(json))::bigint FROM value WHERE tenant = %s GROUP BY bucket
"""


def measured(db: Connection, tenant: str) -> Measured:
    """Measure what a tenant has, as of one moment."""
    sizes = table_sizes(db, tenant)
    buckets = _weighed(db, tenant)
    derived = sizes.of(*_DERIVED)
    return Measured(database=_space(sizes, buckets, but_for=derived), segments=derived, log=0)


def _weighed(db: Connection, tenant: str) -> list[WeighedBucket]:
    rows = db.execute(_BUCKETS, (tenant,)).fetchall()
    buckets = {key: WeighedBucket(id=bucket_id, is_deleted=is_deleted) for key, bucket_id, is_deleted in rows}
    for key, year, events in db.execute(_YEARS, (tenant,)).fetchall():
        if key in buckets:
            buckets[key].years[_EPOCH_YEAR + year] += events
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
