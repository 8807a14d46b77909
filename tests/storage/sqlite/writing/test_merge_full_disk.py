"""A disk that is full in the middle of a merge: it is reported, and continues on its own when there is space again."""

from pathlib import Path

import pytest

from dayline.model.errors import StoreBusy
from dayline.storage.history.merges import Merges
from dayline.storage.history.undo_log import Operation
from dayline.storage.store import Store
from dayline.storage.writing import holding
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.opened import beat, events_of, everything, play
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually_async


def test_merging_and_undoing_continue_when_there_is_space_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "GIVE_UP_S", 0.1)
    disk = Disk(tmp_path / "disk")
    finish = Merges._finish  # pyright: ignore[reportPrivateUsage]
    is_filling = [True, False, True, False]  # merging, the same again, undoing, the same again

    async def filling(merges: Merges, key: int) -> Operation:
        if is_filling and is_filling.pop(0):
            disk.fill()
        return await finish(merges, key)

    monkeypatch.setattr(Merges, "_finish", filling)

    async def scenario(store: Store) -> None:
        await store.insert("old", [beat(second, app=f"many {second}") for second in range(100, 1100)])
        before = everything(store)
        with pytest.raises(StoreBusy) as raised:
            await store.moves.merge("old", "other")
        assert raised.value.hint == "the operation continues in the background"
        assert [item.state for item in store.trash.all()] == ["doing"]

        disk.quick()
        await eventually_async(lambda: [item.state for item in store.trash.all()] == ["done"])
        assert len(events_of(store, "old")) == 1005

        with pytest.raises(StoreBusy):
            await store.trash.undo(1)
        disk.quick()
        await eventually_async(lambda: "old" in store.buckets())
        assert everything(store) == before

    with disk.mounted():
        play(SqliteEngine(tmp_path, retry_s=0.05), scenario)
