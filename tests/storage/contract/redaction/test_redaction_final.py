"""A final redaction: the originals are deleted, and values that are still in use stay."""

import asyncio

import pytest

from dayline.model.errors import Conflict
from dayline.storage.history.contract import TrashPolicy
from tests.support.privacy import rule
from tests.support.storage.engines import Engine, SqliteEngine, rows
from tests.support.storage.opened import bucket, opened_on
from tests.support.storage.redacting import (
    HIDE,
    PLANS,
    event,
    files_with,
    order,
    planned_in_this_process,
    store_of,
    texts_of,
    titles,
)
from tests.support.waiting import eventually_async

pytestmark = pytest.mark.encrypted


def test_nothing_is_kept_of_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("2", action="drop")))
            await store.redactions.make_final(redaction.id)

            assert store.redactions.all()[0].state == "final"

    asyncio.run(scenario())
    assert [rows(engine, table) for table in ("redacted_value", "redacted_event")] == [0, 0]


def test_a_text_that_came_again_since_stays_as_long_as_it_is_used(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(3, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret", "secret"]
            assert texts_of(engine).count('{"title":"secret"}') == 1

    asyncio.run(scenario())


def test_a_text_that_comes_again_afterwards_is_stored_again(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            await store.insert("window", [event(2, "secret")])

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_what_a_later_redaction_needs_to_be_undone_stays(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            first = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(2, "secret")])
            second = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(first.id)

            await store.redactions.undo(second.id)

            assert titles(store) == ["hidden", "hidden", "secret"]

    asyncio.run(scenario())


def test_the_earliest_has_to_be_made_final_first(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "notes")) as store:
            await store.redactions.apply(order(HIDE))
            second = await store.redactions.apply(order(rule("notes")))
            with pytest.raises(Conflict, match="redaction 1 was made before redaction 2"):
                await store.redactions.make_final(second.id)

            await store.redactions.make_final(1)
            assert (await store.redactions.make_final(2)).state == "final"

    asyncio.run(scenario())


def test_what_was_undone_cannot_be_made_final(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.undo(redaction.id)
            with pytest.raises(Conflict, match="was undone"):
                await store.redactions.make_final(redaction.id)

    asyncio.run(scenario())


def test_final_continues_after_a_restart(engine: Engine) -> None:
    async def begin() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            await store.redactions.apply(order(HIDE))

    async def proceed() -> None:
        async with opened_on(engine):
            await eventually_async(lambda: rows(engine, "redacted_value") == 0)

    asyncio.run(begin())
    # The state in which a server that was killed leaves it.
    engine.change("UPDATE redaction SET state = 'final', has_rest = (1 = 1)")
    asyncio.run(proceed())

    assert not any(PLANS in text for text in texts_of(engine))
    if isinstance(engine, SqliteEngine):
        assert files_with(engine.path, PLANS) == []


def test_what_older_undo_entries_restore_is_redacted_as_well(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            deletion = await store.delete_event("window", 1)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)
            await store.trash.undo(deletion or 0)

            assert not any(PLANS in text for text in texts_of(engine))
            assert titles(store) == ["hidden"] * 2

    asyncio.run(scenario())


def test_a_redaction_that_expires_from_the_trash_is_final(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret plans"), event(1, "hidden")) as store:
            first = await store.redactions.apply(order(HIDE))
            await store.redactions.apply(order(rule("notes")))
            assert [item.kind for item in store.trash.all()] == ["redaction", "redaction"]
            await store.trash.empty(first.undo or 0)
            assert [found.state for found in store.redactions.all()] == ["applied", "final"]
            assert await store.trash.empty() == 1
            assert [found.state for found in store.redactions.all()] == ["final", "final"]

            assert store.trash.all() == []
            assert not any(PLANS in text for text in texts_of(engine))

    asyncio.run(scenario())


def test_when_its_time_in_the_trash_is_over_it_is_final(engine: Engine) -> None:
    async def scenario() -> None:
        with planned_in_this_process():
            async with opened_on(engine, trash=TrashPolicy(days=0, interval_s=0.05)) as store:
                await store.create_bucket(bucket("window"))
                await store.insert("window", [event(0, "secret plans"), event(1, "hidden")])
                await store.redactions.apply(order(HIDE))
                await eventually_async(lambda: rows(engine, "redacted_value") == 0)

                assert store.redactions.all()[0].state == "final"
                assert store.trash.all() == []

    asyncio.run(scenario())
