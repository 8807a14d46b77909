"""Commands on a PostgreSQL database that no server of this machine uses: what they say of where the data are."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dayline.storage.postgres.address import without_password
from dayline.storage.postgres.connection import display_address
from tests.support.postgres.cluster import Cluster
from tests.support.processes.command import run


@pytest.fixture
def address(postgres: Cluster) -> str:
    """Of a new database, with a password that no one is to see again."""
    return postgres.new_database().replace("postgres@", "postgres:secret@")


def said(done: CompletedProcess[str]) -> str:
    assert "secret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_demo_activity_is_made_in_the_database_and_removed_again(address: str, tmp_path: Path) -> None:
    made = run("demo", "--days", "1", "--database", address, home=tmp_path)
    removed = run("demo", "--remove", "--database", address, home=tmp_path)

    assert made.returncode == 0, made.stderr
    assert f"buckets are now in {display_address(address)}" in said(made)
    assert f"demo --remove --database '{without_password(address)}'" in said(made)
    assert removed.returncode == 0, removed.stderr
    assert "to the trash" in said(removed)
    assert run("buckets", "--json", "--database", address, home=tmp_path).stdout.strip() == "[]"


@pytest.mark.parametrize(
    "command",
    [
        "backup create",
        "backup list",
        "backup verify",
        "backup restore newest",
    ],
)
def test_commands_that_need_a_database_file_fail_with_that_reason(address: str, tmp_path: Path, command: str) -> None:
    done = run(*command.split(), "--database", address, home=tmp_path)

    assert done.returncode != 0
    assert "needs a database file" in said(done)
    assert "docs/guides/postgres.md" in done.stderr


def test_without_a_server_there_is_no_page_to_open(address: str, tmp_path: Path) -> None:
    done = run("open", "--print", "--database", address, home=tmp_path)

    assert done.returncode != 0
    assert f"no server on this computer uses {display_address(address)}" in said(done)


@pytest.mark.parametrize(
    ("address", "reported"),
    [
        (
            "postgresql://anna:se%40cret@db1:5432,db2/days?sslmode=require",
            "postgresql://anna@db1:5432,db2/days?sslmode=require",
        ),
        ("postgresql:///days?host=/run&password=secret&port=5433", "postgresql:///days?host=/run&port=5433"),
        ("postgres://db/days", "postgres://db/days"),
    ],
)
def test_an_address_can_be_shown_without_its_password(address: str, reported: str) -> None:
    assert without_password(address) == reported
