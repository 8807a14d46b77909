"""Steps of the schema: each runs once, and decides whether servers of the previous version can continue."""

import psycopg
import pytest

from dayline.model.errors import StoreTooNew
from dayline.storage.postgres.connection import connect
from dayline.storage.postgres.schema.migrate import SchemaStatus, migrate, status_of
from dayline.storage.postgres.schema.step import Step
from dayline.storage.postgres.schema.tables import STEPS
from tests.support.postgres.cluster import Cluster

ADDED = Step(tables="CREATE TABLE added(tenant text PRIMARY KEY);", of_tenants=("added",))
CHANGED = Step(tables="ALTER TABLE alias ADD COLUMN note text;", is_additive=False)

# What version 1 had in place of the present names.
VERSION_1 = """
SET search_path = dayline;
DROP TABLE sync_file;
ALTER TABLE operation RENAME TO act;
ALTER INDEX operation_pkey RENAME TO act_pkey;
ALTER INDEX operation_bucket RENAME TO act_bucket;
ALTER TABLE operation_event RENAME TO act_event;
ALTER TABLE act_event RENAME COLUMN operation TO act;
ALTER INDEX operation_event_pkey RENAME TO act_event_pkey;
ALTER INDEX operation_event_id RENAME TO act_event_id;
ALTER TABLE tenant RENAME COLUMN next_operation TO next_act;
ALTER TABLE bucket RENAME COLUMN downsampled TO thinned;
UPDATE meta SET value = '1' WHERE key IN ('version', 'compatible_from');
INSERT INTO act(tenant, key, kind, made, state, bucket, events, detail)
SELECT tenant, key, kind, 0, 'done', 'window', 0, '{}' FROM unnest(ARRAY['ann', 'bob']) AS tenant,
unnest(ARRAY['rehost_bucket', 'thin_bucket', 'mend_events', 'delete_events']) WITH ORDINALITY AS made(kind, key);
"""
KINDS = "SELECT DISTINCT ON (key) kind, count(*) OVER (PARTITION BY key) FROM dayline.operation ORDER BY key"
NAMES = """
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'dayline'
UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'dayline'
UNION ALL SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = 'dayline'
UNION ALL SELECT relname, relrowsecurity::text, concat(relforcerowsecurity, reloptions) FROM pg_class
WHERE relnamespace = 'dayline'::regnamespace
UNION ALL SELECT table_name, grantee, privilege_type FROM information_schema.table_privileges
WHERE table_schema = 'dayline' AND grantee = 'dayline_server'
UNION ALL SELECT proname, '', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'dayline'::regnamespace
ORDER BY 1, 2, 3
"""

# What version 5 did not have.
VERSION_5 = """
SET search_path = dayline;
DROP FUNCTION beats;
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT tablename, CASE tablename WHEN 'tenant' THEN 'id' ELSE 'tenant' END AS name
    FROM pg_policies WHERE schemaname = 'dayline' LOOP
        EXECUTE format('ALTER POLICY own ON %I USING (%I = substr(current_setting(''dayline.tenant''), 2)) '
            'WITH CHECK (%I = substr(current_setting(''dayline.tenant''), 2))', each.tablename, each.name, each.name);
    END LOOP;
END
$$;
UPDATE meta SET value = '5' WHERE key = 'version';
"""
# Tables and indexes of events had other fill factors.
VERSION_6 = """
SET search_path = dayline;
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = 'event'::regclass LOOP
        EXECUTE format('ALTER TABLE %s SET (fillfactor = 85)', each.name);
    END LOOP;
    FOR each IN SELECT oid::regclass AS name FROM pg_class
    WHERE relnamespace = 'dayline'::regnamespace AND relkind = 'i' AND reloptions IS NOT NULL LOOP
        EXECUTE format('ALTER INDEX %s RESET (fillfactor)', each.name);
    END LOOP;
END
$$;
UPDATE meta SET value = '6' WHERE key = 'version';
"""
BEAT_OF_VERSION_5 = """
SELECT ids, grown FROM beat('', gen_random_uuid(), 1, 0, ARRAY['window'], ARRAY[1], ARRAY[5], ARRAY[2], ARRAY[0],
    ARRAY[9], ARRAY['{}'], '{}', '{}', '{}', 0)
"""


@pytest.fixture
def address(postgres: Cluster) -> str:
    return postgres.new_database()


def status(address: str) -> SchemaStatus:
    with connect(address, is_owner=True) as db:
        return status_of(db)


def test_a_new_database_has_the_version_of_the_last_step(address: str) -> None:
    assert status(address) == SchemaStatus(state="current", version=len(STEPS), newest=len(STEPS))


def test_an_upgrade_runs_only_the_steps_that_are_missing(address: str) -> None:
    with psycopg.connect(address) as db:
        before = db.execute("SELECT value FROM dayline.meta WHERE key = 'epoch'").fetchone()

    for _ in range(2):
        migrate(address, (*STEPS, ADDED))

    with psycopg.connect(address) as db:
        assert db.execute("SELECT value FROM dayline.meta WHERE key = 'epoch'").fetchone() == before
        assert db.execute("SELECT count(*) FROM pg_policies WHERE tablename = 'added'").fetchone() == (1,)
    assert status(address).version == len(STEPS) + 1


def test_the_previous_version_works_with_an_additive_step(address: str) -> None:
    migrate(address, (*STEPS, ADDED))

    assert migrate(address).state == "newer"


def test_the_previous_version_refuses_a_step_that_changes_tables(address: str) -> None:
    migrate(address, (*STEPS, CHANGED))

    with pytest.raises(StoreTooNew):
        migrate(address)


def test_a_step_that_fails_leaves_the_version_before_it(address: str) -> None:
    broken = Step(tables="CREATE TABLE half(x integer); SELECT 1 / 0;")

    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(address, (*STEPS, ADDED, broken))

    with psycopg.connect(address) as db:
        assert db.execute("SELECT to_regclass('dayline.half')").fetchone() == (None,)
    assert status(address).version == len(STEPS) + 1


def test_a_database_of_version_1_gets_the_present_names_and_keeps_the_rows_of_every_tenant(
    postgres: Cluster, address: str
) -> None:
    # The owner is no superuser: row security is forced on it too, and would hide the rows of tenants.
    assert status(address).state == "current"  # there is the role of servers
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute("CREATE ROLE plain_owner LOGIN CREATEROLE")
        db.execute("GRANT dayline_server TO plain_owner WITH ADMIN OPTION")
        for name in ("renamed", "fresh"):
            db.execute(f"CREATE DATABASE {name} OWNER plain_owner".encode())
    renamed, fresh = (postgres.address(name, "plain_owner") for name in ("renamed", "fresh"))
    for made in (renamed, fresh):
        migrate(made)
    with psycopg.connect(postgres.address("renamed")) as db:
        db.execute(VERSION_1)
    assert status(renamed).state == "old"

    assert migrate(renamed).state == "current"

    with psycopg.connect(postgres.address("renamed")) as db, psycopg.connect(postgres.address("fresh")) as other:
        assert db.execute(NAMES).fetchall() == other.execute(NAMES).fetchall()
        assert db.execute(KINDS).fetchall() == [
            ("change_host", 2),
            ("downsample_bucket", 2),
            ("fix_events", 2),
            ("delete_events", 2),
        ]
        # Servers of version 1 refuse it.
        assert db.execute("SELECT value FROM dayline.meta WHERE key = 'compatible_from'").fetchone() == ("3",)


def test_a_database_of_version_5_is_upgraded_while_servers_of_that_version_record(
    postgres: Cluster, address: str
) -> None:
    fresh = postgres.new_database()
    with psycopg.connect(address) as db:
        db.execute(VERSION_5)
        db.execute(
            "INSERT INTO dayline.bucket(tenant, id, type, client, hostname, created, data) "
            "VALUES('', 'window', '', '', '', 0, '{}')"
        )
    assert status(address).state == "old"

    assert migrate(address).state == "current"

    with psycopg.connect(address) as db, psycopg.connect(fresh) as other:
        assert db.execute(NAMES).fetchall() == other.execute(NAMES).fetchall()
    with connect(address) as db:
        assert db.execute("SELECT value::integer < 5 FROM meta WHERE key = 'compatible_from'").fetchone() == (True,)
        assert db.execute(BEAT_OF_VERSION_5).fetchone() == ([1], [1])


def test_a_database_of_version_6_fills_its_pages_from_the_upgrade_on(postgres: Cluster, address: str) -> None:
    fresh = postgres.new_database()
    with psycopg.connect(address) as db, psycopg.connect(fresh) as other:
        db.execute(VERSION_6)
        assert db.execute(NAMES).fetchall() != other.execute(NAMES).fetchall()
    assert status(address).state == "old"

    assert migrate(address).state == "current"

    with psycopg.connect(address) as db, psycopg.connect(fresh) as other:
        assert db.execute(NAMES).fetchall() == other.execute(NAMES).fetchall()
        assert db.execute("SELECT value::integer < 6 FROM dayline.meta WHERE key = 'compatible_from'").fetchone() == (
            True,
        )
