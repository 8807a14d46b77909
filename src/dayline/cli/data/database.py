"""`dayline database`: encrypt a file, create PostgreSQL tables, and copy one database to another."""

import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dayline.cli.calls.local import reading_server
from dayline.cli.data.database_encryption import decrypt, encrypt, export_key
from dayline.cli.data.database_output import FileOverview, as_document, print_copied, print_file, print_overview
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.groups import Group
from dayline.cli.options.encryption import create_key_of_new
from dayline.cli.options.options import (
    OWNER_ONLY,
    as_json,
    check_database_exists,
    on_database,
    postgres_library,
    selected_settings,
)
from dayline.cli.options.setting_flags import DATABASE
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import TENANT
from dayline.cli.screens.layout import print_answer, print_json
from dayline.model.errors import Invalid, NotADatabase, StoreUnusable
from dayline.runtime.encrypted_file import FileKind, kind_of
from dayline.runtime.encryption import converting

if TYPE_CHECKING:
    from dayline.maintenance.database_copy import CopyProof
    from dayline.storage.opening import Location
    from dayline.storage.postgres.overview import Overview

EXAMPLES = """\b
Examples:
  dayline database init --database postgresql://owner@db.example.org/dayline
  dayline database status --database postgresql://owner@db.example.org/dayline
  dayline database encrypt
  dayline database copy --from ~/.local/share/dayline/dayline.db --to postgresql://owner@db.example.org/dayline
"""
INIT_EXAMPLES = """\b
Examples:
  createdb dayline && dayline database init --database postgresql:///dayline
  DAYLINE_DATABASE=postgresql://owner@db.example.org/dayline dayline database init
"""
UPGRADE_EXAMPLES = """\b
Examples:
  dayline database upgrade --database postgresql://owner@db.example.org/dayline
"""
STATUS_EXAMPLES = """\b
Examples:
  dayline database status
  dayline database status --database postgresql://owner@db.example.org/dayline
  dayline database status --json
"""
COPY_EXAMPLES = """\b
Examples:
  dayline database copy --from dayline.db --to postgresql://owner@db.example.org/dayline
  dayline database copy --from postgresql://owner@db.example.org/dayline --to back.db
  dayline database copy --from anna.db --to postgresql://owner@db.example.org/dayline --tenant anna
"""


@click.group(cls=Group, default="status", epilog=EXAMPLES)
def database() -> None:
    """Encrypt, create and copy databases."""


@database.command(epilog=INIT_EXAMPLES)
@as_json
@on_database
def init(settings: Settings, is_json: bool) -> None:
    """Create the tables in an existing PostgreSQL database.

    The user has to own the database. It also creates the role dayline_server, which owns nothing and which every server
    uses. It is safe to run it again, and several times at once.
    """
    address = _address(settings)
    with _database_errors(address), postgres_library():
        from dayline.storage.postgres.schema.migrate import migrate  # an extra

        before = _overview(address)
        after = migrate(address)
    if is_json:
        _print_schema(before, after.version)
    elif before.state == "empty":
        click.echo(f"{before.name}: created the tables, schema {after.version}.")
        click.echo("To let another user run servers on it: GRANT dayline_server TO that_user", err=True)
    elif before.state == "old":
        click.echo(f"{before.name}: upgraded from schema {before.version} to {after.version}.")
    else:
        click.echo(f"{before.name}: the tables exist already, schema {after.version}.")


@database.command(epilog=UPGRADE_EXAMPLES)
@as_json
@on_database
def upgrade(settings: Settings, is_json: bool) -> None:
    """Upgrade older tables, as the user that created them."""
    address = _address(settings)
    with _database_errors(address), postgres_library():
        from dayline.storage.postgres.schema.migrate import migrate  # an extra

        before = _overview(address)
        if before.state == "empty":
            raise StoreUnusable(
                f"{before.name} has no tables of Dayline yet", hint="dayline database init creates them"
            )
        after = migrate(address)
    if is_json:
        _print_schema(before, after.version)
    elif before.version < after.version:
        click.echo(f"{before.name}: upgraded from schema {before.version} to {after.version}.")
    else:
        click.echo(f"{before.name}: up to date, schema {after.version}.")


def _print_schema(before: "Overview", version: int) -> None:
    print_json({"name": before.name, "former_schema": before.version, "schema": version})


@database.command(epilog=STATUS_EXAMPLES)
@as_json
@on_database
def status(settings: Settings, is_json: bool) -> None:
    """Show the state of the database.

    Exits with 1 if a server cannot use it.
    """
    if settings.postgres is None:
        print_answer(_file_overview(settings), print_file, is_json=is_json)
        return
    address = settings.postgres
    with _database_errors(address):
        overview = _overview(address)
    print_answer(overview, print_overview, is_json=is_json)
    if overview.state not in ("current", "newer"):
        sys.exit(CHECK_FAILED)


@database.command(epilog=COPY_EXAMPLES)
@click.option("--from", "source", type=DATABASE, required=True, help="Source: a file, or postgresql://….")
@click.option("--to", "target", type=DATABASE, required=True, help="Target: a new file, or an empty postgresql://….")
@click.option(
    "--tenant", type=TENANT, default="", metavar="NAME",
    help="Tenant of a shared PostgreSQL database. [default: the one without a name]",
)  # fmt: skip
@as_json
def copy(source: Path | str, target: Path | str, tenant: str, is_json: bool) -> None:
    """Copy a database and prove that the copy is complete.

    Copies buckets, events with their ids, settings and their history, keys, the audit log and the trash. The source
    stays as it is. Stop the servers of both databases first. The copy ends with a proof for every bucket; if that
    fails, or the copy is interrupted, the target stays empty: run it again.
    """
    os.umask(OWNER_ONLY)
    file = source if isinstance(source, Path) else target
    if isinstance(file, Path):
        create_key_of_new(selected_settings(file))
    if isinstance(source, Path) and source.exists() and kind_of(source) not in (FileKind.PLAIN, FileKind.ENCRYPTED):
        raise NotADatabase(
            f"{source} is not a database",
            hint="choose one with --from; dayline import reads exports and archives",
        )
    proof = copied(source, target, tenant=tenant)
    if is_json:
        click.echo(as_document(proof))
    else:
        print_copied(proof, tenant=tenant)
    if not proof.is_proven:
        sys.exit(CHECK_FAILED)


database.add_command(encrypt)

database.add_command(decrypt)

database.add_command(export_key)


def _address(settings: Settings) -> str:
    if settings.postgres is None:
        raise Invalid(
            f"{settings.database} is a file, which a server creates and upgrades automatically",
            hint="choose a PostgreSQL database: --database postgresql://user@host/name",
        )
    return settings.postgres


def _file_overview(settings: Settings) -> FileOverview:
    check_database_exists(settings)
    with reading_server(settings) as server:
        buckets: list[dict[str, Any]] = server.call("GET", "/api/1/buckets")["buckets"]
        return FileOverview(
            file=str(settings.database),
            bytes=settings.database.stat().st_size,
            is_encrypted=kind_of(settings.database) is FileKind.ENCRYPTED,
            server=server.url,
            buckets=len(buckets),
            events=sum(each["events"] for each in buckets),
        )


def _overview(address: str) -> "Overview":
    with postgres_library():
        from dayline.storage.postgres.overview import overview_of
    return overview_of(address)


@contextmanager
def _database_errors(address: str) -> Generator[None]:
    """Raise errors of PostgreSQL and of the network as StoreUnusable."""
    with postgres_library():
        from psycopg.errors import InsufficientPrivilege

        from dayline.storage.postgres.connection import FAULTS, display_address, error_text
    try:
        yield
    except FAULTS as error:
        raise StoreUnusable(
            f"{display_address(address)}: {error_text(error)}",
            hint="check the address, and that the database server is running",
        ) from error
    except InsufficientPrivilege as error:
        hint = "as the owner of the database: GRANT dayline_server TO that user"
        raise StoreUnusable(f"{display_address(address)}: {error_text(error)}", hint=hint) from error


def copied(source: "Location", target: "Location", *, tenant: str = "") -> "CopyProof":
    """Copy a tenant from one database to another. The copy is kept only if both are equal."""
    # Here, because other commands start faster without them.
    from dayline.cli.calls.progress import progress_of
    from dayline.maintenance.database_copy import copy_database, prove
    from dayline.storage.opening import open_copy_source, open_copy_target

    with converting(), ExitStack() as stack:  # the source may be plain; a new file is encrypted if there is a key
        with postgres_library():
            opened_source, opened_target = open_copy_source(source, tenant), open_copy_target(target, tenant)
        theirs = stack.enter_context(opened_source)
        ours = stack.enter_context(opened_target)
        total = theirs.count_events()
        with progress_of("copying", total) as advance:
            copy_database(theirs, ours, on_events=advance)
        with progress_of("comparing", total) as advance:
            proof = prove(theirs, ours, on_events=advance)
        if proof.is_proven:
            ours.keep()
    return proof
