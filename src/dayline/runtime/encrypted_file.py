"""The format of an encrypted SQLite file: its key, its first bytes and its pages.

     ┌ page 1 ────────────────────────────────────────────────┐
     │ id of the key │ page size, versions, 32 │ encrypted …  │   then 16 bytes nonce and 16 bytes tag, as on every page
     │   16 bytes    │   8 bytes, readable     │              │
     └───────────────┴─────────────────────────┴──────────────┘

The format is that of the cipher ChaCha20-Poly1305 in SQLite3 Multiple Ciphers. It stores a salt at the start of the
file, which has no meaning for a random key; we store the id of the key there, so that a wrong key is not mistaken for
damage.

`PageCipher` encrypts and decrypts single pages without SQLite, where SQLite cannot be used: to compress a database
before it is encrypted again, and to read the intact pages of a damaged file. Each page is encrypted with ChaCha20 under
a key of that page, which is derived from the key of the database, a random nonce and the number of the page, and
authenticated with Poly1305.
"""

import os
import struct
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Final

KEY_BYTES: Final = 32
PAGE_BYTES: Final = 4096  # SQLite's default; Dayline sets no other page size
RESERVED_BYTES: Final = 32  # at the end of every page, for the nonce and the tag
PLAIN_MAGIC: Final = b"SQLite format 3\0"
READABLE_BYTES: Final = 24  # at the start of the first page: the id of the key and a part of SQLite's header
_ID_BYTES: Final = 16
_RESERVED_AT: Final = 20
_FRACTIONS: Final = b"\x40\x20\x20"  # constants of SQLite's header, after the number of reserved bytes
_NONCE: Final = 16
_TAG: Final = 16
_WORD: Final = 1 << 32
_SAMPLE: Final = 64  # pages
_LOG_HEAD: Final = 32  # bytes of a write-ahead log before its first frame
_FRAME_HEAD: Final = 24  # bytes of a frame before its page
_BLOCK: Final = 64  # bytes of ChaCha20 per count


class FileKind(Enum):
    """What the first bytes of a file say about it."""

    NEW = "new"  # missing or empty
    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    UNKNOWN = "unknown"  # damaged, or not a database


class DatabaseKey:
    """A random key. `id` identifies it, and says nothing about it."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.id = blake2b(secret, digest_size=_ID_BYTES, person=b"dayline-key-id").digest()

    def __repr__(self) -> str:
        return "DatabaseKey(…)"  # must not appear in a log


def kind_of(path: Path) -> FileKind:
    """Whether a file is encrypted. Reads its first bytes."""
    return kind_of_head(read_head(path))


def has_reserved_bytes(head: bytes) -> bool:
    """Whether the pages of a plain database have space to be encrypted, because it was encrypted before."""
    return head.startswith(PLAIN_MAGIC) and head[_RESERVED_AT : _RESERVED_AT + 1] == bytes([RESERVED_BYTES])


def read_head(path: Path) -> bytes:
    """The first bytes of a file, as far as they are readable; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(READABLE_BYTES)
    except OSError:  # SQLite reports it
        return b""


def kind_of_head(head: bytes) -> FileKind:
    """What the first bytes of a file say about it."""
    if not head:
        return FileKind.NEW
    if head.startswith(PLAIN_MAGIC):
        return FileKind.PLAIN
    is_ours = head[_RESERVED_AT:] == bytes([RESERVED_BYTES]) + _FRACTIONS
    return FileKind.ENCRYPTED if is_ours else FileKind.UNKNOWN


def is_head_of(head: bytes, key: DatabaseKey) -> bool:
    """Whether the first bytes of an encrypted file name this key."""
    return head[:_ID_BYTES] == key.id


def has_encrypted_page(path: Path, key: DatabaseKey) -> bool:
    """Whether one of some pages of a database, or of its write-ahead log, is encrypted with this key."""
    cipher = PageCipher(key)
    with path.open("rb") as file:
        count = os.fstat(file.fileno()).st_size // PAGE_BYTES
        for number in range(1, count + 1, max(1, count // _SAMPLE)):
            file.seek((number - 1) * PAGE_BYTES)
            if cipher.decrypt(number, file.read(PAGE_BYTES)) is not None:
                return True
    try:
        with path.with_name(f"{path.name}-wal").open("rb") as log:
            log.seek(_LOG_HEAD)
            for _ in range(_SAMPLE):
                frame = log.read(_FRAME_HEAD + PAGE_BYTES)
                if cipher.decrypt(int.from_bytes(frame[:4]), frame[_FRAME_HEAD:]) is not None:
                    return True
    except FileNotFoundError:
        pass
    return False


class PageCipher:
    """The pages of files with this key."""

    def __init__(self, key: DatabaseKey) -> None:
        # Imported here: the recording process must not load it.
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
        from cryptography.hazmat.primitives.poly1305 import Poly1305

        self._key = key
        self._cipher, self._algorithm, self._mac, self._invalid = Cipher, ChaCha20, Poly1305, InvalidSignature

    def decrypt(self, number: int, page: bytes) -> bytes | None:
        """The plain page, with zeros in its reserved bytes; None if it was damaged or moved."""
        body, nonce, tag = page[:-RESERVED_BYTES], page[-RESERVED_BYTES:-_TAG], page[-_TAG:]
        if len(nonce) < _NONCE:
            return None
        mac_key, page_key, count = self._keys(number, nonce)
        try:
            self._mac.verify_tag(mac_key, page[:-_TAG], tag)
        except self._invalid:
            return None
        start = PLAIN_MAGIC + body[len(PLAIN_MAGIC) : READABLE_BYTES] if number == 1 else b""
        return start + self._xor(body[len(start) :], page_key, nonce, count) + bytes(RESERVED_BYTES)

    def encrypt(self, number: int, page: bytes) -> bytes:
        """The encrypted page. The last 32 bytes of a plain page are reserved, and replaced."""
        nonce = os.urandom(_NONCE)
        mac_key, page_key, count = self._keys(number, nonce)
        body = page[:-RESERVED_BYTES]
        start = self._key.id + body[len(PLAIN_MAGIC) : READABLE_BYTES] if number == 1 else b""
        sealed = start + self._xor(body[len(start) :], page_key, nonce, count) + nonce
        mac = self._mac(mac_key)
        mac.update(sealed)
        return sealed + mac.finalize()

    def _keys(self, number: int, nonce: bytes) -> tuple[bytes, bytes, int]:
        """The keys of a page for its tag and its contents, and the first count of its contents."""
        count = int.from_bytes(nonce[-4:], "little") ^ number
        keys = self._xor(bytes(_BLOCK), self._key.secret, nonce, count)
        return keys[:32], keys[32:], (count + 1) % _WORD

    def _xor(self, data: bytes, key: bytes, nonce: bytes, count: int) -> bytes:
        # The count has 32 bits and carries into the nonce, one page in 70 million; `cryptography` refuses that.
        until = (_WORD - count) * _BLOCK
        if len(data) > until:
            carried = ((int.from_bytes(nonce, "little") + 1) % (1 << 8 * _NONCE)).to_bytes(_NONCE, "little")
            return self._xor(data[:until], key, nonce, count) + self._xor(data[until:], key, carried, 0)
        algorithm = self._algorithm(key, struct.pack("<I", count) + nonce[:-4])
        return self._cipher(algorithm, None).encryptor().update(data)
