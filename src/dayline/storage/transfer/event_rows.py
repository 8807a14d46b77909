"""The rows of events as they are stored, for code that reads all of them."""

from collections.abc import Iterator
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from dayline.model.time import Microseconds

ROWS_PAGE: Final = 5000  # events: a read of some milliseconds

EventRow: TypeAlias = tuple[Microseconds, int, Microseconds, int]  # start since 1970, id, duration, value


class BucketRow(Struct, frozen=True, array_like=True):
    """A bucket, how many events it has, and until when they were downsampled: findings ignore those.

    Events of a mirror are changed on the device that it belongs to.
    """

    key: int
    id: str
    type: str
    hostname: str
    events: int
    downsampled: Microseconds
    is_mirror: bool = False


class EventRows(Protocol):
    """The rows of one tenant. Reading raises Unavailable errors if the database does not respond."""

    def buckets(self) -> list[BucketRow]:
        """All buckets, in order of creation."""
        ...

    def pages(self, bucket: int) -> Iterator[list[EventRow]]:
        """All events of a bucket ordered by start and id. Read one bucket at a time."""
        ...

    def text(self, bucket: int, value: int) -> str:
        """The data of a value as JSON text; empty if it was deleted."""
        ...


class RowsLocation(Struct, frozen=True, kw_only=True):
    """Where the rows of a tenant are: the path of a file, or an address, which may contain a password."""

    database: str
    tenant: str = ""
