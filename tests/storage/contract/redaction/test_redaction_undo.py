"""A redaction undone: everything is as it was, and what came since stays as it came."""

import asyncio
from typing import Any

import pytest

from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.privacy.rules import PrivacyRule
from dayline.model.time import SECOND
from tests.support.privacy import rule
from tests.support.storage.engines import Engine, rows
from tests.support.storage.opened import BEGIN, bucket, sent
from tests.support.storage.redacting import event, order, rows_of, store_of, texts_of, titles
from tests.support.waiting import eventually_async

HIDE = rule("secret", replacement="hidden")
DROP = rule("secret", action="drop")


@pytest.mark.parametrize(
    "rules",
    [
        [HIDE],
        [DROP],
        [rule("secret", action="rewrite", replacement="something longer")],
        [rule("^notes$", action="drop"), rule("", replacement="x")],
        [rule("^a$", replacement="b"), rule("secret", replacement="a")],
    ],
)
def test_ids_times_and_data_are_as_they_were(engine: Engine, rules: list[PrivacyRule]) -> None:
    sent_in = [event(n, title) for n, title in enumerate(["a", "secret 1", "b", "secret 2", "notes", "secret 2", "a"])]

    async def scenario() -> None:
        async with store_of(engine, *sent_in) as store:
            before, metadata = rows_of(store, "window"), store.bucket("window")
            redaction = await store.redactions.apply(order(*rules))
            assert rows_of(store, "window") != before

            undone = await store.redactions.undo(redaction.id)

            assert undone.state == "undone"
            assert rows_of(store, "window") == before
            assert store.bucket("window") == metadata
            assert store.count("window", start=None, end=None) == len(sent_in)

    asyncio.run(scenario())


def test_nothing_is_kept_of_a_redaction_that_was_undone(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("2", action="drop")))
            await store.redactions.undo(redaction.id)

    asyncio.run(scenario())
    assert [rows(engine, table) for table in ("redacted_value", "redacted_event")] == [0, 0]


def test_events_that_came_since_with_the_new_text_keep_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(1, "hidden")])
            await sent(store, "window", event(20, "hidden", lasting=0))
            await store.redactions.undo(redaction.id)

            assert titles(store) == ["secret", "hidden", "hidden"]

    asyncio.run(scenario())


def test_events_that_came_since_with_the_old_text_keep_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(1, "secret")])
            await store.redactions.undo(redaction.id)
            await store.insert("window", [event(2, "secret")])

            assert titles(store) == ["secret"] * 3
            # One that no lookup finds, and one for all later events.
            assert texts_of(engine) == ['{"title":"secret"}'] * 2

    asyncio.run(scenario())


def test_an_event_that_was_given_other_data_since_keeps_them(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden too"), event(2, "notes")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("too", action="drop")))
            await store.insert("window", [event(0, "edited", event_id=1), event(1, "again", event_id=2)])
            await store.insert("window", [event(2, "hidden", event_id=3)])
            await store.redactions.undo(redaction.id)

            assert titles(store) == ["edited", "again", "hidden"]

    asyncio.run(scenario())


def test_an_event_that_only_lasts_longer_since_gets_its_data_back(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.insert("window", [event(0.5, "hidden", lasting=2, event_id=1)])
            await store.redactions.undo(redaction.id)

            assert rows_of(store, "window")[1] == ("2026-01-01T10:00:00.500Z", 2.0, '{"title":"secret"}')

    asyncio.run(scenario())


def test_an_event_that_was_deleted_since_stays_deleted(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "hidden")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.delete_event("window", 1)
            await store.delete_event("window", 2)
            await store.redactions.undo(redaction.id)

            assert titles(store) == ["hidden"]

    asyncio.run(scenario())


def test_a_bucket_that_was_deleted_since_stays_deleted(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "drop")) as store:
            redaction = await store.redactions.apply(order(HIDE, rule("drop", action="drop")))
            deletion = await store.delete_bucket("window")
            await store.trash.empty(deletion)
            await eventually_async(lambda: rows(engine, "bucket") == 0)
            await store.redactions.undo(redaction.id)

            assert store.buckets() == {}
            assert rows(engine, "redacted_event") == 0

    asyncio.run(scenario())


def test_a_bucket_in_the_trash_gets_its_texts_and_events_back(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "plain"), event(2, "drop")) as store:
            before, metadata = rows_of(store, "window"), store.bucket("window")
            redaction = await store.redactions.apply(order(HIDE, rule("drop", action="drop")))
            deletion = await store.delete_bucket("window")
            await store.redactions.undo(redaction.id)
            await store.trash.undo(deletion)

            assert rows_of(store, "window") == before
            assert store.bucket("window") == metadata

    asyncio.run(scenario())


def test_a_bucket_that_was_merged_since_has_to_be_parted_first(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "plain")) as store:
            before = rows_of(store, "window")
            await store.create_bucket(bucket("other"))
            await store.insert("other", [event(9, "secret")])
            redaction = await store.redactions.apply(order(HIDE))
            merge = (await store.moves.merge("window", "other")).undo
            assert titles(store, "other") == ["hidden", "plain", "hidden"]
            with pytest.raises(Conflict, match="'window', which redaction 1 changed, was merged"):
                await store.redactions.undo(redaction.id)
            await store.trash.undo(merge or 0)
            await store.redactions.undo(redaction.id)

            assert rows_of(store, "window") == before
            assert titles(store, "other") == ["secret"]

    asyncio.run(scenario())


def test_the_latest_has_to_be_undone_first(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            first = await store.redactions.apply(order(HIDE))
            second = await store.redactions.apply(order(rule("hidden", replacement="gone")))
            with pytest.raises(Conflict, match="redaction 2 was made after redaction 1"):
                await store.redactions.undo(first.id)
            assert titles(store) == ["gone"]

            await store.redactions.undo(second.id)
            assert titles(store) == ["hidden"]
            await store.redactions.undo(first.id)
            assert titles(store) == ["secret"]

    asyncio.run(scenario())


def test_one_below_another_finds_the_events_that_it_moved(engine: Engine) -> None:
    # The second changes the text to which the first has moved events.
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden"), event(2, "hidden")) as store:
            before = rows_of(store, "window")
            first = await store.redactions.apply(order(HIDE))
            second = await store.redactions.apply(order(rule("hidden", replacement="gone")))
            assert titles(store) == ["gone"] * 3
            await store.redactions.undo(second.id)
            await store.redactions.undo(first.id)

            assert rows_of(store, "window") == before

    asyncio.run(scenario())


def test_undoing_twice_is_undoing_once(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.undo(redaction.id)

            assert (await store.redactions.undo(redaction.id)).state == "undone"

    asyncio.run(scenario())


def test_what_is_not_there_or_final_cannot_be_undone(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.make_final(redaction.id)

            with pytest.raises(Gone, match="redaction 1 is final"):
                await store.redactions.undo(redaction.id)
            with pytest.raises(NotFound, match="no redaction 7"):
                await store.redactions.undo(7)

    asyncio.run(scenario())


def test_events_that_arrive_after_the_plan_was_made_are_restored_too(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "secret")) as store:
            run_plan = engine.redactions.run_plan

            async def late(*details: Any, **options: Any) -> Any:
                planned = await run_plan(*details, **options)
                await store.insert("window", [event(9, "hidden"), event(10, "secret")])
                return planned

            monkeypatch.setattr(engine.redactions, "run_plan", late)
            before = rows_of(store, "window")
            redaction = await store.redactions.apply(order(HIDE))

            assert titles(store) == ["hidden"] * 5

            await store.redactions.undo(redaction.id)
            after = rows_of(store, "window")
            assert {number: after[number] for number in before} == before
            assert titles(store)[3:] == ["hidden", "secret"]

    asyncio.run(scenario())


def test_the_event_that_a_heartbeat_extends_is_found_again(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine) as store:
            first = await sent(store, "window", event(0, "secret", lasting=0))
            redaction = await store.redactions.apply(order(DROP))
            await store.redactions.undo(redaction.id)
            extended = await sent(store, "window", event(3, "secret", lasting=0))

            assert (extended.id, extended.start, extended.duration) == (first.id, BEGIN, 3 * SECOND)

    asyncio.run(scenario())


def test_what_was_deleted_before_comes_back_when_the_redaction_is_undone(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "hidden")) as store:
            deletion = await store.delete_event("window", 1)
            redaction = await store.redactions.apply(order(HIDE))
            await store.redactions.undo(redaction.id)
            await store.trash.undo(deletion or 0)

            assert titles(store) == ["secret", "hidden"]

    asyncio.run(scenario())
