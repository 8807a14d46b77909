"""`dayline doctor`: whether the database is as it should be, and the repair of one that is not."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from dayline.cli.database_place import database_arguments
from dayline.cli.findings_output import print_findings
from dayline.cli.local import reading_server
from dayline.cli.options import OURS_ALONE, as_json, check_is_file, on_database
from dayline.cli.settings import Settings
from dayline.cli.tables import print_json, print_table
from dayline.model.errors import NotFound, StoreLocked, Unavailable
from dayline.model.timestamps import now_us

if TYPE_CHECKING:
    from dayline.care.doctor.examination import Examined
    from dayline.storage.sqlite.repair.finish import RepairOutcome

EXAMPLES = """\b
Examples:
  dayline doctor
  dayline doctor --repair
  dayline doctor --repair --yes --json
"""


@click.command(epilog=EXAMPLES)
@click.option("--repair", "is_repair", is_flag=True, help="Repair what is wrong. The server has to be stopped first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
def doctor(settings: Settings, is_repair: bool, yes: bool, is_json: bool) -> None:
    """Check the database file, what is derived from its rows, and the data; repair the file with --repair.

    A repair makes a new file of every row that can be read, takes what is missing from the newest backup, and keeps the
    damaged file. What looks wrong in the data is mended by dayline findings. Exits with 1 where the file is not well.
    """
    # Here, because other commands start quicker without it.
    from dayline.care.doctor.examination import examine

    os.umask(OURS_ALONE)
    check_is_file(settings)
    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="name it with --database")
    examined = examine(settings.database, tell=_tell)
    if not is_repair:
        _report(settings, examined, is_json)
        return
    if not examined.findings:
        click.echo("Everything is well: there is nothing to repair.", err=True)
        return
    if not yes:
        for finding in examined.findings:
            click.echo(finding.message, err=True)
        click.confirm(f"Repair {settings.database}?", abort=True, err=True)
    _repair(settings, examined.damage, is_json)


def _report(settings: Settings, examined: "Examined", is_json: bool) -> None:
    """Say what is wrong with the file, and exit with 1; where nothing is, what looks wrong in the data."""
    if examined.findings:
        if is_json:
            print_json({"findings": examined.findings, "damage": examined.damage, "data": None})
        else:
            for finding in examined.findings:
                click.secho(finding.message, fg="red")
            click.echo(f"  → {shlex.join(['dayline', 'doctor', '--repair', *database_arguments(settings)])}")
        sys.exit(1)
    with reading_server(settings) as server:
        data: dict[str, Any] = server.call("GET", "/api/1/doctor")
    if is_json:
        print_json({"findings": [], "damage": None, "data": data})
    else:
        click.echo("The file and what is derived from its rows: everything is well.")
        print_findings(data, is_brief=True)


def _repair(settings: Settings, damage: str | None, is_json: bool) -> None:
    # Here, because other commands start quicker without it.
    from dayline.care.backup_folder import BackupFolder, folder_of
    from dayline.care.doctor.repair import repair
    from dayline.cli.backup_key import secret_of
    from dayline.storage.sqlite.derived.check import mend_derived

    database = settings.database
    try:
        if damage is None:
            mend_derived(database)
            click.echo("The file is whole. What is derived from its rows was made anew.", err=True)
            return
        secret = secret_of(settings.backup)
        folder = BackupFolder(folder_of(database, settings.backup), database)
        outcome = repair(database, folder, finding=damage, now=now_us(), tell=_tell, secret=secret)
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {database.name}", hint="stop it first, then run this again; it is quick to start again"
        ) from error
    if is_json:
        print_json(outcome)
    else:
        _print(outcome)


def _print(outcome: "RepairOutcome") -> None:
    print_table(
        ("bucket", "saved", "recorded since", "from the backup", "lost", "data from the backup", "data lost"),
        [
            (
                each.id,
                *(f"{count:,}" for count in (each.saved, each.recorded, each.filled, each.lost)),
                *(f"{count:,}" for count in (each.data_filled, each.without_data)),
            )
            for each in outcome.buckets
        ],
    )
    if outcome.backup is None:
        click.echo("There was no good backup to fill holes from.", err=True)
    else:
        click.echo(f"Holes were filled from {outcome.backup}.", err=True)
    if outcome.tables:
        click.echo(
            f"As the backup had them: {', '.join(outcome.tables)}. Look whether they are as you want them.", err=True
        )
    click.echo(f"The damaged file is kept: {outcome.kept}", err=True)


def _tell(text: str) -> None:
    click.echo(text, err=True)
