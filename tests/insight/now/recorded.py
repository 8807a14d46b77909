"""Buckets of a device in a real store, for what the recording process reports about them."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from dayline.model.bucket import DEMO_MARK, Bucket
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.storage.store import Store
from tests.support.storage.opened import BEGIN, bucket, opened

T = TypeVar("T")

Spans = Iterable[tuple[float, float, Mapping[str, object]]]  # from and to, in seconds after the beginning, and data


class Recording:
    """What is in some buckets. Those of no other host are of `laptop`."""

    def __init__(self) -> None:
        self._buckets: list[tuple[Bucket, list[Event]]] = []

    def add(
        self, bucket_id: str, bucket_type: str, spans: Spans, *, host: str = "laptop", is_demo: bool = False
    ) -> "Recording":
        events = [
            Event(start=at(start), duration=round((end - start) * SECOND), data=canonical_json(dict(data)))
            for start, end, data in spans
        ]
        data = {DEMO_MARK: True} if is_demo else {}
        self._buckets.append((replace(bucket(bucket_id), type=bucket_type, hostname=host, data=data), events))
        return self

    def ask(self, folder: Path, question: Callable[[Store], T]) -> T:
        """The response to a question about a store of these buckets."""
        return asyncio.run(self._ask(folder, question))

    async def _ask(self, folder: Path, question: Callable[[Store], T]) -> T:
        async with opened(folder / "days.db") as store:
            for made, events in self._buckets:
                await store.create_bucket(made)
                if events:
                    await store.insert(made.id, events)
            return question(store)


def at(second: float) -> Microseconds:
    return BEGIN + round(second * SECOND)


def in_front(app: str, start: float, end: float, *, each: float = 20) -> list[tuple[float, float, dict[str, object]]]:
    """An app in front, with a new title every few seconds and a second between them."""
    count = int((end - start) // each)
    return [
        (start + place * each, start + place * each + each - 1, {"app": app, "title": f"{app} {place}"})
        for place in range(count)
    ]
