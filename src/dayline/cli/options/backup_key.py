"""What backups are encrypted with, by the settings, the environment and the flags of a command."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

import click

from dayline.cli.options.settings import Settings
from dayline.config.sections import BackupSettings
from dayline.model.errors import Invalid
from dayline.model.time import now_us
from dayline.storage.sqlite.backup.encryption import KeyFile, Passphrase, PassphraseFile, Secret

if TYPE_CHECKING:
    from dayline.maintenance.backups.scheduler import BackupScheduler


PASSPHRASE_VARIABLE: Final = "DAYLINE_BACKUP_PASSPHRASE"

P = ParamSpec("P")
T = TypeVar("T")


def secret_of(settings: BackupSettings) -> Secret | None:
    """What backups are encrypted with; None: they are not. The environment wins over the file. Raises Invalid."""
    passphrase = os.environ.get(PASSPHRASE_VARIABLE)
    if passphrase:
        return Passphrase(text=passphrase)
    if settings.key_file is not None and settings.passphrase_file is not None:
        raise Invalid("backups are encrypted with key_file or with passphrase_file, not with both", field="backup")
    if settings.key_file is not None:
        return KeyFile(path=_expanded(settings.key_file))
    if settings.passphrase_file is not None:
        return PassphraseFile(path=_expanded(settings.passphrase_file))
    return None


def keeper_of(settings: Settings, secret: Secret | None = None) -> "BackupScheduler":
    """What looks after the backups of a database; `secret` wins over what the settings say."""
    from dayline.maintenance.backups.scheduler import (
        BackupScheduler,
    )  # here, because other commands start quicker without it

    secret = secret or secret_of(settings.backup)
    return BackupScheduler(settings.database, settings.backup, clock=now_us, secret=secret)


def with_key(command: Callable[Concatenate[Secret | None, P], T]) -> Callable[..., T]:
    """Give a command --key-file and --passphrase-file, and pass it what they name; None where neither is given."""
    return _with_key(
        command,
        key_help="Key of an encrypted backup. [default: as the settings say]",
        passphrase_help=f"File with its passphrase, which may also stand in {PASSPHRASE_VARIABLE}.",
    )


def with_archive_key(command: Callable[Concatenate[Secret | None, P], T]) -> Callable[..., T]:
    """The same for archives, which are encrypted only if a key is named."""
    return _with_key(
        command,
        key_help="Key of an encrypted archive: `dayline backup make-key` creates one.",
        passphrase_help="File with the passphrase of an encrypted archive, instead of a key.",
    )


def _with_key(
    command: Callable[Concatenate[Secret | None, P], T], *, key_help: str, passphrase_help: str
) -> Callable[..., T]:
    @click.option("--key-file", type=click.Path(path_type=Path, dir_okay=False), help=key_help)
    @click.option("--passphrase-file", type=click.Path(path_type=Path, dir_okay=False), help=passphrase_help)
    @functools.wraps(command)
    def with_secret(*args: P.args, **kwargs: P.kwargs) -> T:
        key_file, passphrase_file = (kwargs.pop(name) for name in ("key_file", "passphrase_file"))
        if key_file is not None and passphrase_file is not None:
            raise Invalid("give --key-file or --passphrase-file, not both")
        named: Secret | None = None
        if key_file is not None:
            named = KeyFile(path=str(key_file))
        elif passphrase_file is not None:
            named = PassphraseFile(path=str(passphrase_file))
        return command(named, *args, **kwargs)

    return with_secret


def _expanded(path: str) -> str:
    return str(Path(os.path.expandvars(path)).expanduser().absolute())
