"""A value of the language into JSON."""

from typing import Final

import msgspec

from dayline.query.encoding import event_pages
from dayline.query.errors import QueryInterpretError
from dayline.query.table import Table
from dayline.query.values import SingleEvent, Value

_SMALL_BYTES: Final = 4096

_encode = msgspec.json.Encoder().encode


class Answer:
    """A JSON array that grows by one value after the other. Raises QueryInterpretError where it becomes too large."""

    def __init__(self, *, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._pieces: list[bytes] = []
        self._small = bytearray()  # what is not yet a piece: one for each comma would take more room than the text
        self.size = 0

    def add(self, value: Value) -> None:
        """Append one element."""
        # Beforehand: lists that hold each other take no room until they are written, and then more than there is time.
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
        if size > self._most_bytes:
            raise QueryInterpretError(
                f"the result is larger than {self._most_bytes:,} bytes",
                hint="keep fewer events with limit_events, or ask for a shorter period",
            )


def _least_size(value: Value, known: dict[int, int]) -> int:
    """Fewer bytes it cannot be; events count for nothing. Each list and dict is looked into once."""
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
