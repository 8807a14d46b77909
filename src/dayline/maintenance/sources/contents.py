"""What was read of the databases of one device: the result, and the file with the events."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.operations.children import ChildFunction
from dayline.storage.writing.mirrors import StartRange

_BUCKETS: Final = "SELECT id, type, client, hostname, created, data FROM bucket ORDER BY id"
_MONTHS: Final = "SELECT bucket, month, digest FROM month ORDER BY bucket, month"
_EVENTS: Final = """
SELECT start, duration, data FROM event WHERE bucket = ? AND start BETWEEN ? AND ? ORDER BY start, data, duration
"""


class FileProblem(Struct, frozen=True, kw_only=True):
    """Why a file was not read. `is_temporary`: the same file may be readable later."""

    path: str
    message: str
    is_temporary: bool


class DeviceReading(Struct, frozen=True, kw_only=True):
    """What was read: how many different events, how many repetitions of them, and how many events are not valid.

    Buckets that the device has of others are left out.
    """

    events: int = 0
    repeated: int = 0
    invalid: int = 0
    problems: list[FileProblem] = []


class ReadBucket(Struct, frozen=True):
    """A bucket of the device."""

    id: str
    type: str
    client: str
    hostname: str
    created: Microseconds | None
    data: dict[str, Any]


class ReadMonth(Struct, frozen=True):
    """A month of a bucket. Equal digests are equal events."""

    bucket: str
    month: int
    digest: bytes


read_in_child = ChildFunction("dayline.maintenance.sources.reading:read", DeviceReading, niceness=10)


class ReadDevice:
    """The file that the child process has written."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def buckets(self) -> list[ReadBucket]:
        return [
            ReadBucket(bucket_id, kind, client, hostname, created, msgspec.json.decode(data, type=dict[str, Any]))
            for bucket_id, kind, client, hostname, created, data in self._db.execute(_BUCKETS)
        ]

    def months(self) -> list[ReadMonth]:
        """The months with events."""
        return [ReadMonth(*row) for row in self._db.execute(_MONTHS)]

    def events(self, bucket: str, starts: StartRange) -> list[Event]:
        """The events of a bucket that start in a range, without ids."""
        rows = self._db.execute(_EVENTS, (bucket, *starts))
        return [Event(start=start, duration=duration, data=data) for start, duration, data in rows]


@contextmanager
def opened(file: Path) -> Generator[ReadDevice]:
    """Open the file that the child process has written. It is used by one thread at a time."""
    db = connect(file, READ_ONLY)
    try:
        yield ReadDevice(db)
    finally:
        db.close()
