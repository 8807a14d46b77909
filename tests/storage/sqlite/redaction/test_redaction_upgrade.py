"""Redactions of the schema that moved events to other values: they can still be undone, and made final."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest

from dayline.model.time import now_us
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.opened import opened_on
from tests.support.storage.redacting import event, rows_of, store_of, texts_of, titles

# Events were moved to `hidden`, which a value had already; `notes` was changed in place. Then `hidden` became `gone`.
EARLIER: Final = """
INSERT INTO redaction(made, state, has_rest, rules, buckets, plan, changed_values, changed_events, dropped_events)
VALUES(:now, 'applied', 0, '{}', '[]', '', 3, 3, 1), (:now + 10, 'applied', 0, '{}', '[]', '', 1, 4, 0);
INSERT INTO operation(kind, made, state, bucket, events, detail)
VALUES('redaction', :now, 'done', '', 4, '{"redaction":1}'), ('redaction', :now + 10, 'done', '', 4, '{"redaction":2}');

INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id) SELECT 1, key, bucket, hash,
    iif(json = '{"title":"notes"}', json, NULL), iif(json = '{"title":"notes"}', 7, 0)
FROM value WHERE json IN ('{"title":"secret 1"}', '{"title":"secret 2"}', '{"title":"drop"}', '{"title":"notes"}');
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT 1, key, bucket, 0, NULL, 0 FROM value WHERE json = '{"title":"hidden"}';
INSERT INTO redacted_event(redaction, bucket, start, id, duration, value, target)
SELECT 1, bucket, start, id, duration, value,
    iif(id = 5, NULL, (SELECT key FROM value WHERE json = '{"title":"hidden"}'))
FROM event WHERE id IN (1, 2, 4, 5);
DELETE FROM event WHERE id = 5;
UPDATE month SET events = events - 1;
UPDATE event SET value = (SELECT key FROM value WHERE json = '{"title":"hidden"}') WHERE id IN (1, 2, 4);
-- The event that came later already has the new text.
UPDATE event SET value = (SELECT key FROM value WHERE json = '{"title":"notes"}') WHERE id = 7;
UPDATE value SET json = '{"title":"later"}', hash = (SELECT hash FROM value WHERE json = '{"title":"later"}')
WHERE json = '{"title":"notes"}';

INSERT INTO value(bucket, hash, json) SELECT bucket, 1234567, '{"title":"gone"}' FROM value WHERE key = 1;
INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
SELECT 2, key, bucket, iif(json = '{"title":"gone"}', 0, hash), NULL, 0 FROM value
WHERE json IN ('{"title":"hidden"}', '{"title":"gone"}');
INSERT INTO redacted_event(redaction, bucket, start, id, duration, value, target)
SELECT 2, bucket, start, id, duration, value, (SELECT max(key) FROM value) FROM event
WHERE value = (SELECT key FROM value WHERE json = '{"title":"hidden"}');
UPDATE event SET value = (SELECT max(key) FROM value)
WHERE value = (SELECT key FROM value WHERE json = '{"title":"hidden"}');
"""
TITLES: Final = ["secret 1", "secret 2", "hidden", "secret 1", "drop", "notes", "later"]


def to_earlier(current: Path, earlier: Path) -> None:
    """Write the rows of a file to one of the schema before, with two redactions of its kind."""
    with closing(open_current(earlier, MIGRATIONS[:-1])) as db:
        db.execute("ATTACH ? AS now", (str(current),))
        for table in ("bucket", "value", "event", "month", "sqlite_sequence"):
            db.execute(f"INSERT INTO main.{table} SELECT * FROM now.{table}")
        db.execute("DELETE FROM main.value WHERE json = '{}'")
        db.execute(EARLIER, {"now": now_us()})


@pytest.fixture
def engine(tmp_path: Path) -> SqliteEngine:
    (tmp_path / "now").mkdir()
    current, engine = SqliteEngine(tmp_path / "now"), SqliteEngine(tmp_path)

    async def fill() -> None:
        async with store_of(current, *[event(n, title) for n, title in enumerate(TITLES)]):
            pass

    asyncio.run(fill())
    to_earlier(current.path, engine.path)
    return engine


def test_redactions_of_the_schema_before_can_be_undone(engine: SqliteEngine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            assert titles(store) == ["gone", "gone", "gone", "gone", "later", "later"]
            await store.insert("window", [event(20, "hidden"), event(21, "secret 1")])

            await store.redactions.undo(2)
            assert titles(store)[:6] == ["hidden", "hidden", "hidden", "hidden", "later", "later"]
            await store.redactions.undo(1)
            assert titles(store) == [*TITLES, "hidden", "secret 1"]
            assert sorted(rows_of(store, "window"))[:7] == [1, 2, 3, 4, 5, 6, 7]

    asyncio.run(scenario())


def test_they_can_be_made_final(engine: SqliteEngine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await store.redactions.make_final(1)
            await store.redactions.make_final(2)

            assert titles(store) == ["gone", "gone", "gone", "gone", "later", "later"]
        assert not any(word in text for text in texts_of(engine) for word in ("secret", "drop", "notes", "hidden"))

    asyncio.run(scenario())


def test_the_file_is_whole_after_the_upgrade(engine: SqliteEngine) -> None:
    open_current(engine.path, keep=lambda _: None).close()

    with closing(apsw.Connection(str(engine.path))) as db:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        assert db.execute("SELECT count(*) FROM replaced_event").get == 0
