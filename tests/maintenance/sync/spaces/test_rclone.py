"""Devices that sync through `rclone serve webdav`, the documented way to S3 and other storage."""

import asyncio
import http.client
from pathlib import Path

from dayline.maintenance.sync.spaces.views import SpaceAccess
from tests.maintenance.sync.devices import device_on, event
from tests.maintenance.sync.spaces.programs import needs, running
from tests.support.server import free_port
from tests.support.storage.engines import Engines
from tests.support.waiting import eventually

pytestmark = needs("rclone")


def answers(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/")
        connection.getresponse().read()
        connection.close()
    except OSError:
        return False
    return True


def test_two_devices_sync_through_rclone(files: Engines, tmp_path: Path) -> None:
    port, folder = free_port(), tmp_path / "storage"
    folder.mkdir()
    flags = ["--addr", f"127.0.0.1:{port}", "--user", "anna", "--pass", "secret"]
    access, location = SpaceAccess(key="secret"), f"webdav+http://anna@127.0.0.1:{port}/dayline"

    async def run() -> None:
        async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
            await laptop.add("window", event("2026-03-18T15:00:00Z", title="secret-title"))
            invite = await laptop.sync.start(location, access)
            await desktop.sync.join(location, invite.invite, access)
            for minute in range(3):
                await laptop.add("window", event(f"2026-03-18T15:1{minute}:00Z", title="secret-title"))
                assert (await laptop.sync.run()).problem is None
                assert (await desktop.sync.run()).is_identical
                assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    with running(["rclone", "--config", str(tmp_path / "rclone.conf"), "serve", "webdav", str(folder), *flags]):
        eventually(lambda: answers(port))
        asyncio.run(run())

    stored = [path for path in folder.rglob("*") if path.is_file()]
    assert len(stored) == 6  # two heads, and four states of the pack of this hour
    assert not any(path.name.endswith(".unfinished") or b"secret-title" in path.read_bytes() for path in stored)
