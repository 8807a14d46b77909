"""Sync folders of aw-sync, made from the databases that its server has left."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from dayline.maintenance.sources.service import Sources
from tests.maintenance.sync.devices import SyncedDevice
from tests.support.maintenance.aw_sync import PHONE
from tests.support.maintenance.migrating import RUST, changed, small_copy_of
from tests.support.storage.engines import Engine


def sample(folder: Path, device: str = PHONE) -> Path:
    """A folder in the layout without host names, with the sample of the Rust server."""
    file = folder / device / "test.db"
    file.parent.mkdir(parents=True)
    copy = small_copy_of(RUST, folder.parent / "copy")
    changed(copy, "UPDATE buckets SET hostname = 'phone'")
    for suffix in ("", "-wal"):
        source = copy.with_name(copy.name + suffix)
        if source.exists():
            source.rename(file.with_name(file.name + suffix))
    return file


class SourceDevice(SyncedDevice):
    """A device that can mirror folders."""

    sources: Sources


@asynccontextmanager
async def computer(engine: Engine, name: str = "laptop") -> AsyncGenerator[SourceDevice]:
    """A device whose data is in this engine."""
    opened = engine.open()
    device = SourceDevice(opened, engine.tenant, name)
    device.sources = Sources(
        device.store,
        scratch=opened.scratch,
        clock=device.clock,
        hostname=name,
        background=opened.background,
        can_write=lambda: True,
    )
    try:
        yield device
    finally:
        await device.sources.close()
        await device.sync.close()
        await opened.close()
