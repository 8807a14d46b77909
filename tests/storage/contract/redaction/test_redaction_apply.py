"""History changed by rules: the texts of values are changed where they are (decision 9)."""

import asyncio
from pathlib import Path

import pytest

from dayline.model.time import SECOND
from dayline.runtime.spool import create_spool
from tests.support.privacy import rule
from tests.support.storage.engines import Engine, rows
from tests.support.storage.opened import BEGIN, bucket, opened_on, sent
from tests.support.storage.redacting import event, order, store_of, texts_of, titles

pytestmark = pytest.mark.encrypted


def texts(engine: Engine) -> list[str]:
    return [text.removeprefix('{"title":"').removesuffix('"}') for text in texts_of(engine)]


def test_the_text_of_a_value_is_changed_where_it_is(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "a secret"), event(5, "notes"), event(9, "a secret")) as store:
            redaction = await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (redaction.changed_values, redaction.changed_events, redaction.dropped_events) == (1, 2, 0)
            assert redaction.state == "applied"
            assert titles(store) == ["hidden", "notes", "hidden"]
            assert texts(engine) == ["hidden", "notes"]
            assert rows(engine, "redacted_event") == 0

    asyncio.run(scenario())


def test_a_value_keeps_its_key_if_another_has_the_text_already(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "a secret"), event(5, "hidden"), event(9, "a secret")) as store:
            await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert titles(store) == ["hidden"] * 3
            assert texts(engine) == ["hidden", "hidden"]

    asyncio.run(scenario())


def test_several_values_get_the_same_text(engine: Engine) -> None:
    sent_in = [event(0, "secret 1"), event(1, "secret 2"), event(2, "secret 2"), event(3, "secret 3")]

    async def scenario() -> None:
        async with store_of(engine, *sent_in) as store:
            redaction = await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (redaction.changed_values, redaction.changed_events) == (3, 4)
            assert titles(store) == ["hidden"] * 4
            assert texts(engine) == ["hidden"] * 3

    asyncio.run(scenario())


def test_a_longer_text_is_put_in_place_of_a_shorter_one(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "pin"), event(1, "pin code")) as store:
            await store.redactions.apply(order(rule("pin", action="rewrite", replacement="something")))

            assert titles(store) == ["something", "something code"]

    asyncio.run(scenario())


def test_no_lookup_finds_a_value_that_was_changed(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "pin"), event(1, "notes")) as store:
            await store.redactions.apply(order(rule("pin", action="rewrite", replacement="something")))

        assert [hash_ == key for hash_, key in engine.select("SELECT hash, key FROM value ORDER BY key")] == [
            True,
            False,
        ]

    asyncio.run(scenario())


def test_texts_can_change_places(engine: Engine) -> None:
    swap = [
        rule("^a$", replacement="x"), rule("^b$", replacement="a"), rule("^x$", replacement="b"),
    ]  # fmt: skip

    async def scenario() -> None:
        async with store_of(engine, event(0, "a"), event(1, "b"), event(2, "a")) as store:
            await store.redactions.apply(order(*swap))

            assert titles(store) == ["b", "a", "b"]

    asyncio.run(scenario())


def test_a_chain_of_texts_moves_each_by_one(engine: Engine) -> None:
    chain = [rule("^c$", replacement="d"), rule("^b$", replacement="c"), rule("^a$", replacement="b")]

    async def scenario() -> None:
        async with store_of(engine, event(0, "a"), event(1, "b"), event(2, "c")) as store:
            await store.redactions.apply(order(*chain))

            assert titles(store) == ["b", "c", "d"]

    asyncio.run(scenario())


def test_a_value_whose_text_is_dropped_takes_no_other_events_with_it(engine: Engine) -> None:
    rules = [rule("^gone$", action="drop"), rule("secret", replacement="gone")]

    async def scenario() -> None:
        async with store_of(engine, event(0, "gone"), event(1, "secret"), event(2, "gone")) as store:
            redaction = await store.redactions.apply(order(*rules))

            assert (redaction.changed_events, redaction.dropped_events) == (1, 2)
            assert titles(store) == ["gone"]

    asyncio.run(scenario())


def test_the_range_of_a_bucket_is_exact_after_its_first_and_last_events_were_dropped(engine: Engine) -> None:
    sent_in = [
        event(0, "secret", lasting=9),
        event(1, "notes"),
        event(2, "long", lasting=5),
        event(3, "secret", lasting=99),
    ]

    async def scenario() -> None:
        async with store_of(engine, *sent_in) as store:
            await store.redactions.apply(order(rule("secret", action="drop")))

            bucket = store.bucket("window")
            assert (bucket.start, bucket.end) == (BEGIN + SECOND, BEGIN + 7 * SECOND)
            assert store.count("window", start=None, end=None) == 2

    asyncio.run(scenario())


def test_an_id_that_was_dropped_is_not_given_again_after_a_restart(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "notes"), event(1, "secret")) as store:
            await store.redactions.apply(order(rule("secret", action="drop")))

    async def after() -> int:
        async with opened_on(engine) as store:
            inserted = await store.insert("window", [event(2, "more")])
            return inserted.events[0].id

    asyncio.run(scenario())
    assert asyncio.run(after()) == 3


def test_a_heartbeat_does_not_extend_an_event_whose_text_was_changed_under_it(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine) as store:
            await sent(store, "window", event(0, "secret", lasting=0))
            await store.redactions.apply(order(rule("secret", replacement="hidden")))
            await sent(store, "window", event(3, "secret", lasting=0))
            await sent(store, "window", event(4, "secret", lasting=0))

            assert titles(store) == ["hidden", "secret"]

    asyncio.run(scenario())


def test_a_heartbeat_that_was_changed_on_its_way_in_extends_what_was_changed_in_history(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine) as store:
            first = await sent(store, "window", event(0, "secret", lasting=0))
            await store.redactions.apply(order(rule("secret", replacement="hidden")))
            extended = await sent(store, "window", event(3, "hidden", lasting=0))

            assert (extended.id, extended.duration) == (first.id, 3 * SECOND)

    asyncio.run(scenario())


def test_what_arrives_later_with_the_old_text_is_stored_as_it_is(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.redactions.apply(order(rule("secret", replacement="hidden")))
            await store.insert("window", [event(1, "secret"), event(2, "hidden")])

            assert titles(store) == ["hidden", "secret", "hidden"]
            assert texts(engine) == ["hidden", "secret", "hidden"]

    asyncio.run(scenario())


def test_only_the_named_buckets_are_changed(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.create_bucket(bucket("web"))
            await store.insert("web", [event(0, "secret")])
            await store.redactions.apply(order(rule("secret", replacement="hidden"), buckets=["we*"]))

            assert (titles(store), titles(store, "web")) == (["secret"], ["hidden"])

    asyncio.run(scenario())


def test_rules_that_change_nothing_leave_no_redaction(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "notes")) as store:
            redaction = await store.redactions.apply(order(rule("secret")))

            assert (redaction.state, redaction.changed_values) == ("applied", 0)
            assert titles(store) == ["notes"]

    asyncio.run(scenario())


def test_an_import_after_a_redaction_skips_what_is_there(engine: Engine, tmp_path: Path) -> None:
    document = tmp_path / "export.json"

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            with create_spool(document) as file:
                file.write(
                    b'{"buckets":{"window":{"id":"window","type":"t","client":"c","hostname":"h","events":['
                    b'{"timestamp":"2026-01-01T10:00:00Z","duration":1,"data":{"title":"hidden"}}]}}}'
                )
            await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (await store.import_files([document])).skipped == 1

    asyncio.run(scenario())
