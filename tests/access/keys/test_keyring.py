"""The keys in memory agree with those in the store, whatever happens at the same time."""

import asyncio
from pathlib import Path

import pytest

from dayline.access.keyring import Keyring
from dayline.model.time import SECOND
from dayline.storage.sqlite.database import SqliteDatabase


@pytest.mark.parametrize("is_revoked_first", [False, True])
def test_key_that_is_rotated_and_revoked_at_the_same_time_stays_revoked(tmp_path: Path, is_revoked_first: bool) -> None:
    async def test() -> None:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        access = database.access
        keyring = Keyring(access)
        key, text = await keyring.create(access, name="", scope="read", buckets=(), expires=None, is_enveloped=False)

        # Without turns, the rotation would write the key down as it was before it was revoked.
        async with asyncio.TaskGroup() as tasks:
            if is_revoked_first:
                tasks.create_task(keyring.revoke(access, key.id))
            rotation = tasks.create_task(keyring.rotate(access, key.id, grace=3600 * SECOND))
            if not is_revoked_first:
                tasks.create_task(keyring.revoke(access, key.id))

        _, new_text = rotation.result()
        for ring in (keyring, Keyring(access)):
            assert ring.caller(text) is None
            assert ring.caller(new_text) is not None
        await database.close()

    asyncio.run(test())


def test_cached_keys_are_checked_again_after_many_others(tmp_path: Path) -> None:
    async def test() -> None:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        keyring = Keyring(database.access)
        made = [
            await keyring.create(
                database.access, name="", scope="read", buckets=(f"b{number}",), expires=None, is_enveloped=False
            )
            for number in range(300)
        ]

        for _ in range(2):
            for key, text in made:
                caller = keyring.caller(text)
                assert caller is not None
                assert (caller.key_id, caller.buckets.names) == (key.id, key.buckets)
        await database.close()

    asyncio.run(test())


def test_a_key_is_valid_up_to_the_instant_at_which_it_expires_and_not_at_it(tmp_path: Path) -> None:
    async def test() -> None:
        database = SqliteDatabase(tmp_path / "days.db", asyncio.get_running_loop())
        now = SECOND
        keyring = Keyring(database.access, clock=lambda: now)
        _, text = await keyring.create(
            database.access, name="", scope="read", buckets=(), expires=2 * SECOND, is_enveloped=False
        )

        now = 2 * SECOND - 1
        assert keyring.caller(text) is not None
        now = 2 * SECOND
        assert keyring.caller(text) is None
        await database.close()

    asyncio.run(test())
