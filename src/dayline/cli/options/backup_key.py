"""The key of backups, from the settings, the environment and the options of a command."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

import click

from dayline.cli.groups import WrongUsage
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import InputFile
from dayline.config.sections import BackupSettings
from dayline.model.errors import Invalid
from dayline.model.time import now_us
from dayline.runtime.encryption import active_key
from dayline.storage.sqlite.backup.encryption import FromDatabase, KeyFile, Passphrase, PassphraseFile, Secret

if TYPE_CHECKING:
    from dayline.maintenance.backups.scheduler import BackupScheduler


PASSPHRASE_VARIABLE: Final = "DAYLINE_BACKUP_PASSPHRASE"

P = ParamSpec("P")
T = TypeVar("T")


def secret_of(settings: BackupSettings) -> Secret | None:
    """The key of backups; None if they are not encrypted. The environment overrides the file. Raises Invalid.

    Backups of an encrypted database are encrypted with its key, unless they have one of their own.
    """
    passphrase = os.environ.get(PASSPHRASE_VARIABLE)
    if passphrase:
        return Passphrase(text=passphrase)
    if settings.key_file is not None and settings.passphrase_file is not None:
        raise Invalid("backup.key_file and backup.passphrase_file contradict each other", field="backup")
    if settings.key_file is not None:
        return KeyFile(path=_expanded(settings.key_file))
    if settings.passphrase_file is not None:
        return PassphraseFile(path=_expanded(settings.passphrase_file))
    return None if active_key() is None else FromDatabase()


def keeper_of(settings: Settings, secret: Secret | None = None) -> "BackupScheduler":
    """The backups of a database; `secret` overrides the settings."""
    from dayline.maintenance.backups.scheduler import (
        BackupScheduler,  # here, because other commands start faster without it
    )

    secret = secret or secret_of(settings.backup)
    return BackupScheduler(settings.database, settings.backup, clock=now_us, secret=secret)


def with_key(command: Callable[Concatenate[Secret | None, P], T]) -> Callable[..., T]:
    """Give a command --key-file and --passphrase-file, and pass it the key; None if neither is given."""
    return _with_key(
        command,
        key_help="Key of an encrypted backup. [default: from the settings]",
        passphrase_help=f"File with its passphrase; or set {PASSPHRASE_VARIABLE}.",
    )


def with_archive_key(command: Callable[Concatenate[Secret | None, P], T]) -> Callable[..., T]:
    """The same for archives, which are encrypted only if a key is given."""
    return _with_key(
        command,
        key_help="Key of an encrypted archive, from `dayline backup create-key`.",
        passphrase_help="File with the passphrase of an encrypted archive, instead of a key.",
    )


def _with_key(
    command: Callable[Concatenate[Secret | None, P], T], *, key_help: str, passphrase_help: str
) -> Callable[..., T]:
    @click.option("--key-file", type=InputFile(), help=key_help)
    @click.option("--passphrase-file", type=InputFile(), help=passphrase_help)
    @functools.wraps(command)
    def with_secret(*args: P.args, **kwargs: P.kwargs) -> T:
        key_file, passphrase_file = (kwargs.pop(name) for name in ("key_file", "passphrase_file"))
        if key_file is not None and passphrase_file is not None:
            raise WrongUsage("--key-file and --passphrase-file contradict each other", hint="give one of them")
        named: Secret | None = None
        if key_file is not None:
            named = KeyFile(path=str(key_file))
        elif passphrase_file is not None:
            named = PassphraseFile(path=str(passphrase_file))
        return command(named, *args, **kwargs)

    return with_secret


def _expanded(path: str) -> str:
    return str(Path(os.path.expandvars(path)).expanduser().absolute())
