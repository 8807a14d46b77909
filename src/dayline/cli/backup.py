"""`dayline backup`: make, list, verify and restore backups."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayline.cli.local import local_server
from dayline.cli.options import OURS_ALONE, as_json, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json, print_table
from dayline.model.errors import Invalid, NotFound, StoreLocked, Unavailable
from dayline.model.timestamps import now_us

if TYPE_CHECKING:
    from dayline.care.backup_keeper import BackupKeeper
    from dayline.care.backup_view import BackupView

EXAMPLES = """\b
Examples:
  dayline backup now
  dayline backup list
  dayline backup verify
  dayline backup restore dayline-20260131T093000Z.db.zst
"""
VERIFY_EXAMPLES = """\b
Examples:
  dayline backup verify                                    all of them
  dayline backup verify dayline-20260131T093000Z.db.zst
"""
RESTORE_EXAMPLES = """\b
Examples:
  dayline backup restore dayline-20260131T093000Z.db.zst
  dayline backup restore dayline-20260131T093000Z.db.zst --to ~/january.db
  dayline backup restore /media/disk/dayline-20260131T093000Z.db.zst
"""


@click.group(epilog=EXAMPLES)
def backup() -> None:
    """Backups: verified copies of the database.

    The server makes one a day by itself when something changed: see [backup] in docs/settings.md.
    """


@backup.command()
@as_json
@on_database
def now(settings: Settings, is_json: bool) -> None:
    """Make a backup now, and verify it. Recording goes on meanwhile."""
    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="name it with --database")
    with local_server(settings) as server:
        made = server.call("POST", "/api/1/backups")
    if is_json:
        print_json(made)
        return
    click.echo(made["name"])
    click.echo(f"↑ {made['events']:,} events, {_size(made['bytes'])}, verified.", err=True)


@backup.command("list")
@as_json
@on_database
def list_(settings: Settings, is_json: bool) -> None:
    """List the backups, the newest first. Needs neither a server nor the database."""
    from dayline.care.backup_view import view_of_backups  # here, because other commands start quicker without it

    found = view_of_backups(_keeper(settings))
    if is_json:
        print_json(found)
        return
    if found.last_failure is not None:
        click.echo(f"The last try, {found.last_failure.when}, failed: {found.last_failure.message}", err=True)
    if not found.backups:
        click.echo(f"There are no backups in {found.folder}. Make one with: dayline backup now", err=True)
        return
    _print_backups(found.backups)


@backup.command(epilog=VERIFY_EXAMPLES)
@click.argument("name", required=False)
@as_json
@on_database
def verify(settings: Settings, name: str | None, is_json: bool) -> None:
    """Unpack backups, check them, and compare them with what their database held. Fails if one is damaged."""
    os.umask(OURS_ALONE)
    checked = asyncio.run(_verified(settings, name))
    if is_json:
        print_json(checked)
    elif checked:
        _print_backups(checked)
    else:
        click.echo("There are no backups.", err=True)
    damaged = [backup.name for backup in checked if backup.state == "failed"]
    if damaged:
        raise Invalid(f"damaged: {', '.join(damaged)}", hint="dayline backup now makes a new one")


@backup.command(epilog=RESTORE_EXAMPLES)
@click.argument("name")
@click.option(
    "--to", "target", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the database to this new file, and leave the one in use alone.",
)  # fmt: skip
@click.option("--without-backup", is_flag=True, help="Make no backup of the database that is replaced.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@on_database
def restore(settings: Settings, name: str, target: Path | None, without_backup: bool, yes: bool) -> None:
    """Put a backup in the place of the database. Keeps the database that it replaces, and makes a backup of it.

    NAME is the name of a backup, or the path of one. The server has to be stopped first, unless --to is given.
    """
    # Here, because other commands start quicker without it.
    from dayline.storage.sqlite.snapshot_restore import replace_database, write_restored

    os.umask(OURS_ALONE)
    path = Path(name) if os.sep in name else _keeper(settings).folder.find(name)
    if not path.is_file():
        raise NotFound(f"there is no backup {name}", hint="dayline backup list shows them")
    if target is not None:
        manifest = write_restored(path, target.absolute())
        click.echo(f"{manifest.contents.events:,} events are in {target}.", err=True)
        return
    if not yes:
        click.confirm(f"Put {path.name} in the place of {settings.database}?", abort=True, err=True)
    try:
        manifest, kept = replace_database(
            settings.database, path, now=now_us(), before=None if without_backup else partial(_keep_first, settings)
        )
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}", hint="stop it first, or write another file with --to"
        ) from error
    click.echo(f"{settings.database.name} is as it was then: {manifest.contents.events:,} events.", err=True)
    if kept is not None:
        click.echo(f"What it replaced is kept: {kept}", err=True)


def _keep_first(settings: Settings, database: Path) -> None:
    # Here, because other commands start quicker without it.
    from dayline.care.backup_before import BackupBefore
    from dayline.storage.sqlite.snapshot_file import DamagedSnapshot

    try:
        path = BackupBefore(settings.backup, clock=now_us).kept(database)
        click.echo(f"A backup of it as it is now: {path}", err=True)
    except DamagedSnapshot as error:
        click.echo(f"{database.name} cannot be backed up, it is damaged: {error}", err=True)
    except (Unavailable, OSError) as error:
        raise Unavailable(
            f"nothing was restored, because {database.name} cannot be backed up before: {error}",
            hint="make room, or do without: --without-backup",
        ) from error


def _keeper(settings: Settings) -> "BackupKeeper":
    from dayline.care.backup_keeper import BackupKeeper  # here, because other commands start quicker without it

    return BackupKeeper(settings.database, settings.backup, clock=now_us)


async def _verified(settings: Settings, name: str | None) -> list["BackupView"]:
    from dayline.care.backup_view import view_of_backup  # here, because other commands start quicker without it

    keeper = _keeper(settings)
    names = [backup.name for backup in keeper.folder.all()] if name is None else [name]
    return [view_of_backup(await keeper.verify(each)) for each in names]


def _print_backups(backups: list["BackupView"]) -> None:
    print_table(
        ("name", "state", "size", "buckets", "events", "problem"),
        [
            (each.name, each.state, _size(each.bytes), _count(each.buckets), _count(each.events), each.problem or "")
            for each in backups
        ],
    )


def _size(count: int) -> str:
    return f"{count / (1 << 20):,.1f} MiB"


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
