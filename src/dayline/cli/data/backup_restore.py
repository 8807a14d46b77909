"""`dayline backup restore`: replace the database, write another file, or restore single buckets."""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from dayline.cli.calls.local import local_server
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.groups import WrongUsage
from dayline.cli.options.backup_key import keeper_of, secret_of, with_key
from dayline.cli.options.encryption import create_key_of_new
from dayline.cli.options.names import backup_names, bucket_ids
from dayline.cli.options.options import (
    OWNER_ONLY,
    as_json,
    check_is_file,
    confirm,
    on_database,
    server_stopped,
    yes_option,
)
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.config.data_folder import DataFile, scratch_folder
from dayline.model.errors import Invalid, NotFound, Unavailable
from dayline.model.time import now_us
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.maintenance.backups.buckets import RestoredBucket
    from dayline.storage.sqlite.backup.encryption import Secret


EXAMPLES = """\b
Examples:
  dayline backup restore dayline-20260131T093000Z.db.zst
  dayline backup restore dayline-20260131T093000Z.db.zst --to ~/january.db
  dayline backup restore dayline-20260131T093000Z.db.zst --bucket aw-watcher-window_laptop
  dayline backup restore /media/disk/dayline-20260131T093000Z.db.zst
"""


@click.command(epilog=EXAMPLES)
@click.argument("name", shell_complete=backup_names)
@click.option(
    "--to", "target", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the database to this new file, and keep the current one.",
)  # fmt: skip
@click.option(
    "--bucket", "buckets", multiple=True, metavar="ID", shell_complete=bucket_ids,
    help="Only this bucket: add its missing events to the current database. Repeatable.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="With --bucket: show what would be added, and change nothing.")
@click.option("--without-backup", is_flag=True, help="Do not back up the database that is replaced.")
@yes_option
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
    """Restore a backup. NAME is its name or path.

    Backs up the database, then replaces it and keeps a copy. Stop the server before, unless you give
    --to or --bucket.
    """
    if target is None:
        check_is_file(settings)
    os.umask(OWNER_ONLY)
    if bool(buckets) < dry_run or (buckets and target is not None):
        raise WrongUsage("--dry-run needs --bucket, and --to cannot be combined with it", hint="leave one of them out")
    path = Path(name) if os.sep in name else keeper_of(settings).folder.find(name)
    if not path.is_file():
        raise NotFound(f"there is no backup {name}", hint="dayline backup list shows them")
    secret = secret or secret_of(settings.backup)
    if buckets:
        restored = _restore_buckets(settings, path, secret, buckets, dry_run=dry_run)
        _report_buckets(restored, is_json=is_json, dry_run=dry_run)
        return
    restored_file = (
        _restore_file(path, target, secret) if target else _replace(settings, path, secret, without_backup, yes)
    )
    if is_json:
        print_json(restored_file)


def _restore_file(path: Path, target: Path, secret: "Secret | None") -> dict[str, object]:
    # Here, because other commands start faster without it.
    from dayline.storage.sqlite.backup.restore import write_restored

    manifest = write_restored(path, target.absolute(), secret=secret)
    click.echo(f"Wrote {quantity(manifest.contents.events, 'event')} to {target}.", err=True)
    return {"database": str(target), "events": manifest.contents.events, "replaced": None}


def _replace(
    settings: Settings, path: Path, secret: "Secret | None", without_backup: bool, yes: bool
) -> dict[str, object]:
    # Here, because other commands start faster without it.
    from dayline.storage.sqlite.backup.restore import replace_database

    if not yes:
        confirm(f"Replace {settings.database} with {path.name}?")
    create_key_of_new(settings)
    before = None if without_backup else partial(_keep_first, settings)
    with server_stopped(settings, hint="stop it first, or choose another file with --to"):
        manifest, kept = replace_database(settings.database, path, now=now_us(), before=before, secret=secret)
    click.echo(f"Restored {settings.database.name}: {quantity(manifest.contents.events, 'event')}.", err=True)
    if kept is not None:
        click.echo(f"The previous database was kept: {kept}", err=True)
    return {
        "database": str(settings.database),
        "events": manifest.contents.events,
        "replaced": None if kept is None else str(kept),
    }


def _keep_first(settings: Settings, database: Path) -> None:
    # Here, because other commands start faster without it.
    from dayline.maintenance.backups.before import BackupBefore
    from dayline.storage.sqlite.backup.encryption import DamagedSnapshot

    try:
        path = BackupBefore(settings.backup, clock=now_us, secret=secret_of(settings.backup)).ensure(database)
        click.echo(f"Backed up the current database: {path}", err=True)
    except DamagedSnapshot as error:
        click.echo(f"{database.name} cannot be read, so there is no backup of it: {error}", err=True)
    except (Unavailable, Invalid, OSError) as error:
        raise Unavailable(
            f"nothing was restored, because {database.name} cannot be backed up first: {error}",
            hint="free disk space, or skip the backup: --without-backup",
        ) from error


def _restore_buckets(
    settings: Settings, path: Path, secret: "Secret | None", wanted: Sequence[str], *, dry_run: bool
) -> "list[RestoredBucket]":
    # Here, because other commands start faster without them.
    from dayline.cli.calls.progress import progress_of
    from dayline.maintenance.backups.buckets import UnpackedBackup, restored_bucket, unpack_backup
    from dayline.maintenance.migration.copying import Copier
    from dayline.maintenance.migration.ledger import Ledger
    from dayline.maintenance.migration.stored import stored_buckets

    if not settings.database.exists():
        raise NotFound(f"no database at {settings.database}", hint="leave out --bucket to restore the whole database")
    with ExitStack() as stack:
        # On the disk of the database, which needs the space anyway.
        folder = stack.enter_context(scratch_folder(DataFile.BUCKET_RESTORE, settings.database.parent))
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


def _report_buckets(restored: "Sequence[RestoredBucket]", *, is_json: bool, dry_run: bool) -> None:
    if is_json:
        print_json(restored)
    else:
        print_table(
            ("bucket", "", "in the backup", "added", "extended", "known", "dropped by privacy rules"),
            [
                (each.bucket, "new" if each.is_new else "merged", *(f"{count:,}" for count in counts))
                for each in restored
                for counts in [(each.events, each.added, each.extended, each.there, each.dropped)]
            ],
        )
    if dry_run:
        click.echo("Nothing was changed. Run it without --dry-run to restore.", err=True)
    elif all(each.is_proven for each in restored):
        click.echo("Everything in the backup of these buckets is in the database.", err=True)
    else:
        click.secho("Some events of the backup are missing in the database.", fg="red", err=True)
        sys.exit(CHECK_FAILED)
