"""Reads the cells of a b-tree page and their records one by one, validating everything."""

import struct
from collections.abc import Iterator
from typing import Final

from dayline.storage.sqlite.repair.pages import Pages

INDEX_INTERIOR: Final = 0x02
TABLE_INTERIOR: Final = 0x05
INDEX_LEAF: Final = 0x0A
TABLE_LEAF: Final = 0x0D
KINDS: Final = (INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF)

_FILE_HEAD: Final = 100  # bytes of the first page that belong to no b-tree
_CHILD: Final = 4  # bytes of a page number
_INTEGER_BYTES: Final = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)  # by serial type
_REAL: Final = 7
_CONSTANTS: Final = (8, 9)  # serial types of the integers 0 and 1
_FIRST_LONG: Final = 12  # from here on, a serial type is a length: even for blobs, odd for text
_MAX_VARINT_BYTES: Final = 9
_MAX_PAYLOAD_BYTES: Final = 64 << 20  # no value of ours is as long

Value = int | float | str | bytes | None
Record = tuple[Value, ...]


class UnreadablePage(Exception):
    """The bytes cannot be what was written."""


class Page:
    """A page of a b-tree. Raises UnreadablePage if its header is invalid."""

    def __init__(self, pages: Pages, number: int) -> None:
        self.data = pages[number]
        self._pages = pages
        head = _FILE_HEAD if number == 1 else 0
        if len(self.data) < pages.size:
            raise UnreadablePage("it is truncated")
        self.kind = self.data[head]
        if self.kind not in KINDS:
            raise UnreadablePage("it is not a b-tree page")
        self.is_leaf = self.kind in (INDEX_LEAF, TABLE_LEAF)
        array = head + (8 if self.is_leaf else 12)
        count = int.from_bytes(self.data[head + 3 : head + 5])
        self.first = array + 2 * count
        if self.first > pages.size:
            raise UnreadablePage("it has more cells than fit")
        self.pointers: tuple[int, ...] = struct.unpack_from(f">{count}H", self.data, array)
        self._right = int.from_bytes(self.data[head + 8 : head + 12])

    def children(self) -> list[int]:
        """The child pages of an interior page."""
        left = [int.from_bytes(self.data[at : at + _CHILD]) for at in self.pointers]
        return [*left, self._right]

    def cells(self) -> Iterator[tuple[int, bytes] | None]:
        """Row id (0 in an index) and payload of every cell; None for an unreadable one."""
        for at in self.pointers:
            try:
                yield self.cell(at)
            except (UnreadablePage, IndexError):
                yield None

    def cell(self, at: int) -> tuple[int, bytes]:
        """The cell at this offset. Raises UnreadablePage or IndexError."""
        data, row = self.data, 0
        if at < self.first:
            raise UnreadablePage("it overlaps the page header")
        if not self.is_leaf:
            at += _CHILD
        length, at = varint(data, at)
        if self.kind == TABLE_LEAF:
            row, at = varint(data, at)
        local = self._local(length)
        if at + local > len(data):
            raise UnreadablePage("it extends beyond its page")
        payload = data[at : at + local]
        if local == length:
            return row, payload
        return row, payload + self._overflow(int.from_bytes(data[at + local : at + local + _CHILD]), length - local)

    def _local(self, length: int) -> int:
        """How much of a payload is stored on the page itself."""
        size = self._pages.usable
        most = size - 35 if self.kind == TABLE_LEAF else (size - 12) * 64 // 255 - 23
        if length <= most:
            return length
        if length > _MAX_PAYLOAD_BYTES:
            raise UnreadablePage("it is implausibly long")
        least = (size - 12) * 32 // 255 - 23
        fitting = least + (length - least) % (size - _CHILD)
        return fitting if fitting <= most else least

    def _overflow(self, number: int, length: int) -> bytes:
        """The rest of a payload, from a chain of overflow pages of exactly the right length."""
        pieces: list[bytes] = []
        while length > 0:
            if not 2 < number <= self._pages.count or self._pages.is_map(number):
                raise UnreadablePage("an overflow page is missing")
            page = self._pages[number]
            piece = page[_CHILD : min(_CHILD + length, self._pages.usable)]
            if len(page) < self._pages.size:
                raise UnreadablePage("an overflow page is truncated")
            number = int.from_bytes(page[:_CHILD])
            pieces.append(piece)
            length -= len(piece)
        if number != 0:
            raise UnreadablePage("the overflow chain is too long")
        return b"".join(pieces)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A varint and the offset of its end. Raises IndexError at the end of the data."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for offset in range(at + 1, at + _MAX_VARINT_BYTES - 1):
        byte = data[offset]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + 1
    value = value << 8 | data[at + _MAX_VARINT_BYTES - 1]
    return value - (1 << 64) if value >> 63 else value, at + _MAX_VARINT_BYTES


def record_of(payload: bytes) -> Record:
    """The values of a record. Raises UnreadablePage unless every byte is accounted for."""
    try:
        head, at = varint(payload, 0)
        kinds: list[int] = []
        while at < head:
            kind, at = varint(payload, at)
            kinds.append(kind)
        if at != head:
            raise UnreadablePage("its header has the wrong length")
        values: list[Value] = []
        for kind in kinds:
            value, at = _value(payload, at, kind)
            values.append(value)
    except (IndexError, UnicodeDecodeError, struct.error) as error:
        raise UnreadablePage(str(error)) from error
    if at != len(payload):
        raise UnreadablePage("it has the wrong length")
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind >= _FIRST_LONG:
        end = at + (kind - _FIRST_LONG) // 2
        if end > len(payload):
            raise UnreadablePage("a value extends beyond it")
        return (payload[at:end].decode() if kind & 1 else payload[at:end]), end
    if kind == 0:
        return None, at
    if not 0 < kind < len(_INTEGER_BYTES):
        raise UnreadablePage("unknown serial type")
    if kind in _CONSTANTS:
        return kind - _CONSTANTS[0], at
    end = at + _INTEGER_BYTES[kind]
    if end > len(payload):
        raise UnreadablePage("a value extends beyond it")
    if kind == _REAL:
        return struct.unpack_from(">d", payload, at)[0], end
    return int.from_bytes(payload[at:end], signed=True), end


class IntegerRecords:
    """Reads records that contain only integers, as nearly all do, several times faster than others."""

    def __init__(self, count: int) -> None:
        self._head = count + 1
        self._places: dict[bytes, tuple[tuple[int, int], ...] | None] = {}

    def of(self, page: Page) -> Iterator[Record | None]:
        """The record of every cell of an index page; None for one that is not such a record."""
        data, head, places = page.data, self._head, self._places
        below = 0 if page.is_leaf else _CHILD
        for at in page.pointers:
            at += below
            first = at + 1
            body = first + head
            if at < page.first or body > len(data) or data[first] != head:
                yield None
                continue
            kinds = data[first + 1 : body]
            if kinds not in places:
                places[kinds] = _places_of(kinds)
            bounds = places[kinds]
            if bounds is None or bounds[-1][1] + head != data[at] or body + bounds[-1][1] > len(data):
                yield None
                continue
            yield tuple(
                [
                    int.from_bytes(data[body + start : body + end], signed=True) if end > start else -end - 1
                    for start, end in bounds[:-1]
                ]
            )


def _places_of(kinds: bytes) -> tuple[tuple[int, int], ...] | None:
    """The start and end of each integer in the body of a record, and the end of the body.

    The constants 0 and 1 take no bytes; their end is -1 or -2 instead.
    """
    places: list[tuple[int, int]] = []
    at = 0
    for kind in kinds:
        if kind in _CONSTANTS:
            places.append((0, _CONSTANTS[0] - kind - 1))
        elif 0 < kind < _REAL:
            places.append((at, at + _INTEGER_BYTES[kind]))
            at += _INTEGER_BYTES[kind]
        else:
            return None
    return (*places, (at, at))
