"""History changed by rules: texts of values where they are, events where values meet (decision 9)."""

import asyncio
from pathlib import Path

import apsw
import msgspec

from dayline.model.time import SECOND
from dayline.storage.sqlite.redaction.plan_worker import PlanJob, plan
from tests.storage.engines import Engine, Engines, SqliteEngine, rows
from tests.storage.opened import BEGIN, bucket, opened_on, sent
from tests.storage.redacting import Rows, event, order, rows_of, store_of, texts_of, titles
from tests.transform.privacy import rule
from tests.waiting import eventually_async


def texts(engine: Engine) -> list[str]:
    return [text.removeprefix('{"title":"').removesuffix('"}') for text in texts_of(engine)]


def test_a_text_that_nobody_has_yet_is_changed_where_it_is(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "a secret"), event(5, "notes"), event(9, "a secret")) as store:
            redaction = await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (redaction.changed_values, redaction.changed_events, redaction.dropped_events) == (1, 2, 0)
            assert redaction.state == "applied"
            assert titles(store) == ["hidden", "notes", "hidden"]
            assert texts(engine) == ["hidden", "notes"]
            assert rows(engine, "redacted_event") == 0

    asyncio.run(scenario())


def test_events_are_moved_where_the_text_is_there_already(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "a secret"), event(5, "hidden"), event(9, "a secret")) as store:
            await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert titles(store) == ["hidden"] * 3
            assert texts(engine) == ["a secret", "hidden"]
            assert rows(engine, "redacted_event") == 2

    asyncio.run(scenario())


def test_of_several_values_that_become_one_the_most_used_is_changed_and_the_rest_moved(engine: Engine) -> None:
    sent_in = [event(0, "secret 1"), event(1, "secret 2"), event(2, "secret 2"), event(3, "secret 3")]

    async def scenario() -> None:
        async with store_of(engine, *sent_in) as store:
            redaction = await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (redaction.changed_values, redaction.changed_events) == (3, 4)
            assert titles(store) == ["hidden"] * 4
            assert texts(engine) == ["secret 1", "hidden", "secret 3"]
            assert rows(engine, "redacted_event") == 2

    asyncio.run(scenario())


def test_a_longer_text_is_put_in_place_of_a_shorter_one(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "pin"), event(1, "pin code")) as store:
            await store.redactions.apply(order(rule("pin", action="rewrite", replacement="something")))

            assert titles(store) == ["something", "something code"]

    asyncio.run(scenario())


def test_in_a_file_a_longer_text_is_a_new_value(files: Engines) -> None:
    engine = files.new()

    async def scenario() -> None:
        async with store_of(engine, event(0, "pin"), event(1, "pin code")) as store:
            await store.redactions.apply(order(rule("pin", action="rewrite", replacement="something")))

            assert texts(engine) == ["pin", "pin code", "something", "something code"]

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
            assert sorted(texts(engine)) == ["hidden", "secret"]

    asyncio.run(scenario())


def test_only_the_named_buckets_are_changed(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.create_bucket(bucket("web"))
            await store.insert("web", [event(0, "secret")])
            await store.redactions.apply(order(rule("secret", replacement="hidden"), buckets=["we*"]))

            assert (titles(store), titles(store, "web")) == (["secret"], ["hidden"])

    asyncio.run(scenario())


def test_rules_that_change_nothing_come_to_nothing(engine: Engine) -> None:
    async def scenario() -> None:
        async with store_of(engine, event(0, "notes")) as store:
            redaction = await store.redactions.apply(order(rule("secret")))

            assert (redaction.state, redaction.changed_values) == ("applied", 0)
            assert titles(store) == ["notes"]

    asyncio.run(scenario())


def test_an_import_after_a_redaction_skips_what_is_there(engine: Engine, tmp_path: Path) -> None:
    document = tmp_path / "export.json"
    document.write_text(
        '{"buckets":{"window":{"id":"window","type":"t","client":"c","hostname":"h","events":['
        '{"timestamp":"2026-01-01T10:00:00Z","duration":1,"data":{"title":"hidden"}}]}}}'
    )

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret")) as store:
            await store.redactions.apply(order(rule("secret", replacement="hidden")))

            assert (await store.import_files([document])).skipped == 1

    asyncio.run(scenario())


def test_nothing_is_left_of_the_plan_in_the_database_when_it_was_carried_out(servers: Engines) -> None:
    engine = servers.new()

    async def scenario() -> None:
        async with store_of(engine, event(0, "secret"), event(1, "secret 2"), event(2, "drop")) as store:
            await store.redactions.apply(order(rule("secret"), rule("drop", action="drop")))

    asyncio.run(scenario())
    assert [rows(engine, table) for table in ("redaction_plan", "redaction_change")] == [0, 0]


def test_the_file_of_the_plan_is_gone_when_it_was_carried_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with store_of(SqliteEngine(tmp_path), event(0, "secret")) as store:
            await store.redactions.apply(order(rule("secret")))

    asyncio.run(scenario())
    assert list(tmp_path.glob("*redaction*")) == []


# What a plan of an earlier version has instead of `boundary`: the events to move, and the values in order.
_EARLIER_PLAN = """
DROP TABLE boundary;
ALTER TABLE change ADD COLUMN redaction INTEGER;
ALTER TABLE change ADD COLUMN next_id INTEGER;
CREATE TABLE text(number INTEGER PRIMARY KEY, key INTEGER NOT NULL);
CREATE TABLE stay(number INTEGER PRIMARY KEY, key INTEGER NOT NULL);
CREATE TABLE move(number INTEGER PRIMARY KEY, start INTEGER NOT NULL, id INTEGER NOT NULL, value INTEGER NOT NULL);
CREATE TABLE part(bucket INTEGER NOT NULL, month INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
INSERT INTO text(key) SELECT key FROM change WHERE NOT is_moved ORDER BY key;
INSERT INTO stay(key) SELECT key FROM change WHERE is_moved ORDER BY key;
INSERT INTO move(start, id, value) SELECT event.start, event.id, event.value FROM store.event JOIN change
ON change.key = event.value WHERE is_moved ORDER BY event.start, event.id;
"""
# Half of it is done: a text is changed, and an event is moved.
_EARLIER_STEPS = """
ATTACH ? AS plan;
INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, changed_values, changed_events, dropped_events)
VALUES(0, 'applying', 0, ?, '[]', 'days.db-redaction-1234', 0, 0, 0);
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT 1, value.key, value.bucket, value.hash, value.json, 1000 FROM plan.text JOIN value USING(key) LIMIT 1;
UPDATE value SET hash = change.hash, json = change.json FROM redacted_value AS kept JOIN plan.change AS change
ON change.key = kept.value WHERE value.key = kept.value;
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT 1, value.key, value.bucket, value.hash, NULL, 0 FROM plan.stay JOIN value USING(key);
INSERT INTO redacted_event(redaction, bucket, start, id, duration, value, target)
SELECT 1, event.bucket, event.start, event.id, event.duration, event.value, (
    SELECT same.key FROM plan.change AS new JOIN value AS same ON same.hash = new.hash WHERE new.key = event.value
) FROM plan.move JOIN event USING(id) JOIN plan.change AS change ON change.key = event.value
WHERE change.json IS NOT NULL LIMIT 1;
UPDATE event SET value = moved.target FROM redacted_event AS moved WHERE moved.id = event.id;
"""


def test_what_an_earlier_version_began_is_finished_and_can_be_undone(tmp_path: Path) -> None:
    engine, file = SqliteEngine(tmp_path), tmp_path / "days.db-redaction-1234"
    rules = order(rule("secret"), rule("drop", action="drop"))
    events = [event(n, f"{title} {n}") for n, title in enumerate(["secret", "secret", "secret", "drop", "other"] * 3)]
    before: list[Rows] = []

    async def begin() -> None:
        async with store_of(engine, *events) as store:
            before.append(rows_of(store, "window"))

    async def finish() -> None:
        async with opened_on(engine) as store:
            await store.insert("window", [event(100, "secret 0")])
            await eventually_async(lambda: store.redactions.all()[0].state == "applied")
            found = store.redactions.all()[0]
            assert (found.changed_values, found.changed_events, found.dropped_events) == (12, 9, 3)
            assert not any("secret" in title or "drop" in title for title in titles(store)[:-1])

            await store.redactions.undo(1)
            after = rows_of(store, "window")
            assert list(after.items())[1:] == list(before[0].items())

    asyncio.run(begin())
    plan(engine.path, file, PlanJob(order=rules, is_preview=False))
    db = apsw.Connection(str(file))
    db.execute("ATTACH ? AS store", (str(engine.path),))
    db.execute(_EARLIER_PLAN)
    db.close()
    db = apsw.Connection(str(engine.path))
    db.execute(_EARLIER_STEPS, (str(file), msgspec.json.encode(rules.book).decode()))
    db.close()
    assert [rows(engine, "redacted_event"), rows(engine, "redacted_value")] == [1, 12]
    asyncio.run(finish())
    assert not file.exists()
