"""Reads the stored rows of all events; opens either backend."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from dayline.model.time import Microseconds
from dayline.storage.postgres.address import is_postgres

ROWS_PAGE: Final = 5000  # events: a read of some milliseconds

EventRow: TypeAlias = tuple[Microseconds, int, Microseconds, int]  # start since 1970, id, duration, value


class BucketRow(Struct, frozen=True, array_like=True):
    """A bucket, the number of its events, and until when it was downsampled: those events may overlap and leave
    gaps.
    """

    key: int
    id: str
    type: str
    hostname: str
    events: int
    thinned: Microseconds


class EventRows(Protocol):
    """The rows of one tenant. Reading raises Unavailable errors if the store does not respond."""

    def buckets(self) -> list[BucketRow]:
        """All buckets, in order of creation."""
        ...

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        """All events of a bucket ordered by start and id. Read one bucket at a time."""
        ...

    def text(self, bucket: int, value: int) -> str:
        """The data of a value as JSON text; empty if it is gone."""
        ...


class RowsLocation(Struct, frozen=True, kw_only=True):
    """The location of a tenant's rows: a file, or an address that may contain a password."""

    database: str
    tenant: str = ""


def open_rows(place: RowsLocation) -> AbstractContextManager[EventRows]:
    """Open the rows for reading by one thread. Raises Unavailable errors."""
    # Imported here: only one is needed, and psycopg is optional.
    if is_postgres(place.database):
        from dayline.storage.postgres.rows.scan import postgres_rows

        return postgres_rows(place.database, place.tenant)
    from dayline.storage.sqlite.rows.scan import sqlite_rows

    return sqlite_rows(Path(place.database))
