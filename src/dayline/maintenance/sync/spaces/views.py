"""What calls send and return about spaces. Imports little: every server loads it."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Annotated, Final

from msgspec import Meta, Struct

THIS_SERVER: Final = "this-server"  # a location: the files that the server of this device stores
MAX_FILE_BYTES: Final = 32 << 20  # in any space; a month of a bucket usually has less than 1 MiB


class SpaceAccess(Struct, frozen=True, kw_only=True):
    """What a device needs to use a server: its key or password, and the fingerprint of its certificate."""

    key: str | None = None
    fingerprint: str | None = None

    def __repr__(self) -> str:
        return "SpaceAccess(…)"  # must not appear in a log


NO_ACCESS: Final = SpaceAccess()


class StoredDevice(Struct, frozen=True, kw_only=True):
    """The files of a device. A tag changes with what it is computed from."""

    head: Annotated[str | None, Meta(description="the tag of its head; null without one")]
    packs: Annotated[str, Meta(description="the tag of the names of its packs", examples=["5f0c2d1b7aa93e04"])]


class StoredSpace(Struct, frozen=True, kw_only=True):
    """All devices of a space."""

    devices: Annotated[dict[str, StoredDevice], Meta(description="the devices by their id")]


class StoredNames(Struct, frozen=True, kw_only=True):
    """The names of the files of a device, without its head."""

    packs: Annotated[list[str], Meta(description="the names, in order")]


def tag_of_content(content: bytes) -> str:
    """The tag of a file."""
    return blake2b(content, digest_size=8).hexdigest()


def tag_of_names(names: Iterable[str]) -> str:
    """The tag of the names of packs."""
    return tag_of_content("\n".join(sorted(names)).encode())
