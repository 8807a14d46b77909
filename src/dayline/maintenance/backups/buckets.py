"""Restores single buckets of a backup into the database in use.

The backup is unpacked to a file and read like the database of a server to migrate: missing events are imported,
existing ones stay, and the result is verified.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from dayline.maintenance.migration.model import CopiedBucket, LeftOut
from dayline.maintenance.migration.sources import SourceBucket
from dayline.maintenance.migration.stored import Calls, StoredEvents, stored_buckets
from dayline.model.bucket import bucket_path
from dayline.model.errors import NotFound
from dayline.model.event import Event
from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.restore import write_restored
from dayline.storage.sqlite.upgrade import open_current


class RestoredBucket(Struct, frozen=True, kw_only=True):
    """The result, or preview, of restoring a bucket.

    `added` events were missing, `extended` ones are longer in the backup, `there` already existed, or have continued
    since. `dropped` ones are rejected by the current privacy rules.
    """

    bucket: str
    is_new: bool
    events: int
    added: int
    extended: int
    there: int
    dropped: int
    is_proven: bool


def unpack_backup(backup: Path, target: Path, secret: Secret | None) -> None:
    """Verify a backup and write it as a database of the current schema. Raises Invalid if it is damaged."""
    write_restored(backup, target, secret=secret)
    open_current(target, keep=lambda _: None).close()  # no backup before this upgrade: it is a backup


class UnpackedBackup:
    """The buckets of a backup, as a migration source. `calls` reads the unpacked file."""

    def __init__(self, path: Path, calls: Calls) -> None:
        self.path = path
        self.kind = "a backup"
        self.settings: Mapping[str, Any] = {}  # not used
        self._calls = calls
        self._stored = stored_buckets(calls)

    def buckets(self) -> list[SourceBucket]:
        return [
            SourceBucket(
                number=number,
                id=bucket.id,
                type=bucket.type,
                client=bucket.client,
                hostname=bucket.hostname,
                created=bucket.created,
                data=bucket.data,
            )
            for number, bucket in enumerate(self._stored.values())
        ]

    def events(self, bucket: SourceBucket) -> Iterator[Event | LeftOut]:
        yield from StoredEvents(self._calls, self._stored[bucket.id])

    def count(self, bucket: SourceBucket) -> int:
        """The number of events of a bucket."""
        return int(self._calls.call("GET", f"{bucket_path(bucket.id)}/events/count"))

    def named(self, wanted: Sequence[str]) -> list[SourceBucket]:
        """The buckets with these ids. Raises NotFound."""
        by_id = {bucket.id: bucket for bucket in self.buckets()}
        for bucket_id in wanted:
            if bucket_id not in by_id:
                raise NotFound(
                    f"there is no bucket {bucket_id!r} in {self.path.name}", hint=f"it has {', '.join(by_id) or 'none'}"
                )
        return [by_id[bucket_id] for bucket_id in dict.fromkeys(wanted)]


def restored_bucket(copied: CopiedBucket, *, is_new: bool) -> RestoredBucket:
    """The result of a copy as that of a restore."""
    return RestoredBucket(
        bucket=copied.bucket,
        is_new=is_new,
        events=copied.events,
        added=copied.imported,
        extended=copied.extended,
        there=copied.events - copied.imported - copied.extended,
        dropped=copied.left_out.get(LeftOut.DROPPED, 0),
        is_proven=copied.proof.is_proven,
    )
