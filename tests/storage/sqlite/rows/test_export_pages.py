"""Pages of an export are formatted on threads, several at a time."""

import asyncio
import threading
from pathlib import Path
from typing import Any, Final

import msgspec

from dayline.storage.sqlite.rows.reader import PAGE
from dayline.storage.store import Store
from tests.support.storage.opened import beat, bucket, opened
from tests.support.waiting import PATIENCE_S

EVENTS: Final = 5 * PAGE + 1


def test_export_of_many_pages_has_every_event_newest_first(tmp_path: Path) -> None:
    async def exported() -> list[dict[str, Any]]:
        async with opened(tmp_path / "days.db") as store:
            await _fill(store)
            events: list[dict[str, Any]] = msgspec.json.decode(b"[%b]" % b",".join(store.exported_events("b")))
            return events

    apps = [event["data"]["app"] for event in asyncio.run(exported())]
    assert apps == [str(number) for number in reversed(range(EVENTS))]


def test_abandoned_export_ends_its_threads(tmp_path: Path) -> None:
    async def threads() -> list[threading.Thread]:
        async with opened(tmp_path / "days.db") as store:
            await _fill(store)
            pages = store.exported_events("b")
            next(pages)
            return [thread for thread in threading.enumerate() if thread.name.startswith("export")]

    left = asyncio.run(threads())
    for thread in left:
        thread.join(PATIENCE_S)
    assert left
    assert not any(thread.is_alive() for thread in left)


async def _fill(store: Store) -> None:
    await store.create_bucket(bucket("b"))
    await store.insert("b", [beat(number, app=str(number)) for number in range(EVENTS)])
