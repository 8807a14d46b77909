"""Pages of an export are formatted on threads, several at a time."""

import asyncio
import threading
from pathlib import Path
from typing import Any, Final

import msgspec

from dayline.storage.sqlite.rows.reader import PAGE
from dayline.storage.store import Store
from tests.support.storage.opened import beat, bucket, opened

EVENTS: Final = 5 * PAGE + 1


def test_export_of_many_pages_has_every_event_newest_first(tmp_path: Path) -> None:
    async def exported() -> list[dict[str, Any]]:
        async with opened(tmp_path / "days.db") as store:
            await _fill(store)
            events: list[dict[str, Any]] = msgspec.json.decode(b"[%b]" % b",".join(store.exported_events("b")))
            return events

    apps = [event["data"]["app"] for event in asyncio.run(exported())]
    assert apps == [str(number) for number in reversed(range(EVENTS))]


def test_exports_whose_clients_read_slowly_share_their_threads(tmp_path: Path) -> None:
    # Each had two threads, and reading connections for them, until its client had read everything.
    async def threads() -> int:
        async with opened(tmp_path / "days.db") as store:
            await _fill(store)
            exports = [store.exported_events("b") for _ in range(10)]
            assert len({next(pages) for pages in exports}) == 1
            return sum(thread.name.startswith("export") for thread in threading.enumerate())

    assert 0 < asyncio.run(threads()) <= 4


async def _fill(store: Store) -> None:
    await store.create_bucket(bucket("b"))
    await store.insert("b", [beat(number, app=str(number)) for number in range(EVENTS)])
