"""What a snapshot is encrypted with: a file with a random key, or a passphrase."""

import secrets
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.model.errors import Invalid
from dayline.runtime.files import atomic_write

KEY_BYTES: Final = 32


class KeyFile(Struct, frozen=True, kw_only=True, tag="key-file"):
    """A file with 32 random bytes as 64 hexadecimal digits."""

    path: str


class PassphraseFile(Struct, frozen=True, kw_only=True, tag="passphrase-file"):
    """A file whose first line is the passphrase."""

    path: str


class Passphrase(Struct, frozen=True, kw_only=True, tag="passphrase"):
    """The passphrase itself."""

    text: str

    def __repr__(self) -> str:
        return "Passphrase(…)"  # it is not to stand in a log


Secret = KeyFile | PassphraseFile | Passphrase


def read_key(secret: KeyFile) -> bytes:
    """The key in a file. Raises Invalid."""
    try:
        key = bytes.fromhex(_read(Path(secret.path)))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Invalid(
            f"{secret.path} holds no key: that is {2 * KEY_BYTES} hexadecimal digits",
            hint="dayline backup make-key makes one",
        )
    return key


def read_passphrase(secret: PassphraseFile | Passphrase) -> bytes:
    """The passphrase, without the end of its line. Raises Invalid."""
    if isinstance(secret, Passphrase):
        text, place = secret.text, "the passphrase for backups"
    else:
        text, place = next(iter(_read(Path(secret.path)).splitlines()), ""), secret.path
    if not text:
        raise Invalid(f"{place} is empty", hint="write a passphrase of several words")
    return text.encode()


def make_key_file(path: Path) -> None:
    """Write a new random key to a new file that its owner alone can read. Raises Invalid."""
    try:
        with atomic_write(path, must_be_new=True) as file:
            file.write(f"{secrets.token_hex(KEY_BYTES)}\n".encode("ascii"))
    except FileExistsError as error:
        raise Invalid(f"{path} exists already", hint="name a new file: a key that is gone opens no backup") from error
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise Invalid(
            f"cannot read the key for backups {path}: {error.strerror}", hint="[backup] in the settings names it"
        ) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is no text", hint="dayline backup make-key makes a key file") from error
