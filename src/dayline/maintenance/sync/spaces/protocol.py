"""What every sync space can do, and the errors that all kinds of spaces have.

    <device>/head      replaced by its device
    <device>/<name>    packs: written once
    keys/<generation>  keys of the space after the first: written once

Everything else is ignored.
"""

import re
from pathlib import Path
from typing import IO, Final, Protocol

from msgspec import Struct

from dayline.maintenance.sync.keys import DEVICE_ID
from dayline.model.errors import Unavailable
from dayline.model.time import DAY, SECOND, Microseconds

HEAD: Final = "head"
PACK_NAME: Final = re.compile(r"[a-z2-7]{32}")
KEYS: Final = "keys"  # a folder next to those of devices
GENERATION: Final = re.compile(r"[0-9]{1,9}")
MAX_HEAD_BYTES: Final = 4 << 20
RETRIED: Final = "nothing is lost: it is retried automatically"


class Timing(Struct, frozen=True, kw_only=True):
    """How often a space is read, and how long packs stay that no head lists any more: a reader may still need them."""

    interval_s: float
    kept: Microseconds


SLOW: Final = Timing(interval_s=240.0, kept=7 * DAY)  # something else delivers the files, perhaps days later
POLLED: Final = Timing(interval_s=60.0, kept=DAY)  # a server whose requests may be slow, or cost something
FAST: Final = Timing(interval_s=5.0, kept=3600 * SECOND)  # a server, which delivers at once


class Listing:
    """The devices of a space, and files that belong to none."""

    def __init__(self) -> None:
        self.devices: set[str] = set()
        self.has_keys = False
        self.ignored: list[str] = []


class Space(Protocol):
    """Where devices exchange files. Use it on one thread at a time.

    Every method raises Unavailable if it cannot be reached, or rejects this device.
    """

    timing: Timing

    @property
    def location(self) -> str:
        """As the user named it."""
        ...

    def create(self) -> None:
        """Make the place for the files, if it is not there; only when the user starts a space. Raises Invalid."""
        ...

    def listing(self) -> Listing:
        """What is there now."""
        ...

    def packs(self, device: str) -> set[str]:
        """The names of the packs of a device, or of the files in `keys`."""
        ...

    def head(self, device: str) -> bytes | None:
        """The head of a device, at most one byte longer than allowed; None if there is none."""
        ...

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        """A pack or a key file for reading, as a file of the system; None if there is none."""
        ...

    def put(self, device: str, name: str, source: Path) -> None:
        """Add or replace a file with the content of another one, on disk when it returns."""
        ...

    def delete(self, device: str, name: str) -> None:
        """Delete a file, if there is one."""
        ...

    def close(self) -> None:
        """Close its connection; the next call opens a new one."""
        ...


def is_device(name: str) -> bool:
    """Whether the name of a folder can be that of a device."""
    return DEVICE_ID.fullmatch(name) is not None


def is_file(device: str, name: str) -> bool:
    """Whether a folder can have a file with this name, other than a head."""
    return (GENERATION if device == KEYS else PACK_NAME).fullmatch(name) is not None


def no_space(location: str) -> Unavailable:
    """The error if the space is missing: a folder that is not mounted looks like an empty one."""
    is_mounted = "" if "://" in location else ": is it mounted?"
    return Unavailable(
        f"no sync space in {location}{is_mounted}",
        hint=f"{RETRIED}. If the space was deleted, fill it again with: dayline sync start {location}",
    )
