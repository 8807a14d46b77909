"""The files that a server stores for devices that sync through it. They are no part of the recorded data."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class SyncFile(NamedTuple):
    """The place of a file: the folder of a device, and a name there."""

    device: str
    name: str


class SyncFiles(Protocol):
    """The files of one tenant. Call it on any thread; every method raises Unavailable. Names are not checked here."""

    def names(self) -> Sequence[SyncFile]:
        """All files, in any order."""
        ...

    def used_bytes(self) -> int:
        """The size of all files together."""
        ...

    def read(self, file: SyncFile) -> bytes | None:
        """The content of a file; None if there is none."""
        ...

    def put(self, file: SyncFile, content: bytes) -> None:
        """Add or replace a file. It is complete and on disk when this returns; before, readers see the old one."""
        ...

    def delete(self, file: SyncFile) -> None:
        """Delete a file, if there is one."""
        ...
