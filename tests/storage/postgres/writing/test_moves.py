"""Buckets that are renamed, merged and given another host, in a database that several servers write to."""

import asyncio

import psycopg
import pytest

from dayline.model.access import Once
from dayline.model.errors import AlreadyDone, Conflict, Invalid, NotFound
from dayline.storage.history.moves import Moves
from dayline.storage.writing.notices import BucketNotice
from tests.storage.postgres.writing.moving import Shop, play, shop
from tests.support.storage.opened import beat

FOREVER = 2**60


def test_others_hear_what_a_bucket_is_called_and_where_its_old_id_leads(address: str) -> None:
    async def scenario(at: Shop) -> None:
        renamed = await at.moves.rename("old", "new_laptop")
        assert at.at.notices[-2:] == [BucketNotice("old", "renamed"), BucketNotice("new_laptop", "renamed")]
        assert at.at.changes[-1].aliases == {"old": "new_laptop"}
        assert at.at.changes[-1].buckets[0].bucket.id == "new_laptop"

        removed = await at.moves.remove_alias("old")
        assert at.at.changes[-1].aliases == {}
        await at.undo(removed)
        assert at.at.changes[-1].aliases == {"old": "new_laptop"}

        moved = await at.moves.rehost("old", "desktop")
        assert at.at.changes[-1].buckets[0].bucket.hostname == "desktop"
        assert at.at.changes[-1].aliases == {"old": "new_desktop", "new_laptop": "new_desktop"}
        await at.undo(moved.undo)

        merged = await at.moves.merge("old", "other")
        assert [each for each in at.at.notices if isinstance(each, BucketNotice) and each.change == "merged"] == [
            BucketNotice("new_laptop", "merged"),
            BucketNotice("other", "merged"),
        ]
        await at.undo(merged.undo)
        await at.undo(renamed.undo)
        assert at.at.changes[-1].aliases == {}

    play(address, scenario)


def test_an_id_that_the_database_cannot_hold_is_refused_and_is_no_alias(address: str) -> None:
    async def scenario(at: Shop) -> None:
        before = at.everything()
        with pytest.raises(Invalid):
            await at.moves.rename("old", "nul\0")
        with pytest.raises(NotFound, match="no alias"):
            await at.moves.remove_alias("nul\0")
        assert at.everything() == before

    play(address, scenario)


def test_of_two_servers_that_give_the_same_id_one_is_refused(address: str) -> None:
    async def scenario(at: Shop) -> None:
        async with shop(address) as second:
            for number in range(20):
                outcomes = await asyncio.gather(
                    at.moves.rename("old", f"new {number}", keeps_alias=False),
                    second.moves.rename("other", f"new {number}", keeps_alias=False),
                    return_exceptions=True,
                )
                refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
                assert [type(error) for error in refused] == [Conflict]
                assert "already" in str(refused[0])
                for outcome in outcomes:
                    if not isinstance(outcome, BaseException):
                        await at.undo(outcome.undo)

    play(address, scenario)


def test_a_call_that_is_sent_again_is_refused_before_anything_else(address: str) -> None:
    async def scenario(at: Shop) -> None:
        def once(token: str) -> Moves:
            return at.moves_of(at.at.tenant_writer.once(Once(token=token, until=FOREVER)))

        await once("a").rename("old", "new")
        with pytest.raises(AlreadyDone):
            await once("a").rename("old", "new")
        await once("b").merge("old", "other")
        with pytest.raises(AlreadyDone):
            await once("b").merge("old", "other")
        await once("c").rehost("old", "desktop")
        with pytest.raises(AlreadyDone):
            await once("c").rehost("old", "desktop")

    play(address, scenario)


def test_texts_of_one_hash_are_distinguished(address: str) -> None:
    async def scenario(at: Shop) -> None:
        await at.insert("other", [beat(1, app="app 1"), beat(1, app="theirs")])
        with psycopg.connect(address, autocommit=True) as db:
            db.execute(
                "UPDATE dayline.value SET hash = 7, salt = new.salt FROM (SELECT key, row_number() "
                "OVER (PARTITION BY bucket ORDER BY key) AS salt FROM dayline.value) AS new WHERE value.key = new.key"
            )
        before = at.everything()
        merged = await at.moves.merge("old", "other")
        assert (merged.moved, merged.skipped) == (4, 1)
        assert sorted(at.apps("other")) == [*(f"app {number}" for number in range(5)), "theirs"]
        await at.undo(merged.undo)
        assert at.everything() == before

    play(address, scenario)
