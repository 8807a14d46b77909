"""Items as they travel: an encrypted file with all of a device."""

import zlib
from collections.abc import Sequence
from hashlib import blake2b
from typing import IO, Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.maintenance.sync.digests.spans import DIGEST_BYTES
from dayline.maintenance.sync.items.clocks import Stamp
from dayline.maintenance.sync.keys import SpaceKey, to_text
from dayline.maintenance.sync.packs import PackDamaged
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import DaylineError
from dayline.model.time import Microseconds
from dayline.storage.sqlite.backup.encryption import DamagedSnapshot, Decrypting, Encrypting, KeyBytes

MAX_ITEMS: Final = 40_000
_MAX_FILE_BYTES: Final = 24 << 20
_MAX_BYTES: Final = 64 << 20  # decompressed
_PIECE_BYTES: Final = 1 << 20


class Item(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting or an annotation. Without a value, it was deleted."""

    key: Annotated[str, Meta(min_length=1, max_length=300)]
    stamp: Stamp
    value: msgspec.Raw | UnsetType = UNSET

    @property
    def content(self) -> CanonicalJson | None:
        """The value as canonical JSON. Raises ValueError and msgspec.MsgspecError."""
        return None if self.value is UNSET else canonical_json(msgspec.json.decode(self.value))


def content_digest(content: CanonicalJson | None) -> str:
    """What two equal values have in common; empty for none."""
    return "" if content is None else blake2b(content, digest_size=12).hexdigest()


def item_of(key: str, stamp: Stamp, content: CanonicalJson | None) -> Item:
    return Item(key=key, stamp=stamp, value=UNSET if content is None else msgspec.Raw(content))


def encoded_items(items: Sequence[Item]) -> bytes:
    """The lines of items, in order of their keys."""
    return b"".join(msgspec.json.encode(item) + b"\n" for item in sorted(items, key=lambda item: item.key))


def digest_of_lines(lines: bytes) -> str:
    """The digest of items; empty if there are none."""
    return to_text(blake2b(lines, digest_size=DIGEST_BYTES).digest()) if lines else ""


def write_items(file: IO[bytes], key: SpaceKey, lines: bytes, *, made: Microseconds) -> None:
    encrypting = Encrypting(file, KeyBytes(key.for_packs), made=made, source=f"sync-{key.generation}")
    encrypting.write(zlib.compress(lines))
    encrypting.finish()


def read_items(file: IO[bytes], key: SpaceKey, *, digest: str) -> list[Item]:
    """The items of a file, which are exactly those of the digest. Raises PackDamaged."""
    try:
        decrypting = Decrypting(file, KeyBytes(key.for_packs))
        packed = bytearray()
        while piece := decrypting.read(_PIECE_BYTES):
            packed += piece
            if len(packed) > _MAX_FILE_BYTES:
                raise ValueError(f"it is larger than {_MAX_FILE_BYTES >> 20} MiB")
        expanding = zlib.decompressobj()
        lines = expanding.decompress(bytes(packed), _MAX_BYTES)
        if not expanding.eof or digest_of_lines(lines) != digest:
            raise ValueError("it has other items than its head lists")
        found = msgspec.json.Decoder(Item).decode_lines(lines)
    except (DaylineError, DamagedSnapshot, ValueError, zlib.error, msgspec.MsgspecError) as error:
        raise PackDamaged(str(error)) from error
    if len(found) > MAX_ITEMS:
        raise PackDamaged(f"it has more than {MAX_ITEMS:,} items")
    return found
