"""A database worth losing, ways to damage it, and what SQLite itself says of where its rows are."""

import asyncio
import random
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND
from dayline.runtime.sqlite_file import READ_ONLY, connect
from tests.support.storage.opened import BEGIN, bucket, events_of, opened
from tests.support.storage.redacting import count
from tests.support.waiting import eventually_async

PAGE: Final = 4096
BUCKETS: Final = {"afk": 300, "web": 2000, "window": 4000}
TITLE: Final = "a title of some length, as windows have them, so that there are many pages of such values"


def fill_well(path: Path) -> None:
    """Several buckets, thousands of events over two months, values small and large, settings, and something deleted."""

    async def fill() -> None:
        async with opened(path) as store:
            for bucket_id, events in BUCKETS.items():
                await store.create_bucket(bucket(bucket_id))
                await store.insert(bucket_id, [event_of(bucket_id, number) for number in range(events)])
            await store.create_bucket(bucket("gone"))
            await store.insert("gone", [event_of("gone", number) for number in range(200)])
            await store.trash.empty(await store.delete_bucket("gone"))
            await eventually_async(lambda: count(path, "bucket") == len(BUCKETS))
            for event_id in range(100, 140):
                await store.delete_event("window", event_id)
            await store.set_setting("theme", canonical_json("dark"))

    asyncio.run(fill())


def event_of(bucket_id: str, number: int) -> Event:
    """Each third value is there before; a few are larger than a page, or than several."""
    kind = number if number % 3 else number // 9
    data: dict[str, object] = {"app": f"{bucket_id} {kind}", "title": TITLE[: 20 + kind % 70]}
    if number % 500 == 7:
        data["text"] = f"{number} " * (3000 if number % 1000 == 7 else 900)
    return Event(start=BEGIN + number * 900 * SECOND, duration=(number % 90) * SECOND, data=canonical_json(data))


def contents(path: Path) -> dict[str, dict[int, dict[str, Any]]]:
    """All events by bucket and id, as the store gives them."""

    async def read() -> dict[str, dict[int, dict[str, Any]]]:
        async with opened(path) as store:
            return {
                bucket_id: {event["id"]: event for event in events_of(store, bucket_id)}
                for bucket_id in sorted(store.buckets())
            }

    return asyncio.run(read())


class PageOf(msgspec.Struct, frozen=True):
    """A page, and how many cells it has."""

    number: int
    cells: int


def pages_of(path: Path, tree: str, kind: str = "leaf") -> list[PageOf]:
    """The pages of a table or an index, as SQLite knows them."""
    with closing(connect(path, READ_ONLY)) as db:
        rows = db.execute(
            "SELECT pageno, ncell FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path", (tree, kind)
        ).fetchall()
    return [PageOf(number, cells) for number, cells in msgspec.convert(rows, list[tuple[int, int]])]


def spoil(path: Path, *numbers: int, with_zeroes: bool = False) -> None:
    """Overwrite whole pages."""
    chance = random.Random(6)
    with path.open("rb+") as file:
        for number in numbers:
            file.seek((number - 1) * PAGE)
            file.write(bytes(PAGE) if with_zeroes else chance.randbytes(PAGE))
