"""`dayline database`: the tables of a PostgreSQL database, and copies from one database to another."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dayline.cli.options.options import OURS_ALONE, TENANT, as_json, on_database, postgres_library
from dayline.cli.options.setting_flags import DATABASE
from dayline.cli.options.settings import Settings
from dayline.model.errors import Invalid, StoreUnusable

if TYPE_CHECKING:
    from dayline.storage.postgres.database import Overview


NOT_PROVEN: Final = 1  # the exit status where the copy is not what was copied
NOT_READY: Final = 1  # the exit status of a database that a server cannot use as it is

EXAMPLES = """\b
Examples:
  dayline database init --database postgresql://owner@db.example.org/dayline
  dayline database status --database postgresql://owner@db.example.org/dayline
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
  dayline database status --database postgresql://owner@db.example.org/dayline
  dayline database status --json
"""
COPY_EXAMPLES = """\b
Examples:
  dayline database copy --from dayline.db --to postgresql://owner@db.example.org/dayline
  dayline database copy --from postgresql://owner@db.example.org/dayline --to back.db
  dayline database copy --from anna.db --to postgresql://owner@db.example.org/dayline --tenant anna
"""


@click.group(epilog=EXAMPLES)
def database() -> None:
    """Create PostgreSQL tables, and copy data to and from them."""


@database.command(epilog=INIT_EXAMPLES)
@on_database
def init(settings: Settings) -> None:
    """Make the tables. The database itself has to be there, and the user has to own it.

    Also makes the role dayline_server, which owns nothing and which every server acts as. Harmless where the tables
    are there already, however many do it at once.
    """
    address = _address(settings)
    with _told(address), postgres_library():
        from dayline.storage.postgres.schema.migrate import migrate  # an extra

        before = _overview(address)
        after = migrate(address)
    if before.state == "empty":
        click.echo(f"{before.name}: the tables are made, schema {after.version}.")
        click.echo("Another user may run servers on it after: GRANT dayline_server TO that_user", err=True)
    elif before.state == "old":
        click.echo(f"{before.name}: upgraded from schema {before.version} to {after.version}.")
    else:
        click.echo(f"{before.name}: the tables are there already, schema {after.version}.")


@database.command(epilog=UPGRADE_EXAMPLES)
@on_database
def upgrade(settings: Settings) -> None:
    """Bring older tables up to date, as the user that made them."""
    address = _address(settings)
    with _told(address), postgres_library():
        from dayline.storage.postgres.schema.migrate import migrate  # an extra

        before = _overview(address)
        if before.state == "empty":
            raise StoreUnusable(f"{before.name} has no tables of Dayline yet", hint="dayline database init makes them")
        after = migrate(address)
    if before.version < after.version:
        click.echo(f"{before.name}: upgraded from schema {before.version} to {after.version}.")
    else:
        click.echo(f"{before.name}: up to date, schema {after.version}.")


@database.command(epilog=STATUS_EXAMPLES)
@as_json
@on_database
def status(settings: Settings, is_json: bool) -> None:
    """Show what is in a PostgreSQL database. Ends with status 1 where a server cannot use it as it is."""
    from dayline.cli.data.database_copying import print_overview
    from dayline.cli.screens.layout import print_json

    address = _address(settings)
    with _told(address):
        found = _overview(address)
    if is_json:
        print_json(found)
    else:
        print_overview(found)
    if found.state not in ("current", "newer"):
        sys.exit(NOT_READY)


@database.command(epilog=COPY_EXAMPLES)
@click.option("--from", "source", type=DATABASE, required=True, help="What is copied: a file, or postgresql://….")
@click.option("--to", "target", type=DATABASE, required=True, help="Where to: a new file, or an empty postgresql://….")
@click.option(
    "--tenant", type=TENANT, default="", metavar="NAME",
    help="Whose data, where several people share a PostgreSQL database. [default: those of the one without a name]",
)  # fmt: skip
@as_json
def copy(source: Path | str, target: Path | str, tenant: str, is_json: bool) -> None:
    """Copy everything of one person, and prove it.

    That is buckets, events with their ids, settings and their history, keys, the audit, and the trash. What is copied
    stays as it is. No server may use either meanwhile. It ends with a proof for every bucket; where that fails, or the
    copy is cut off, nothing of it is kept: copy again.
    """
    # Here, because the other commands start quicker without them.
    from dayline.cli.data.database_copying import as_document, copied, print_copied

    os.umask(OURS_ALONE)
    proof = copied(source, target, tenant=tenant)
    if is_json:
        click.echo(as_document(proof))
    else:
        print_copied(proof, tenant=tenant)
    if not proof.is_proven:
        sys.exit(NOT_PROVEN)


def _address(settings: Settings) -> str:
    if settings.postgres is None:
        raise Invalid(
            f"{settings.database} is a file, which a server makes and upgrades by itself",
            hint="name a PostgreSQL database: --database postgresql://user@host/name",
        )
    return settings.postgres


def _overview(address: str) -> "Overview":
    with postgres_library():
        from dayline.storage.postgres.database import overview_of
    return overview_of(address)


@contextmanager
def _told(address: str) -> Generator[None]:
    """What the database server or the network refuses, in words of ours."""
    with postgres_library():
        from psycopg.errors import InsufficientPrivilege

        from dayline.storage.postgres.connection import FAULTS, display_address, error_text
    try:
        yield
    except FAULTS as error:
        raise StoreUnusable(
            f"{display_address(address)}: {error_text(error)}", hint="does the database server run there?"
        ) from error
    except InsufficientPrivilege as error:
        hint = "as the owner of the database: GRANT dayline_server TO that user"
        raise StoreUnusable(f"{display_address(address)}: {error_text(error)}", hint=hint) from error
