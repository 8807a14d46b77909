"""Redactions of schema 2, which moved events to other values: they can still be undone."""

import asyncio
from typing import Final

import psycopg
import pytest

from dayline.storage.postgres.schema.migrate import migrate
from tests.support.postgres.cluster import Cluster
from tests.support.storage.engines import PostgresEngine
from tests.support.storage.opened import opened_on
from tests.support.storage.redacting import event, store_of, texts_of, titles

SCHEMA_2: Final = """
SET search_path = dayline;
DROP TABLE sync_file;
CREATE TABLE replaced_event(
    tenant text NOT NULL, id bigint NOT NULL, redaction bigint NOT NULL, PRIMARY KEY(tenant, id)
);
ALTER TABLE redacted_value ADD COLUMN next_id bigint NOT NULL DEFAULT 0, ALTER COLUMN json DROP NOT NULL;
ALTER TABLE redacted_event ADD COLUMN target bigint;
ALTER TABLE redaction_plan ADD COLUMN next_id bigint NOT NULL DEFAULT 0;
ALTER TABLE redaction_change DROP CONSTRAINT redaction_change_pkey;
ALTER TABLE redaction_change ADD COLUMN is_moved boolean NOT NULL, ADD COLUMN hash bigint;
ALTER TABLE redaction_change ADD PRIMARY KEY(tenant, bucket, plan, is_moved, value);
ALTER TABLE replaced_event OWNER TO upgrading_owner;
UPDATE meta SET value = '2' WHERE key IN ('version', 'compatible_from');
"""
# Events were moved to `hidden`, which a value had already; `notes` was changed in place. Then `hidden` became `gone`.
EARLIER: Final = """
INSERT INTO redaction(tenant, key, made, state, rules, buckets, changed_values, changed_events, dropped_events)
SELECT id, key, 2000000000000000 + key, 'applied', '{}', '[]', 3, 3, 1 FROM tenant, generate_series(1, 2) AS key
WHERE id <> '';
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
SELECT tenant, bucket, 1, key, hash, CASE json WHEN '{"title":"notes"}' THEN json END,
    CASE json WHEN '{"title":"notes"}' THEN 7 ELSE 0 END
FROM value WHERE json IN ('{"title":"secret 1"}', '{"title":"secret 2"}', '{"title":"drop"}', '{"title":"notes"}');
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash)
SELECT tenant, bucket, 1, key, 0 FROM value WHERE json = '{"title":"hidden"}';
INSERT INTO redacted_event(tenant, bucket, redaction, start, id, duration, value, target)
SELECT tenant, bucket, 1, start, id, duration, value,
    CASE WHEN id <> 5 THEN (SELECT key FROM value WHERE json = '{"title":"hidden"}') END
FROM event WHERE id IN (1, 2, 4, 5);
DELETE FROM event WHERE id = 5;
UPDATE month SET events = events - 1;
UPDATE event SET value = (SELECT key FROM value WHERE json = '{"title":"hidden"}') WHERE id IN (1, 2, 4);
UPDATE event SET value = (SELECT key FROM value WHERE json = '{"title":"notes"}') WHERE id = 7;
DELETE FROM value WHERE json = '{"title":"later"}';
UPDATE value SET json = '{"title":"later"}', hash = 1234 WHERE json = '{"title":"notes"}';

INSERT INTO value(tenant, bucket, hash, json)
SELECT tenant, bucket, 1234567, '{"title":"gone"}' FROM value WHERE json = '{"title":"hidden"}';
INSERT INTO redacted_value(tenant, bucket, redaction, value, hash)
SELECT tenant, bucket, 2, key, CASE json WHEN '{"title":"gone"}' THEN 0 ELSE hash END FROM value
WHERE json IN ('{"title":"hidden"}', '{"title":"gone"}');
INSERT INTO redacted_event(tenant, bucket, redaction, start, id, duration, value, target)
SELECT tenant, bucket, 2, start, id, duration, value, (SELECT max(key) FROM value) FROM event
WHERE value = (SELECT key FROM value WHERE json = '{"title":"hidden"}');
UPDATE event SET value = (SELECT max(key) FROM value)
WHERE value = (SELECT key FROM value WHERE json = '{"title":"hidden"}');
"""
TITLES: Final = ["secret 1", "secret 2", "hidden", "secret 1", "drop", "notes", "later"]


@pytest.fixture
def engine(postgres: Cluster, address: str) -> PostgresEngine:
    """A tenant of a database of schema 2 that was upgraded by an owner who is no superuser."""
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute("DROP DATABASE IF EXISTS upgrading")
        db.execute("DROP ROLE IF EXISTS upgrading_owner")
        db.execute("CREATE ROLE upgrading_owner LOGIN CREATEROLE")
        db.execute("GRANT dayline_server TO upgrading_owner WITH ADMIN OPTION")
        db.execute("CREATE DATABASE upgrading OWNER upgrading_owner")
    owner = postgres.address("upgrading", "upgrading_owner")
    migrate(owner)
    engine = PostgresEngine(owner, 1)

    async def fill() -> None:
        async with store_of(engine, *[event(n, title) for n, title in enumerate(TITLES)]):
            pass

    asyncio.run(fill())
    with psycopg.connect(postgres.address("upgrading")) as db:
        db.execute(SCHEMA_2)
        db.execute(EARLIER)
    assert migrate(owner).state == "current"
    return engine


def test_redactions_of_the_schema_before_can_be_undone(engine: PostgresEngine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            assert titles(store) == ["gone", "gone", "gone", "gone", "later", "later"]
            await store.insert("window", [event(20, "hidden"), event(21, "secret 1")])

            await store.redactions.undo(2)
            assert titles(store)[:6] == ["hidden", "hidden", "hidden", "hidden", "later", "later"]
            await store.redactions.undo(1)
            assert titles(store) == [*TITLES, "hidden", "secret 1"]

    asyncio.run(scenario())


def test_they_can_be_made_final(engine: PostgresEngine) -> None:
    async def scenario() -> None:
        async with opened_on(engine) as store:
            await store.redactions.make_final(1)
            await store.redactions.make_final(2)

            assert titles(store) == ["gone", "gone", "gone", "gone", "later", "later"]
        assert not any(word in text for text in texts_of(engine) for word in ("secret", "drop", "notes", "hidden"))

    asyncio.run(scenario())
