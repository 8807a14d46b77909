"""Settings in PostgreSQL: every value stays in a history, whose numbers have no gaps with any number of writers."""

import asyncio

import psycopg
import pytest

from dayline.model.errors import Conflict, Invalid
from dayline.model.settings.history import HistoryFilter, SettingBefore, SettingChange, SettingPair
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.rows.read_transaction import PostgresReaders
from dayline.storage.writing.notices import SettingNotice
from dayline.storage.writing.settings import change_own_settings, change_setting_pair, edit_own_setting, set_setting
from tests.storage.postgres.desk import Desk, at_a_desk, desk


def history(
    readers: Readers, which: HistoryFilter | None = None, *, tenant: str = "", is_own: bool = False
) -> list[SettingChange]:
    with PostgresReaders(readers, tenant).transaction() as tx:
        return tx.setting_history("own_setting" if is_own else "setting", which or HistoryFilter())


def shown(changes: list[SettingChange]) -> list[tuple[int, str, bytes | None]]:
    return [(change.number, change.key, change.value) for change in changes]


def test_every_change_is_reported_even_one_to_the_same_value(address: str) -> None:
    async def scenario(at: Desk) -> None:
        change = at.tenant_writer.change
        await change(lambda turn: set_setting(turn, "theme", b'"dark"', now=1))
        await change(lambda turn: set_setting(turn, "theme", b'"dark"', now=2))
        await change(lambda turn: set_setting(turn, "other", '"ü\\u0000"'.encode(), now=3))
        await change(lambda turn: set_setting(turn, "theme", None, now=4))
        await change(lambda turn: set_setting(turn, "theme", None, now=5))
        await change(lambda turn: set_setting(turn, "never set", None, now=6))

        assert [(change.value, change.changed) for change in history(at.readers)] == [
            (None, 4),
            ('"ü\\u0000"'.encode(), 3),
            (b'"dark"', 2),
            (b'"dark"', 1),
        ]
        assert history(at.readers, is_own=True) == []
        assert at.notices == [SettingNotice(key, False) for key in ("theme", "theme", "other", "theme")]

    at_a_desk(address, scenario)


def test_a_key_with_a_null_character_is_refused_and_is_not_there(address: str) -> None:
    async def scenario(at: Desk) -> None:
        with pytest.raises(Invalid, match="NUL character"):
            await at.tenant_writer.change(lambda turn: set_setting(turn, "the\0me", b"1", now=1))
        with pytest.raises(Invalid, match="NUL character"):
            await at.tenant_writer.change(lambda turn: change_own_settings(turn, {"fine": b"1", "\0": b"1"}, now=1))
        await at.tenant_writer.change(lambda turn: set_setting(turn, "the\0me", None, now=1))
        assert history(at.readers) == history(at.readers, is_own=True) == []
        assert at.notices == []

    at_a_desk(address, scenario)


def test_own_settings_change_together_and_what_stays_is_no_change(address: str) -> None:
    async def scenario(at: Desk) -> None:
        change = at.tenant_writer.change
        await change(lambda turn: change_own_settings(turn, {"b": b"1", "a": b"2", "none": None}, now=1))
        await change(lambda turn: change_own_settings(turn, {"a": b"2", "b": None, "c": b"3"}, now=2))
        assert shown(history(at.readers, is_own=True)) == [
            (4, "c", b"3"),
            (3, "b", None),
            (2, "a", b"2"),
            (1, "b", b"1"),
        ]
        assert at.notices == [SettingNotice(key, True) for key in "babc"]

        assert await change(lambda turn: edit_own_setting(turn, "a", lambda old: (old or b"") + b"0", now=3)) == b"20"
        assert await change(lambda turn: edit_own_setting(turn, "new", lambda old: b"0" if old is None else old, now=4))
        assert await change(lambda turn: edit_own_setting(turn, "a", lambda old: b"20", now=5)) == b"20"
        assert shown(history(at.readers, HistoryFilter(before=7, limit=2), is_own=True)) == [
            (6, "new", b"0"),
            (5, "a", b"20"),
        ]
        assert history(at.readers) == []

    at_a_desk(address, scenario)


def test_a_pair_changes_as_one_and_returns_the_previous_values(address: str) -> None:
    seen: list[SettingBefore] = []

    def compose(before: SettingBefore) -> SettingPair:
        seen.append(before)
        return SettingPair(value=b"%d" % before.next, own=b"[%d]" % before.next)

    def removing(before: SettingBefore) -> SettingPair:
        return SettingPair(value=None, own=b"null")

    def refusing(before: SettingBefore) -> SettingPair:
        raise Conflict("no")

    async def scenario(at: Desk) -> None:
        change = at.tenant_writer.change
        assert await change(lambda turn: change_setting_pair(turn, "k", "own k", removing, now=1)) == 0
        await change(lambda turn: set_setting(turn, "else", b"0", now=2))
        assert await change(lambda turn: change_setting_pair(turn, "k", "own k", compose, now=3)) == 2
        await change(lambda turn: set_setting(turn, "else", b"0", now=4))
        assert await change(lambda turn: change_setting_pair(turn, "k", "own k", compose, now=5)) == 4
        with pytest.raises(Conflict):
            await change(lambda turn: change_setting_pair(turn, "k", "own k", refusing, now=6))
        assert await change(lambda turn: change_setting_pair(turn, "k", "own k", removing, now=7)) == 5
        assert await change(lambda turn: change_setting_pair(turn, "k", "own k", removing, now=8)) == 5

        assert seen == [
            SettingBefore(number=0, next=2, changed=None, value=None, own=None),
            SettingBefore(number=2, next=4, changed=3, value=b"2", own=b"[2]"),
        ]
        assert shown(history(at.readers, HistoryFilter(key="k"))) == [(5, "k", None), (4, "k", b"4"), (2, "k", b"2")]
        own = shown(history(at.readers, is_own=True))
        assert own == [(3, "own k", b"null"), (2, "own k", b"[4]"), (1, "own k", b"[2]")]

    at_a_desk(address, scenario)


def test_several_servers_number_each_tenant_without_gaps_or_duplicates(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as db:
        db.execute("INSERT INTO dayline.tenant VALUES('else')")

    async def count_up(at: Desk, name: str) -> None:
        for number in range(25):
            value = b"%d" % number
            await at.tenant_writer.change(lambda turn, value=value: set_setting(turn, name, value, now=0))  # type: ignore[misc]
            await at.tenant_writer.change(
                lambda turn: edit_own_setting(turn, "count", lambda old: b"%d" % (int(old or 0) + 1), now=0)
            )

    async def run() -> None:
        async with desk(address) as one, desk(address) as two, desk(address, tenant="else") as other:
            await asyncio.gather(count_up(one, "one"), count_up(two, "two"), count_up(other, "theirs"))
            which = HistoryFilter(limit=1000)
            assert [change.number for change in history(one.readers, which)] == list(range(50, 0, -1))
            theirs = history(one.readers, which, tenant="else")
            assert [(change.number, change.key) for change in theirs] == [(n, "theirs") for n in range(25, 0, -1)]
            for tenant, last in (("", 50), ("else", 25)):
                own = shown(history(one.readers, which, tenant=tenant, is_own=True))
                assert own == [(number, "count", b"%d" % number) for number in range(last, 0, -1)]

    asyncio.run(run())
