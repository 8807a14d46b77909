"""While a merge is being undone, no operation takes what its end needs: the id and the aliases of the source."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from dayline.model.bucket import Bucket
from dayline.model.errors import BucketExists, Conflict
from dayline.storage.store import Store
from tests.support.storage.engines import Engine, SqliteEngine
from tests.support.storage.opened import beat, bucket, everything, opened_on, sent
from tests.support.waiting import eventually

Operation = Callable[[Store], Awaitable[object]]


def set_undoing(engine: Engine, merge_id: int) -> None:
    """Leave a merge in the state in which a server that was killed has left it: its undoing begun, nothing done."""
    [(text,)] = engine.select(f"SELECT detail FROM operation WHERE key = {merge_id}")
    detail = msgspec.json.decode(text)
    detail |= {"done": 0, "moved": 0, "start": -(2**62), "id": 0}
    changed = msgspec.json.encode(detail).decode().replace("'", "''")
    engine.change(f"UPDATE operation SET state = 'undoing', detail = '{changed}' WHERE key = {merge_id}")


def state_of(engine: Engine, merge_id: int) -> str:
    [(state,)] = engine.select(f"SELECT state FROM operation WHERE key = {merge_id}")
    return str(state)


def refused_while_undoing(engine: Engine, prepare: Callable[[Store], Awaitable[int]], operation: Operation) -> None:
    """An operation is refused while the merge that `prepare` made is being undone, and the undoing ends as if alone."""

    async def scenario() -> None:
        async with opened_on(engine) as store:
            for bucket_id in ("old", "other"):
                await store.create_bucket(bucket(bucket_id))
            await store.insert("old", [beat(second, app=f"app {second}") for second in range(3)])
            merge_id = await prepare(store)
            set_undoing(engine, merge_id)
            merged = everything(store)

            with pytest.raises(Conflict, match=r"being (merged|separated)"):
                await operation(store)

            assert everything(store) == merged
        await undoing_ends(engine, merge_id)

    asyncio.run(scenario())


async def undoing_ends(engine: Engine, merge_id: int) -> None:
    """After a restart. On PostgreSQL another server might continue it, so that a new one waits for 15 s first."""
    if isinstance(engine, SqliteEngine):
        async with opened_on(engine) as store:
            await asyncio.to_thread(eventually, lambda: state_of(engine, merge_id) == "undone")
            await asyncio.to_thread(eventually, lambda: "old" in store.buckets())


async def merge(store: Store) -> int:
    return (await store.moves.merge("old", "other")).undo or 0


async def rename_then_merge(store: Store) -> int:
    """The target had the id of the source before."""
    await store.moves.rename("old", "renamed", keeps_alias=False)
    await store.create_bucket(bucket("old"))
    await store.insert("old", [beat(second, app=f"later {second}") for second in range(9, 12)])
    return (await store.moves.merge("old", "renamed")).undo or 0


async def restore(store: Store) -> int:
    """A bucket that was created again is merged into the restored one, which has the same id."""
    deletion = await store.delete_bucket("old")
    await store.create_bucket(bucket("old"))
    await store.insert("old", [beat(second, app=f"later {second}") for second in range(9, 12)])
    await store.trash.undo(deletion)
    return store.trash.all()[0].id


async def undo_rename(store: Store) -> None:
    [renamed] = [item.id for item in store.trash.all() if item.kind == "rename_bucket"]
    await store.trash.undo(renamed)


def test_the_target_is_not_renamed_to_the_id_of_the_source(engine: Engine) -> None:
    # On SQLite the end of the undoing then found its id taken: both buckets stayed "being merged" for ever.
    refused_while_undoing(engine, merge, lambda store: store.moves.rename("other", "old"))


def test_the_target_does_not_get_the_id_of_the_source_back_by_an_undo(engine: Engine) -> None:
    refused_while_undoing(engine, rename_then_merge, undo_rename)


def test_a_restored_bucket_is_not_renamed_so_that_its_id_would_be_free(engine: Engine) -> None:
    # A new bucket could take the id, which the end of the undoing needs.
    refused_while_undoing(engine, restore, lambda store: store.moves.rename("old", "away", keeps_alias=False))


def test_the_alias_that_leads_from_the_source_to_the_target_is_not_removed(engine: Engine) -> None:
    refused_while_undoing(engine, merge, lambda store: store.moves.remove_alias("old"))


def test_neither_bucket_is_deleted(engine: Engine) -> None:
    refused_while_undoing(engine, merge, lambda store: store.delete_bucket("old"))


def test_the_target_is_not_merged_into_another(engine: Engine) -> None:
    async def merge_again(store: Store) -> None:
        await store.create_bucket(Bucket(id="third", type="test.type", client="c", hostname="h", created=0, data={}))
        await store.moves.merge("other", "third")

    async def scenario() -> None:
        async with opened_on(engine) as store:
            for bucket_id in ("old", "other"):
                await store.create_bucket(bucket(bucket_id))
            set_undoing(engine, await merge(store))
            with pytest.raises(Conflict, match=r"being (merged|separated)"):
                await merge_again(store)

    asyncio.run(scenario())


def test_a_heartbeat_to_the_source_is_recorded_and_its_id_cannot_be_created(engine: Engine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            for bucket_id in ("old", "other"):
                await store.create_bucket(bucket(bucket_id))
            await store.insert("old", [beat(0, app="first")])
            merge_id = await merge(store)
            set_undoing(engine, merge_id)

            with pytest.raises(BucketExists):
                await store.create_bucket(bucket("old"))
            recorded = await sent(store, "old", beat(100, app="second"))
        await undoing_ends(engine, merge_id)
        async with opened_on(engine) as store:
            assert store.event("other", recorded.id).start == recorded.start

    asyncio.run(scenario())
