"""Archives: a whole database in one portable file. docs/reference/files.md describes the format."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from dayline import __version__
from dayline.cli.calls.progress import growing_progress
from dayline.cli.options.encryption import create_key_of_new
from dayline.cli.options.options import (
    OWNER_ONLY,
    check_database_exists,
    postgres_library,
    server_stopped,
    shown_database,
)
from dayline.cli.options.settings import Settings
from dayline.cli.output_files import REPLACE_HINT, check_folder
from dayline.cli.screens.layout import print_json, print_table
from dayline.model.errors import Conflict, Invalid
from dayline.model.time import now_us
from dayline.runtime.files import atomic_write

if TYPE_CHECKING:
    from dayline.storage.sqlite.backup.encryption import Secret


def create_archive(settings: Settings, file: Path, secret: "Secret | None", *, is_json: bool, force: bool) -> None:
    """Write the database to a file in one consistent state; with `force`, also to one that exists.

    A server may keep recording.
    """
    # Here and below, because other commands start faster without it.
    from dayline.maintenance import archives

    if settings.postgres is None:
        check_database_exists(settings)
    os.umask(OWNER_ONLY)
    with postgres_library(), growing_progress("writing") as (begin, advance), _new_file(file, force=force) as opened:
        trailer = archives.create_archive(
            settings.postgres or settings.database,
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
    click.echo(f"Wrote {file}: {file.stat().st_size / (1 << 20):,.1f} MiB.", err=True)


def restore_archive(settings: Settings, file: Path, secret: "Secret | None", *, is_json: bool) -> None:
    """Create the database of an archive. There must be none yet, or an empty one, and no server that uses it."""
    from dayline.maintenance import archives

    os.umask(OWNER_ONLY)
    create_key_of_new(settings)
    is_unused = server_stopped(settings, hint="stop it first, or choose another file with --database")
    with is_unused, postgres_library(), growing_progress("restoring") as (begin, advance):
        trailer, kept = archives.restore_archive(
            settings.postgres or settings.database,
            file,
            secret=secret,
            now=now_us(),
            on_start=begin,
            on_events=advance,
        )
    if is_json:
        print_json({"database": shown_database(settings), "counts": trailer.counts})
        return
    _print_counts(trailer.counts)
    click.echo(f"Restored {shown_database(settings)}.", err=True)
    if kept is not None:
        click.echo(f"The empty database that it replaced was kept: {kept}", err=True)


def verify_archive(file: Path, secret: "Secret | None", *, is_json: bool) -> None:
    """Read a whole archive and print what it contains. Raises an error if it is damaged or truncated."""
    from dayline.maintenance import archives

    with growing_progress("reading") as (begin, advance):
        header, trailer = archives.check_archive(file, secret=secret, on_start=begin, on_events=advance)
    if is_json:
        print_json({"file": str(file), "made": header.made, "server": header.server, "counts": trailer.counts})
        return
    _print_counts(trailer.counts)
    click.echo(f"Created {header.made} by Dayline {header.server}. It is complete.", err=True)


@contextmanager
def _new_file(path: Path, *, force: bool) -> Generator[IO[bytes]]:
    """The file to write. It gets its name when it is complete and on disk."""
    exists = Conflict(f"{path} exists already", hint=REPLACE_HINT)
    check_folder(path)
    if path.exists() and not force:
        raise exists  # before the work starts
    try:
        with atomic_write(path, must_be_new=not force) as file:
            yield file
    except FileExistsError as error:
        raise exists from error
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", hint="choose another file") from error


def _print_counts(counts: dict[str, int]) -> None:
    print_table(("kind", "lines"), [(kind.replace("_", " "), f"{count:,}") for kind, count in counts.items()])
