"""Value packs: runs of a bucket's distinct data objects as columns, each field decoded on demand.

Values are numbered within their bucket in packing order, and so are the items of each field. A pack holds the items
that it is the first to need, so packs are read by concatenating them.

   pack          first, values 0 to 2        second, values 3 and 4
   field app     codes  0  0  1              codes  1  2
                 items  "Code", "Files"      items  "Mail"
"""

from collections.abc import Iterable
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import CanonicalJson, normal_form
from dayline.storage.columns.segments import (
    Damaged,
    Integers,
    pack_bytes,
    pack_flags,
    pack_frame,
    pack_integers,
    unpack_bytes,
    unpack_codes,
    unpack_flags,
    unpack_frame,
    unpack_integers,
)
from dayline.storage.columns.source import MISSING, Codes, Flags, Ids, Items

MAX_VALUES: Final = 1 << 15  # a pack with fewer is replaced by a longer one when values are added
MAX_BYTES: Final = 8 << 20  # of new items
MAX_FIELDS: Final = 500  # data with ever new keys does not fit into columns

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_string = msgspec.json.Decoder(str)


class TooManyFields(Exception):
    """The data does not fit into columns."""


class FieldPart(Struct, frozen=True, eq=False):
    """One field in one pack: a code for each value, and the new items."""

    codes: Codes
    lengths: Integers
    is_string: Flags
    heap: bytes


class _PackedField(Struct, array_like=True):
    name: str
    codes: bytes
    lengths: bytes
    is_string: bytes
    heap: bytes


class _PackedValues(Struct, array_like=True):
    bucket: int
    first: int
    count: int
    is_plain: bool
    keys: bytes
    fields: list[_PackedField]


class ValuePack:
    """A pack for reading. Raises Damaged if the bytes are not a pack of this bucket."""

    def __init__(self, packed: bytes, *, bucket: int, first: int) -> None:
        content = unpack_frame(packed, _PackedValues)
        if (content.bucket, content.first) != (bucket, first):
            raise Damaged(f"found a pack of bucket {content.bucket} instead of bucket {bucket}")
        self._fields = {field.name: field for field in content.fields}
        self._keys = content.keys
        self.nbytes = len(packed)
        self.first = first
        self.count = content.count
        self.is_plain = content.is_plain  # equal values are one: equal new items have equal texts, unlike 1 and 1.0

    @property
    def names(self) -> Iterable[str]:
        return self._fields.keys()

    def keys(self) -> Ids:
        """The store's keys of the values, in order."""
        return np.cumsum(unpack_integers(self._keys))

    def part(self, name: str) -> FieldPart:
        """One field. If no value has it, every code is MISSING."""
        field = self._fields.get(name)
        if field is None:
            nothing = np.zeros(0, dtype=np.int64)
            return FieldPart(np.full(self.count, MISSING, dtype=np.int32), nothing, nothing.astype(np.bool_), b"")
        return FieldPart(
            unpack_codes(field.codes),
            unpack_integers(field.lengths),
            unpack_flags(field.is_string),
            unpack_bytes(field.heap),
        )


class _FieldWriter:
    """A field of the pack being written, and all its items in the bucket."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}  # by JSON text
        self.begin()

    def begin(self) -> None:
        self.positions: list[int] = []
        self.codes: list[int] = []
        self.raws: list[bytes] = []
        self.is_string: list[bool] = []
        self.is_plain = True

    def add(self, position: int, text: bytes) -> int:
        """Add the item of a value; returns the number of bytes that it adds."""
        code = self.numbers.get(text)
        added = 0
        if code is None:
            code = self.numbers[text] = len(self.numbers)
            is_string = text[:1] == b'"'
            raw = _unquoted(text) if is_string else text
            self.is_plain = self.is_plain and (is_string or normal_form(raw) == raw)
            self.raws.append(raw)
            self.is_string.append(is_string)
            added = len(raw)
        self.positions.append(position)
        self.codes.append(code)
        return added

    def know(self, items: Items) -> None:
        """Register items of earlier packs."""
        for index in range(len(items)):
            self.numbers[items.json(index)] = index

    def packed(self, name: str, count: int) -> _PackedField:
        codes = np.full(count, MISSING, dtype=np.int32)
        codes[self.positions] = self.codes
        return _PackedField(
            name=name,
            codes=pack_integers(codes),
            lengths=pack_integers(np.fromiter(map(len, self.raws), dtype=np.int64, count=len(self.raws))),
            is_string=pack_flags(np.array(self.is_string, dtype=np.bool_)),
            heap=pack_bytes(b"".join(self.raws)),
        )


class PackWriter:
    """Packs a bucket's values in order. `first` is the number of the first value of the pack being written.

    `is_distinct`: no two values have the same text.
    """

    def __init__(self, bucket: int, *, is_distinct: bool = True) -> None:
        self._bucket = bucket
        self._is_distinct = is_distinct
        self._fields: dict[str, _FieldWriter] = {}
        self.first = 0
        self._begin()

    def _begin(self) -> None:
        self._keys: list[int] = []
        self._bytes = 0
        for field in self._fields.values():
            field.begin()

    @property
    def count(self) -> int:
        """The number of values in the pack being written."""
        return len(self._keys)

    @property
    def is_full(self) -> bool:
        return len(self._keys) >= MAX_VALUES or self._bytes >= MAX_BYTES

    def know(self, name: str, items: Items) -> None:
        """Register a field's items of earlier packs."""
        self._fields.setdefault(name, _FieldWriter()).know(items)

    def add(self, key: int, text: CanonicalJson) -> None:
        """Append a value. Raises TooManyFields."""
        position = len(self._keys)
        for name, raw in _object.decode(text).items():
            field = self._fields.get(name)
            if field is None:
                if len(self._fields) >= MAX_FIELDS:
                    raise TooManyFields(f"bucket {self._bucket} has data with more than {MAX_FIELDS} fields")
                field = self._fields[name] = _FieldWriter()
            self._bytes += field.add(position, bytes(raw))
        self._keys.append(key)

    def packed(self) -> bytes:
        """The pack as it is now."""
        count = len(self._keys)
        keys = np.array(self._keys, dtype=np.int64)
        return pack_frame(
            _PackedValues(
                bucket=self._bucket,
                first=self.first,
                count=count,
                is_plain=self._is_distinct and all(field.is_plain for field in self._fields.values()),
                keys=pack_integers(np.diff(keys, prepend=0)),
                fields=[field.packed(name, count) for name, field in self._fields.items() if field.positions],
            )
        )

    def next(self) -> None:
        """Begin the next pack."""
        self.first += len(self._keys)
        self._begin()


def _unquoted(text: bytes) -> bytes:
    return text[1:-1] if b"\\" not in text else _string.decode(text).encode()
