"""The plan of a redaction: a file next to the database, which an earlier version may have left."""

import asyncio
from pathlib import Path

import apsw
import msgspec

from dayline.storage.sqlite.redaction.plan_worker import PlanJob, plan
from tests.support.privacy import rule
from tests.support.storage.engines import SqliteEngine, rows
from tests.support.storage.opened import opened_on
from tests.support.storage.redacting import Rows, event, order, rows_of, store_of, titles
from tests.support.waiting import eventually_async


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
