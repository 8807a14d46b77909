"""Settings keep every earlier value (decision 18)."""

import asyncio

from dayline.model.settings.history import HistoryFilter, SettingChange
from tests.support.storage.engines import Engine, rows
from tests.support.storage.opened import opened_on


async def change_settings(engine: Engine) -> None:
    async with opened_on(engine) as store:
        await store.set_setting("theme", b'"dark"')
        await store.set_setting("theme", b'"light"')
        await store.set_setting("other", b"1")
        await store.delete_setting("theme")
        await store.delete_setting("theme")
        await store.delete_setting("never set")
        await store.set_setting("theme", b"null")


async def history(engine: Engine) -> list[SettingChange]:
    """All of it, oldest first."""
    async with opened_on(engine) as store:
        return store.setting_history(HistoryFilter())[::-1]


def test_every_value_and_every_deletion_stays_in_the_history(engine: Engine) -> None:
    asyncio.run(change_settings(engine))

    kept = asyncio.run(history(engine))

    assert rows(engine, "setting_history") == len(kept)
    assert [(change.number, change.key, change.value) for change in kept] == [
        (1, "theme", b'"dark"'),
        (2, "theme", b'"light"'),
        (3, "other", b"1"),
        (4, "theme", None),
        (5, "theme", b"null"),
    ]
    assert [change.changed for change in kept] == sorted(change.changed for change in kept)


async def read(engine: Engine) -> list[object]:
    async with opened_on(engine) as store:
        return [
            [store.setting(key) for key in ("theme", "other", "never set", "the\0me")],
            [change.number for change in store.setting_history(HistoryFilter(key="theme", before=5, limit=2))],
            store.setting_history(HistoryFilter(key="the\0me")),
        ]


def test_the_history_is_read_by_key_and_by_number_the_latest_first(engine: Engine) -> None:
    asyncio.run(change_settings(engine))

    assert asyncio.run(read(engine)) == [[b"null", b"1", None, None], [4, 2], []]
