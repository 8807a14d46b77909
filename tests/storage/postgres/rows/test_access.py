"""Keys, sessions, the audit log and our own settings in PostgreSQL, also where two servers write."""

import asyncio

import pytest
from msgspec.structs import replace

from dayline.model.access import AccessKey, Once, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.errors import AlreadyDone, Conflict, Invalid
from dayline.model.settings.history import HistoryFilter
from dayline.storage.access import AccessStore
from tests.storage.postgres.desk import Desk, access_at, at_a_desk, desk

FOREVER = 2**60


def access(at: Desk) -> AccessStore:
    return access_at(at)


def key(key_id: str, *, created: int = 1) -> AccessKey:
    buckets = ("watcher*", "ü")
    return AccessKey(
        id=key_id, name="a name", scope="append", buckets=buckets, created=created, salt=b"\0salt", digest=b"\xff\0"
    )


def session(digest: bytes, *, created: int = 1, key_id: str | None = None) -> Session:
    return Session(digest=digest, key_id=key_id, created=created, expires=9, address="::1", agent="Firefox")


def tally(
    call: str = "get_events", *, slot: int = 0, bucket: str = "b", status: int = 200, last: int = 5
) -> AuditTally:
    return AuditTally(
        slot=slot,
        who="key a",
        key_id="a",
        address="::1",
        call=call,
        bucket=bucket,
        status=status,
        first=slot,
        last=last,
        count=2,
    )


def calls(entries: list[AuditEntry]) -> list[tuple[str, int]]:
    return [(entry.call, entry.count) for entry in entries]


def test_keys_are_kept_as_they_are_in_order_of_creation(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        late, early = key("late", created=2), key("early")
        full = replace(key("same"), envelope_key=b"e", expires=7, revoked=8, last_used=9, last_address="::1")
        for each in (late, early, full):
            await store.put_key(each)
        assert store.all_keys() == [early, full, late]

        ended, new = replace(early, revoked=5), key("new", created=3)
        await store.replace_key(ended, new)
        assert store.all_keys() == [ended, full, late, new]

        with pytest.raises(Invalid, match="NUL character"):
            await store.replace_key(replace(ended, name="other"), replace(new, name="\0"))
        assert store.all_keys() == [ended, full, late, new]

    at_a_desk(address, scenario)


def test_what_another_server_knows_of_a_key_is_not_written_over(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store, before = access(at), key("a")
        await store.put_key(before)
        await store.put_key(replace(before, revoked=5, last_used=8, last_address="there"))

        await store.put_key(replace(before, name="changed"))
        [kept] = store.all_keys()
        assert (kept.name, kept.revoked, kept.last_used, kept.last_address) == ("changed", 5, 8, "there")

        await store.note([], [KeyUse(key_id="a", when=7, address="before")], forget_before=0)
        assert store.all_keys() == [kept]
        uses = [KeyUse(key_id="a", when=9, address="then"), KeyUse(key_id="a", when=10, address="\0")]
        await store.note([], [*uses, KeyUse(key_id="unknown", when=9, address="")], forget_before=0)
        assert store.all_keys() == [replace(kept, last_used=10, last_address="\ufffd")]

    at_a_desk(address, scenario)


def test_sessions_begin_and_end(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        first, second = session(b"\0b"), session(b"a", created=2, key_id="k")
        await store.put_session(second)
        await store.put_session(first)
        assert store.sessions() == [first, second]
        await store.end_sessions([])
        await store.end_sessions([b"\0b", b"never there"])
        assert store.sessions() == [second]

    at_a_desk(address, scenario)


def test_sessions_are_confirmed_and_used_and_do_not_come_back(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store, begun = access(at), session(b"s")
        await store.put_session(begun)
        await store.confirm_session(b"s", 5)
        await store.confirm_session(b"s", 6)
        uses = [SessionUse(digest=b"s", when=8, address="there"), SessionUse(digest=b"gone", when=8, address="there")]
        await store.note_session_uses(uses)
        await store.note_session_uses([SessionUse(digest=b"s", when=7, address="before")])
        assert store.sessions() == [replace(begun, confirmed=5, last_used=8, last_address="there")]
        assert [changed.is_access for changed in at.changes] == [True, True, True, False, False]

        await store.end_sessions([b"s"])
        await store.confirm_session(b"s", 9)
        await store.note_session_uses(uses)
        assert store.sessions() == []

    at_a_desk(address, scenario)


def test_the_other_servers_hear_of_keys_and_sessions_but_not_of_notes(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        await store.put_key(key("a"))
        await store.replace_key(key("a"), key("b"))
        await store.put_session(session(b"s"))
        await store.end_sessions([b"s"])
        assert [changed.is_access for changed in at.changes] == [True] * 4
        await store.note([tally()], [KeyUse(key_id="a", when=1, address="")], forget_before=0)
        assert not at.changes[-1].is_access

    at_a_desk(address, scenario)


def test_a_token_works_once_and_only_for_what_succeeded(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store, once = access(at), Once(token="t", until=FOREVER)
        with pytest.raises(Invalid):
            await store.once(once).put_key(replace(key("a"), name="\0"))
        await store.once(once).put_key(key("a"))
        with pytest.raises(AlreadyDone):
            await store.once(once).put_key(key("b"))
        assert [each.id for each in store.all_keys()] == ["a"]

    at_a_desk(address, scenario)


def test_lines_of_the_audit_log_are_aggregated_and_listed_newest_first(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        await store.note([tally("z"), tally("a"), tally("z", last=7)], [], forget_before=0)
        await store.note([tally("a", last=3), tally("b")], [], forget_before=0)

        found = store.audit(AuditFilter())
        assert calls(found) == [("z", 4), ("b", 2), ("a", 4)]
        assert [entry.last for entry in found] == [7, 5, 5]
        assert found[1].number > found[2].number > found[0].number
        assert calls(store.audit(AuditFilter(limit=1))) == [("z", 4)]
        assert calls(store.audit(AuditFilter(before=7, limit=1))) == [("b", 2), ("a", 4)]  # they ended together
        assert calls(store.audit(AuditFilter(before=5))) == []

    at_a_desk(address, scenario)


def test_the_audit_log_is_filtered_by_key_bucket_call_status_and_time(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        lines = [
            tally("undo", slot=1),
            tally("undo rename", slot=2, bucket="c"),
            tally("undone", slot=3, status=403),
            tally("read", slot=10, last=20),
        ]
        await store.note(lines, [], forget_before=0)

        def asked(which: AuditFilter) -> list[str]:
            return [entry.call for entry in store.audit(which)]

        assert asked(AuditFilter(call="undo")) == ["undo rename", "undo"]
        assert asked(AuditFilter(bucket="c")) == ["undo rename"]
        assert asked(AuditFilter(is_refused=True)) == ["undone"]
        assert asked(AuditFilter(since=6)) == ["read"]
        assert asked(AuditFilter(since=5, until=3)) == ["undo rename", "undo"]
        assert len(asked(AuditFilter(key_id="a"))) == 4
        assert asked(AuditFilter(key_id="b")) == asked(AuditFilter(bucket="\0")) == []

    at_a_desk(address, scenario)


def test_old_lines_are_forgotten(address: str) -> None:
    async def scenario(at: Desk) -> None:
        store = access(at)
        await store.note([tally(slot=slot, last=slot) for slot in range(10)], [], forget_before=0)
        await store.note([tally("new", slot=100, bucket="\0", last=100)], [], forget_before=8)
        assert [(entry.slot, entry.bucket) for entry in store.audit(AuditFilter())] == [
            (100, "\ufffd"),
            (9, "b"),
            (8, "b"),
        ]

    at_a_desk(address, scenario)


def test_servers_that_count_the_same_lines_lose_none(address: str) -> None:
    lines = [tally(f"call {number}") for number in range(20)]

    async def count(store: AccessStore, order: int) -> None:
        for _ in range(10):
            await store.note(lines[::order], [KeyUse(key_id="a", when=1, address="")], forget_before=0)

    async def run() -> None:
        async with desk(address) as one, desk(address) as two:
            await access(one).put_key(key("a"))
            await asyncio.gather(count(access(one), 1), count(access(two), -1))
            assert {entry.count for entry in access(one).audit(AuditFilter())} == {40}

    asyncio.run(run())


def test_own_settings_are_kept_with_their_history(address: str) -> None:
    def refuse(old: bytes | None) -> bytes:
        raise Conflict("no")

    async def scenario(at: Desk) -> None:
        store = access(at)
        await store.change_own_settings({"b": b"1", "a": b'"2"', "Z": b"3"})
        await store.set_own_setting("b", b"4")
        assert await store.edit_own_setting("b", lambda old: (old or b"") + b"0") == b"40"
        with pytest.raises(Conflict):
            await store.edit_own_setting("b", refuse)
        assert list(store.own_settings().items()) == [("Z", b"3"), ("a", b'"2"'), ("b", b"40")]
        assert store.own_setting("a") == b'"2"'
        assert store.own_setting("\0") is None
        history = store.own_setting_history(HistoryFilter(key="b"))
        assert [(change.number, change.value) for change in history] == [(5, b"40"), (4, b"4"), (1, b"1")]

    at_a_desk(address, scenario)
