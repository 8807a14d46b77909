"""Settings keep every earlier value (decision 18)."""

import asyncio
from pathlib import Path

import apsw

from tests.storage.opened import opened


async def change_settings(path: Path) -> None:
    async with opened(path) as store:
        await store.set_setting("theme", b'"dark"')
        await store.set_setting("theme", b'"light"')
        await store.set_setting("other", b"1")
        await store.delete_setting("theme")
        await store.delete_setting("theme")
        await store.delete_setting("never set")
        await store.set_setting("theme", b"null")


def test_every_value_and_every_deletion_stays_in_the_history(tmp_path: Path) -> None:
    asyncio.run(change_settings(tmp_path / "days.db"))

    db = apsw.Connection(str(tmp_path / "days.db"), flags=apsw.SQLITE_OPEN_READONLY)
    history = db.execute("SELECT key, json FROM setting_history ORDER BY number").fetchall()
    back_in_time = db.execute(
        "SELECT count(*) FROM setting_history AS one JOIN setting_history AS next ON next.number = one.number + 1 "
        "WHERE next.changed < one.changed"
    ).get
    db.close()
    assert history == [
        ("theme", '"dark"'),
        ("theme", '"light"'),
        ("other", "1"),
        ("theme", None),
        ("theme", "null"),
    ]
    assert back_in_time == 0
