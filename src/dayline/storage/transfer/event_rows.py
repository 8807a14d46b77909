"""The rows of events as they are stored, for whoever looks through all of them: what every backend gives of them."""

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
    """A bucket, how many events it has, and until when they were thinned: those may overlap, and leave gaps."""

    key: int
    id: str
    type: str
    hostname: str
    events: int
    thinned: Microseconds


class EventRows(Protocol):
    """One person's rows. Reading raises Unavailable errors where the store does not answer."""

    def buckets(self) -> list[BucketRow]:
        """Every bucket, in order of creation."""
        ...

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        """All events of a bucket in order of start and id. One bucket is read at a time."""
        ...

    def text(self, bucket: int, value: int) -> str:
        """The data that a value of a bucket stands for, as JSON text; empty where it is gone."""
        ...


class RowsPlace(Struct, frozen=True, kw_only=True):
    """Where somebody's rows are: in a file, or at an address, which may have a password in it."""

    database: str
    tenant: str = ""


def opened_rows(place: RowsPlace) -> AbstractContextManager[EventRows]:
    """The rows there, to be read by one thread. Raises Unavailable errors."""
    # Imported here: only one of them is needed, and psycopg is not everywhere.
    if is_postgres(place.database):
        from dayline.storage.postgres.rows.scan import postgres_rows

        return postgres_rows(place.database, place.tenant)
    from dayline.storage.sqlite.rows.scan import sqlite_rows

    return sqlite_rows(Path(place.database))
