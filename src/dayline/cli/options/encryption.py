"""The key of an encrypted database: from a file, or from the system's keyring."""

import os
import secrets
import shlex
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dayline.cli.options.settings import Settings, install_command
from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import SettingsInvalid
from dayline.runtime.encrypted_file import KEY_BYTES, DatabaseKey, FileKind, kind_of
from dayline.runtime.encryption import KeySource, set_key_source
from dayline.runtime.files import atomic_write
from dayline.runtime.machine import protect_memory

if TYPE_CHECKING:
    from types import ModuleType

_SERVICE: Final = "dayline"
_ENTRY: Final = "database key"
_FIELD: Final = "server.encryption_key_file"
# Every command reads the variable; few have the option.
_KEY_FILE_HINT: Final = "name the file with the key: DAYLINE_ENCRYPTION_KEY_FILE=FILE"
_GUIDE: Final = "docs/start/encryption.md"


def key_file_variable() -> Path | None:
    """The key file that the environment names, for commands without --encryption-key-file."""
    name = os.environ.get("DAYLINE_ENCRYPTION_KEY_FILE")
    return Path(name) if name else None


def use_encryption(settings: Settings) -> None:
    """Let this process look up the key when it opens a file of the database. A configured key implies encryption."""
    if settings.postgres is not None:
        set_key_source(None)
        return
    hint = _encrypt_command(settings)
    source = KeySource(
        settings.database,
        lambda: _find(settings),
        recovery=data_file(settings.database, DataFile.RECOVERY),
        is_wanted=_wants_encryption(settings),
        hint=hint,
    )
    set_key_source(source)


def prepare_encryption(settings: Settings) -> None:
    """Before a database is opened for writing: create a key for a new one.

    Raises SettingsInvalid if the settings ask for encryption, and the database is not encrypted.
    """
    if settings.postgres is not None:
        if settings.server.encrypt:
            raise SettingsInvalid(
                "--encrypt needs a database file, and this database is on PostgreSQL",
                hint="encrypt the disk of the PostgreSQL server, or use the encryption that it offers",
                field="server.encrypt",
            )
        return
    if _wants_encryption(settings) and kind_of(settings.database) is FileKind.PLAIN:
        raise SettingsInvalid(
            f"{settings.database} is not encrypted, and the settings ask for encryption",
            hint=_encrypt_command(settings),
            field="server.encrypt" if settings.server.encrypt else _FIELD,
        )
    create_key_of_new(settings)


def _wants_encryption(settings: Settings) -> bool:
    return settings.server.encrypt or settings.server.encryption_key_file is not None


def _encrypt_command(settings: Settings) -> str:
    file = settings.server.encryption_key_file
    command = ["dayline", "database", "encrypt", "--database", str(settings.database)]
    if file is not None:
        command += ["--encryption-key-file", str(file)]
    given = "--encrypt" if file is None else "the key file"
    return f"encrypt it with: {shlex.join(command)}; or leave out {given}"


def create_key_of_new(settings: Settings) -> None:
    """Create a key if the settings ask for encryption and there is no database yet. Raises SettingsInvalid."""
    if settings.server.encrypt and settings.postgres is None and kind_of(settings.database) is FileKind.NEW:
        ensure_key(settings)


def ensure_key(settings: Settings) -> DatabaseKey:
    """The key; a new one is created if there is none. Raises SettingsInvalid."""
    protect_memory()
    existing = _stored(settings)
    if existing is not None:
        return existing
    file = settings.server.encryption_key_file
    key = DatabaseKey(secrets.token_bytes(KEY_BYTES))
    if file is not None:
        write_key_file(file, key)
    else:
        _put_into_keyring(key)
    stored_in = str(file) if file is not None else "the system's keyring"
    click.echo(
        f"Created a key in {stored_in}. Without it, the database and its backups cannot be read: keep a copy elsewhere "
        "(dayline database export-key).",
        err=True,
    )
    return key


def write_key_file(file: Path, key: DatabaseKey) -> None:
    """Write a key to a new file that only its owner can read. Raises SettingsInvalid."""
    try:
        with atomic_write(file, must_be_new=True) as opened:
            opened.write(f"{key.secret.hex()}\n".encode("ascii"))
    except FileExistsError as error:
        raise SettingsInvalid(f"{file} already exists", hint="choose a new file") from error
    except OSError as error:
        raise SettingsInvalid(f"cannot write the key file {file}: {error.strerror}", field=_FIELD) from error


def key_file_warnings(settings: Settings) -> list[str]:
    """What is wrong with the place of the key file: others can read it, or it is where the database is."""
    file = settings.server.encryption_key_file
    if file is None or settings.postgres is not None or not file.exists():
        return []
    warnings: list[str] = []
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        warnings.append(f"Other users can read the key file {file}: run chmod 600 {shlex.quote(str(file))}")
    if file.resolve().is_relative_to(settings.database.resolve().parent):
        warnings.append(
            f"The key file {file} is next to the database, where it protects nothing: move it to another disk or volume"
        )
    return warnings


def _find(settings: Settings) -> DatabaseKey:
    file = settings.server.encryption_key_file
    is_new = kind_of(settings.database) is FileKind.NEW
    subject = f"{settings.database} {'will be' if is_new else 'is'} encrypted"
    try:
        key = _stored(settings)
    except SettingsInvalid as error:
        raise SettingsInvalid(
            f"{subject}, and its key cannot be read: {error.message}", hint=error.hint, field=error.field
        ) from error
    if key is not None:
        return key
    if file is not None:
        create = "; to create a new key, add --encrypt" if is_new else ""
        raise SettingsInvalid(
            f"{subject}, and its key file {file} does not exist",
            hint=f"restore the file from a copy; {_GUIDE} describes the key{create}",
            field=_FIELD,
        )
    raise SettingsInvalid(
        f"{subject}, and its key is not in the system's keyring",
        hint=f"{_KEY_FILE_HINT}, or start the server with --encryption-key-file FILE",
        field=_FIELD,
    )


def _stored(settings: Settings) -> DatabaseKey | None:
    file = settings.server.encryption_key_file
    return _in_keyring() if file is None else _in_file(file)


def _in_file(file: Path) -> DatabaseKey | None:
    try:
        text = file.read_text("ascii")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsInvalid(f"cannot read the key file {file}: {error.strerror}", field=_FIELD) from error
    except UnicodeDecodeError:
        text = ""
    return _parsed(text, str(file))


def _parsed(text: str, source: str) -> DatabaseKey:
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        raise SettingsInvalid(f"{source} does not contain a key of {2 * KEY_BYTES} hexadecimal digits", field=_FIELD)
    return DatabaseKey(secret)


def _in_keyring() -> DatabaseKey | None:
    keyring = _keyring()
    try:
        text: str | None = keyring.get_password(_SERVICE, _ENTRY)
    except Exception as error:  # backends are plugins, and raise what they like
        raise _no_keyring(error) from error
    return None if text is None else _parsed(text, "the entry in the system's keyring")


def _put_into_keyring(key: DatabaseKey) -> None:
    keyring = _keyring()
    try:
        keyring.set_password(_SERVICE, _ENTRY, key.secret.hex())
        stored = keyring.get_password(_SERVICE, _ENTRY)
    except Exception as error:
        raise _no_keyring(error) from error
    if stored != key.secret.hex():
        raise SettingsInvalid("the system's keyring does not keep the key", hint=_KEY_FILE_HINT, field=_FIELD)


def _keyring() -> "ModuleType":
    try:
        import keyring  # here, because it takes long to load, and few need it
    except ImportError as error:
        raise SettingsInvalid(
            "the system's keyring needs a library that is not installed",
            hint=f"install keyring ({install_command('keyring')}), or {_KEY_FILE_HINT}",
            field=_FIELD,
        ) from error
    return keyring


def _no_keyring(error: Exception) -> SettingsInvalid:
    reason = str(error).strip().partition(". ")[0] or type(error).__name__
    return SettingsInvalid(
        f"the system's keyring cannot be used: {reason}",
        hint=_KEY_FILE_HINT,
        field=_FIELD,
    )
