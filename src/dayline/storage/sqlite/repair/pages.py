"""Reads the pages of a database file without SQLite, with its write-ahead log applied."""

from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from dayline.config.data_folder import beside
from dayline.runtime.encrypted_file import (
    PAGE_BYTES,
    PLAIN_MAGIC,
    RESERVED_BYTES,
    FileKind,
    PageCipher,
    has_reserved_bytes,
    kind_of,
)
from dayline.runtime.encryption import key_of
from dayline.storage.sqlite.repair.log import LogPages, page_size_of_log

_SIZES: Final = tuple(1 << bits for bits in range(9, 17))
_HEAD: Final = 100  # bytes
_MAX_GROWTH: Final = 16  # times the size of what is left: a larger count is not plausible
_ENTRY: Final = 5  # bytes of an entry in a pointer map

# Kinds of pages in a pointer map; 1 is a root.
FREE: Final = 2
OVERFLOW: Final = (3, 4)
IN_TREE: Final = 5


class Pages:
    """All pages by number, from 1, as SQLite would see them. Writes nothing and takes no lock.

    Pages of an encrypted file are decrypted; a page that fails authentication counts as truncated. Raises
    SettingsInvalid if the key is missing or wrong. A file of another program (not `is_ours`) is plain.
    """

    def __init__(self, path: Path, *, is_ours: bool = True) -> None:
        key = key_of(path) if is_ours else None
        self._cipher = None if key is None else PageCipher(key)
        self._open = ExitStack()
        self._file = self._mapped(path)
        log = self._mapped(beside(path, "-wal"))
        self.size = _size_of(self._file, log, is_readable=kind_of(path) in (FileKind.PLAIN, FileKind.ENCRYPTED))
        self._log, self._in_log = log, LogPages(log, self.size)
        self.usable = self.size - self._reserved()
        self.count = self._in_log.count or max(len(self._file) // self.size, self._header_count())
        self._map_every = self.usable // _ENTRY + 1
        self._last_map = 0, b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def __getitem__(self, number: int) -> bytes:
        """Shorter than a page, or empty, if the file is truncated."""
        offset = self._in_log.places.get(number)
        first = (number - 1) * self.size
        page = self._file[first : first + self.size] if offset is None else self._log[offset : offset + self.size]
        return page if self._cipher is None else self._cipher.decrypt(number, page) or b""

    def is_map(self, number: int) -> bool:
        """Whether the page is a pointer map, which files with auto-vacuum have."""
        return number >= 2 and (number - 2) % self._map_every == 0

    def entry(self, number: int) -> tuple[int, int]:
        """The pointer map's entry of a page: its kind and its parent; (0, 0) if there is none."""
        page_map = (number - 2) // self._map_every * self._map_every + 2
        at = (number - page_map - 1) * _ENTRY
        if number < 3 or at < 0:
            return 0, 0
        if self._last_map[0] != page_map:  # kept: its entries are read one after the other
            self._last_map = page_map, self[page_map]
        entry = self._last_map[1][at : at + _ENTRY]
        return (entry[0], int.from_bytes(entry[1:])) if len(entry) == _ENTRY else (0, 0)

    def _header_count(self) -> int:
        """The number of pages according to the header, which is larger if the end is missing; 0 if it is not
        plausible.
        """
        head = (self._file if self._cipher is None else self[1])[:_HEAD]
        stored = int.from_bytes(head[28:32])
        is_valid = head[: len(PLAIN_MAGIC)] == PLAIN_MAGIC and head[24:28] == head[92:96]
        return stored if is_valid and stored * self.size <= _MAX_GROWTH * len(self._file) else 0

    def _reserved(self) -> int:
        """The bytes at the end of every page that SQLite does not use: plain files that were encrypted before have
        them too.
        """
        if self._cipher is not None:
            return RESERVED_BYTES
        return RESERVED_BYTES if has_reserved_bytes(self._file[:_HEAD]) else 0

    def _mapped(self, path: Path) -> mmap | bytes:
        try:
            file = self._open.enter_context(path.open("rb"))
        except FileNotFoundError:
            return b""
        if file.seek(0, 2) == 0:
            return b""
        return self._open.enter_context(mmap(file.fileno(), 0, access=ACCESS_READ))


def _size_of(file: mmap | bytes, log: mmap | bytes, *, is_readable: bool) -> int:
    if is_readable:
        stored = int.from_bytes(file[16:18])
        size = 65536 if stored == 1 else stored
        if size in _SIZES:
            return size
    size = page_size_of_log(log)
    return size if size in _SIZES else PAGE_BYTES
