"""Mirrors: read-only copies of the buckets of other devices.

A mirror is a bucket whose creator is `device:<device>/<key>`: the device that it belongs to, and the key of the bucket
there. No client can be such a creator. Its id is that of the bucket, `@` and the device. Its events have their ids of
the origin, moved to a range of their own for each device: so an event keeps its id, and no local event can have it.
"""

from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from dayline.model.bucket import UNKNOWN_HOST, Bucket

_MARK: Final = "device:"
# Clients choose ids up to 2**52, and the local sequence may continue above them.
FIRST_MIRROR_ID: Final = 2**52 + 2**48
SLOT_IDS: Final = 2**40  # of each device
MAX_SLOTS: Final = (2**53 - FIRST_MIRROR_ID) // SLOT_IDS
FIRST_SOURCE_SLOT: Final = MAX_SLOTS - 512  # from here, of devices in folders of ActivityWatch


class Origin(Struct, frozen=True):
    """The bucket of another device that a mirror is a copy of."""

    device: str
    key: int

    @property
    def creator(self) -> str:
        return f"{_MARK}{self.device}/{self.key}"


def origin_of(bucket: Bucket) -> Origin | None:
    """The origin of a mirror; None for a bucket of this device."""
    if not is_mirror(bucket):
        return None
    device, _, key = (bucket.creator or "").removeprefix(_MARK).partition("/")
    return Origin(device, int(key))


def is_mirror(bucket: Bucket) -> bool:
    return is_device_creator(bucket.creator)


def is_device_creator(creator: str | None) -> bool:
    return creator is not None and creator.startswith(_MARK)


def mirror_id(bucket_id: str, device: str) -> str:
    """The id of the mirror of a bucket."""
    return f"{bucket_id}@{device}"


def plain_id(bucket: Bucket) -> str:
    """The id of a mirror at its origin."""
    return bucket.id.rpartition("@")[0]


def host_of_origin(bucket: Bucket) -> str:
    """The host name of a mirror at its origin."""
    origin = origin_of(bucket)
    return bucket.hostname if origin is None else bucket.hostname.removesuffix(f"@{origin.device}")


def first_id_of_slot(slot: int) -> int:
    """What is added to the ids of a device. Its slot is a number of this database."""
    return FIRST_MIRROR_ID + slot * SLOT_IDS


def hosts_of_others(buckets: Iterable[Bucket], device: str) -> set[str]:
    """The host names of other devices: two devices with the same name stay two."""
    return {bucket.hostname for bucket in buckets if (origin := origin_of(bucket)) is None or origin.device != device}


def mirror_host(hostname: str, device: str, *, name: str, taken: Collection[str]) -> str:
    """The host name of a mirror of a bucket with this host name, of a device with this name."""
    # A bucket that knows no host counts for all devices: those at its origin, and not those here.
    known = name if hostname in ("", UNKNOWN_HOST) else hostname
    return f"{known}@{device}" if known in taken else known
