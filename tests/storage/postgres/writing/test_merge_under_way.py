"""Merges of many events in slices: recording continues, and any server finishes what another has left."""

import asyncio
from typing import Any

import pytest

from dayline.model.errors import Conflict
from dayline.model.time import now_us
from dayline.storage.history import merges
from dayline.storage.postgres import database
from dayline.storage.postgres.writing.transaction import PostgresTransaction
from dayline.storage.postgres.writing.writer import SLICE_ROWS
from tests.storage.postgres.writing.moving import Shop, many, play, shop
from tests.support.storage.opened import beat
from tests.support.waiting import eventually_async

MANY = 3_500
LATER = 100_000_000  # seconds after the beginning: later than all of them

pytestmark = pytest.mark.long


async def begun(at: Shop) -> int:
    """A merge that was begun by a server that ended then."""

    def begin(turn: PostgresTransaction) -> int:
        found = turn.find_all(["old", "other"])
        return merges.begin_merge(turn, found["old"], found["other"].key, "other", now=now_us())

    return await at.at.tenant_writer.change(begin)


async def no_pause() -> None:
    await asyncio.sleep(0)


def test_heartbeats_are_neither_lost_nor_doubled_while_it_continues_and_is_undone(address: str) -> None:
    async def beats(at: Shop, bucket_id: str, work: "asyncio.Task[Any]") -> set[str]:
        sent: set[str] = set()
        while not work.done():
            app = f"beat {bucket_id} {now_us()}"
            await at.beat(bucket_id, beat(LATER + len(sent), app=app), pulsetime=0)
            sent.add(app)
        return sent

    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        await at.insert("other", many(MANY // 3))
        before = {bucket_id: at.rows(bucket_id) for bucket_id in ("old", "other")}
        async with shop(address) as second:
            merging = asyncio.create_task(at.moves.merge("old", "other"))
            first, others = await asyncio.gather(beats(at, "old", merging), beats(second, "other", merging))
            sent = first | others
            merged = await merging
            assert merged.skipped == MANY // 3
            assert sorted(sent) == sorted(app for app in at.apps("other") if app.startswith("beat"))
            at.everything()

            unmerging = asyncio.create_task(at.trash.undo(merged.undo or 0))
            first, others = await asyncio.gather(beats(at, "old", unmerging), beats(second, "other", unmerging))
            sent |= first | others
            await unmerging
        rows = {bucket_id: at.rows(bucket_id) for bucket_id in ("old", "other")}
        assert sorted(sent) == sorted(app for found in rows.values() for *_, app in found if app.startswith("beat"))
        for bucket_id, found in rows.items():
            assert [row for row in found if not row[3].startswith("beat")] == before[bucket_id]
        at.everything()

    play(address, scenario)


def test_while_a_merge_continues_its_buckets_stay_and_the_trash_keeps_it(address: str) -> None:
    async def scenario(at: Shop) -> None:
        act = await begun(at)
        for bucket_id in ("old", "other"):
            with pytest.raises(Conflict, match="being merged"):
                await at.delete(bucket_id)
        with pytest.raises(Conflict, match="being merged"):
            await at.moves.remove_alias("old")
        with pytest.raises(Conflict, match="being merged"):
            await at.moves.rename("other", "old")
        await at.create("third")
        for pair in (("other", "third"), ("third", "other")):
            with pytest.raises(Conflict, match="being merged"):
                await at.moves.merge(*pair)
        assert await at.trash.empty() == 0
        with pytest.raises(Conflict, match="still running"):
            await at.trash.empty(act)

    play(address, scenario)


def test_what_a_server_has_left_is_finished_by_those_that_find_it_at_once_and_only_once(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        apart = at.everything()
        act = await begun(at)
        await at.at.tenant_writer.change(lambda turn: merges.make_slice(turn, at.read(act), rows=SLICE_ROWS))
        assert len(at.rows("other")) == SLICE_ROWS

        async with shop(address) as second:
            found = await asyncio.gather(*(each.merges.resume(no_pause) for each in (at, second)))
        assert found == [1, 1]
        assert len(at.rows("other")) == MANY + 5
        assert [item.state for item in at.trash.all()] == ["done"]
        assert await at.merges.resume(no_pause) == 0

        await at.undo(act)
        assert at.everything() == apart

    play(address, scenario)


# Servers that were running already looked for it once an hour.
def test_what_a_server_has_left_is_finished_by_one_that_runs(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LEASE_S", 0.1)
    monkeypatch.setattr(database, "STILL_S", 0.1)

    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        async with shop(address) as running:
            running.merges.start()
            await begun(at)
            await eventually_async(lambda: [item.state for item in at.trash.all()] == ["done"])
            await running.merges.close()
        assert len(at.rows("other")) == MANY + 5

    play(address, scenario)


def test_undoing_that_was_left_is_finished_too(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        apart = at.everything()
        merged = await at.moves.merge("old", "other")
        found = at.read(merged.undo or 0)
        await at.at.tenant_writer.change(lambda turn: merges.begin_unmerge(turn, found))
        await at.at.tenant_writer.change(lambda turn: merges.make_slice(turn, found, rows=SLICE_ROWS))
        assert at.ids() == ["other"]
        assert len(at.rows("other")) == MANY + 5 - SLICE_ROWS

        assert await at.merges.resume(no_pause) == 1
        assert at.everything() == apart

    play(address, scenario)


def test_a_merge_that_moves_is_left_to_the_server_that_makes_it(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        act = await begun(at)

        async def proceed() -> None:
            await at.at.tenant_writer.change(lambda turn: merges.make_slice(turn, at.read(act), rows=SLICE_ROWS))

        assert await at.merges.resume(proceed) == 0
        assert [item.state for item in at.trash.all()] == ["doing"]

    play(address, scenario)


def test_an_undo_of_a_merge_waits_for_its_end(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        apart = at.everything()
        act = await begun(at)
        await at.undo(act)
        assert at.everything() == apart

    play(address, scenario)


def test_a_client_that_goes_away_does_not_stop_it(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        caller = asyncio.ensure_future(at.moves.merge("old", "other"))
        await eventually_async(lambda: any(item.state == "doing" for item in at.trash.all()), during=caller)
        caller.cancel()
        await eventually_async(lambda: all(item.state != "doing" for item in at.trash.all()))
        assert len(at.rows("other")) == MANY + 5

    play(address, scenario)


def test_copies_of_many_that_were_changed_for_good_are_in_the_way(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(MANY))
        merged = await at.moves.merge("old", "other")
        later = await at.delete_event("other", at.rows("other")[2000][0])
        await at.trash.empty(later or 0)
        before = at.everything()
        with pytest.raises(Conflict, match="were deleted since the merge"):
            await at.undo(merged.undo)
        assert at.everything() == before

    play(address, scenario)


def test_a_large_bucket_that_was_made_again_is_finished_after_it_was_restored(address: str) -> None:
    async def scenario(at: Shop) -> None:
        deletion = await at.delete("old")
        await at.create("old")
        await at.insert("old", many(MANY))
        assert (await at.undo(deletion)).merged
        assert len(at.rows("old")) == MANY + 5
        assert [item.state for item in at.trash.all()] == ["done"]

    play(address, scenario)
