"""Devices in this process that sync with each other through a folder."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from dayline.maintenance.sync.items.ledger import Ledger, ledger_of
from dayline.maintenance.sync.service import Sync
from dayline.maintenance.sync.spaces.storing import SpaceStorage
from dayline.maintenance.sync.state import read_state
from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import BucketExists
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.storage.opening import Database
from tests.support.storage.engines import Engine

NOW: Microseconds = parse_timestamp("2026-03-18T15:30:00Z")


class Clock:
    """The clock of a device."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> Microseconds:
        self.now += 1000  # so that no two passes are at the same time
        return self.now


class SyncedDevice:
    """A device with an open store."""

    def __init__(self, database: Database, tenant: str, name: str) -> None:
        self.store = database.store(tenant)
        self.access = database.access_of(tenant)
        self.clock = Clock()
        self.can_publish = True
        self.rules_changed = 0
        self.sync = Sync(
            self.store,
            scratch=database.scratch,
            clock=self.clock,
            hostname=name,
            background=database.background,
            can_publish=lambda: self.can_publish,
            storage=lambda: SpaceStorage(database.sync_files(tenant), max_bytes=1 << 30),
            rules_changed=self._note_rules,
            tenant=tenant,
        )

    async def _note_rules(self) -> None:
        self.rules_changed += 1

    async def add(self, bucket_id: str, *events: Event, hostname: str = "laptop") -> list[Event]:
        """Insert events; the bucket is created if it is missing."""
        with suppress(BucketExists):  # or it has been renamed, and the id leads to it
            await self.store.create_bucket(bucket(bucket_id, hostname))
        return (await self.store.insert(bucket_id, list(events))).events

    def events(self, bucket_id: str) -> list[dict[str, Any]]:
        """All events of a bucket without their ids, newest first."""
        pages = b",".join(self.store.exported_events(bucket_id))
        return msgspec.json.decode(b"[%s]" % pages, type=list[dict[str, Any]])

    def events_with_ids(self, bucket_id: str) -> list[Event]:
        """All events of a bucket, newest first."""
        pages = b",".join(self.store.events(bucket_id, start=None, end=None, limit=None))
        return [
            Event(
                id=each["id"],
                start=parse_timestamp(each["timestamp"]),
                duration=round(each["duration"] * SECOND),
                data=canonical_json(each["data"]),
            )
            for each in msgspec.json.decode(b"[%s]" % pages)
        ]

    @property
    def own_id(self) -> str | None:
        """The id of the device; None if it is in no space."""
        state = read_state(self.store.mirrors)
        return None if state is None else state.device

    @property
    def ledger(self) -> Ledger:
        """The versions of settings and annotations."""
        return self.store.mirrors.items.read(lambda reads: ledger_of(reads.state()))

    @property
    def mirrors(self) -> list[str]:
        return [bucket_id for bucket_id in self.store.buckets() if "@" in bucket_id]


def bucket(bucket_id: str, hostname: str = "laptop") -> Bucket:
    return Bucket(id=bucket_id, type="currentwindow", client="test", hostname=hostname, created=NOW, data={})


def event(time: str, *, seconds: float = 10, title: str = "Mail", event_id: int = 0) -> Event:
    """An event that starts at a time like `2026-03-18T15:00:00Z`."""
    return Event(
        id=event_id,
        start=parse_timestamp(time),
        duration=round(seconds * SECOND),
        data=canonical_json({"title": title}),
    )


@asynccontextmanager
async def device_on(engine: Engine, name: str = "laptop") -> AsyncGenerator[SyncedDevice]:
    """A device whose data is in this engine. Passes run when they are called."""
    database = engine.open()
    device = SyncedDevice(database, engine.tenant, name)
    try:
        yield device
    finally:
        await device.sync.close()
        await database.close()
