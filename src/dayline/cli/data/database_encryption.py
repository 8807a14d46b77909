"""`dayline database encrypt`, `decrypt` and `export-key`."""

import os
import shlex
from collections.abc import Callable
from glob import escape
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from dayline.cli.options.backup_key import keeper_of
from dayline.cli.options.encryption import ensure_key, key_file_warnings, use_encryption, write_key_file
from dayline.cli.options.options import (
    OWNER_ONLY,
    as_json,
    check_database_exists,
    check_is_file,
    confirm,
    database_arguments,
    on_database,
    server_stopped,
    yes_option,
)
from dayline.cli.options.settings import Settings
from dayline.cli.screens.layout import print_change, print_json
from dayline.model.errors import Invalid
from dayline.runtime.encrypted_file import FileKind, kind_of
from dayline.runtime.encryption import active_key, set_key
from dayline.runtime.text import quantity

Command = TypeVar("Command", bound=Callable[..., Any])

ENCRYPT_EXAMPLES = """\b
Examples:
  dayline database encrypt
  dayline database encrypt --encryption-key-file ~/dayline.key
"""
DECRYPT_EXAMPLES = """\b
Examples:
  dayline database decrypt
"""
EXPORT_EXAMPLES = """\b
Examples:
  dayline database export-key /media/usb/dayline.key
"""


def _key_file_option(command: Command) -> Command:
    decorate = click.option(
        "--encryption-key-file", "key_file", type=click.Path(path_type=Path, dir_okay=False),
        help="File with the key. [default: from the settings, otherwise the system's keyring]",
    )  # fmt: skip
    return decorate(command)


@click.command(epilog=ENCRYPT_EXAMPLES)
@_key_file_option
@yes_option
@as_json
@on_database
def encrypt(settings: Settings, is_json: bool, key_file: Path | None, yes: bool) -> None:
    """Encrypt the database file.

    Stop the server first. Creates the key if there is none, in the system's keyring or in the file that
    --encryption-key-file names. The encrypted copy is verified before it replaces the database, so an interruption does
    no harm: run it again. Needs as much free disk space as the database takes.
    """
    # Here, because other commands start faster without them.
    from dayline.cli.serve.recording import watch_folder
    from dayline.storage.sqlite.transfer.convert import encrypt_database

    settings = _prepared(settings, key_file)
    was_encrypted = kind_of(settings.database) is FileKind.ENCRYPTED
    if not yes and not was_encrypted:
        confirm(f"Encrypt {settings.database}?")
    key = active_key() if was_encrypted else ensure_key(settings)
    assert key is not None
    set_key(key)
    with server_stopped(settings):
        encrypt_database(settings.database, key, also=(watch_folder(settings),))
    state = "was encrypted already" if was_encrypted else "is encrypted now"
    if is_json:
        print_json({"database": str(settings.database), "is_encrypted": True, "is_changed": not was_encrypted})
    else:
        click.echo(f"{settings.database} {state}.")
    if settings.server.encryption_key_file is not None:
        click.echo(
            f"Start the server with --encryption-key-file {shlex.quote(str(settings.server.encryption_key_file))}, "
            "or set server.encryption_key_file.",
            err=True,
        )
    _list_plain_copies(settings)
    for warning in key_file_warnings(settings):
        click.echo(warning, err=True)


@click.command(epilog=DECRYPT_EXAMPLES)
@_key_file_option
@yes_option
@as_json
@on_database
def decrypt(settings: Settings, is_json: bool, key_file: Path | None, yes: bool) -> None:
    """Decrypt the database file.

    Stop the server first. Keep the key: backups that were made while the database was encrypted need it.
    """
    # Here, because other commands start faster without them.
    from dayline.cli.serve.recording import watch_folder
    from dayline.storage.sqlite.transfer.convert import decrypt_database

    settings = _prepared(settings, key_file)
    answer = {"database": str(settings.database), "is_encrypted": False}
    if kind_of(settings.database) is FileKind.PLAIN:
        text = f"{settings.database} is not encrypted."
        print_change({**answer, "is_changed": False}, text, is_json=is_json)
        return
    active_key()  # fails before the question if there is no key
    if not yes:
        confirm(f"Store {settings.database} without encryption?")
    with server_stopped(settings):
        decrypt_database(settings.database, also=(watch_folder(settings),))
    text = f"{settings.database} is not encrypted any more. Keep the key for encrypted backups."
    print_change({**answer, "is_changed": True}, text, is_json=is_json)


@click.command("export-key", epilog=EXPORT_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_key_file_option
@as_json
@on_database
def export_key(settings: Settings, is_json: bool, file: Path, key_file: Path | None) -> None:
    """Export the key to a new file.

    Keep it in a safe place: without the key, the database and its backups cannot be read. The copy can be used with
    --encryption-key-file.
    """
    settings = _prepared(settings, key_file)
    key = active_key()
    if key is None:
        raise Invalid(f"{settings.database} is not encrypted", hint="encrypt it with dayline database encrypt")
    write_key_file(file, key)
    print_change({"file": str(file)}, f"Wrote the key to {file}.", is_json=is_json)


def _prepared(settings: Settings, key_file: Path | None) -> Settings:
    os.umask(OWNER_ONLY)
    check_is_file(settings, hint="encrypt the disk of the PostgreSQL server, or use the encryption that it offers")
    check_database_exists(settings)
    if key_file is not None:
        settings = replace(settings, server=replace(settings.server, encryption_key_file=key_file.absolute()))
        use_encryption(settings)
    return settings


def _list_plain_copies(settings: Settings) -> None:
    """Name what is still readable without the key."""
    # Here, because other commands start faster without them.
    from dayline.cli.serve.recording import watch_folder
    from dayline.storage.sqlite.transfer.convert import other_files

    folder = keeper_of(settings).folder
    plain = [backup for backup in folder.all() if not backup.is_encrypted]
    if plain:
        arguments = database_arguments(settings)
        create = shlex.join(["dayline", "backup", "create", *arguments])
        click.echo(
            f"{quantity(len(plain), 'older backup')} in {folder.path} can still be read without the key. Create an "
            f"encrypted one with {create}, and delete the older ones when you do not need them any more.",
            err=True,
        )
    for path in sorted(settings.database.parent.glob(f"{escape(settings.database.name)}.*")):
        if kind_of(path) is FileKind.PLAIN:
            click.echo(f"{path} can still be read without the key. Delete it if you do not need it.", err=True)
    for path in other_files(settings.database, (watch_folder(settings),)):
        if kind_of(path) is FileKind.PLAIN:
            click.echo(
                f"{path} was not encrypted: next to an encrypted database, another program may have put it there. "
                "Delete it.",
                err=True,
            )
