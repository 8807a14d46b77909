"""The distinct data objects of a bucket, read from packs, from rows, or both. Only query processes import this."""

import zlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import CanonicalJson, canonical_json, normal_form
from dayline.storage.columns.cache import ColumnCache
from dayline.storage.columns.segments import Integers, Segment
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, Flags, Ids, Items, no_column
from dayline.storage.columns.value_packs import ValuePack

_decode = msgspec.json.Decoder().decode


class TextDictionary:
    """Distinct data objects given as JSON texts, as read from rows."""

    def __init__(self, texts: Sequence[CanonicalJson]) -> None:
        self._texts = texts
        self._columns: dict[str, Column] | None = None
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return len(self._texts)

    def fields(self) -> Sequence[str]:
        return tuple(self._decoded())

    def column(self, field: str) -> Column:
        return self._decoded().get(field) or no_column(len(self._texts))

    def classes(self) -> Codes:
        if self._classes is None:
            self._classes = classes_of(self._texts)
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        texts = self._texts
        return [texts[code] for code in codes.tolist()]

    def _decoded(self) -> dict[str, Column]:
        if self._columns is None:
            self._columns = columns_of(self._texts)
        return self._columns


def columns_of(texts: Sequence[CanonicalJson]) -> dict[str, Column]:
    """All fields of these JSON objects."""
    building: dict[str, tuple[Codes, dict[object, int], list[bytes], list[bool]]] = {}
    for number, text in enumerate(texts):
        for field, value in _decode(text).items():
            column = building.get(field)
            if column is None:
                column = building[field] = (np.full(len(texts), MISSING, dtype=np.int32), {}, [], [])
            codes, seen, raws, is_string = column
            # A string is its own key. Other items are keyed by their text as bytes, which cannot equal a string.
            key: object = value if isinstance(value, str) else canonical_json(value)
            code = seen.get(key)
            if code is None:
                code = seen[key] = len(seen)
                raws.append(key.encode() if isinstance(key, str) else canonical_json(value))
                is_string.append(isinstance(key, str))
            codes[number] = code
    return {field: Column(codes, Items.of(raws, flags)) for field, (codes, _, raws, flags) in building.items()}


def member_texts(field: str, column: Column) -> list[bytes]:
    """For each object, the text of its member with this field, key and item; empty if it lacks the field."""
    key, listed = canonical_json(field), column.codes.tolist()
    texts = column.items.texts({code for code in listed if code != MISSING})
    members = {code: b"%b:%b" % (key, text) for code, text in texts.items()}
    members[MISSING] = b""
    return [members[code] for code in listed]


def classes_of(texts: Iterable[CanonicalJson]) -> Codes:
    """For each text, the index of the first one with an equal value."""
    firsts: dict[bytes, int] = {}
    return np.fromiter(
        (firsts.setdefault(normal_form(text), number) for number, text in enumerate(texts)), dtype=np.int32
    )


_TEXTS_REMEMBERED: Final = 5000  # some hundred bytes each


class PackedDictionary:
    """All packed values of a bucket, in packing order."""

    def __init__(self, packs: Sequence[ValuePack]) -> None:
        self._packs = packs
        self._columns: dict[str, Column] = {}
        self._indexes: dict[str, _ItemIndex] = {}
        self._fields = tuple(sorted({name for pack in packs for name in pack.names}))
        self._keys = np.concatenate([pack.keys() for pack in packs]) if packs else np.zeros(0, dtype=np.int64)
        self._by_key = np.argsort(self._keys, kind="stable")
        self._classes: Codes | None = None
        self._texts: dict[int, CanonicalJson] = {}

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def is_plain(self) -> bool:
        """Whether equal values always have equal texts, so that no two values are equal."""
        return all(pack.is_plain for pack in self._packs)

    @property
    def nbytes(self) -> int:
        """Approximate memory use."""
        columns = sum(column.codes.nbytes + column.items.nbytes for column in self._columns.values())
        indexes = sum(index.nbytes for index in self._indexes.values())
        return columns + indexes + 2 * self._keys.nbytes + sum(pack.nbytes for pack in self._packs)

    def fields(self) -> Sequence[str]:
        return self._fields

    def column(self, field: str) -> Column:
        column = self._columns.get(field)
        if column is None:
            column = self._columns[field] = self._decoded(field)
        return column

    def classes(self) -> Codes:
        if self._classes is None:
            everything = np.arange(len(self), dtype=np.int32)
            self._classes = everything if self.is_plain else classes_of(self.texts(everything))
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        """JSON texts built from all fields, which this decodes. A few recent ones are cached."""
        if len(codes) > _TEXTS_REMEMBERED:
            return self._joined_texts(codes)
        listed = codes.tolist()
        missing = [code for code in listed if code not in self._texts]
        if missing:
            if len(self._texts) + len(missing) > _TEXTS_REMEMBERED:
                self._texts.clear()
                missing = listed
            self._texts.update(zip(missing, self._joined_texts(np.array(missing, dtype=np.int32)), strict=True))
        return [self._texts[code] for code in listed]

    def _joined_texts(self, codes: Codes) -> list[CanonicalJson]:
        return _joined_texts([(field, self.column(field)) for field in self._fields], codes)

    def keys(self, codes: Codes) -> Ids:
        """The store's keys of these values."""
        return self._keys[codes]

    def find(self, keys: Ids) -> Codes:
        """The codes of the values with these keys; MISSING for those not packed."""
        if not len(self):
            return np.full(len(keys), MISSING, dtype=np.int32)
        places = np.searchsorted(self._keys, keys, sorter=self._by_key)
        codes = self._by_key[np.minimum(places, len(self) - 1)]
        return np.where(self._keys[codes] == keys, codes, MISSING).astype(np.int32)

    def split(self, size: int) -> "tuple[PackedDictionary, Codes]":
        """The packs without the last one if that has fewer than `size` values, and the values of that one."""
        packs = self._packs if not self._packs or self._packs[-1].count >= size else self._packs[:-1]
        whole = PackedDictionary(packs)
        return whole, np.arange(len(whole), len(self), dtype=np.int32)

    def find_items(self, field: str, items: Items) -> Codes:
        """For each of these items, our code of the same item; MISSING if there is none."""
        index = self._indexes.get(field)
        if index is None:
            index = self._indexes[field] = _ItemIndex(self.column(field).items)
        return index.find(items)

    def _decoded(self, field: str) -> Column:
        parts = [pack.part(field) for pack in self._packs]
        lengths = [np.zeros(1, dtype=np.int64), *(part.lengths for part in parts)]
        items = Items(
            b"".join(part.heap for part in parts),
            np.cumsum(np.concatenate(lengths)),
            _concatenated([part.is_string for part in parts]),
        )
        codes = [part.codes for part in parts]
        return Column(np.concatenate(codes) if codes else np.zeros(0, dtype=np.int32), items)


class ExtendedDictionary:
    """Packed values followed by values that are not packed yet, given as texts."""

    def __init__(self, packed: PackedDictionary, texts: Sequence[CanonicalJson]) -> None:
        self._packed = packed
        self._tail_texts = texts
        self._tail = TextDictionary(texts)
        self._columns: dict[str, Column] = {}
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return len(self._packed) + len(self._tail)

    @property
    def nbytes(self) -> int:
        """Approximate memory use, without the packs."""
        columns = sum(column.codes.nbytes + column.items.nbytes for column in self._columns.values())
        return columns + 3 * sum(map(len, self._tail_texts))

    def fields(self) -> Sequence[str]:
        return tuple(sorted({*self._packed.fields(), *self._tail.fields()}))

    def column(self, field: str) -> Column:
        column = self._columns.get(field)
        if column is None:
            column = self._columns[field] = self._joined(field)
        return column

    def classes(self) -> Codes:
        if self._classes is None:
            everything = np.arange(len(self), dtype=np.int32)
            is_plain = self._packed.is_plain and _is_plain(self._tail)
            self._classes = everything if is_plain else classes_of(self.texts(everything))
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        size = len(self._packed)
        is_packed = codes < size
        packed = iter(self._packed.texts(codes[is_packed]))
        tail = self._tail_texts
        return [next(packed) if code < size else tail[code - size] for code in codes.tolist()]

    def _joined(self, field: str) -> Column:
        base, tail = self._packed.column(field), self._tail.column(field)
        same = self._packed.find_items(field, tail.items)
        fresh = np.flatnonzero(same == MISSING).astype(np.int32)
        translated = same.copy()
        translated[fresh] = np.arange(len(fresh), dtype=np.int32) + len(base.items)
        codes = np.where(tail.codes == MISSING, MISSING, translated[tail.codes]) if len(translated) else tail.codes
        items = _with_more(base.items, tail.items, fresh) if len(fresh) else base.items
        return Column(np.concatenate([base.codes, codes.astype(np.int32)]), items)


def _is_plain(dictionary: TextDictionary) -> bool:
    """Whether each value has only one possible text. Strings do, so few items have to be checked."""
    columns = (dictionary.column(field).items for field in dictionary.fields())
    return all(
        normal_form(raw) == raw
        for items in columns
        for raw in items.raws(np.flatnonzero(~items.is_string).astype(np.int32))
    )


class _ItemIndex:
    """Finds items by checksum, with a tenth of the memory of a dict."""

    def __init__(self, items: Items) -> None:
        self._items = items
        sums = _checksums(items)
        self._order = np.argsort(sums, kind="stable").astype(np.int32)
        self._sums = sums[self._order]

    @property
    def nbytes(self) -> int:
        return self._sums.nbytes + self._order.nbytes

    def find(self, items: Items) -> Codes:
        sums = _checksums(items)
        low = np.searchsorted(self._sums, sums, side="left").tolist()
        high = np.searchsorted(self._sums, sums, side="right").tolist()
        codes = np.full(len(items), MISSING, dtype=np.int32)
        for number, (first, after) in enumerate(zip(low, high, strict=True)):
            for position in range(first, after):
                if self._is_same(int(self._order[position]), items, number):
                    codes[number] = self._order[position]
        return codes

    def _is_same(self, ours: int, items: Items, number: int) -> bool:
        return self._items.raw(ours) == items.raw(number) and bool(
            self._items.is_string[ours] == items.is_string[number]
        )


def _checksums(items: Items) -> Integers:
    return np.fromiter(map(zlib.crc32, items.raws()), dtype=np.int64, count=len(items))


def _with_more(items: Items, others: Items, chosen: Codes) -> Items:
    """Items followed by some others."""
    raws = list(others.raws(chosen))
    lengths = np.fromiter(map(len, raws), dtype=np.int64, count=len(raws))
    return Items(
        b"".join([items.heap, *raws]),
        np.concatenate([items.offsets, items.offsets[-1] + np.cumsum(lengths)]),
        np.concatenate([items.is_string, others.is_string[chosen]]),
    )


def _joined_texts(columns: Sequence[tuple[str, Column]], codes: Codes) -> list[CanonicalJson]:
    """JSON objects from their fields, in the order of the field names."""
    members = [member_texts(field, column.take(codes)) for field, column in columns]
    if not members:
        return [b"{}"] * len(codes)
    return [b"{%b}" % b",".join(filter(None, parts)) for parts in zip(*members, strict=True)]


def _concatenated(flags: Sequence[Flags]) -> Flags:
    return np.concatenate(flags) if flags else np.zeros(0, dtype=np.bool_)


# Reads the texts of values by key, in any order.
ReadTexts: TypeAlias = Callable[[list[int]], Iterable[tuple[int, CanonicalJson]]]


class RowDictionary(TextDictionary):
    """The values of rows."""

    def __init__(self, texts: Sequence[CanonicalJson]) -> None:
        super().__init__(texts)
        self.nbytes = 4 * sum(map(len, texts)) + 200 * len(texts)


class ValueTexts:
    """Texts of recently used values by key."""

    def __init__(self) -> None:
        self._texts: dict[int, CanonicalJson] = {}
        self.nbytes = 0

    def read(self, keys: list[int], read: ReadTexts, *, max_bytes: int) -> list[CanonicalJson]:
        if self.nbytes > max_bytes:
            self._texts = {}
            self.nbytes = 0
        unknown = [key for key in keys if key not in self._texts]
        for key, text in read(unknown):
            self._texts[key] = text
            self.nbytes += len(text) + 150
        return [self._texts[key] for key in keys]


class PackedSegments(Struct, frozen=True, eq=False):
    """Segments by month, and the dictionary of their values; `state` identifies the state of the packs."""

    segments: dict[int, Segment]
    values: PackedDictionary
    state: Hashable


class ValueColumns:
    """Dictionaries for events of which some come from rows. `owner` identifies the bucket and its state."""

    def __init__(self, cache: ColumnCache, *, max_bytes: int) -> None:
        self._cache = cache
        self._max_bytes = max_bytes

    def codes(
        self, owner: Hashable, found: PackedSegments | None, keys: Sequence[Ids], read: ReadTexts
    ) -> tuple[Dictionary, list[Codes]]:
        """One dictionary for packed values and for the values with these keys, and the codes of the keys."""
        together = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
        distinct, places = np.unique(together, return_inverse=True)
        if found is None:
            dictionary: Dictionary = self._from_rows(owner, distinct, read)
            codes = places.astype(np.int32)
        else:
            dictionary, of_distinct = self._extended(owner, found, distinct, read)
            codes = of_distinct[places]
        return dictionary, np.split(codes, np.cumsum([len(part) for part in keys])[:-1]) if keys else []

    def texts(self, owner: Hashable, keys: Ids, read: ReadTexts) -> list[CanonicalJson]:
        """The texts of some values."""
        cache_key = (owner, "texts")
        texts = self._cache.get(cache_key, ValueTexts)
        if texts is None:
            texts = ValueTexts()
            self._cache.put(cache_key, texts)
        return texts.read(keys.tolist(), read, max_bytes=self._max_bytes)

    def _from_rows(self, owner: Hashable, keys: Ids, read: ReadTexts) -> RowDictionary:
        cache_key = (owner, "rows", keys.tobytes())
        dictionary = self._cache.get(cache_key, RowDictionary)
        if dictionary is None:
            dictionary = RowDictionary(self.texts(owner, keys, read))
            self._cache.put(cache_key, dictionary)
        return dictionary

    def _extended(self, owner: Hashable, found: PackedSegments, keys: Ids, read: ReadTexts) -> tuple[Dictionary, Codes]:
        packed = found.values
        codes = packed.find(keys)
        unpacked = np.flatnonzero(codes == MISSING)
        if not len(unpacked):
            return packed, codes
        codes[unpacked] = np.arange(len(unpacked), dtype=np.int32) + len(packed)
        cache_key = (found.state, keys[unpacked].tobytes())
        dictionary = self._cache.get(cache_key, ExtendedDictionary)
        if dictionary is None:
            dictionary = ExtendedDictionary(packed, self.texts(owner, keys[unpacked], read))
            self._cache.put(cache_key, dictionary)
        return dictionary, codes
