"""What was deleted or changed comes back exactly as it was: ids, times, data and metadata."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketNotFound, Conflict, Gone, NotFound
from dayline.model.event import Event
from dayline.model.time import DAY, SECOND, parse_timestamp
from dayline.storage.history.contract import TRASH_POLICY, TrashPolicy
from dayline.storage.history.trash import Trash
from dayline.storage.store import Store
from tests.support.storage.engines import Engine, rows, undoing_in_slices
from tests.support.storage.opened import beat, bucket, events_of, opened_on, sent
from tests.support.waiting import eventually_async

pytestmark = pytest.mark.encrypted

Scenario = Callable[[Store], Awaitable[None]]


def play(engine: Engine, *scenarios: Scenario, trash: TrashPolicy = TRASH_POLICY) -> None:
    """Run scenarios, with a restart between two, on the bucket `window`, with events in it."""

    async def run(scenario: Scenario, *, is_first: bool) -> None:
        async with opened_on(engine, trash=trash) as store:
            if is_first:
                await fill(store)
            await scenario(store)

    for number, scenario in enumerate(scenarios):
        asyncio.run(run(scenario, is_first=number == 0))


async def fill(store: Store) -> None:
    await store.create_bucket(bucket("window"))
    await store.insert("window", [beat(second, app=f"app {second}") for second in range(5)])


def everything(store: Store) -> dict[str, Any]:
    """All that a client can see."""
    return {
        bucket_id: (msgspec.to_builtins(found), events_of(store, bucket_id))
        for bucket_id, found in store.buckets().items()
    }


def test_a_bucket_that_comes_back_has_its_place_in_the_list_again(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.create_bucket(bucket("another"))
        undo = await store.delete_bucket("window")
        assert list(store.buckets()) == ["another"]
        await store.trash.undo(undo)
        assert list(store.buckets()) == ["window", "another"]

    play(engine, scenario)


def changed(event_id: int, second: float, app: str) -> Event:
    return msgspec.structs.replace(beat(second, app=app), id=event_id)


async def delete_event(store: Store) -> int | None:
    return await store.delete_event("window", 5)


async def delete_bucket(store: Store) -> int | None:
    return await store.delete_bucket("window")


async def delete_buckets(store: Store) -> int | None:
    for number in range(3):
        await store.create_bucket(bucket(f"demo {number}"))
        await store.insert(f"demo {number}", [beat(second) for second in range(number)])
    return await store.delete_buckets(["window", *(f"demo {number}" for number in range(3))])


async def replace_events(store: Store) -> int | None:
    [deleted] = (await store.insert("window", [beat(6)])).events
    await store.trash.empty(await store.delete_event("window", deleted.id))
    new = [changed(2, 100, "other"), changed(5, -40_000_000, "before"), beat(7), changed(deleted.id, 8, "at an id")]
    return (await store.insert("window", [*new, changed(2, 101, "twice")])).undo


async def update_bucket(store: Store) -> int | None:
    return await store.update_bucket("window", BucketChange(hostname="desktop", data={"a": 1}))


@pytest.mark.parametrize("operation", [delete_event, delete_bucket, replace_events, update_bucket])
def test_undo_restores_everything_exactly(engine: Engine, operation: Callable[[Store], Awaitable[int | None]]) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        undo = await operation(store)
        assert undo is not None
        assert everything(store) != before

        await store.trash.undo(undo)

        assert everything(store) == before

    play(engine, scenario)


@pytest.mark.parametrize("operation", [delete_event, delete_bucket, replace_events, update_bucket])
def test_undo_works_after_a_restart(engine: Engine, operation: Callable[[Store], Awaitable[int | None]]) -> None:
    seen: list[Any] = []

    async def first(store: Store) -> None:
        seen.extend([everything(store), await operation(store)])

    async def second(store: Store) -> None:
        await store.create_bucket(bucket("another"))
        await store.trash.undo(seen[1])
        assert everything(store)["window"] == seen[0]["window"]

    play(engine, first, second)


def test_an_insert_that_replaces_nothing_leaves_nothing_in_the_trash(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        assert (await store.insert("window", [beat(9), beat(10)])).undo is None
        assert await store.delete_event("window", 12345) is None
        assert store.trash.all() == []

    play(engine, scenario)


def test_the_trash_lists_what_was_done_the_latest_first(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        event, whole = await delete_event(store), await delete_bucket(store)

        found = store.trash.all()

        assert [(item.id, item.kind, item.bucket, item.events) for item in found] == [
            (whole, "delete_bucket", "window", 4),
            (event, "delete_events", "window", 1),
        ]
        assert found[0].until[:4] in ("2026", "2027")

    play(engine, scenario)


def test_what_was_changed_again_since_has_to_be_undone_first(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        first = (await store.insert("window", [changed(2, 50, "first")])).undo
        second = (await store.insert("window", [changed(2, 60, "second")])).undo
        assert first is not None
        assert second is not None
        between = everything(store)

        with pytest.raises(Conflict, match="event 2 of bucket 'window' was changed again"):
            await store.trash.undo(first)
        assert everything(store) == between

        await store.trash.undo(second)
        await store.trash.undo(first)
        assert everything(store) == before

    play(engine, scenario)


def test_fields_that_were_changed_again_are_left_alone(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        first = await store.update_bucket("window", BucketChange(hostname="desktop"))
        await store.update_bucket("window", BucketChange(hostname="tablet"))
        with pytest.raises(Conflict, match="changed again"):
            await store.trash.undo(first)
        assert store.bucket("window").hostname == "tablet"

    play(engine, scenario)


def test_an_event_of_a_deleted_bucket_comes_back_after_the_bucket(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        event, whole = await store.delete_event("window", 3), await store.delete_bucket("window")
        assert event is not None
        with pytest.raises(Conflict, match="bucket 'window' was deleted or merged since"):
            await store.trash.undo(event)
        await store.trash.undo(whole)
        await store.trash.undo(event)
        assert everything(store) == before

    play(engine, scenario)


def test_what_heartbeats_added_since_is_kept(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = (await store.insert("window", [changed(5, 4, "edited")])).undo
        assert undo is not None
        await sent(store, "window", beat(7, app="edited"))

        await store.trash.undo(undo)

        assert events_of(store, "window")[-1]["data"] == {"app": "app 4"}
        assert events_of(store, "window")[-1]["duration"] == 3
        await sent(store, "window", beat(9, app="app 4"))
        assert events_of(store, "window")[-1]["duration"] == 5

    play(engine, scenario)


def test_an_act_is_undone_once(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await store.delete_bucket("window")
        await store.trash.undo(undo)
        with pytest.raises(Gone, match="already undone"):
            await store.trash.undo(undo)
        with pytest.raises(NotFound, match=f"no undo entry {undo + 77}"):
            await store.trash.undo(undo + 77)

    play(engine, scenario)


def test_many_events_are_put_back_in_slices(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        stored = (await store.insert("window", [beat(second) for second in range(100, 2100)])).events
        before = everything(store)
        moved = [msgspec.structs.replace(event, start=event.start + 3600 * SECOND) for event in stored]
        undo = (await store.insert("window", moved)).undo
        assert undo is not None

        await store.trash.undo(undo)

        assert everything(store) == before
        assert rows(engine, "operation_event") == 0

    with undoing_in_slices(engine, above=10):
        play(engine, scenario)


def test_the_ids_of_what_was_deleted_are_not_given_to_others(engine: Engine) -> None:
    async def first(store: Store) -> None:
        await store.delete_bucket("window")

    async def second(store: Store) -> None:
        await store.create_bucket(bucket("window"))
        assert (await store.insert("window", [beat(0)])).events[0].id > 5

    play(engine, first, second)


async def gone(engine: Engine, table: str, left: int = 0) -> None:
    await eventually_async(lambda: rows(engine, table) <= left)


def test_emptied_trash_leaves_nothing_behind(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await delete_event(store)
        assert undo is not None
        await replace_events(store)
        await delete_bucket(store)

        assert await store.trash.empty() == 3

        with pytest.raises(Gone, match="has expired or was deleted"):
            await store.trash.undo(undo)
        for table in ("operation", "operation_event", "bucket", "event", "value WHERE bucket <> 0", "month"):
            await gone(engine, table)

    play(engine, scenario)


def test_one_thing_can_be_removed_from_the_trash(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        event, other = await delete_event(store), await store.delete_event("window", 4)
        assert event is not None
        assert other is not None

        assert await store.trash.empty(other) == 1

        assert [item.id for item in store.trash.all()] == [event]
        await gone(engine, "operation_event", left=1)
        with pytest.raises(Gone, match="has expired or was deleted"):
            await store.trash.empty(other)

    play(engine, scenario)


def test_several_buckets_are_deleted_as_one_operation_with_one_undo(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        undo = await delete_buckets(store)
        assert undo is not None
        assert everything(store) == {}
        [item] = store.trash.all()
        assert (item.id, item.kind, item.bucket, item.events) == (undo, "delete_buckets", "", 8)
        with pytest.raises(NotFound, match=f"is part of {undo}"):
            await store.trash.undo(undo + 1)

        undone = await store.trash.undo(undo)

        assert (undone.kind, undone.events, undone.merged) == ("delete_buckets", 8, False)
        assert list(store.buckets()) == ["window", "demo 0", "demo 1", "demo 2"]
        assert everything(store)["window"] == before["window"]
        assert store.trash.all() == []
        with pytest.raises(Gone):
            await store.trash.undo(undo)

    play(engine, scenario)


def test_of_two_deletions_of_several_buckets_each_restores_and_forgets_its_own(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        first = await delete_buckets(store)
        assert first is not None
        for bucket_id in ("a", "b"):
            await store.create_bucket(bucket(bucket_id))
        second = await store.delete_buckets(["a", "b"])

        await store.trash.undo(second)
        assert list(store.buckets()) == ["a", "b"]

        await store.trash.empty(await store.delete_buckets(["a", "b"]))
        await store.trash.undo(first)
        assert list(store.buckets()) == ["window", "demo 0", "demo 1", "demo 2"]

    play(engine, scenario)


def test_of_several_buckets_all_are_deleted_or_none(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)

        with pytest.raises(BucketNotFound):
            await store.delete_buckets(["window", "nowhere"])

        assert (everything(store), store.trash.all()) == (before, [])

    play(engine, scenario)


def test_several_buckets_come_back_together_or_not_at_all(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await delete_buckets(store)
        assert undo is not None
        await store.create_bucket(bucket("demo 1"))

        with pytest.raises(Conflict, match="another bucket"):
            await store.trash.undo(undo, is_merging=False)
        assert list(store.buckets()) == ["demo 1"]

        await store.insert("demo 1", [beat(100)])
        assert (await store.trash.undo(undo)).merged
        assert sorted(store.buckets()) == ["demo 0", "demo 1", "demo 2", "window"]
        assert [len(events_of(store, bucket_id)) for bucket_id in ("demo 1", "demo 2", "window")] == [2, 2, 5]

    play(engine, scenario)


def test_several_deleted_buckets_leave_the_trash_as_one(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await delete_buckets(store)

        assert await store.trash.empty(undo) == 1

        assert store.trash.all() == []
        for table in ("operation", "bucket", "event"):
            await gone(engine, table)

    play(engine, scenario)


def test_emptying_the_trash_counts_several_deleted_buckets_as_one(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await delete_buckets(store)

        assert await store.trash.empty() == 1

        await gone(engine, "operation")

    play(engine, scenario)


def test_the_trash_deletes_what_is_old_enough(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await delete_event(store)
        await delete_buckets(store)
        await gone(engine, "operation")
        await gone(engine, "bucket")

    play(engine, scenario, trash=TrashPolicy(days=0))


def test_the_trash_keeps_what_is_not_old_enough(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await delete_event(store)
        await delete_bucket(store)
        await asyncio.sleep(0.2)  # many looks
        assert len(store.trash.all()) == 2
        assert (rows(engine, "bucket"), rows(engine, "event"), rows(engine, "operation_event")) == (1, 4, 1)

    play(engine, scenario, trash=TrashPolicy(days=1, interval_s=0.01))


@pytest.mark.parametrize(("after", "left"), [(2 * DAY - SECOND, 1), (2 * DAY + SECOND, 0)], ids=["before", "after"])
def test_an_operation_expires_when_the_days_of_the_policy_are_over(engine: Engine, after: int, left: int) -> None:
    async def scenario(store: Store) -> None:
        trash = store.trash
        assert isinstance(trash, Trash)
        await delete_event(store)
        [item] = trash.all()
        deleted = parse_timestamp(item.made)
        trash._clock = lambda: deleted + after  # pyright: ignore[reportPrivateUsage]
        await trash._expire()  # pyright: ignore[reportPrivateUsage]
        assert len(trash.all()) == left

    play(engine, scenario, trash=TrashPolicy(days=2))
