"""What is stored about folders of ActivityWatch: an internal setting without history, which archives leave out."""

import msgspec
from msgspec import Struct

from dayline.maintenance.sync.keys import short_id
from dayline.model.time import Microseconds
from dayline.storage.writing.mirrors import SOURCES_KEY, Mirrors

Stamp = list[list[int] | None]  # size and modification time of each file of a database


class KnownFile(Struct, frozen=True, kw_only=True):
    """A database as it was when it was read; it is read again when its stamp changes.

    Without a stamp, it could not be read, and may be readable later.
    """

    stamp: Stamp | None
    problem: str | None = None


class KnownDevice(Struct, frozen=True, kw_only=True):
    """A device of ActivityWatch. `slot` is that of the ids of its events; `source` the folder that it was in last."""

    name: str
    source: str
    slot: int
    files: dict[str, KnownFile] = {}
    is_own: bool = False  # it is this computer, which is not mirrored
    read: Microseconds | None = None
    repeated: int = 0
    invalid: int = 0


class SourcesState(Struct, frozen=True, kw_only=True):
    """The folders, and the devices by their id here. Those of removed folders stay: they have mirrors."""

    paths: list[str] = []
    devices: dict[str, KnownDevice] = {}

    def active_source(self, device: str) -> str | None:
        """The folder from which a device is mirrored; None if it is not, or not any more."""
        known = self.devices.get(device)
        return known.source if known is not None and known.source in self.paths else None


def device_id(name: str) -> str:
    """The id here of a device that ActivityWatch calls this; the same wherever its folder is."""
    return short_id(b"activitywatch\n" + name.encode("utf-8", "surrogateescape"))


def read_sources(mirrors: Mirrors) -> SourcesState:
    """The stored state. Call it on a thread."""
    text = mirrors.state(SOURCES_KEY)
    return SourcesState() if text is None else msgspec.json.decode(text, type=SourcesState)


def encoded(state: SourcesState) -> bytes | None:
    return msgspec.json.encode(state) if state.paths or state.devices else None
