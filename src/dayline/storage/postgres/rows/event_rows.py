"""The rows of a tenant's events, page by page, for whoever looks through all of them."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from dayline.model.errors import StoreBusy
from dayline.storage.postgres.connections.connection import FAULTS, Connection, connect, told, transaction
from dayline.storage.transfer.event_rows import PAGE, BucketRow, EventRow

_BUCKETS: Final = """
SELECT key, id, type, hostname, (
    SELECT coalesce(sum(events), 0)::bigint FROM month WHERE month.tenant = %(tenant)s AND month.bucket = bucket.key
), thinned FROM bucket WHERE tenant = %(tenant)s AND deleted IS NULL ORDER BY key
"""
_EVENTS: Final = "SELECT start, id, duration, value FROM event WHERE tenant = %s AND bucket = %s ORDER BY start, id"
_TEXT: Final = "SELECT json FROM value WHERE tenant = %s AND bucket = %s AND key = %s"


@contextmanager
def postgres_rows(address: str, tenant: str) -> Generator["PostgresEventRows"]:
    """The rows of one tenant, all as they are at this moment. Raises StoreBusy."""
    try:
        with connect(address) as db, transaction(db, tenant, is_snapshot=True):
            db.execute("SET LOCAL enable_sort = off")  # they stand in that order: see `pages`
            yield PostgresEventRows(db, tenant)
    except FAULTS as error:
        raise StoreBusy(f"the database cannot be read at present: {told(error)}") from error


class PostgresEventRows:
    """The rows of one tenant, in one transaction."""

    def __init__(self, db: Connection, tenant: str) -> None:
        self._db = db
        self._tenant = tenant

    def buckets(self) -> list[BucketRow]:
        return msgspec.convert(self._db.execute(_BUCKETS, {"tenant": self._tenant}).fetchall(), list[BucketRow])

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        # By one cursor, and by the index: where PostgreSQL has no statistics of a table that has just grown, it would
        # sort all events of the bucket first, and for pages that each begin anew, again for every page.
        with self._db.cursor("rows", binary=True) as cursor:
            cursor.execute(_EVENTS, (self._tenant, bucket))
            while page := cursor.fetchmany(PAGE):
                yield msgspec.convert(page, list[EventRow])

    def text(self, bucket: int, value: int) -> str:
        row = self._db.execute(_TEXT, (self._tenant, bucket, value)).fetchone()
        return str(row[0]) if row else ""
