"""`dayline backup`: make, list, verify and restore backups."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayline.cli.calls.local import local_server
from dayline.cli.data.backup_restore import restore
from dayline.cli.options.backup_key import keeper_of, with_key
from dayline.cli.options.options import OURS_ALONE, as_json, check_is_file, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Invalid, NotFound
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.backups.scheduler import BackupScheduler
    from dayline.maintenance.backups.views import BackupView
    from dayline.storage.sqlite.backup.encryption import Secret


EXAMPLES = """\b
Examples:
  dayline backup now
  dayline backup list
  dayline backup verify
  dayline backup restore dayline-20260131T093000Z.db.zst
  dayline backup make-key ~/backup.key
"""
VERIFY_EXAMPLES = """\b
Examples:
  dayline backup verify                                    all of them
  dayline backup verify dayline-20260131T093000Z.db.zst
"""

KEY_EXAMPLES = """\b
Examples:
  dayline backup make-key ~/backup.key
"""


@click.group(epilog=EXAMPLES)
def backup() -> None:
    """Create, list, verify and restore backups.

    The server makes one a day by itself when something changed: see [backup] in docs/reference/settings.md.
    """


backup.add_command(restore)


@backup.command()
@as_json
@on_database
def now(settings: Settings, is_json: bool) -> None:
    """Make a backup now, and verify it. Recording goes on meanwhile."""
    check_is_file(settings)
    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="name it with --database")
    with local_server(settings) as server:
        made = server.call("POST", "/api/1/backups")
    if is_json:
        print_json(made)
        return
    click.echo(made["name"])
    click.echo(f"↑ {quantity(made['events'], 'event')}, {_size(made['bytes'])}, verified.", err=True)


@backup.command("list")
@as_json
@on_database
@with_key
def list_(secret: "Secret | None", settings: Settings, is_json: bool) -> None:
    """List the backups, the newest first. Needs neither a server nor the database.

    What an encrypted one holds is shown where its key is known.
    """
    check_is_file(settings)
    # Here, because other commands start quicker without them.
    import asyncio

    from dayline.maintenance.backups.views import view_of_backups

    found = asyncio.run(view_of_backups(keeper_of(settings, secret)))
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
@with_key
def verify(secret: "Secret | None", settings: Settings, name: str | None, is_json: bool) -> None:
    """Unpack backups, check them, and compare them with what their database held. Fails if one is damaged."""
    import asyncio  # here, because other commands start quicker without it

    check_is_file(settings)
    os.umask(OURS_ALONE)
    checked, locked = asyncio.run(_verified(keeper_of(settings, secret), name))
    if is_json:
        print_json(checked)
    elif checked:
        _print_backups(checked)
    elif not locked:
        click.echo("There are no backups.", err=True)
    damaged = [backup.name for backup in checked if backup.state == "failed"]
    if damaged:
        raise Invalid(f"damaged: {', '.join(damaged)}", hint="dayline backup now makes a new one")
    if locked:
        raise locked[0]


@backup.command("make-key", epilog=KEY_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def make_key(file: Path) -> None:
    """Make a key file to encrypt backups with.

    Name it in the settings as key_file in [backup], and keep a copy of it apart from this machine and from the
    backups: whoever has lost it cannot read them.
    """
    # Here, because other commands start quicker without it.
    from dayline.storage.sqlite.backup.encryption import make_key_file

    make_key_file(file)
    click.echo(f"{file} is a new key. Keep a copy of it in another place: without it no backup can be read.", err=True)


async def _verified(keeper: "BackupScheduler", name: str | None) -> tuple[list["BackupView"], list[Invalid]]:
    """Those that could be checked, and why others could not."""
    from dayline.maintenance.backups.views import (
        view_of_backup,  # here, because other commands start quicker without it
    )

    names = [backup.name for backup in keeper.folder.all()] if name is None else [name]
    checked: list[BackupView] = []
    locked: list[Invalid] = []
    for each in names:
        try:
            checked.append(view_of_backup(await keeper.verify(each)))
        except Invalid as error:  # the key of this one is another; the others are to be looked at all the same
            locked.append(error)
    return checked, locked


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
