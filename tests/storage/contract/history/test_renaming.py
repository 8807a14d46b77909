"""A renamed bucket keeps everything but its id, is found under the old one too, and gets that back by undo."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import pytest

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketExists, BucketNotFound, Conflict, Invalid, NotFound
from dayline.storage.store import Store
from dayline.storage.transfer import imports
from dayline.storage.transfer.imports import stage_documents
from dayline.storage.transfer.staging import Staged, StagingRules
from dayline.storage.writing.notices import BucketNotice, Commit
from tests.support.storage.engines import Engine
from tests.support.storage.opened import beat, bucket, events_of, everything, fill, play, sent
from tests.support.waiting import PATIENCE_S, eventually


def test_a_renamed_bucket_keeps_its_events_and_its_place(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = events_of(store, "old")

        renamed = await store.moves.rename("old", "new")

        assert (renamed.id, renamed.former_id, renamed.aliases) == ("new", "old", ["old"])
        assert list(store.buckets()) == ["new", "other"]
        assert events_of(store, "new") == before

    play(engine, scenario)


def test_the_bucket_is_found_under_its_old_id_by_everything(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")

        await sent(store, "old", beat(6, app="app 4"))
        await store.insert("old", [beat(100)])
        assert store.own_id("old") == "new"
        assert store.bucket("old") == store.bucket("new")
        assert events_of(store, "old") == events_of(store, "new")
        assert events_of(store, "old")[-2]["duration"] == 2
        assert store.count("old", start=None, end=None) == 6
        assert store.event("old", 1).id == 1
        assert list(store.exported_events("old")) == list(store.exported_events("new"))
        with pytest.raises(BucketExists):
            await store.create_bucket(bucket("old"))
        await store.update_bucket("old", BucketChange(hostname="desktop"))
        assert store.bucket("new").hostname == "desktop"
        assert await store.delete_event("old", 1) is not None

    play(engine, scenario)


def test_deleting_by_the_alias_deletes_the_bucket_and_undo_restores_both(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")
        before = everything(store)

        undo = await store.delete_bucket("old")

        assert list(store.buckets()) == ["other"]
        with pytest.raises(BucketNotFound):
            store.bucket("old")
        await store.trash.undo(undo)
        assert everything(store) == before

    play(engine, scenario)


def test_aliases_hold_after_a_restart(engine: Engine) -> None:
    undos: list[int] = []

    async def first(store: Store) -> None:
        undos.append((await store.moves.rename("old", "new")).undo)

    async def second(store: Store) -> None:
        await sent(store, "old", beat(6, app="app 4"))
        assert store.bucket("old").id == "new"
        await store.trash.undo(undos[0])
        assert list(store.buckets()) == ["old", "other"]
        assert store.moves.aliases() == []

    play(engine, first, second)


@pytest.mark.parametrize("keeps_alias", [True, False])
def test_undo_restores_everything_exactly(engine: Engine, keeps_alias: bool) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        renamed = await store.moves.rename("old", "new", keeps_alias=keeps_alias)
        assert everything(store) != before

        undone = await store.trash.undo(renamed.undo)

        assert (undone.id, undone.kind, undone.bucket) == (renamed.undo, "rename_bucket", "old")
        assert everything(store) == before
        with pytest.raises(BucketNotFound):
            store.bucket("new")
        with pytest.raises(BucketNotFound):
            await sent(store, "new", beat(7))

    play(engine, scenario)


def test_without_an_alias_the_old_id_is_free_and_what_has_it_by_now_is_in_the_way_of_undo(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        renamed = await store.moves.rename("old", "new", keeps_alias=False)
        await store.create_bucket(bucket("old"))
        assert list(store.buckets()) == ["new", "other", "old"]
        with pytest.raises(Conflict, match="another bucket now has the id 'old'"):
            await store.trash.undo(renamed.undo)
        again = await store.moves.rename("old", "newer")
        with pytest.raises(Conflict, match="'old' is now an alias of bucket 'newer'") as refused:
            await store.trash.undo(renamed.undo)
        assert "DELETE /api/1/aliases/old" in str(refused.value.hint)
        await store.trash.undo(again.undo)
        await store.delete_bucket("old")
        await store.trash.undo(renamed.undo)
        assert list(store.buckets()) == ["old", "other"]

    play(engine, scenario)


def test_an_id_that_is_taken_is_rejected(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        for new_id in ("other", "old"):
            with pytest.raises(Conflict, match="already") as refused:
                await store.moves.rename("old", new_id)
            assert refused.value.field == "id"
        with pytest.raises(Invalid):
            await store.moves.rename("old", "")
        with pytest.raises(BucketNotFound):
            await store.moves.rename("nowhere", "new")
        assert everything(store) == before

        await store.moves.rename("other", "another")
        with pytest.raises(Conflict, match="'other' is an alias of bucket 'another'"):
            await store.moves.rename("old", "other")

    play(engine, scenario)


def test_a_bucket_can_be_renamed_back_and_there_and_all_of_it_undone(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        seen, undos = [everything(store)], list[int]()
        for new_id in ("new", "old", "newer", "new"):
            undos.append((await store.moves.rename("old", new_id)).undo)
            seen.append(everything(store))
        assert list(store.buckets()) == ["new", "other"]

        with pytest.raises(Conflict, match="changed again"):
            await store.trash.undo(undos[2])
        for undo in reversed(undos):
            assert everything(store) == seen.pop()
            await store.trash.undo(undo)
        assert everything(store) == seen.pop()

    play(engine, scenario)


def test_an_alias_can_be_removed_and_brought_back(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")
        before = everything(store)

        undo = await store.moves.remove_alias("old")

        assert store.moves.aliases() == []
        with pytest.raises(BucketNotFound):
            await sent(store, "old", beat(6))
        with pytest.raises(NotFound, match="no alias named 'old'"):
            await store.moves.remove_alias("old")
        with pytest.raises(NotFound, match="no alias named 'new'"):
            await store.moves.remove_alias("new")
        assert (await store.trash.undo(undo)).kind == "remove_alias"
        assert everything(store) == before

    play(engine, scenario)


def test_a_removed_alias_does_not_come_back_over_a_bucket(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")
        undo = await store.moves.remove_alias("old")
        await store.create_bucket(bucket("old"))
        with pytest.raises(Conflict, match="another bucket now has the id 'old'"):
            await store.trash.undo(undo)

    play(engine, scenario)


def test_a_deleted_bucket_does_not_come_back_over_an_alias(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await store.delete_bucket("old")
        await store.create_bucket(bucket("old"))
        renamed = await store.moves.rename("old", "new")
        with pytest.raises(Conflict, match="'old' is now an alias of bucket 'new'") as refused:
            await store.trash.undo(undo)
        assert "DELETE /api/1/aliases/old" in str(refused.value.hint)
        await store.trash.undo(renamed.undo)

    play(engine, scenario)


def test_the_aliases_of_a_deleted_bucket_are_free_for_others(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")
        undo = await store.delete_bucket("new")
        await store.create_bucket(bucket("old"))
        await store.insert("old", [beat(50)])

        await store.trash.undo(undo)

        assert len(events_of(store, "old")) == 1
        assert len(events_of(store, "new")) == 5
        assert store.moves.aliases() == []
        again = await store.delete_bucket("old")
        assert [alias.id for alias in store.moves.aliases()] == ["old"]
        assert len(events_of(store, "old")) == 5  # the alias of before
        await store.trash.undo(again)
        assert len(events_of(store, "old")) == 1

    play(engine, scenario)


def test_undoing_a_rename_restores_no_alias_of_a_bucket_that_was_purged_since(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.rename("old", "new")
        deletion = await store.delete_bucket("new")
        renamed = await store.moves.rename("other", "old")  # takes the alias of the deleted bucket
        await store.trash.empty(deletion)
        buckets = partial(engine.select, "SELECT id FROM bucket")
        await asyncio.to_thread(eventually, lambda: buckets() == [("old",)])

        await store.trash.undo(renamed.undo)

        assert list(store.buckets()) == ["other"]
        assert engine.select("SELECT id FROM alias") == []

    play(engine, scenario)


def test_aliases_are_reported_in_order_with_the_time_since_when(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        for new_id in ("b", "Z", "é", "new"):
            await store.moves.rename("old", new_id)
        assert [alias.id for alias in store.moves.aliases()] == ["Z", "b", "old", "é"]
        assert all(alias.made > "2026" for alias in store.moves.aliases())

    play(engine, scenario)


def test_listeners_are_notified_when_an_alias_is_removed_and_when_that_is_undone(engine: Engine) -> None:
    async def scenario() -> None:
        database = engine.open()
        try:
            store = database.store(engine.tenant)
            await fill(store)
            await store.moves.rename("old", "new")
            commits: asyncio.Queue[Commit] = asyncio.Queue()
            database.listen(commits.put_nowait, tenant=engine.tenant)

            removed = await store.moves.remove_alias("old")
            await notified(commits, BucketNotice("new", "changed"))
            await store.trash.undo(removed)
            await notified(commits, BucketNotice("new", "changed"))
        finally:
            await database.close()

    asyncio.run(scenario())


async def notified(commits: asyncio.Queue[Commit], notice: BucketNotice) -> None:
    """Wait until a commit reports this change, and the bucket as one to read again."""
    async with asyncio.timeout(PATIENCE_S):
        commit = await commits.get()
        while notice not in commit.notices:
            commit = await commits.get()
    assert notice.id in commit.recorded


# The privacy rules of `new` were not applied to what was read for `old`.
def test_an_import_into_a_bucket_that_is_renamed_while_the_document_is_read_is_rejected(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "export.json"
    event = {"timestamp": "2026-01-01T10:00:00Z", "duration": 1, "data": {"title": "late"}}
    head = {"type": "t", "client": "c", "hostname": "h"}
    document.write_bytes(msgspec.json.encode({"buckets": {"old": {**head, "events": [event]}}}))

    async def scenario(store: Store) -> None:
        async def stage_and_rename(path: Path, documents: Sequence[Path], rules: StagingRules) -> Staged:
            staged = await stage_documents(path, documents, rules)
            await store.moves.rename("old", "new")
            return staged

        before = events_of(store, "old")
        monkeypatch.setattr(imports, "stage_documents", stage_and_rename)
        with pytest.raises(Conflict, match="bucket 'old' was renamed or merged while the import was being read"):
            await store.import_files([document])
        monkeypatch.undo()

        assert events_of(store, "new") == before
        assert (await store.import_files([document])).imported == 1

    play(engine, scenario)
