"""Encodes a value of the query language as JSON."""

from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np

from dayline.model.time import timestamp_bytes
from dayline.query.columns.distinct import used_codes
from dayline.query.columns.table import NO_ID, Table
from dayline.query.columns.texts import SECOND, fraction_texts, integer_texts, timestamp_texts
from dayline.query.errors import QueryInterpretError
from dayline.query.language.values import SingleEvent, Value
from dayline.storage.columns.source import Ids, Times

_FEW: Final = 200  # events; up to this many are encoded one by one, which is faster than numpy
_PAGE: Final = 4096  # events; few enough for the processor's cache, enough for numpy to pay off
# Python formats shorter durations with an exponent, and rounds longer ones: Python formats those.
_MIN_PLAIN: Final = 100
_MAX_PLAIN: Final = 10**15

_BEGIN: Final = b'{"id":'
_TIMESTAMP: Final = b',"timestamp":"'
_DURATION: Final = b'","duration":'
_DATA: Final = b',"data":'
_NEXT: Final = b"}," + _BEGIN
_PARTS: Final = 5  # of an event: id, timestamp, seconds, fraction, data up to the id of the next event

_SMALL_BYTES: Final = 4096

_encode = msgspec.json.Encoder().encode


def event_pages(table: Table) -> Iterator[bytes]:
    """The events as JSON objects with commas between them, in pages."""
    if len(table) <= _FEW:
        if len(table):
            yield _few_events(table)
        return
    used = used_codes(table.value, len(table.data))
    tails = [_DATA + text + _NEXT for text in table.data.texts(used)]
    tail_of = np.searchsorted(used, table.value)
    for first in range(0, len(table), _PAGE):
        page = table.take(slice(first, first + _PAGE))
        parts = [b""] * (_PARTS * len(page))
        parts[0::_PARTS] = _ids(page.id)
        parts[1::_PARTS] = timestamp_texts(page.start, before=_TIMESTAMP, after=_DURATION)
        parts[2::_PARTS], parts[3::_PARTS] = _durations(page.duration)
        parts[4::_PARTS] = [tails[number] for number in tail_of[first : first + _PAGE].tolist()]
        if first == 0:
            parts[0] = _BEGIN + parts[0]
        if first + _PAGE >= len(table):
            parts[-1] = parts[-1][: 1 - len(_NEXT)]
        yield b"".join(parts)


def _few_events(table: Table) -> bytes:
    rows = zip(table.id.tolist(), table.start.tolist(), table.duration.tolist(), table.value.tolist(), strict=True)
    values = sorted(set(table.value.tolist()))
    texts = dict(zip(values, table.data.texts(np.array(values, dtype=np.int32)), strict=True))
    return b",".join(
        b'{"id":%b,"timestamp":"%b","duration":%a,"data":%b}'
        % (b"null" if number == NO_ID else b"%d" % number, timestamp_bytes(start), duration / SECOND, texts[value])
        for number, start, duration, value in rows
    )


def _ids(ids: Ids) -> list[bytes]:
    texts = integer_texts(ids)
    for row in np.flatnonzero(ids == NO_ID).tolist():
        texts[row] = b"null"
    return texts


def _durations(microseconds: Times) -> tuple[list[bytes], list[bytes]]:
    """Durations in seconds as Python formats them, in two parts."""
    seconds = integer_texts(microseconds // SECOND)
    fractions = fraction_texts(microseconds % SECOND)
    is_odd = (microseconds >= _MAX_PLAIN) | ((microseconds > 0) & (microseconds < _MIN_PLAIN))
    for row in np.flatnonzero(is_odd).tolist():
        seconds[row] = repr(int(microseconds[row]) / SECOND).encode()
        fractions[row] = b""
    return seconds, fractions


class Answer:
    """A JSON array that grows value by value. Raises QueryInterpretError if it becomes too large."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._small = bytearray()  # not a piece yet: one per comma would take more memory than the text
        self.size = 0

    def add(self, value: Value) -> None:
        """Append one element."""
        # In advance: lists that contain each other take no memory until they are encoded, and then may take forever.
        self._check(self.size + _least_size(value, {}))
        self._put(b"," if self.size else b"[")
        self._write(value)

    def pieces(self) -> list[bytes]:
        """The whole array; nothing may be added afterwards."""
        self._put(b"]" if self.size else b"[]")
        self._close_piece()
        return self._pieces

    def _put(self, part: bytes) -> None:
        self.size += len(part)
        self._check(self.size)
        if len(part) < _SMALL_BYTES:
            self._small += part
            if len(self._small) >= _SMALL_BYTES:
                self._close_piece()
        else:
            self._close_piece()
            self._pieces.append(part)

    def _close_piece(self) -> None:
        if self._small:
            self._pieces.append(bytes(self._small))
            self._small.clear()

    def _write(self, value: Value) -> None:
        match value:
            case Table():
                self._put(b"[")
                self._put_events(value)
                self._put(b"]")
            case SingleEvent():
                self._put_events(value.table)
            case list():
                self._write_list(value)
            case dict():
                self._write_dict(value)
            case _:
                self._put(_encode(value))

    def _put_events(self, table: Table) -> None:
        for page in event_pages(table):
            self._put(page)

    def _write_list(self, items: list[Value]) -> None:
        if not any(isinstance(item, (Table, SingleEvent, list, dict)) for item in items):
            self._put(_encode(items))
            return
        for position, item in enumerate(items):
            self._put(b"," if position else b"[")
            self._write(item)
        self._put(b"]")

    def _write_dict(self, entries: dict[str, Value]) -> None:
        self._put(b"{")
        for position, (key, value) in enumerate(entries.items()):
            self._put((b"," if position else b"") + _encode(key) + b":")
            self._write(value)
        self._put(b"}")

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise QueryInterpretError(
                f"the result is larger than {self._max_bytes:,} bytes",
                hint="return fewer events with limit_events, or query a shorter period",
            )


def _least_size(value: Value, known: dict[int, int]) -> int:
    """A lower bound of its size; events count as 0. Each list and dict is visited once."""
    if isinstance(value, str):
        return len(value) + 2
    if not isinstance(value, (list, dict)):
        return 1
    size = known.get(id(value))
    if size is None:
        items = value.values() if isinstance(value, dict) else value
        keys = sum(len(key) + 3 for key in value) if isinstance(value, dict) else 0
        size = known[id(value)] = 1 + keys + len(items) + sum(_least_size(item, known) for item in items)
    return size
