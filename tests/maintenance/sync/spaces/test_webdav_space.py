"""Devices that sync through a WebDAV server: wsgidav, in this process."""

import asyncio
import http.server
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dayline.maintenance.sync.report import DeviceReport, PassReport
from dayline.maintenance.sync.spaces.finding import Spaces
from dayline.maintenance.sync.spaces.views import NO_ACCESS, SpaceAccess
from dayline.maintenance.sync.spaces.webdav import WebdavSpace
from dayline.model.errors import Invalid, Unavailable
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.support.calls.dribbling import dribbling_server
from tests.support.calls.webdav import PASSWORD, USER, Webdav, webdav_server
from tests.support.storage.engines import Engines

ACCESS = SpaceAccess(key=PASSWORD)


@pytest.fixture
def webdav(tmp_path: Path) -> Iterator[Webdav]:
    folder = tmp_path / "webdav"
    folder.mkdir()
    with webdav_server(folder) as server:
        yield server


@asynccontextmanager
async def two_devices(files: Engines, server: Webdav) -> AsyncGenerator[tuple[SyncedDevice, SyncedDevice]]:
    async with device_on(files.new()) as laptop, device_on(files.new(), "desktop") as desktop:
        await laptop.add("window", event("2025-11-02T08:00:00Z", title="secret-title"), event("2026-03-18T15:00:00Z"))
        invite = await laptop.sync.start(server.location(), ACCESS)
        await desktop.sync.join(server.location(), invite.invite, ACCESS)
        yield laptop, desktop


def only(report: PassReport) -> DeviceReport:
    (device,) = report.devices
    return device


async def synced(laptop: SyncedDevice, desktop: SyncedDevice) -> None:
    """Record something on the laptop, and check that it is on the desktop after a pass of each."""
    await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
    assert (await laptop.sync.run()).problem is None
    assert only(await desktop.sync.run()).state == "identical"
    assert desktop.events(desktop.mirrors[0]) == laptop.events("window")


def test_what_is_recorded_on_one_device_reaches_the_other(files: Engines, webdav: Webdav, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop):
            await synced(laptop, desktop)

    asyncio.run(run())
    stored = [path for path in (tmp_path / "webdav").rglob("*") if path.is_file()]
    assert len(stored) == 5  # two heads, two packs, and the former one of this hour
    assert not any(path.name.endswith(".unfinished") or b"secret-title" in path.read_bytes() for path in stored)


@pytest.mark.parametrize("status", ["207 Multi-Status", "403 Forbidden", "405 Method Not Allowed", "502 Bad Gateway"])
def test_files_are_written_at_once_if_they_cannot_be_renamed(
    files: Engines, webdav: Webdav, tmp_path: Path, status: str
) -> None:
    webdav.refused["MOVE"] = status

    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop):
            await synced(laptop, desktop)

    asyncio.run(run())
    assert not any("unfinished" in path.name for path in (tmp_path / "webdav").rglob("*"))


def test_an_idle_pass_reads_only_heads(files: Engines, webdav: Webdav) -> None:
    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop):
            for device in (laptop, desktop, desktop):
                await device.sync.run()
            webdav.requests.clear()

            assert (await desktop.sync.run()).is_identical

            assert {request.partition(" ")[0] for request in webdav.requests} == {"PROPFIND", "GET"}
            assert all(request.endswith("/head") for request in webdav.requests if request.startswith("GET"))
            assert sum(request.startswith("PROPFIND") for request in webdav.requests) == 1

    asyncio.run(run())


def test_a_wrong_password_is_reported_and_replaced(files: Engines, webdav: Webdav) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Unavailable, match=rf"127\.0\.0\.1 refuses the password of {USER} \(401 Unauthorized\)"):
                await laptop.sync.start(webdav.location(), SpaceAccess(key="wrong"))
            with pytest.raises(Unavailable, match="refuses the password of"):
                await laptop.sync.start(webdav.location())
            await laptop.sync.start(webdav.location(), ACCESS)
            assert (await laptop.sync.run()).problem is None

    asyncio.run(run())


def test_a_server_that_never_finishes_an_answer_is_not_waited_for() -> None:
    with dribbling_server(b"HTTP/1.1 207 Multi-Status\r\n\r\n") as port:
        space = WebdavSpace(f"webdav+http://127.0.0.1:{port}/space", NO_ACCESS, max_s=0.5)
        with pytest.raises(Unavailable, match="is too slow"):
            space.listing()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_listing_that_defines_entities_is_not_read(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PROPFIND(self) -> None:
            body = text.encode(encoding)
            self.send_response(207)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"webdav+http://127.0.0.1:{server.server_port}/space"
        space = Spaces(lambda: pytest.fail("not used")).at(address, NO_ACCESS)

        with pytest.raises(Unavailable, match="is not a WebDAV server"):
            space.listing()

        space.close()
        server.shutdown()


def test_a_full_server_is_reported(files: Engines, webdav: Webdav) -> None:
    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop):
            webdav.refused["PUT"] = "507 Insufficient Storage"
            await laptop.add("window", event("2026-03-18T15:20:00Z", title="new"))
            assert (await laptop.sync.run()).problem == "127.0.0.1 is full"

            del webdav.refused["PUT"]
            await synced(laptop, desktop)

    asyncio.run(run())


def test_a_folder_whose_parent_is_missing_is_rejected(files: Engines, webdav: Webdav) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Invalid, match="there is no folder for"):
                await laptop.sync.start(webdav.location("/a/b"), ACCESS)

    asyncio.run(run())


def test_a_space_that_was_emptied_changes_nothing(files: Engines, webdav: Webdav, tmp_path: Path) -> None:
    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop):
            before = desktop.events(desktop.mirrors[0])
            for path in sorted((tmp_path / "webdav" / "space").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()

            for device in (laptop, desktop):
                assert (await device.sync.run()).problem == f"no sync space in {webdav.location()}"
            assert desktop.events(desktop.mirrors[0]) == before
            await laptop.sync.start(webdav.location(), ACCESS)
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("webdav+http://anna@192.0.2.1/files", "is not encrypted"),
        ("webdav+https://anna:secret@nas/files", "must not have a password"),
        ("webdav+https://", "not the URL of a server"),
    ],
)
def test_locations_that_cannot_be_used_are_rejected(files: Engines, location: str, message: str) -> None:
    async def run() -> None:
        async with device_on(files.new()) as laptop:
            with pytest.raises(Invalid, match=message) as raised:
                await laptop.sync.start(location)
            assert "secret" not in f"{raised.value.message} {raised.value.hint}"

    asyncio.run(run())


def test_a_device_is_removed(files: Engines, webdav: Webdav) -> None:
    async def run() -> None:
        async with two_devices(files, webdav) as (laptop, desktop), device_on(files.new(), "phone") as phone:
            await phone.sync.join(webdav.location(), (await laptop.sync.invite()).invite, ACCESS)
            for device in (laptop, desktop):
                await device.sync.run()

            report = await laptop.sync.remove("phone", deletes_mirrors=False)

            assert report.is_identical
            assert (await desktop.sync.run()).is_identical
            assert (await phone.sync.run()).stopped == "this device was removed by laptop"
            await laptop.add("window", event("2026-03-18T15:21:00Z", title="newer"))
            await laptop.sync.run()
            await desktop.sync.run()
            assert desktop.events(desktop.mirrors[0]) == laptop.events("window")

    asyncio.run(run())
