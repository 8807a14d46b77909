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
