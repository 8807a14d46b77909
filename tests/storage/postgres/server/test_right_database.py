"""A command changes the PostgreSQL database that it was given, and finds its server at whatever port."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from dayline.storage.postgres.identity import identity_of, target_of
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.processes.terminal import Shown, piped


@pytest.fixture(scope="module")
def production(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A server with something in its trash."""
    with PostgresServer(postgres.new_database(), tmp_path_factory.mktemp("home")) as server:
        server.create("window")
        assert server.call("DELETE", "/api/0/buckets/window").status == 200
        yield server


def run(server: PostgresServer, command: str, address: str, **variables: str) -> Shown:
    """Run a command of the user who runs the server."""
    return piped(server.database, *command.split(), "--database", address, **variables)


def close_to_everybody(postgres: Cluster, address: str) -> None:
    """End all connections to a database, and let no one in."""
    name = str(conninfo_to_dict(address)["dbname"])
    with psycopg.connect(postgres.address(), autocommit=True) as db:
        db.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false".encode())
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))


def test_a_command_on_another_database_leaves_the_one_that_is_served(
    postgres: Cluster, production: PostgresServer
) -> None:
    staging = postgres.new_database()  # made from the same template: it has the same epoch
    config = production.database.with_suffix(".toml")
    config.write_text(f"[server]\nport = {production.port}\n")

    done = run(production, f"trash empty --yes --config {config}", staging)

    assert (done.code, done.err) == (0, "The trash is empty.\n")
    assert len(production.get("/api/1/trash").json) == 1


def test_the_server_is_found_at_whatever_port_it_listens(production: PostgresServer) -> None:
    found = run(production, "status --json", production.place)
    as_other_user = run(production, "status --json", production.place.replace("postgres@", "postgres:unused@"))

    assert (found.json["server"], as_other_user.json["server"]) == (production.url, production.url)
    assert found.code == 0


def test_of_two_servers_of_one_database_the_other_is_found_when_one_has_stopped(
    postgres: Cluster, tmp_path: Path
) -> None:
    address = postgres.new_database()
    with PostgresServer(address, tmp_path) as first:
        with PostgresServer(address, tmp_path) as second:
            assert run(first, "status --json", address).json["server"] in (first.url, second.url)

        assert run(first, "status --json", address).json["server"] == first.url


def test_a_server_whose_database_is_another_one_by_now_is_not_asked(postgres: Cluster, tmp_path: Path) -> None:
    # As behind a tunnel that leads elsewhere by now: the address is the same, the database is not.
    address, other = postgres.new_database(), postgres.new_database()
    names = [str(conninfo_to_dict(each)["dbname"]) for each in (address, other)]
    with PostgresServer(address, tmp_path) as server:
        close_to_everybody(postgres, address)
        with psycopg.connect(postgres.address(), autocommit=True) as db:
            db.execute(f"ALTER DATABASE {names[0]} RENAME TO {names[0]}_moved".encode())
            db.execute(f"ALTER DATABASE {names[1]} RENAME TO {names[0]}".encode())

        done = run(server, "trash empty --yes", address)

    assert done.code == 75
    assert "and now uses another one" in done.err


def test_while_the_database_is_unreachable_health_asks_its_server_and_a_change_is_rejected(
    postgres: Cluster, tmp_path: Path
) -> None:
    address = postgres.new_database()
    with PostgresServer(address, tmp_path) as server:
        close_to_everybody(postgres, address)

        asked = run(server, "status --json", address)
        checked = run(server, "status --server --json", address)
        refused = run(server, "trash empty --yes", address)

    for answer in (asked, checked):
        assert all(problem["kind"] != "server" for problem in answer.json["problems"])
    assert asked.code == 1
    assert refused.code == 75
    assert "does not respond" in refused.err


def test_databases_of_one_template_and_of_one_address_are_distinguished(postgres: Cluster) -> None:
    first, second = postgres.new_database(), postgres.new_database()

    assert identity_of(first) == identity_of(first.replace("postgres@", "postgres:unused@"))
    assert identity_of(first) != identity_of(second)
    assert identity_of(postgres.address("postgres")) == ""


@pytest.mark.parametrize(
    ("address", "variables", "same"),
    [
        ("postgresql://db/days", {}, "postgresql://anna:secret@db:5432/days?sslmode=require"),
        ("postgresql:///days", {"PGHOST": "db", "PGPORT": "5433"}, "postgresql://db:5433/days"),
        ("postgresql://db", {"PGDATABASE": "days"}, "postgresql://db/days"),
        ("postgresql://anna@db", {}, "postgresql://db/anna"),
    ],
)
def test_a_target_is_where_an_address_leads_in_this_environment(
    address: str, variables: dict[str, str], same: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    plain = target_of(same)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert target_of(address) == plain
    assert target_of("postgresql://other/days") != plain
    assert "secret" not in plain
