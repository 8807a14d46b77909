"""`dayline archive`: everything in one file, and a new database made of it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from dayline import __version__
from dayline.cli.calls.sending import growing_progress
from dayline.cli.options.backup_key import with_archive_key
from dayline.cli.options.options import OURS_ALONE, as_json, check_is_file, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Conflict, NotFound, StoreLocked, Unavailable
from dayline.model.time import now_us
from dayline.runtime.files import atomic_write

if TYPE_CHECKING:
    from dayline.storage.sqlite.backup.encryption import Secret


EXAMPLES = """\b
Examples:
  dayline archive create days.jsonl.zst
  dayline archive verify days.jsonl.zst
  dayline archive restore days.jsonl.zst --database ~/new/dayline.db
"""
CREATE_EXAMPLES = """\b
Examples:
  dayline archive create days.jsonl.zst
  dayline archive create /media/disk/days-2026.jsonl.zst --json
  dayline archive create days.jsonl.zst.enc --key-file ~/backup.key
"""
RESTORE_EXAMPLES = """\b
Examples:
  dayline archive restore days.jsonl.zst
  dayline archive restore days.jsonl.zst --database ~/new/dayline.db
"""
VERIFY_EXAMPLES = """\b
Examples:
  dayline archive verify days.jsonl.zst
"""
_ARCHIVE: Final = click.Path(path_type=Path, dir_okay=False)


@click.group(epilog=EXAMPLES)
def archive() -> None:
    """Everything in one file that any program can read, and a new database made of it.

    Contains buckets, events, settings with their history, keys (as hashes) and the audit log. The format is in
    docs/reference/files.md.
    """


@archive.command(epilog=CREATE_EXAMPLES)
@click.argument("file", type=_ARCHIVE)
@as_json
@on_database
@with_archive_key
def create(secret: "Secret | None", settings: Settings, file: Path, is_json: bool) -> None:
    """Write all of the database to a new FILE, as it is at this moment. A server may go on recording.

    With --key-file or --passphrase-file the archive is encrypted.
    """
    from dayline.storage.sqlite.transfer.archive import (
        create_archive,  # here, because other commands start quicker without it
    )

    check_is_file(settings)
    if not settings.database.exists():
        raise NotFound(f"there is no database {settings.database}", hint="name it with --database")
    os.umask(OURS_ALONE)
    with growing_progress("writing") as (begin, advance), _new_file(file) as opened:
        trailer = create_archive(
            settings.database,
            opened,
            secret=secret,
            made=now_us(),
            server=__version__,
            on_start=begin,
            on_events=advance,
        )
    if is_json:
        print_json({"file": str(file), "bytes": file.stat().st_size, "counts": trailer.counts})
        return
    _print_counts(trailer.counts)
    click.echo(f"Written to {file}: {file.stat().st_size / (1 << 20):,.1f} MiB.", err=True)


@archive.command(epilog=RESTORE_EXAMPLES)
@click.argument("file", type=_ARCHIVE)
@as_json
@on_database
@with_archive_key
def restore(secret: "Secret | None", settings: Settings, file: Path, is_json: bool) -> None:
    """Make the database that FILE holds. There must be none yet, or an empty one, and no server that uses it."""
    from dayline.storage.sqlite.transfer.archive import (
        restore_archive,  # here, because other commands start quicker without it
    )

    os.umask(OURS_ALONE)
    _check_there(file)
    try:
        with growing_progress("restoring") as (begin, advance):
            trailer, kept = restore_archive(
                settings.database, file, secret=secret, now=now_us(), on_start=begin, on_events=advance
            )
    except StoreLocked as error:
        raise Unavailable(
            f"a server uses {settings.database.name}", hint="stop it first, or name another file with --database"
        ) from error
    if is_json:
        print_json({"database": str(settings.database), "counts": trailer.counts})
        return
    _print_counts(trailer.counts)
    click.echo(f"{settings.database} is complete.", err=True)
    if kept is not None:
        click.echo(f"The empty one that it replaced is kept: {kept}", err=True)


@archive.command(epilog=VERIFY_EXAMPLES)
@click.argument("file", type=_ARCHIVE)
@as_json
@with_archive_key
def verify(secret: "Secret | None", file: Path, is_json: bool) -> None:
    """Read FILE to its end, and tell what is in it. Fails if it is damaged or cut off."""
    from dayline.storage.sqlite.transfer.archive import (
        check_archive,  # here, because other commands start quicker without it
    )

    _check_there(file)
    with growing_progress("reading") as (begin, advance):
        header, trailer = check_archive(file, secret=secret, on_start=begin, on_events=advance)
    if is_json:
        print_json({"file": str(file), "made": header.made, "server": header.server, "counts": trailer.counts})
        return
    _print_counts(trailer.counts)
    click.echo(f"Made {header.made} by Dayline {header.server}. It is complete.", err=True)


def _check_there(file: Path) -> None:
    if not file.is_file():
        raise NotFound(f"there is no file {file}")


@contextmanager
def _new_file(path: Path) -> Generator[IO[bytes]]:
    """The file to write to. It has its name only when it is complete, and on the disk."""
    exists = Conflict(f"{path} exists already", hint="name a new file")
    if path.exists():
        raise exists  # before the work, not after it
    try:
        with atomic_write(path, must_be_new=True) as file:
            yield file
    except FileExistsError as error:
        raise exists from error
    except OSError as error:
        raise Unavailable(f"cannot write {path}: {error.strerror}", hint="name a file elsewhere") from error


def _print_counts(counts: dict[str, int]) -> None:
    print_table(("kind", "lines"), [(kind.replace("_", " "), f"{count:,}") for kind, count in counts.items()])
