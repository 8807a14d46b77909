"""Two servers of one database are one device."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dayline.maintenance.sync.spaces.folder import FolderSpace
from dayline.model.errors import Conflict
from dayline.storage.postgres.writing.lease import LEASE_S
from dayline.storage.store import Store
from tests.maintenance.sync.devices import SyncedDevice, device_on, event
from tests.maintenance.sync.test_faults import only
from tests.support.storage.engines import Engines


@asynccontextmanager
async def two_servers(
    servers: Engines, files: Engines, folder: Path
) -> AsyncGenerator[tuple[SyncedDevice, SyncedDevice, SyncedDevice]]:
    """Two servers of a database with an event, and a desktop that mirrors it."""
    engine = servers.new(2)
    async with device_on(engine) as one, device_on(engine) as two, device_on(files.new(), "desktop") as desktop:
        await one.add("window", event("2026-03-18T15:00:00Z"))
        await desktop.sync.join(str(folder), (await one.sync.start(str(folder))).invite)
        two.clock.now += 1_000_000
        yield one, two, desktop


def test_a_server_that_does_not_know_of_the_other_publishes_nothing_old(
    servers: Engines, files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with two_servers(servers, files, tmp_path) as (one, two, desktop):
            await one.sync.run()
            monkeypatch.setattr(Store, "revision", 1)  # news of another server take a moment
            await one.sync.run()
            await two.add("window", event("2026-03-18T15:10:00Z", title="of the other"))
            assert (await two.sync.run()).has_new_head
            one.clock.now = two.clock.now

            assert not (await one.sync.run()).has_new_head

            assert only(await desktop.sync.run()).state == "identical"
            assert len(desktop.events(desktop.mirrors[0])) == 2

    asyncio.run(run())


def test_a_space_is_filled_again_while_the_other_server_publishes(
    servers: Engines, files: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with two_servers(servers, files, tmp_path) as (one, two, desktop):

            def create(space: FolderSpace) -> None:
                asyncio.run_coroutine_threadsafe(one.sync.run(), loop).result()

            await one.add("window", event("2026-03-18T15:10:00Z", title="new"))
            monkeypatch.setattr(FolderSpace, "create", create)

            await two.sync.start(str(tmp_path))

            for server in (one, two):
                assert (await server.sync.run()).stopped is None
            assert only(await desktop.sync.run()).state == "identical"

    asyncio.run(run())


def test_two_servers_do_not_start_two_spaces(servers: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        engine, create = servers.new(2), FolderSpace.create
        async with device_on(engine) as one, device_on(engine) as two:

            def start_on_the_other(space: FolderSpace) -> None:
                monkeypatch.setattr(FolderSpace, "create", create)
                asyncio.run_coroutine_threadsafe(one.sync.start(str(tmp_path / "one")), loop).result()
                create(space)

            monkeypatch.setattr(FolderSpace, "create", start_on_the_other)

            with pytest.raises(Conflict, match="another server of this database"):
                await two.sync.start(str(tmp_path / "two"))

            status = await two.sync.status()
            assert status.location == str(tmp_path / "one")
            assert (await two.sync.run()).stopped is None

    asyncio.run(run())


def test_a_server_starts_while_the_other_one_works_on_a_slow_space(
    servers: Engines, files: Engines, tmp_path: Path
) -> None:
    async def run() -> None:
        async with two_servers(servers, files, tmp_path) as (one, two, _):
            async with one.store.mirrors.lease():
                async with asyncio.timeout(LEASE_S * 2):
                    await two.sync.resume()

            assert (await one.sync.run()).stopped is None
            assert (await two.sync.run()).stopped is None

    asyncio.run(run())
