"""Several servers on PostgreSQL: one of them changes history at a time, and none gives away what is about to go."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from dayline.model.errors import StoreBusy, Unavailable
from dayline.storage.opening import Database
from dayline.storage.redaction.work import Steps
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.storage.engines import Engine, Engines, rows
from tests.support.storage.opened import bucket, opened_on
from tests.support.storage.redacting import event, order, planned_in_this_process, rows_of, titles
from tests.support.waiting import eventually_async

HIDE = rule("secret", replacement="hidden")
SECRETS = [event(second, f"secret {second}") for second in range(1200)]


@pytest.fixture
def engine(servers: Engines) -> Engine:
    return servers.new(servers=2)


@asynccontextmanager
async def both(engine: Engine) -> AsyncGenerator[tuple[Store, Store]]:
    """The stores of two servers, with a bucket `window` that both know."""
    with planned_in_this_process():
        databases: list[Database] = [engine.open() for _ in range(2)]
        try:
            first, second = (database.store(engine.tenant) for database in databases)
            await first.create_bucket(bucket("window"))
            await eventually_async(lambda: "window" in second.buckets())
            yield first, second
        finally:
            for database in databases:
                await database.close()


def test_two_that_are_asked_for_at_once_are_made_one_after_the_other(engine: Engine) -> None:
    async def scenario() -> None:
        async with both(engine) as (first, second):
            await first.insert("window", SECRETS)
            before = rows_of(first, "window")
            made = await asyncio.gather(
                first.redactions.apply(order(HIDE)),
                second.redactions.apply(order(rule("[0-9]", action="rewrite", replacement="#"))),
            )

            assert sorted(each.id for each in made) == [1, 2]
            assert sum(each.changed_events for each in made) in (1200, 2400)
            assert set(titles(first)) == {"hidden"}
            for each in sorted(made, key=lambda redaction: -redaction.id):
                await second.redactions.undo(each.id)
            assert rows_of(first, "window") == before

    asyncio.run(scenario())


def test_undoing_through_another_server_waits_for_the_end_of_applying(engine: Engine) -> None:
    async def scenario() -> None:
        async with both(engine) as (first, second):
            await first.insert("window", SECRETS)
            before = rows_of(first, "window")
            applying = asyncio.ensure_future(first.redactions.apply(order(HIDE)))
            await eventually_async(lambda: rows(engine, "redaction") > 0)
            undone = await second.redactions.undo(1)

            assert (undone.state, undone.changed_events) == ("undone", 1200)
            assert (await applying).changed_events == 1200
            assert rows_of(first, "window") == before

    asyncio.run(scenario())


def test_a_server_that_was_held_up_changes_nothing_any_more(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another has taken over between two of its slices, and has not begun yet.
    async def scenario() -> None:
        async with both(engine) as (first, second):
            await first.insert("window", SECRETS)
            before = rows_of(first, "window")
            each = Steps.each

            async def held_up(steps: Steps, *details: Any) -> None:
                engine.change("UPDATE redaction_owner SET owner = 'another'")
                await each(steps, *details)

            with monkeypatch.context() as patch:
                patch.setattr(Steps, "each", held_up)
                with pytest.raises(StoreBusy, match="another server has taken over") as raised:
                    await first.redactions.apply(order(HIDE))
            assert raised.value.hint == "Dayline resumes what was begun automatically"
            assert rows(engine, "redacted_event") == 0

            engine.change("UPDATE redaction_owner SET seen = 0")
            assert (await second.redactions.undo(1)).state == "undone"
            assert rows_of(first, "window") == before

    asyncio.run(scenario())


def test_a_server_that_stops_hands_over_at_once(engine: Engine) -> None:
    async def stop_in_the_middle() -> None:
        with planned_in_this_process():
            async with opened_on(engine) as store:
                await store.create_bucket(bucket("window"))
                await store.insert("window", SECRETS)
                applying = asyncio.ensure_future(store.redactions.apply(order(rule("secret", action="drop"))))
                await eventually_async(lambda: rows(engine, "redacted_event") > 0, during=applying)
        with pytest.raises(Unavailable, match="the server is stopping"):
            await applying

    async def proceed() -> None:
        async with opened_on(engine) as store:
            await eventually_async(lambda: store.redactions.all()[0].state == "applied")
            assert titles(store) == []

    asyncio.run(stop_in_the_middle())
    assert rows(engine, "redaction_change") > 0
    asyncio.run(proceed())


def test_what_another_server_remembers_of_texts_does_not_count_any_more(engine: Engine) -> None:
    async def scenario() -> None:
        async with both(engine) as (first, second):
            await second.insert("window", [event(0, "secret"), event(1, "secret 2")])
            redaction = await first.redactions.apply(order(HIDE))
            await second.insert("window", [event(2, "secret"), event(3, "secret 2")])
            await second.insert("window", [event(4, "hidden")])
            assert titles(first) == ["hidden", "hidden", "secret", "secret 2", "hidden"]

            await first.redactions.make_final(redaction.id)
            await second.insert("window", [event(5, "secret 2"), event(6, "hidden")])
            assert titles(first)[5:] == ["secret 2", "hidden"]

    asyncio.run(scenario())


def test_a_plan_that_no_server_has_started_is_removed(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with both(engine) as (first, _):
            await first.insert("window", [event(0, "secret")])
            run_plan = engine.redactions.run_plan

            async def cut_off(*details: Any, **options: Any) -> Any:
                await run_plan(*details, **options)
                raise StoreBusy("the server has ended")

            with monkeypatch.context() as patch:
                patch.setattr(engine.redactions, "run_plan", cut_off)
                with pytest.raises(StoreBusy):
                    await first.redactions.apply(order(HIDE))
            assert (first.redactions.all(), titles(first)) == ([], ["secret"])
        assert rows(engine, "redaction_change") == 1
        engine.change("UPDATE redaction_plan SET made = 0")
        async with opened_on(engine):
            await eventually_async(lambda: not rows(engine, "redaction_plan"))
        assert rows(engine, "redaction_change") == 0

    asyncio.run(scenario())
