"""Heartbeats through two servers at once come to what one server makes of them in some order of arrival.

Which order that was is the database's to say. It keeps the one of each server, and is the same for everything that is
seen of it: the responses to all of them, and the events that are stored.
"""

import asyncio
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from dayline.model.bucket import Bucket
from dayline.model.data import canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.storage.opening import Database
from tests.support.profile import examples
from tests.support.storage.engines import Engine, Engines
from tests.support.storage.models import ModelBucket, ModelEvent, ModelStore

SECOND: Final = 1_000_000
BEGIN: Final = 1_767_225_600 * SECOND  # 2026, where a month begins
BUCKETS: Final = ("a", "b")

# Start, duration and data; the number of the event, by its first response, in the place of its id.
Seen = tuple[int, int, int, str]


class Beat(Struct, frozen=True):
    """A heartbeat, of a few seconds and few values: what is merged with what makes a difference nearly every time."""

    bucket: str
    second: int
    duration: int
    value: int


BEATS = st.builds(Beat, st.sampled_from(BUCKETS), st.integers(-4, 5), st.sampled_from([0, 0, 2]), st.integers(1, 2))
STREAMS = st.lists(BEATS, min_size=3, max_size=9)


def as_stored(beat: Beat) -> Event:
    return Event(
        start=BEGIN + beat.second * SECOND, duration=beat.duration * SECOND, data=canonical_json({"v": beat.value})
    )


async def send(database: Database, tenant: str, beats: Sequence[Beat]) -> list[Event]:
    """In their order, without waiting for responses, but now and then for a moment, to get several commits."""
    loop, answers = asyncio.get_running_loop(), list[asyncio.Future[Event | DaylineError]]()
    for place, beat in enumerate(beats):
        answers.append(loop.create_future())
        database.store(tenant).heartbeat(beat.bucket, as_stored(beat), pulsetime=SECOND, done=answers[-1].set_result)
        if place % 3 == 2:
            await asyncio.sleep(0.001)
    outcomes = await asyncio.gather(*answers)
    return [outcome for outcome in outcomes if isinstance(outcome, Event)]


async def both(engine: Engine, streams: Sequence[Sequence[Beat]]) -> tuple[list[list[Event]], dict[str, list[Event]]]:
    """Send streams at once, each through a server of its own: their responses, and what is stored then."""
    servers = [engine.open() for _ in streams]
    try:
        for name in BUCKETS:
            made = Bucket(id=name, type="t", client="c", hostname="h", created=0, data={})
            await servers[0].store(engine.tenant).create_bucket(made)
        answers = await asyncio.gather(
            *(send(server, engine.tenant, beats) for server, beats in zip(servers, streams, strict=True))
        )
    finally:
        for server in servers:
            await server.close()
    rows = engine.select(
        "SELECT bucket.id, event.id, start, duration, json FROM event JOIN bucket ON bucket.key = event.bucket "
        "JOIN value ON value.bucket = event.bucket AND value.key = event.value ORDER BY event.id"
    )
    stored: dict[str, list[Event]] = {name: [] for name in BUCKETS}
    for name, event_id, start, duration, json in rows:
        stored[name].append(Event(id=event_id, start=start, duration=duration, data=json.encode()))
    return list(answers), stored


def orders(first: int, second: int) -> Iterator[list[int]]:
    """Every way to put two series of such lengths into one: of which each next one is."""
    if not first or not second:
        yield [0] * first + [1] * second
        return
    for rest in orders(first - 1, second):
        yield [0, *rest]
    for rest in orders(first, second - 1):
        yield [1, *rest]


def seen(
    model: ModelStore, order: Sequence[int], streams: Sequence[Sequence[Beat]]
) -> tuple[list[list[Seen]], list[Seen]]:
    """What one server answers in an order, and what it has then."""
    waiting = [iter(stream) for stream in streams]
    answers: list[list[Seen]] = [[], []]
    for which in order:
        beat = next(waiting[which])
        event = as_stored(beat)
        merged = model.heartbeat("", ModelEvent(event.start, event.duration, {"v": beat.value}), SECOND)
        answers[which].append(shown(merged))
    return answers, [shown(event) for event in model.buckets[""].events]


def shown(event: ModelEvent) -> Seen:
    return event.id, event.start, event.duration, canonical_json(event.data).decode()


def check(streams: Sequence[Sequence[Beat]], answers: Sequence[Sequence[Event]], stored: Sequence[Event]) -> None:
    """Of one bucket: there is an order that explains all of it."""
    numbers = {event.id: number for number, event in enumerate(stored, start=1)}
    real = [[(numbers[e.id], e.start, e.duration, e.data.decode()) for e in stream] for stream in answers]
    kept = [(numbers[e.id], e.start, e.duration, e.data.decode()) for e in stored]
    empty = ModelStore()
    empty.buckets[""] = ModelBucket()
    assert any(
        seen(deepcopy(empty), order, streams) == (real, kept) for order in orders(len(streams[0]), len(streams[1]))
    )


@settings(max_examples=examples(60, daily=8), suppress_health_check=[HealthCheck.too_slow])
@given(one=STREAMS, other=STREAMS)
def test_heartbeats_through_two_servers_at_once_are_merged_as_if_by_one(
    servers: Engines, one: list[Beat], other: list[Beat]
) -> None:
    answers, stored = asyncio.run(both(servers.new(servers=2), (one, other)))

    for name in BUCKETS:
        of_bucket = [[beat for beat in stream if beat.bucket == name] for stream in (one, other)]
        answered = [
            [event for beat, event in zip(stream, events, strict=True) if beat.bucket == name]
            for stream, events in zip((one, other), answers, strict=True)
        ]
        check(of_bucket, answered, stored[name])
