"""Several tenants in one database: no response ever contains data of another."""

import asyncio
from typing import Any, Final

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.schema.tables import TENANT_TABLES
from tests.storage.contract.test_store_agrees_with_a_model import BUCKETS, SLOW, STEPS, Pair
from tests.support.postgres.cluster import Cluster
from tests.support.profile import examples
from tests.support.storage.engines import PostgresEngine


@pytest.fixture(scope="module")
def shared(postgres: Cluster) -> str:
    return postgres.new_database()


async def play(address: str, steps: list[tuple[int, tuple[Any, ...]]]) -> None:
    people = [Pair(PostgresEngine(address, 1)) for _ in range(2)]
    try:
        for person in people:
            for bucket_id in BUCKETS:  # of the same names
                await person.create(bucket_id)
        for who, step in steps:
            await people[who].step(*step)
            for bucket_id in BUCKETS:
                await people[1 - who].check_whole(bucket_id)
    finally:
        for person in people:
            await person.close()


@settings(max_examples=examples(24, daily=3), suppress_health_check=SLOW)
@given(steps=st.lists(st.tuples(st.integers(0, 1), STEPS), min_size=6, max_size=14))
def test_each_of_two_people_sees_what_a_model_of_their_own_data_sees(
    shared: str, steps: list[tuple[int, tuple[Any, ...]]]
) -> None:
    asyncio.run(play(shared, steps))


_ANYTHING: Final = {"text": "x", "boolean": True, "bytea": b"x"}  # else a number


@pytest.fixture
def with_two(address: str) -> str:
    """A database with a row of each of two people in every table."""
    with psycopg.connect(address, autocommit=True) as db:
        for tenant in ("ann", "bob"):
            db.execute("INSERT INTO dayline.tenant(id) VALUES(%s)", (tenant,))
            for table in TENANT_TABLES:
                columns = db.execute(
                    "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'dayline' "
                    "AND table_name = %s AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'",
                    (table,),
                ).fetchall()
                values = [tenant if name == "tenant" else _ANYTHING.get(kind, 1) for name, kind in columns]
                names, places = ", ".join(name for name, _ in columns), ", ".join("%s" for _ in columns)
                db.execute(f"INSERT INTO dayline.{table}({names}) VALUES({places})".encode(), values)
    return address


@pytest.mark.parametrize("table", TENANT_TABLES)
def test_a_transaction_sees_and_changes_the_rows_of_its_tenant_alone(with_two: str, table: str) -> None:
    with connect(with_two) as db:
        with transaction(db, "ann"):
            assert db.execute(f"SELECT DISTINCT tenant FROM {table}".encode()).fetchall() == [("ann",)]
            changed = db.execute(f"UPDATE {table} SET tenant = tenant WHERE tenant = 'bob'".encode())
            assert changed.rowcount == 0
            assert db.execute(f"DELETE FROM {table} WHERE tenant = 'bob'".encode()).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), transaction(db, "ann"):
            db.execute(f"UPDATE {table} SET tenant = 'bob'".encode())


def test_without_a_tenant_there_is_nothing_to_see(with_two: str) -> None:
    with connect(with_two) as db, pytest.raises(psycopg.errors.UndefinedObject):
        db.execute("SELECT * FROM bucket")


def test_a_part_of_the_events_cannot_be_read_past_the_whole(with_two: str) -> None:
    with connect(with_two) as db, pytest.raises(psycopg.errors.InsufficientPrivilege), transaction(db, "ann"):
        db.execute("SELECT * FROM event_00")


def test_the_servers_own_nothing_and_row_security_binds_them(address: str) -> None:
    with connect(address) as db:
        row = db.execute(
            "SELECT current_user, rolsuper, rolbypassrls, "
            "(SELECT count(*) FROM pg_class WHERE relowner = pg_roles.oid) FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert row == ("dayline_server", False, False, 0)
