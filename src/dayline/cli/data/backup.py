"""`dayline backup`: create, list, verify and restore backups."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayline.cli.calls.local import local_server
from dayline.cli.data.backup_restore import restore
from dayline.cli.groups import Group
from dayline.cli.options.backup_key import keeper_of, with_key
from dayline.cli.options.names import backup_names
from dayline.cli.options.options import OWNER_ONLY, as_json, check_database_exists, check_is_file, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_change, print_json, print_table
from dayline.model.errors import Invalid
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.backups.scheduler import BackupScheduler
    from dayline.maintenance.backups.views import BackupView
    from dayline.storage.sqlite.backup.encryption import Secret


EXAMPLES = """\b
Examples:
  dayline backup
  dayline backup create
  dayline backup verify
  dayline backup restore dayline-20260131T093000Z.db.zst
  dayline backup create-key ~/backup.key
"""
VERIFY_EXAMPLES = """\b
Examples:
  dayline backup verify                                    all backups
  dayline backup verify dayline-20260131T093000Z.db.zst
"""

KEY_EXAMPLES = """\b
Examples:
  dayline backup create-key ~/backup.key
"""


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def backup() -> None:
    """Create, list, verify and restore backups.

    The server creates one a day automatically if something changed: see [backup] in docs/reference/settings.md.
    """


backup.add_command(restore)


@backup.command(epilog="\b\nExample:\n  dayline backup create")
@as_json
@on_database
def create(settings: Settings, is_json: bool) -> None:
    """Create a backup and verify it. The server keeps recording."""
    check_is_file(settings)
    check_database_exists(settings)
    with local_server(settings) as server:
        made = server.call("POST", "/api/1/backups")
    if is_json:
        print_json(made)
        return
    click.echo(made["name"])
    click.echo(f"↑ {quantity(made['events'], 'event')}, {_size(made['bytes'])}, verified.", err=True)


@backup.command("list", epilog="\b\nExample:\n  dayline backup list --json")
@as_json
@on_database
@with_key
def list_(secret: "Secret | None", settings: Settings, is_json: bool) -> None:
    """List the backups, newest first.

    Needs neither a server nor the database. The contents of encrypted backups are shown if the key is known.
    """
    check_is_file(settings)
    # Here, because other commands start faster without them.
    import asyncio

    from dayline.maintenance.backups.views import view_of_backups

    backups = asyncio.run(view_of_backups(keeper_of(settings, secret)))
    if is_json:
        print_json(backups)
        return
    if backups.last_failure is not None:
        click.echo(f"The last attempt, {backups.last_failure.when}, failed: {backups.last_failure.message}", err=True)
    if not backups.backups:
        click.echo(f"There are no backups in {backups.folder}. Create one with: dayline backup create", err=True)
        return
    _print_backups(backups.backups)


@backup.command(epilog=VERIFY_EXAMPLES)
@click.argument("name", required=False, shell_complete=backup_names)
@as_json
@on_database
@with_key
def verify(secret: "Secret | None", settings: Settings, name: str | None, is_json: bool) -> None:
    """Verify backups. Fails if one is damaged.

    Unpacks each backup, checks it, and compares it with its record of the database.
    """
    import asyncio  # here, because other commands start faster without it

    check_is_file(settings)
    os.umask(OWNER_ONLY)
    checked, locked = asyncio.run(_verified(keeper_of(settings, secret), name))
    if is_json:
        print_json(checked)
    elif checked:
        _print_backups(checked)
    elif not locked:
        click.echo("There are no backups.", err=True)
    damaged = [backup.name for backup in checked if backup.state == "failed"]
    if damaged:
        raise Invalid(f"damaged: {', '.join(damaged)}", hint="dayline backup create makes a new one")
    if locked:
        raise locked[0]


@backup.command("create-key", epilog=KEY_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@as_json
def create_key(is_json: bool, file: Path) -> None:
    """Create a key file that encrypts backups.

    Set it with `dayline settings set backup.key_file FILE`, and keep a copy on another computer: without the key you
    cannot read your backups.
    """
    # Here, because other commands start faster without it.
    from dayline.storage.sqlite.backup.encryption import make_key_file

    make_key_file(file)
    text = f"Created {file}. Keep a copy on another computer: without it you cannot read your backups."
    print_change({"file": str(file)}, text, is_json=is_json)


async def _verified(keeper: "BackupScheduler", name: str | None) -> tuple[list["BackupView"], list[Invalid]]:
    """The checked backups, and the errors of those that could not be decrypted."""
    from dayline.maintenance.backups.views import (
        view_of_backup,  # here, because other commands start faster without it
    )

    names = [backup.name for backup in keeper.folder.all()] if name is None else [name]
    checked: list[BackupView] = []
    locked: list[Invalid] = []
    for each in names:
        try:
            checked.append(view_of_backup(await keeper.verify(each)))
        except Invalid as error:  # it has another key; continue with the others
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
