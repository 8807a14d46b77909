"""Databases with a few events, and snapshots of them."""

import asyncio
from pathlib import Path
from typing import Any

from dayline.storage.sqlite.backup.encryption import Secret
from dayline.storage.sqlite.backup.file_format import FORMAT, Manifest, write_snapshot
from dayline.storage.sqlite.backup.snapshot import take_snapshot
from tests.support.storage.opened import beat, bucket, events_of, opened


def filled(path: Path, *apps: str, bucket_id: str = "window") -> None:
    """Make a database, or add to one: an event for each app."""

    async def fill() -> None:
        async with opened(path) as store:
            if bucket_id not in store.buckets():
                await store.create_bucket(bucket(bucket_id))
            first = store.count(bucket_id, start=None, end=None)
            await store.insert(bucket_id, [beat(60 * (first + n), app=app) for n, app in enumerate(apps)])

    asyncio.run(fill())


def events_in(path: Path, bucket_id: str = "window") -> list[dict[str, Any]]:
    """All events of a bucket with their ids, as the store gives them."""

    async def read() -> list[dict[str, Any]]:
        async with opened(path) as store:
            return events_of(store, bucket_id)

    return asyncio.run(read())


def packed(database: Path, target: Path, *, work: Path, secret: Secret | None = None) -> Manifest:
    """A snapshot of a database, made in this process, not verified."""
    copy = work / "copy.db"
    copy.unlink(missing_ok=True)
    contents = take_snapshot(database, copy)
    manifest = Manifest(format=FORMAT, made=0, stamp=(), size=copy.stat().st_size, contents=contents)
    write_snapshot(copy, target, manifest, secret=secret)
    return manifest
