"""An event that someone adds or edits: decided and done in one transaction, and undone exactly."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from dayline.model.errors import BucketNotFound, EventNotFound, Stale
from dayline.model.event import Event, StoredEvent
from dayline.model.time import SECOND
from dayline.storage.history.contract import EventEdit
from dayline.storage.store import Store
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN, beat, bucket, events_of, opened_on

Scenario = Callable[[Store], Awaitable[None]]


def play(engine: Engine, scenario: Scenario) -> None:
    async def run() -> None:
        async with opened_on(engine) as store:
            await scenario(store)

    asyncio.run(run())


def whole(store: Store, start: int, end: int) -> list[dict[str, Any]]:
    pages = store.whole_events("notes", start=BEGIN + start * SECOND, end=BEGIN + end * SECOND)
    return msgspec.json.decode(b"[%b]" % b",".join(pages), type=list[dict[str, Any]])


def moved(stored: StoredEvent) -> Event:
    event = stored.event
    return msgspec.structs.replace(event, start=event.start + 40 * 86_400 * SECOND, data=b'{"app":"moved"}')


def removed(_: StoredEvent) -> None:
    return None


def test_first_event_makes_its_bucket_and_the_next_finds_it(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), beat(0))
        await store.edits.add(bucket("notes"), beat(5))

        assert [event["id"] for event in events_of(store, "notes")] == [1, 2]

    play(engine, scenario)


def test_added_event_is_reported_by_the_trash_and_gone_when_undone(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), beat(0))
        before = events_of(store, "notes")
        added = await store.edits.add(bucket("notes"), beat(5))
        assert added.undo is not None
        assert [(item.kind, item.events) for item in store.trash.all()] == [("insert_events", 1)] * 2

        undone = await store.trash.undo(added.undo)

        assert (undone.kind, undone.events) == ("insert_events", 1)
        assert events_of(store, "notes") == before

    play(engine, scenario)


@pytest.mark.parametrize("edit", [moved, removed], ids=["moved", "removed"])
def test_edited_event_comes_back_as_it_was(engine: Engine, edit: EventEdit) -> None:
    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), beat(0))
        await store.edits.add(bucket("notes"), beat(5))
        before = events_of(store, "notes"), store.buckets()["notes"]

        edited = await store.edits.edit("notes", 1, edit)
        assert events_of(store, "notes") != before[0]
        assert edited.undo is not None
        await store.trash.undo(edited.undo)

        assert (events_of(store, "notes"), store.buckets()["notes"]) == before

    play(engine, scenario)


def test_edit_that_is_rejected_changes_nothing(engine: Engine) -> None:
    def refuse(stored: StoredEvent) -> None:
        raise Stale(f"event {stored.event.id} is another")

    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), beat(0))
        before = events_of(store, "notes"), len(store.trash.all())

        with pytest.raises(Stale):
            await store.edits.edit("notes", 1, refuse)

        assert (events_of(store, "notes"), len(store.trash.all())) == before

    play(engine, scenario)


def test_edit_of_nothing_is_rejected(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        with pytest.raises(BucketNotFound):
            await store.edits.edit("notes", 1, moved)
        await store.create_bucket(bucket("notes"))
        with pytest.raises(EventNotFound):
            await store.edits.edit("notes", 1, moved)

    play(engine, scenario)


def test_two_edits_at_once_are_made_one_after_the_other(engine: Engine) -> None:
    def longer(stored: StoredEvent) -> Event:
        return msgspec.structs.replace(stored.event, duration=stored.event.duration + SECOND)

    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), beat(0))

        await asyncio.gather(*(store.edits.edit("notes", 1, longer) for _ in range(10)))

        assert events_of(store, "notes")[0]["duration"] == 10

    play(engine, scenario)


def test_whole_events_are_found_by_their_range_and_not_cut(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.edits.add(bucket("notes"), msgspec.structs.replace(beat(0), duration=100 * SECOND))
        await store.edits.add(bucket("notes"), beat(200))

        assert [(event["id"], event["duration"]) for event in whole(store, 40, 60)] == [(1, 100.0)]
        assert whole(store, 101, 199) == []

    play(engine, scenario)
