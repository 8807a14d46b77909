"""Stores with something wrong in them, and the slow, obvious way to find it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from dayline.maintenance.findings.finders import FUTURE, MIN_OVERLAP, NOISE
from dayline.maintenance.findings.inspector import Inspector
from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.model.upkeep.findings import FixKind
from dayline.storage.store import Store
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN

NOW: Microseconds = BEGIN + 7 * 86_400 * SECOND


class Plain(NamedTuple):
    """An event as the reference sees it: in whole microseconds, with the text of its data."""

    start: int
    id: int
    duration: int
    data: str

    @property
    def end(self) -> int:
        return self.start + self.duration


@asynccontextmanager
async def inspected(engine: Engine) -> AsyncGenerator[tuple[Store, Inspector]]:
    """The store of an engine, and what looks at it. No file is to be left behind."""
    database, folders = engine.open(), list[Path]()

    def scratch() -> Path:
        folders.append(database.scratch())
        return folders[-1]

    try:
        yield database.store(engine.tenant), Inspector(engine.rows_place, scratch, lambda: NOW)
        assert not any(folder.exists() for folder in folders)
    finally:
        await database.close()


def watcher(bucket_id: str, kind: str = "currentwindow", *, host: str = "laptop") -> Bucket:
    return Bucket(id=bucket_id, type=kind, client="test-client", hostname=host, created=BEGIN, data={})


def event(second: float, lasting: float = 0, app: str = "editor", **more: object) -> Event:
    """An event this many seconds after the beginning."""
    start, duration = BEGIN + round(second * SECOND), round(lasting * SECOND)
    return Event(start=start, duration=duration, data=canonical_json({"app": app, **more}))


def fixed(kind: FixKind, events: Sequence[Plain]) -> list[Plain]:
    """What fixing leaves of some events: written from the rules, without regard to speed."""
    ordered = sorted(events)
    match kind:
        case "duplicates":
            return [one for one in ordered if not any(_is_same(one, other) and other.id < one.id for other in ordered)]
        case "negative":
            return [one._replace(duration=max(one.duration, 0)) for one in ordered]
        case "future":
            return [one for one in ordered if max(one.start, one.end) <= NOW + FUTURE]
        case "zero_length":
            return [one for one in ordered if not _is_noise(one, ordered)]
        case "overlaps":
            return [cut for one in ordered for cut in _cut(one, ordered)]


def counted_twice(events: Sequence[Plain]) -> int:
    """The time that each event shares with those before it, as far as that is long enough to count."""
    long = [one for one in sorted(events) if one.duration > 0]
    shared = [
        max((min(one.end, earlier.end) - one.start for earlier in long[:place]), default=0)
        for place, one in enumerate(long)
    ]
    return sum(time for time in shared if time >= MIN_OVERLAP)


def _is_same(one: Plain, other: Plain) -> bool:
    return (one.start, one.duration, one.data) == (other.start, other.duration, other.data)


def _is_noise(one: Plain, ordered: Sequence[Plain]) -> bool:
    following = [other for other in ordered if (other.start, other.id) > (one.start, one.id) and other.duration > 0]
    if one.duration or not following:
        return False
    after = following[0]
    return after.start == one.start or (after.data == one.data and after.start - one.start <= NOISE)


def _cut(one: Plain, ordered: Sequence[Plain]) -> list[Plain]:
    """What is left of an event: itself, shorter, or nothing."""
    if one.duration <= 0:
        return [one]
    long = [other for other in ordered if other.duration > 0]
    best = max((other for other in long if other.start == one.start), key=lambda other: (other.duration, -other.id))
    if best is not one and one.duration >= MIN_OVERLAP:
        return []
    later = [
        other.start
        for other in long
        if other.start > one.start and min(one.end, other.end) - other.start >= MIN_OVERLAP
    ]
    end = min([one.end, *later])
    return [one._replace(duration=end - one.start)]
