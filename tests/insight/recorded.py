"""Buckets of a device in a real store, for what the recording process tells of them."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.timestamps import SECOND, Microseconds
from dayline.storage.base import Store
from tests.storage.opened import BEGIN, bucket, opened

T = TypeVar("T")

Spans = Iterable[tuple[float, float, Mapping[str, object]]]  # from and to, in seconds after the beginning, and data


class Recording:
    """What is in some buckets. Those of no other host are of `laptop`."""

    def __init__(self) -> None:
        self._buckets: list[tuple[str, str, str, list[Event]]] = []

    def add(self, bucket_id: str, bucket_type: str, spans: Spans, *, host: str = "laptop") -> "Recording":
        events = [
            Event(start=at(start), duration=round((end - start) * SECOND), data=canonical_json(dict(data)))
            for start, end, data in spans
        ]
        self._buckets.append((bucket_id, bucket_type, host, events))
        return self

    def ask(self, folder: Path, question: Callable[[Store], T]) -> T:
        """The answer to a question about a store of these buckets."""
        return asyncio.run(self._ask(folder, question))

    async def _ask(self, folder: Path, question: Callable[[Store], T]) -> T:
        async with opened(folder / "days.db") as store:
            for bucket_id, bucket_type, host, events in self._buckets:
                await store.create_bucket(replace(bucket(bucket_id), type=bucket_type, hostname=host))
                if events:
                    await store.insert(bucket_id, events)
            return question(store)


def at(second: float) -> Microseconds:
    return BEGIN + round(second * SECOND)


def in_front(app: str, start: float, end: float, *, each: float = 20) -> list[tuple[float, float, dict[str, object]]]:
    """An app in front, with another title every so many seconds and a second between them."""
    count = int((end - start) // each)
    return [
        (start + place * each, start + place * each + each - 1, {"app": app, "title": f"{app} {place}"})
        for place in range(count)
    ]
