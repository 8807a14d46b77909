"""What every sync space can do: its files, and the errors that all kinds of spaces have.

    <device>/head      replaced by its device
    <device>/<name>    packs: written once

Everything else is ignored.
"""

import re
from pathlib import Path
from typing import IO, Final, Protocol

from dayline.model.errors import Unavailable

HEAD: Final = "head"
PACK_NAME: Final = re.compile(r"[a-z2-7]{32}")


class Listing:
    """The devices of a space, the names of their packs, and files that are neither."""

    def __init__(self) -> None:
        self.packs: dict[str, set[str]] = {}
        self.ignored: list[str] = []


class Space(Protocol):
    """Where devices exchange files. Every method raises Unavailable if it cannot be reached."""

    @property
    def location(self) -> str:
        """As the user named it."""
        ...

    def create(self) -> None:
        """Make the place for the files, if it is not there; only when the user starts a space."""
        ...

    def listing(self) -> Listing: ...

    def head(self, device: str) -> bytes | None:
        """The head of a device, at most one byte longer than allowed; None if there is none."""
        ...

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        """A pack for reading; None if there is none."""
        ...

    def put(self, device: str, name: str, source: Path) -> None:
        """Add or replace a file with the content of another one, on disk when it returns."""
        ...

    def delete(self, device: str, name: str) -> None:
        """Delete a file, if there is one."""
        ...


def no_space(location: str) -> Unavailable:
    """The error if the space is missing: a folder that is not mounted looks like an empty one."""
    return Unavailable(
        f"no sync space in {location}: is it mounted?",
        hint="nothing is lost: it is retried automatically. If the space was deleted, fill it again with: "
        f"dayline sync start {location}",
    )
