"""What a server does in the background on PostgreSQL survives any error of the database, and ends with the server."""

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from dayline.access.keyring import Keyring
from dayline.access.sessions import Sessions
from dayline.api.http.services import Tenants, TenantServices
from dayline.cli.serve.other_servers import OtherServers
from dayline.model.access import AccessKey
from dayline.model.errors import Unavailable
from dayline.model.time import now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.history.buckets import delete_bucket
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.postgres.database import PostgresDatabase
from dayline.storage.postgres.schema.step import ROLE
from tests.storage.postgres.desk import access_at, desk
from tests.storage.postgres.writing.moving import Shop, many, play
from tests.support.postgres.cluster import Cluster
from tests.support.storage.opened import bucket
from tests.support.waiting import eventually_async

LISTENER = "listener for other servers"
KEY = AccessKey(id="aaaaaaaa", name="laptop", scope="full", buckets=(), created=1, salt=b"salt", digest=b"digest")

_numbers = itertools.count(1)


def failing(database: PostgresDatabase, name: str) -> bool:
    return any(state.name == name and state.state == "failing" for state in database.background.states())


async def no_tenant(tenant: str) -> TenantServices:
    raise AssertionError(f"{tenant} does not call here")


def run_sql(address: str, *statements: str) -> None:
    with psycopg.connect(address, autocommit=True) as db:
        for statement in statements:
            db.execute(statement.encode())


@pytest.fixture
def user(postgres: Cluster) -> str:
    """A database user that may act as the role of the servers."""
    name = f"user_{next(_numbers)}"
    run_sql(postgres.address(), f"CREATE USER {name}", f"GRANT {ROLE} TO {name}")
    return name


@asynccontextmanager
async def server(address: str, *, days: int = 30) -> AsyncGenerator[PostgresDatabase]:
    database = PostgresDatabase(
        address,
        asyncio.get_running_loop(),
        trash=TrashPolicy(days=days, interval_s=0.02),
        background=BackgroundWorkers(retry_s=0.01),
    )
    try:
        yield database
    finally:
        await database.close()


def lost_and_back(address: str, user: str, fault: str) -> tuple[list[str], list[str]]:
    """What takes the database from the listener of a user, and what gives it back."""
    disconnect = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{user}'"
    if fault == "missing role":
        return [f"REVOKE {ROLE} FROM {user}", disconnect], [f"GRANT {ROLE} TO {user}"]
    table = "dayline.bucket"
    return [f"REVOKE SELECT ON {table} FROM {ROLE}", disconnect], [f"GRANT SELECT ON {table} TO {ROLE}"]


@pytest.mark.parametrize("fault", ["missing role", "programming error"])
def test_a_server_learns_of_revoked_keys_after_an_error_that_is_no_lost_connection(
    address: str, user: str, fault: str
) -> None:
    # Anything but a fault of the connection ended the listener: this server never learned of a revoked key again.
    async def scenario() -> None:
        async with desk(address) as other:
            await access_at(other).put_key(KEY)
            async with server(address.replace("postgres@", f"{user}@")) as database:
                keyring = Keyring(database.access)
                gate = SimpleNamespace(keyring=keyring, sessions=Sessions(database.access, keyring, days=1))
                services: Any = SimpleNamespace(name="", server=SimpleNamespace(gate=gate))
                others = OtherServers(database, Tenants(services, no_tenant))
                lose, give_back = lost_and_back(address, user, fault)
                run_sql(address, *lose)
                await eventually_async(lambda: failing(database, LISTENER))

                await access_at(other).put_key(replace(KEY, revoked=now_us()))
                run_sql(address, *give_back)

                await eventually_async(lambda: not keyring.has_active())
                await eventually_async(lambda: not failing(database, LISTENER))
                await others.close()

    asyncio.run(scenario())


def test_the_trash_expires_although_one_of_its_steps_was_refused(address: str) -> None:
    async def scenario() -> None:
        async with server(address, days=0) as database, desk(address) as other:
            run_sql(address, f"REVOKE DELETE ON dayline.operation FROM {ROLE}")
            await other.tenant_writer.change(lambda turn: turn.create_bucket(bucket("window")))
            await other.tenant_writer.change(lambda turn: delete_bucket(turn, "window", now=now_us()))
            await eventually_async(lambda: failing(database, "trash expiry"))
            run_sql(address, f"GRANT DELETE ON dayline.operation TO {ROLE}")

            await eventually_async(lambda: database.store().trash.all() == [])
            await eventually_async(lambda: not failing(database, "trash expiry"))

    asyncio.run(scenario())


def test_redactions_are_looked_for_again_after_the_database_refused_it(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dayline.storage.postgres.redaction.engine.LEASE_S", 0.01)

    async def scenario() -> None:
        run_sql(address, f"REVOKE SELECT ON dayline.redaction FROM {ROLE}")
        async with server(address) as database:
            await eventually_async(lambda: failing(database, "resuming redactions"))
            run_sql(address, f"GRANT SELECT ON dayline.redaction TO {ROLE}")

            await eventually_async(lambda: not failing(database, "resuming redactions"))

    asyncio.run(scenario())


def test_a_merge_under_way_ends_with_its_tenant(address: str) -> None:
    # Merges were tasks of the module: none of them was ever closed.
    async def scenario(at: Shop) -> None:
        await at.insert("old", many(3000))
        caller = asyncio.ensure_future(at.moves.merge("old", "other"))
        await eventually_async(lambda: any(item.state == "doing" for item in at.trash.all()))

        await at.merges.close()

        with pytest.raises(Unavailable, match="the server is stopping"):
            await caller
        assert [item.state for item in at.trash.all()] == ["doing"]

    play(address, scenario)
