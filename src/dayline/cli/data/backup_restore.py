"""`dayline backup restore`: a backup in the place of the database, in another file, or single buckets of it."""

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from dayline.cli.calls.local import local_server
from dayline.cli.options.backup_key import keeper_of, secret_of, with_key
from dayline.cli.options.options import OURS_ALONE, as_json, check_is_file, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Invalid, NotFound, StoreLocked, Unavailable
from dayline.model.time import now_us
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.backups.buckets import RestoredBucket
    from dayline.storage.sqlite.backup.encryption import Secret


NOT_PROVEN = 1  # the exit status where a bucket is not here as it is in the backup
EXAMPLES = """\b
Examples:
  dayline backup restore dayline-20260131T093000Z.db.zst
  dayline backup restore dayline-20260131T093000Z.db.zst --to ~/january.db
  dayline backup restore dayline-20260131T093000Z.db.zst --bucket aw-watcher-window_laptop
  dayline backup restore /media/disk/dayline-20260131T093000Z.db.zst
"""


@click.command(epilog=EXAMPLES)
@click.argument("name")
@click.option(
    "--to", "target", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the database to this new file, and leave the one in use alone.",
)  # fmt: skip
@click.option(
    "--bucket", "buckets", multiple=True, metavar="ID",
    help="Only this bucket, into the database in use: what is missing there is added. Several times for several.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="With --bucket: say what would be added, and change nothing.")
@click.option("--without-backup", is_flag=True, help="Make no backup of the database that is replaced.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_database
@with_key
def restore(
    secret: "Secret | None",
    settings: Settings,
    name: str,
    target: Path | None,
    buckets: tuple[str, ...],
    dry_run: bool,
    without_backup: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Put a backup in the place of the database. Keeps the database that it replaces, and makes a backup of it.

    NAME is the name of a backup, or the path of one. The server has to be stopped first, unless --to or --bucket is
    given.
    """
    if target is None:
        check_is_file(settings)
    os.umask(OURS_ALONE)
    if bool(buckets) < dry_run or (buckets and target is not None):
        raise Invalid("--dry-run goes with --bucket, and --to without it", hint="leave one of them out")
    path = Path(name) if os.sep in name else keeper_of(settings).folder.find(name)
    if not path.is_file():
        raise NotFound(f"there is no backup {name}", hint="dayline backup list shows them")
    secret = secret or secret_of(settings.backup)
    if buckets:
        restored = _restore_buckets(settings, path, secret, buckets, dry_run=dry_run)
        _tell_buckets(restored, is_json=is_json, dry_run=dry_run)
        return
    told = _restore_file(path, target, secret) if target else _replace(settings, path, secret, without_backup, yes)
    if is_json:
        print_json(told)


def _restore_file(path: Path, target: Path, secret: "Secret | None") -> dict[str, object]:
    # Here, because other commands start quicker without it.
    from dayline.storage.sqlite.backup.restore import write_restored

    manifest = write_restored(path, target.absolute(), secret=secret)
    click.echo(f"{quantity(manifest.contents.events, 'event is', 'events are')} in {target}.", err=True)
    return {"database": str(target), "events": manifest.contents.events, "replaced": None}


def _replace(
    settings: Settings, path: Path, secret: "Secret | None", without_backup: bool, yes: bool
) -> dict[str, object]:
    # Here, because other commands start quicker without it.
    from dayline.storage.sqlite.backup.restore import replace_database

    if not yes:
        click.confirm(f"Put {path.name} in the place of {settings.database}?", abort=True, err=True)
    before = None if without_backup else partial(_keep_first, settings)
    try:
        manifest, kept = replace_database(settings.database, path, now=now_us(), before=before, secret=secret)
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}", hint="stop it first, or write another file with --to"
        ) from error
    click.echo(f"{settings.database.name} is as it was then: {quantity(manifest.contents.events, 'event')}.", err=True)
    if kept is not None:
        click.echo(f"What it replaced is kept: {kept}", err=True)
    return {
        "database": str(settings.database),
        "events": manifest.contents.events,
        "replaced": None if kept is None else str(kept),
    }


def _keep_first(settings: Settings, database: Path) -> None:
    # Here, because other commands start quicker without it.
    from dayline.maintenance.backups.before import BackupBefore
    from dayline.storage.sqlite.backup.encryption import DamagedSnapshot

    try:
        path = BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).ensure(database)
        click.echo(f"A backup of it as it is now: {path}", err=True)
    except DamagedSnapshot as error:
        click.echo(f"{database.name} cannot be read, so there is no backup of it: {error}", err=True)
    except (Unavailable, Invalid, OSError) as error:
        raise Unavailable(
            f"nothing was restored, because {database.name} cannot be backed up before: {error}",
            hint="make room, or do without: --without-backup",
        ) from error


def _restore_buckets(
    settings: Settings, path: Path, secret: "Secret | None", wanted: Sequence[str], *, dry_run: bool
) -> "list[RestoredBucket]":
    # Here, because other commands start quicker without them.
    from dayline.cli.calls.sending import progress_of
    from dayline.maintenance.backups.buckets import UnpackedBackup, restored_bucket, unpack_backup
    from dayline.maintenance.migration.copying import Copier
    from dayline.maintenance.migration.ledger import Ledger
    from dayline.maintenance.migration.stored import stored_buckets

    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="without --bucket all of it is restored")
    with ExitStack() as stack:
        # On the disk of the database, which has to have the room anyway.
        scratch = tempfile.TemporaryDirectory(
            prefix="dayline-restore-", dir=settings.database.parent, ignore_cleanup_errors=True
        )
        folder = Path(stack.enter_context(scratch))
        unpack_backup(path, folder / "then.db", secret)
        then = stack.enter_context(local_server(replace(settings, database=folder / "then.db")))
        source = UnpackedBackup(path, then)
        chosen = source.named(wanted)
        server = stack.enter_context(local_server(settings))
        present = stored_buckets(server)
        total = sum(source.count(bucket) for bucket in chosen)
        advance = stack.enter_context(progress_of("copying", total))
        ledger = Ledger(folder)
        stack.callback(ledger.close)
        copier = Copier(source, server, ledger, on_events=advance)
        copy = copier.preview if dry_run else copier.copy
        return [restored_bucket(copy(bucket), is_new=bucket.id not in present) for bucket in chosen]


def _tell_buckets(restored: "Sequence[RestoredBucket]", *, is_json: bool, dry_run: bool) -> None:
    if is_json:
        print_json(restored)
    else:
        print_table(
            ("bucket", "", "in the backup", "added", "made longer", "already there", "dropped by privacy rules"),
            [(each.bucket, "new" if each.is_new else "merged", *map(_count, _counts(each))) for each in restored],
        )
    if dry_run:
        click.echo("Nothing was changed. Without --dry-run it is done.", err=True)
    elif all(each.is_proven for each in restored):
        click.echo("All that the backup has of them is here.", err=True)
    else:
        click.secho("Not everything that the backup has is here.", fg="red", err=True)
        sys.exit(NOT_PROVEN)


def _counts(each: "RestoredBucket") -> tuple[int, ...]:
    return each.events, each.added, each.extended, each.there, each.dropped


def _count(number: int) -> str:
    return f"{number:,}"
