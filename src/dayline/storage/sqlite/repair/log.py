"""Reads the write-ahead log of a database file without SQLite, validating everything."""

import struct
from mmap import mmap
from typing import Final

_LOG_HEAD: Final = struct.Struct(">8I")  # magic, version, page size, checkpoints, two salts, two sums
_FRAME: Final = struct.Struct(">6I")  # page, pages of the database after a commit, two salts, two sums
_MAGIC: Final = 0x377F0682  # the lowest bit means that sums are of big-endian words
_VERSION: Final = 3_007_000
_SUMMED: Final = 24  # bytes of the log header
_SUMMED_OF_FRAME: Final = 8
_WORD: Final = 0xFFFFFFFF

Sums = tuple[int, int]


class LogPages:
    """The offsets of the committed pages of a log, by number. `count` is the size of the database, 0 without a
    commit.
    """

    def __init__(self, log: mmap | bytes, page_size: int) -> None:
        self.places: dict[int, int] = {}
        self.count = 0
        self._read(log, page_size)

    def _read(self, log: mmap | bytes, page_size: int) -> None:
        """Reads up to the last commit before the first invalid frame, as SQLite does."""
        if len(log) < _LOG_HEAD.size:
            return
        magic, version, size, _, salt_1, salt_2, *sums = _LOG_HEAD.unpack_from(log)
        if magic & ~1 != _MAGIC or version != _VERSION or size != page_size:
            return
        order = ">" if magic & 1 else "<"
        running = _summed(log[:_SUMMED], (0, 0), order)
        if running != tuple(sums):
            return
        uncommitted: dict[int, int] = {}
        for at in range(_LOG_HEAD.size, len(log) - page_size - _FRAME.size + 1, page_size + _FRAME.size):
            page, after, *salts_and_sums = _FRAME.unpack_from(log, at)
            content = at + _FRAME.size
            running = _summed(log[at : at + _SUMMED_OF_FRAME], running, order)
            running = _summed(log[content : content + page_size], running, order)
            if salts_and_sums != [salt_1, salt_2, *running] or page == 0:
                return
            uncommitted[page] = content
            if after:
                self.places |= uncommitted
                self.count = after
                uncommitted.clear()


def page_size_of_log(log: mmap | bytes) -> int:
    """The page size of a log; 0 if it is invalid."""
    if len(log) < _LOG_HEAD.size:
        return 0
    magic, version, size, *_ = _LOG_HEAD.unpack_from(log)
    return size if magic & ~1 == _MAGIC and version == _VERSION else 0


def _summed(data: bytes, sums: Sums, order: str) -> Sums:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & _WORD
        second = (second + other + first) & _WORD
    return first, second
