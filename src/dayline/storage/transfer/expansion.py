"""Limits for what a small file may expand to."""

import shutil
from pathlib import Path
from typing import Final

from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.text import format_size
from dayline.storage.disk_faults import RESERVED_BYTES

# Archives of real data expand ten to fifty times; a thousand times only if nearly all events have the same long data.
MAX_RATIO: Final = 1000
ALWAYS_ALLOWED_BYTES: Final = 64 << 20  # however small the file is
MAX_WINDOW: Final = 32 << 20  # bytes that decompression holds in memory; `zstd -19` needs 8 MiB
_CHECK_BYTES: Final = 4 << 20


class Expansion:
    """Counts what a file of `size` bytes expands to. `folder` is where the result is written, if it is."""

    def __init__(self, size: int, *, folder: Path | None = None) -> None:
        self._size = size
        self._most = max(ALWAYS_ALLOWED_BYTES, MAX_RATIO * size)
        self._folder = folder
        self._count = self._checked = 0
        self.check_space()

    def add(self, count: int) -> None:
        """Note that many more bytes. Raises Invalid beyond the limit, and Unavailable if the disk is nearly full."""
        self._count += count
        if self._count > self._most:
            raise Invalid(
                f"a file of {format_size(self._size)} expands to more than {format_size(self._most)} "
                f"(limit: {MAX_RATIO:,} times its size, at least {format_size(ALWAYS_ALLOWED_BYTES)})",
                hint="use another copy of the file; nothing was changed",
            )
        if self._count - self._checked >= _CHECK_BYTES:
            self._checked = self._count
            self.check_space()

    def check_space(self) -> None:
        """Raise Unavailable if writing more would leave too little space for recording."""
        if self._folder is not None:
            check_space(self._folder)


def check_space(folder: Path, needed: int = 0, *, reserved: int = RESERVED_BYTES) -> None:
    """Raise Unavailable if that many more bytes leave less free space than is reserved for recording."""
    free = shutil.disk_usage(folder).free
    if free - needed < reserved:
        raise Unavailable(
            f"not enough disk space in {folder}: {format_size(needed + reserved)} must be free, "
            f"and {format_size(free)} are",
            hint="free some disk space; nothing was changed",
        )
