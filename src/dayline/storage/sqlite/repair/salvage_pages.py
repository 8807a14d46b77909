"""The pages of a database file, read without SQLite, its write-ahead log laid over them."""

from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from dayline.storage.sqlite.repair.salvage_log import LogPages, page_size_of_log

MAGIC: Final = b"SQLite format 3\0"
USUAL_SIZE: Final = 4096  # what SQLite gives a new file; nothing of ours asks for another
_SIZES: Final = tuple(1 << bits for bits in range(9, 17))
_HEAD: Final = 100  # bytes
_MOST_MISSING: Final = 16  # times as long as what is left: more than that is not believed
_ENTRY: Final = 5  # bytes, in a map of pages

# What a map of pages says of one; 1 is a root.
FREE: Final = 2
OVERFLOW: Final = (3, 4)
IN_TREE: Final = 5


class Pages:
    """Every page by its number, from 1 on, as SQLite would see it. Nothing is written, and no lock is taken."""

    def __init__(self, path: Path) -> None:
        self._open = ExitStack()
        self._file = self._mapped(path)
        log = self._mapped(path.with_name(f"{path.name}-wal"))
        self.size = _size_of(self._file, log)
        self._log, self._in_log = log, LogPages(log, self.size)
        self.count = self._in_log.count or max(len(self._file) // self.size, self._told_count())
        self._map_every = self.size // _ENTRY + 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def __getitem__(self, number: int) -> bytes:
        """Shorter than a page, or empty, where the file is cut off."""
        place = self._in_log.places.get(number)
        if place is not None:
            return self._log[place : place + self.size]
        first = (number - 1) * self.size
        return self._file[first : first + self.size]

    def is_map(self, number: int) -> bool:
        """Whether the page says of others what they are: ours is a file that can be made smaller."""
        return number >= 2 and (number - 2) % self._map_every == 0

    def entry(self, number: int) -> tuple[int, int]:
        """What the map says of a page: its kind, and the page above it; (0, 0) where it does not say."""
        page_map = (number - 2) // self._map_every * self._map_every + 2
        at = (number - page_map - 1) * _ENTRY
        if number < 3 or at < 0:
            return 0, 0
        entry = self[page_map][at : at + _ENTRY]
        return (entry[0], int.from_bytes(entry[1:])) if len(entry) == _ENTRY else (0, 0)

    def _told_count(self) -> int:
        """How many pages the head says that there are: more than that, where the end is missing. 0 if it is absurd."""
        head = self._file[:_HEAD]
        told = int.from_bytes(head[28:32])
        is_valid = head[: len(MAGIC)] == MAGIC and head[24:28] == head[92:96]
        return told if is_valid and told * self.size <= _MOST_MISSING * len(self._file) else 0

    def _mapped(self, path: Path) -> mmap | bytes:
        try:
            file = self._open.enter_context(path.open("rb"))
        except FileNotFoundError:
            return b""
        if file.seek(0, 2) == 0:
            return b""
        return self._open.enter_context(mmap(file.fileno(), 0, access=ACCESS_READ))


def _size_of(file: mmap | bytes, log: mmap | bytes) -> int:
    if file[: len(MAGIC)] == MAGIC:
        told = int.from_bytes(file[16:18])
        size = 65536 if told == 1 else told
        if size in _SIZES:
            return size
    size = page_size_of_log(log)
    return size if size in _SIZES else USUAL_SIZE
