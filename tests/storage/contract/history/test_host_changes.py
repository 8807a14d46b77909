"""A computer that was given another name: its buckets follow, in one act each that can be undone."""

import pytest

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketNotFound, Conflict, Invalid
from dayline.storage.store import Store
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, events_of, everything, play, sent

WATCHER = "aw-watcher-window_laptop"
MOVED = "aw-watcher-window_desktop"


async def prepare(store: Store) -> None:
    await store.create_bucket(bucket(WATCHER))
    await store.insert(WATCHER, [beat(second, app=f"app {second}") for second in range(3)])


def test_host_name_and_id_change_together_and_come_back_together(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await prepare(store)
        before = everything(store)

        preview = await store.moves.preview_rehost(WATCHER, "desktop")
        assert everything(store) == before
        moved = await store.moves.rehost(WATCHER, "desktop")

        assert (preview.id, preview.undo, preview.merged, preview.aliases) == (MOVED, None, None, [WATCHER])
        assert (moved.id, moved.former_id) == (MOVED, WATCHER)
        assert (moved.hostname, moved.former_hostname, moved.aliases) == ("desktop", "laptop", [WATCHER])
        assert store.bucket(WATCHER).hostname == "desktop"
        await sent(store, WATCHER, beat(4, app="app 2"))
        assert len(events_of(store, MOVED)) == 3
        deleted = await store.delete_event(MOVED, events_of(store, MOVED)[0]["id"])
        await store.trash.undo(deleted or 0)
        assert (await store.trash.undo(moved.undo or 0)).kind == "rehost_bucket"
        assert list(store.buckets()) == ["old", "other", WATCHER]
        assert store.bucket(WATCHER).hostname == "laptop"
        assert store.moves.aliases() == []

    play(engine, scenario)


def test_undo_restores_everything_exactly(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await prepare(store)
        before = everything(store)
        moved = await store.moves.rehost(WATCHER, "desktop")
        await store.trash.undo(moved.undo or 0)
        assert everything(store) == before

    play(engine, scenario)


@pytest.mark.parametrize(("bucket_id", "renames"), [("old", True), (WATCHER, False)])
def test_an_id_without_the_host_name_stays_and_so_does_one_on_request(
    engine: Engine, bucket_id: str, renames: bool
) -> None:
    async def scenario(store: Store) -> None:
        await prepare(store)
        before = everything(store)

        moved = await store.moves.rehost(bucket_id, "desktop", renames=renames)

        assert (moved.id, moved.aliases, store.bucket(bucket_id).hostname) == (bucket_id, [], "desktop")
        await store.trash.undo(moved.undo or 0)
        assert everything(store) == before

    play(engine, scenario)


def test_where_the_new_id_is_taken_it_is_merged_on_request(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await prepare(store)
        await store.create_bucket(bucket(MOVED))
        await store.update_bucket(MOVED, BucketChange(hostname="desktop"))
        await store.insert(MOVED, [beat(100, app="after the change")])
        before = everything(store)
        with pytest.raises(Conflict, match=f"bucket '{MOVED}' already exists") as refused:
            await store.moves.rehost(WATCHER, "desktop")
        assert '"merge": true' in str(refused.value.hint)
        assert everything(store) == before

        moved = await store.moves.rehost(WATCHER, "desktop", merges=True)

        assert moved.merged is not None
        assert (moved.merged.moved, moved.merged.undo) == (3, moved.undo)
        assert len(events_of(store, WATCHER)) == 4
        assert WATCHER not in store.buckets()
        await store.trash.undo(moved.undo or 0)
        assert everything(store) == before

    play(engine, scenario)


def test_what_makes_no_sense_is_rejected(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await prepare(store)
        with pytest.raises(Conflict, match="already has the host name 'laptop'"):
            await store.moves.rehost(WATCHER, "laptop")
        with pytest.raises(Invalid, match="is empty"):
            await store.moves.rehost(WATCHER, "")
        with pytest.raises(BucketNotFound):
            await store.moves.rehost("nowhere", "desktop")
        moved = await store.moves.rehost(WATCHER, "desktop")
        await store.update_bucket(MOVED, BucketChange(hostname="tablet"))
        with pytest.raises(Conflict, match="changed again"):
            await store.trash.undo(moved.undo or 0)

    play(engine, scenario)
