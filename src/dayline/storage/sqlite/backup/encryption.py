"""Encrypted snapshots: the secret, and the stream of sealed chunks."""

import os
import secrets
import struct
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from dayline.model.errors import Invalid
from dayline.model.time import Microseconds
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
            hint="dayline backup create-key makes one",
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
        raise Invalid(f"{path} is no text", hint="dayline backup create-key makes a key file") from error


# What is raised for a snapshot that is not what was written.


class DamagedSnapshot(Exception):
    """The file is not what was written; the message says how that shows."""


# A snapshot that only the holder of its key can read: the plain file, encrypted in chunks.
#
#     ┌ magic ───┬ length ┬ head (JSON) ──────┬ SHA-256 ─┬ chunk 0 ──┬ chunk 1 ──┬ … ┬ last chunk ┐
#     │ 16 bytes │ u32 LE │ time, salts, KDF  │ of these │ 64 KiB+16 │ 64 KiB+16 │   │  … +16     │
#     └──────────┴────────┴───────────────────┴──────────┴───────────┴───────────┴───┴────────────┘
#
# Each chunk is encrypted with AES-256-GCM under a key of this file alone. The nonce is the number of the chunk and a
# byte that says whether it is the last one: chunks that were moved, repeated or left out do not open. All that stands
# before the first chunk goes into the key: none of it can be changed either. The SHA-256 tells a damaged head from a
# wrong key. docs/reference/files.md has it byte by byte.


MAGIC: Final = b"DAYLINE-SEALED-1"
_LENGTH: Final = struct.Struct("<I")
_LONGEST_HEAD: Final = 1 << 16
_DIGEST_BYTES: Final = 32
_CHUNK: Final = 1 << 16
_TAG: Final = 16  # bytes that a chunk is longer by
_SALT: Final = 32
# Of a passphrase: a quarter of a second and 64 MiB for each guess. Both are stored, and may grow.
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 1 << 16, 8, 1
_INFO: Final = b"dayline backup"
_CHECK_INFO: Final = b"dayline backup check"
_CHECK_BYTES: Final = 8


class Scrypt(Struct, frozen=True, kw_only=True, tag_field="name", tag="scrypt"):
    """The key comes from a passphrase. The bounds keep a forged head from asking for all memory there is."""

    n: Annotated[int, Meta(ge=2, le=1 << 20)]
    r: Annotated[int, Meta(ge=1, le=16)]
    p: Annotated[int, Meta(ge=1, le=16)]
    salt: str


class FromKeyFile(Struct, frozen=True, kw_only=True, tag_field="name", tag="key-file"):
    """The key is that of a file."""


class EncryptedHead(Struct, frozen=True, kw_only=True):
    """All that can be read of an encrypted snapshot without its key."""

    format: Literal[1]
    made: Microseconds
    source: str  # changes with the database; tells nothing more
    kdf: Scrypt | FromKeyFile
    salt: str
    check: str  # tells a wrong key from a damaged chunk
    chunk: Annotated[int, Meta(ge=1024, le=1 << 24)]


class Encrypting:
    """A file to write a plain snapshot or archive to. It is whole only after `finish`."""

    def __init__(self, file: IO[bytes], secret: Secret, *, made: Microseconds, source: str) -> None:
        kdf = FromKeyFile() if isinstance(secret, KeyFile) else _new_scrypt()
        salt, master = secrets.token_bytes(_SALT), _master(secret, kdf)
        text = msgspec.json.encode(
            EncryptedHead(
                format=1,
                made=made,
                source=source,
                kdf=kdf,
                salt=salt.hex(),
                check=_derived(master, salt, _CHECK_INFO, _CHECK_BYTES).hex(),
                chunk=_CHUNK,
            )
        )
        start = _with_digest(MAGIC + _LENGTH.pack(len(text)) + text)
        self._file = file
        self._chunks = _Chunks(_derived(master, salt, _INFO + start, 32))
        self._gathered = bytearray()
        file.write(start)

    def write(self, data: bytes) -> int:
        self._gathered += data
        while len(self._gathered) > _CHUNK:  # not at once when it is full: it might be the last
            self._file.write(self._chunks.encrypted(bytes(self._gathered[:_CHUNK]), is_last=False))
            del self._gathered[:_CHUNK]
        return len(data)

    def flush(self) -> None:
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()

    def finish(self) -> None:
        self._file.write(self._chunks.encrypted(bytes(self._gathered), is_last=True))


class Decrypting:
    """The plain snapshot or archive in an encrypted one. Whatever `read` returns is as it was written.

    Raises Invalid where the secret does not fit, and DamagedSnapshot.
    """

    def __init__(self, file: IO[bytes], secret: Secret | None) -> None:
        self.head, start = _read_head(file)
        if secret is None:
            raise Invalid("it is encrypted, and no key is known", hint="name its key: --key-file or --passphrase-file")
        salt, master = _unhex(self.head.salt), _master(secret, self.head.kdf)
        if _derived(master, salt, _CHECK_INFO, _CHECK_BYTES).hex() != self.head.check:
            raise Invalid("it is encrypted with another key", hint="name its key: --key-file or --passphrase-file")
        self._file = file
        self._chunks = _Chunks(_derived(master, salt, _INFO + start, 32))
        self._at_once = self.head.chunk + _TAG
        self._left: int = os.fstat(file.fileno()).st_size - len(start)
        self._ready = b""
        self.size = self._left - _TAG * -(-self._left // self._at_once)
        if self._left <= _TAG:
            raise DamagedSnapshot("it is cut off")

    def read(self, count: int) -> bytes:
        """As many bytes as that, fewer only at the end."""
        while len(self._ready) < count and self._left:
            chunk = self._file.read(min(self._at_once, self._left))
            self._left = self._left - len(chunk) if chunk else 0
            self._ready += self._chunks.decrypted(chunk, is_last=not self._left)
        piece, self._ready = self._ready[:count], self._ready[count:]
        return piece


class _Chunks:
    """Encrypts or decrypts the chunks of one file, one after the other."""

    def __init__(self, key: bytes) -> None:
        # Here, because the recording process imports this module and must not load it.
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(key)
        self._not_ours = InvalidTag
        self._number = 0

    def encrypted(self, plain: bytes, *, is_last: bool) -> bytes:
        return self._cipher.encrypt(self._nonce(is_last=is_last), plain, None)

    def decrypted(self, chunk: bytes, *, is_last: bool) -> bytes:
        number = self._number
        try:
            return self._cipher.decrypt(self._nonce(is_last=is_last), chunk, None)
        except (self._not_ours, ValueError) as error:
            raise DamagedSnapshot(
                f"chunk {number:,} of what is encrypted was changed or moved, or what follows is cut off"
            ) from error

    def _nonce(self, *, is_last: bool) -> bytes:
        self._number += 1
        return (self._number - 1).to_bytes(11) + bytes([is_last])


def is_encrypted(file: IO[bytes]) -> bool:
    """Whether an open file, which is at its beginning and stays there, is an encrypted one."""
    beginning = file.read(len(MAGIC))
    file.seek(0)
    return beginning == MAGIC


def read_encrypted_head(file: IO[bytes]) -> EncryptedHead:
    """What can be read without the key, unchecked. Raises DamagedSnapshot."""
    return _read_head(file)[0]


def _read_head(file: IO[bytes]) -> tuple[EncryptedHead, bytes]:
    """The head, and all bytes up to the first chunk."""
    start = file.read(len(MAGIC) + _LENGTH.size)
    if len(start) < len(MAGIC) + _LENGTH.size or not start.startswith(MAGIC):
        raise DamagedSnapshot("it does not begin as a backup does")
    (length,) = _LENGTH.unpack(start[len(MAGIC) :])
    text = file.read(min(length, _LONGEST_HEAD))
    whole = start + text + file.read(_DIGEST_BYTES)
    if whole != _with_digest(start + text):
        raise DamagedSnapshot("its head was changed or cut off")
    try:
        head = msgspec.json.decode(text, type=EncryptedHead)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedSnapshot(f"its head cannot be read: {error}") from error
    return head, whole


def _with_digest(start: bytes) -> bytes:
    return start + sha256(start).digest()


def _new_scrypt() -> Scrypt:
    return Scrypt(n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P, salt=secrets.token_hex(_SALT))


def _master(secret: Secret, kdf: Scrypt | FromKeyFile) -> bytes:
    if isinstance(kdf, FromKeyFile):
        if not isinstance(secret, KeyFile):
            raise Invalid("it is encrypted with a key file, not with a passphrase", hint="name it: --key-file FILE")
        return read_key(secret)
    if isinstance(secret, KeyFile):
        raise Invalid(
            "it is encrypted with a passphrase, not with a key file", hint="name its file: --passphrase-file FILE"
        )
    # Here, because the recording process imports this module and must not load it.
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt as Derivation

    try:
        derivation = Derivation(salt=_unhex(kdf.salt), length=32, n=kdf.n, r=kdf.r, p=kdf.p)
    except ValueError as error:
        raise DamagedSnapshot(f"its head cannot be used: {error}") from error
    return derivation.derive(read_passphrase(secret))


def _derived(master: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    # Here, because the recording process imports this module and must not load it.
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, salt, info).derive(master)


def _unhex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise DamagedSnapshot("its head cannot be used: a salt is no number") from error
