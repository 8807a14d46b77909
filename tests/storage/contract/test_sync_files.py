"""The files of devices that sync through a server, on both engines."""

import asyncio

from dayline.storage.engine.sync_files import SyncFile
from tests.support.storage.engines import Engine

HEAD = SyncFile("k7f3q2ab", "head")
PACK = SyncFile("k7f3q2ab", "a" * 32)


def test_files_are_listed_replaced_and_deleted(engine: Engine) -> None:
    async def run() -> None:
        database = engine.open()
        try:
            files = database.sync_files(engine.tenant)
            assert (list(files.names()), files.used_bytes(), files.read(HEAD)) == ([], 0, None)

            await asyncio.to_thread(files.put, HEAD, b"one")
            await asyncio.to_thread(files.put, PACK, b"\0" * 1000)
            await asyncio.to_thread(files.put, HEAD, b"three")
            assert sorted(files.names()) == [PACK, HEAD]
            assert (files.read(HEAD), files.used_bytes()) == (b"three", 1005)

            await asyncio.to_thread(files.delete, HEAD)
            await asyncio.to_thread(files.delete, HEAD)
            assert (list(files.names()), files.read(HEAD)) == ([PACK], None)
        finally:
            await database.close()

    asyncio.run(run())


def test_they_are_there_when_the_database_is_opened_again(engine: Engine) -> None:
    async def run() -> None:
        for content in (None, b"head"):
            database = engine.open()
            files = database.sync_files(engine.tenant)
            assert files.read(HEAD) == content
            await asyncio.to_thread(files.put, HEAD, b"head")
            await database.close()

    asyncio.run(run())
