"""Encrypted snapshots: the secret, and the stream of encrypted chunks."""

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
from dayline.runtime.encryption import find_key
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
        return "Passphrase(…)"  # must not appear in a log


class KeyBytes(Struct, frozen=True, tag="key"):
    """The key itself, as a key file would have it."""

    key: bytes

    def __repr__(self) -> str:
        return "KeyBytes(…)"  # must not appear in a log


class FromDatabase(Struct, frozen=True, kw_only=True, tag="database"):
    """The key of the encrypted database, which this process has."""


Secret = KeyFile | KeyBytes | PassphraseFile | Passphrase | FromDatabase


def read_key(secret: KeyFile | KeyBytes) -> bytes:
    """The key in a file. Raises Invalid."""
    if isinstance(secret, KeyBytes):
        return secret.key
    try:
        key = bytes.fromhex(_read(Path(secret.path)))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise Invalid(
            f"{secret.path} does not contain a key of {2 * KEY_BYTES} hexadecimal digits",
            hint="create one with: dayline backup create-key",
        )
    return key


def read_passphrase(secret: PassphraseFile | Passphrase) -> bytes:
    """The passphrase without its newline. Raises Invalid."""
    if isinstance(secret, Passphrase):
        text, source = secret.text, "the backup passphrase"
    else:
        text, source = next(iter(_read(Path(secret.path)).splitlines()), ""), secret.path
    if not text:
        raise Invalid(f"{source} is empty", hint="use a passphrase of several words")
    return text.encode()


def make_key_file(path: Path) -> None:
    """Write a new random key to a new file that only its owner can read. Raises Invalid."""
    try:
        with atomic_write(path, must_be_new=True) as file:
            file.write(f"{secrets.token_hex(KEY_BYTES)}\n".encode("ascii"))
    except FileExistsError as error:
        raise Invalid(
            f"{path} already exists", hint="choose a new file: without its key, a backup cannot be decrypted"
        ) from error
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise Invalid(
            f"cannot read the backup key {path}: {error.strerror}", hint="check [backup] in the settings"
        ) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not a text file", hint="create a key file with: dayline backup create-key") from error


class DamagedSnapshot(Exception):
    """The file differs from what was written; the message says how."""


# A snapshot that only the holder of its key can read: the plain file, encrypted in chunks.
#
#     ┌ magic ───┬ length ┬ head (JSON) ──────┬ SHA-256 ─┬ chunk 0 ──┬ chunk 1 ──┬ … ┬ last chunk ┐
#     │ 16 bytes │ u32 LE │ time, salts, KDF  │ of these │ 64 KiB+16 │ 64 KiB+16 │   │  … +16     │
#     └──────────┴────────┴───────────────────┴──────────┴───────────┴───────────┴───┴────────────┘
#
# Each chunk is encrypted with AES-256-GCM under a key of this file alone. The nonce is the number of the chunk and a
# byte that says whether it is the last one: chunks that were moved, repeated or left out do not open. All that stands
# before the first chunk goes into the key: none of it can be changed either. The SHA-256 separates a damaged head from
# a wrong key. docs/reference/files.md has it byte by byte.


MAGIC: Final = b"DAYLINE-SEALED-1"
_LENGTH: Final = struct.Struct("<I")
_MAX_HEAD_BYTES: Final = 1 << 16
_DIGEST_BYTES: Final = 32
_CHUNK: Final = 1 << 16
_TAG: Final = 16  # bytes that encryption adds to a chunk
_SALT: Final = 32
# Cost of a passphrase: a quarter of a second and 64 MiB per guess. Both are stored in the file, and may be raised.
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 1 << 16, 8, 1
_MAX_SCRYPT_BYTES: Final = 256 << 20
_INFO: Final = b"dayline backup"
_CHECK_INFO: Final = b"dayline backup check"
_CHECK_BYTES: Final = 8


class Scrypt(Struct, frozen=True, kw_only=True, tag_field="name", tag="scrypt"):
    """The key is derived from a passphrase. The bounds prevent a forged header from exhausting memory."""

    n: Annotated[int, Meta(ge=2, le=1 << 20)]
    r: Annotated[int, Meta(ge=1, le=16)]
    p: Annotated[int, Meta(ge=1, le=16)]
    salt: str


class FromKeyFile(Struct, frozen=True, kw_only=True, tag_field="name", tag="key-file"):
    """The key comes from a key file."""


class FromDatabaseKey(Struct, frozen=True, kw_only=True, tag_field="name", tag="database-key"):
    """The key is that of the encrypted database."""


class EncryptedHead(Struct, frozen=True, kw_only=True):
    """The part of an encrypted snapshot that is readable without its key."""

    format: Literal[1]
    made: Microseconds
    source: str  # changes with the database; reveals nothing else
    kdf: Scrypt | FromKeyFile | FromDatabaseKey
    salt: str
    check: str  # distinguishes a wrong key from a damaged chunk
    chunk: Annotated[int, Meta(ge=1024, le=1 << 24)]


class Encrypting:
    """A writable file that encrypts a snapshot or archive. It is complete only after `finish`."""

    def __init__(self, file: IO[bytes], secret: Secret, *, made: Microseconds, source: str) -> None:
        kdf = _new_kdf(secret)
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
        self.flush, self.fileno = file.flush, file.fileno
        file.write(start)

    def write(self, data: bytes) -> int:
        self._gathered += data
        while len(self._gathered) > _CHUNK:  # a full chunk is kept back: it might be the last
            self._file.write(self._chunks.encrypted(bytes(self._gathered[:_CHUNK]), is_last=False))
            del self._gathered[:_CHUNK]
        return len(data)

    def finish(self) -> None:
        self._file.write(self._chunks.encrypted(bytes(self._gathered), is_last=True))


class Decrypting:
    """Decrypts a snapshot or archive. `read` returns only verified bytes.

    Raises Invalid if the secret is wrong, and DamagedSnapshot.
    """

    def __init__(self, file: IO[bytes], secret: Secret | None) -> None:
        self.head, start = _read_head(file)
        if secret is None and not isinstance(self.head.kdf, FromDatabaseKey):
            raise Invalid(
                "it is encrypted, and no key is configured", hint="pass its key with --key-file or --passphrase-file"
            )
        salt, master = _unhex(self.head.salt), _master(secret, self.head.kdf)
        if _derived(master, salt, _CHECK_INFO, _CHECK_BYTES).hex() != self.head.check:
            raise Invalid("it is encrypted with a different key", hint=_hint(self.head.kdf))
        self._file = file
        self._chunks = _Chunks(_derived(master, salt, _INFO + start, 32))
        self._at_once = self.head.chunk + _TAG
        self._left: int = os.fstat(file.fileno()).st_size - len(start)
        self._ready = b""
        self.size = self._left - _TAG * -(-self._left // self._at_once)
        if self._left <= _TAG:
            raise DamagedSnapshot("it is truncated")

    def read(self, count: int) -> bytes:
        """Exactly `count` bytes; fewer only at the end."""
        while len(self._ready) < count and self._left:
            chunk = self._file.read(min(self._at_once, self._left))
            self._left = self._left - len(chunk) if chunk else 0
            self._ready += self._chunks.decrypted(chunk, is_last=not self._left)
        piece, self._ready = self._ready[:count], self._ready[count:]
        return piece


class _Chunks:
    """Encrypts or decrypts the chunks of one file in order."""

    def __init__(self, key: bytes) -> None:
        # Imported here: the recording process imports this module and must not load it.
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
                f"encrypted chunk {number:,} was modified or moved, or the file is truncated after it"
            ) from error

    def _nonce(self, *, is_last: bool) -> bytes:
        self._number += 1
        return (self._number - 1).to_bytes(11) + bytes([is_last])


def is_encrypted(file: IO[bytes]) -> bool:
    """Whether an open file is encrypted. The position must be at the start, and stays there."""
    beginning = file.read(len(MAGIC))
    file.seek(0)
    return beginning == MAGIC


def read_encrypted_head(file: IO[bytes]) -> EncryptedHead:
    """The header, unverified, without the key. Raises DamagedSnapshot."""
    return _read_head(file)[0]


def _read_head(file: IO[bytes]) -> tuple[EncryptedHead, bytes]:
    """The header, and all bytes up to the first chunk."""
    start = file.read(len(MAGIC) + _LENGTH.size)
    if len(start) < len(MAGIC) + _LENGTH.size or not start.startswith(MAGIC):
        raise DamagedSnapshot("it is not a backup file")
    (length,) = _LENGTH.unpack(start[len(MAGIC) :])
    text = file.read(min(length, _MAX_HEAD_BYTES))
    whole = start + text + file.read(_DIGEST_BYTES)
    if whole != _with_digest(start + text):
        raise DamagedSnapshot("its header was modified or truncated")
    try:
        head = msgspec.json.decode(text, type=EncryptedHead)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedSnapshot(f"its header cannot be read: {error}") from error
    return head, whole


def _with_digest(start: bytes) -> bytes:
    return start + sha256(start).digest()


def _new_kdf(secret: Secret) -> Scrypt | FromKeyFile | FromDatabaseKey:
    if isinstance(secret, FromDatabase):
        return FromDatabaseKey()
    if isinstance(secret, KeyFile | KeyBytes):
        return FromKeyFile()
    return Scrypt(n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P, salt=secrets.token_hex(_SALT))


def _hint(kdf: Scrypt | FromKeyFile | FromDatabaseKey) -> str:
    if isinstance(kdf, FromDatabaseKey):
        return "configure the key of the database that it was made from: see docs/start/encryption.md"
    return "pass its key with --key-file or --passphrase-file"


def _master(secret: Secret | None, kdf: Scrypt | FromKeyFile | FromDatabaseKey) -> bytes:
    if isinstance(kdf, FromDatabaseKey):
        key = find_key()
        if key is None:
            raise Invalid("it is encrypted with the key of its database, which is not configured", hint=_hint(kdf))
        return key.secret
    if secret is None or isinstance(secret, FromDatabase):
        raise Invalid("it is encrypted with a key of its own, not with that of the database", hint=_hint(kdf))
    if isinstance(kdf, FromKeyFile):
        if not isinstance(secret, KeyFile | KeyBytes):
            raise Invalid("it is encrypted with a key file, not a passphrase", hint="pass it with --key-file FILE")
        return read_key(secret)
    if isinstance(secret, KeyFile | KeyBytes):
        raise Invalid(
            "it is encrypted with a passphrase, not a key file", hint="pass its file with --passphrase-file FILE"
        )
    if 128 * kdf.n * kdf.r > _MAX_SCRYPT_BYTES:
        raise DamagedSnapshot(f"its header asks for more than {_MAX_SCRYPT_BYTES >> 20} MiB of memory")
    # Imported here: the recording process imports this module and must not load it.
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt as Derivation

    try:
        derivation = Derivation(salt=_unhex(kdf.salt), length=32, n=kdf.n, r=kdf.r, p=kdf.p)
    except ValueError as error:
        raise DamagedSnapshot(f"its header is invalid: {error}") from error
    return derivation.derive(read_passphrase(secret))


def _derived(master: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    # Imported here: the recording process imports this module and must not load it.
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, salt, info).derive(master)


def _unhex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise DamagedSnapshot("its header is invalid: a salt is not hexadecimal") from error
