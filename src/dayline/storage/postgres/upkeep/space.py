"""What takes room in a database: per bucket, per year, and for all that is no bucket's. See table_sizes.py.

What one bucket has of the events is its share by count, of the values by the length of their texts. Who has a value is
not looked up: those that only the trash has count for their bucket.
"""

from typing import Final

from dayline.model.space import FileSpace
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.upkeep.table_sizes import TableSizes, table_sizes
from dayline.storage.retention.space_shares import Besides, WeighedBucket, file_space, share_events, share_values
from dayline.storage.retention.upkeep import Measured

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
    besides = Besides(
        file=sizes.of(*sizes.tables) - but_for,
        trash=sizes.of(*_TRASH),
        redactions=sizes.of(*_REDACTIONS),
        audit=sizes.of("audit"),
    )
    return file_space(buckets, besides, is_exact=False)
