"""Dictionaries derived from others: a selection, several joined, or with added fields."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from weakref import WeakKeyDictionary, ref

import msgspec
import numpy as np
from msgspec import Struct

from dayline.model.data import EMPTY, CanonicalJson, canonical_json
from dayline.query.columns.distinct import combined, firsts, item_classes, used_codes
from dayline.query.columns.table import Table
from dayline.storage.columns.dictionaries import classes_of, member_texts
from dayline.storage.columns.source import MISSING, Codes, Column, Dictionary, Items

# If a smaller fraction of the items than this is used, not all are checked.
_SPARSE_JOIN: Final = 4
# Cached joins per set of stored items: they take as much memory as the items.
_MAX_KNOWN: Final = 4


class _Joined(Struct, frozen=True, eq=False):
    """Several sets of items joined. `codes` maps the codes of each to new ones, with MISSING at the end."""

    items: Items
    codes: list[Codes]


def joined_column(columns: Sequence[Column]) -> Column:
    """The columns one after the other."""
    first = columns[0].items
    if all(column.items is first for column in columns):
        return Column(np.concatenate([column.codes for column in columns]), first)
    codes, items = _with_common_items(columns)
    return Column(np.concatenate(codes), items)


def overlaid(upper: Column, lower: Column) -> Column:
    """The upper column, with the lower one's values where the upper has none. Both are of the same objects."""
    codes, items = _with_common_items([upper, lower])
    return Column(np.where(codes[0] == MISSING, codes[1], codes[0]), items)


def _with_common_items(columns: Sequence[Column]) -> tuple[list[Codes], Items]:
    parts = [column.items for column in columns]
    used = [used_codes(column.codes, len(column.items)) for column in columns]
    is_sparse = sum(map(len, used)) * _SPARSE_JOIN < sum(map(len, parts))
    joined = _join(parts, used) if is_sparse else _join_again(parts)
    return [new.take(column.codes) for new, column in zip(joined.codes, columns, strict=True)], joined.items


# Consecutive queries join the same buckets, so what is cached per item should survive joining too.
_KNOWN: Final[WeakKeyDictionary[Items, list[tuple[list[ref[Items]], _Joined]]]] = WeakKeyDictionary()


def _join_again(parts: Sequence[Items]) -> _Joined:
    """All items of the parts, joined once."""
    known = _KNOWN.setdefault(parts[0], [])
    for others, joined in known:
        if len(others) == len(parts) - 1 and all(
            other() is part for other, part in zip(others, parts[1:], strict=True)
        ):
            return joined
    joined = _join(parts, [np.arange(len(part), dtype=np.int32) for part in parts])
    known.append(([ref(part) for part in parts[1:]], joined))
    del known[:-_MAX_KNOWN]
    return joined


def _join(parts: Sequence[Items], used: Sequence[Codes]) -> _Joined:
    strings: dict[bytes, int] = {}
    others: dict[bytes, int] = {}
    numbers = [_numbers(part, which, strings, others) for part, which in zip(parts, used, strict=True)]
    codes: list[Codes] = []
    for part, which, number in zip(parts, used, numbers, strict=True):
        new = np.full(len(part) + 1, MISSING, dtype=np.int32)
        new[which] = np.where(part.is_string[which], number, number + len(strings))
        codes.append(new)
    return _Joined(Items.of([*strings, *others], [True] * len(strings) + [False] * len(others)), codes)


def _numbers(items: Items, which: Codes, strings: dict[bytes, int], others: dict[bytes, int]) -> Codes:
    """For each item its number among the strings, or among the others."""
    is_string = items.is_string[which]
    numbers = np.empty(len(which), dtype=np.int32)
    for flags, known in ((is_string, strings), (~is_string, others)):
        raws = items.raws(which[flags])
        numbers[flags] = np.fromiter((known.setdefault(raw, len(known)) for raw in raws), dtype=np.int32)
    return numbers


# A table that uses a smaller fraction of its dictionary's values than this gets its own dictionary.
_SPARSE = 4
# With more fields than this, values are compared by text instead of by field.
_MANY_FIELDS = 32

_decode = msgspec.json.Decoder().decode


class LazyColumn(Protocol):
    """A field that is computed on demand, only for the values requested."""

    def of(self, codes: Codes) -> Column:
        """The field of these values of the dictionary."""
        ...

    def member_texts(self, codes: Codes) -> list[bytes]:
        """For each of these values the text of its member, key and item; empty if it lacks the field."""
        ...

    def subset(self, codes: Codes) -> "LazyColumn":
        """The same for a dictionary of only these values."""
        ...


class Subset:
    """Some values of another dictionary, renumbered."""

    def __init__(self, base: Dictionary, codes: Codes) -> None:
        self.base = base
        self.codes = codes
        self._columns: dict[str, Column] = {}
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def fields(self) -> Sequence[str]:
        return self.base.fields()

    def column(self, field: str) -> Column:
        if field not in self._columns:
            self._columns[field] = self.base.column(field).take(self.codes)
        return self._columns[field]

    def classes(self) -> Codes:
        if self._classes is None:
            _, first, number = np.unique(self.base.classes()[self.codes], return_index=True, return_inverse=True)
            self._classes = first[number].astype(np.int32)
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        return self.base.texts(self.codes[codes])


class Joined:
    """The values of several dictionaries, one after the other. See `join`."""

    def __init__(self, parts: Sequence[Dictionary]) -> None:
        self.parts = parts
        self.offsets: Codes = np.zeros(len(parts) + 1, dtype=np.int32)
        np.cumsum([len(part) for part in parts], out=self.offsets[1:])
        self._columns: dict[str, Column] = {}
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def fields(self) -> Sequence[str]:
        return tuple(dict.fromkeys(field for part in self.parts for field in part.fields()))

    def column(self, field: str) -> Column:
        if field not in self._columns:
            self._columns[field] = joined_column([part.column(field) for part in self.parts])
        return self._columns[field]

    def classes(self) -> Codes:
        if self._classes is None:
            self._classes = _classes_by_fields(self)
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        texts: list[CanonicalJson] = [EMPTY] * len(codes)
        owners = np.searchsorted(self.offsets, codes, side="right") - 1
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(owners == number)
            for row, text in zip(rows.tolist(), part.texts(codes[rows] - self.offsets[number]), strict=True):
                texts[row] = text
        return texts


class WithFields:
    """The values of another dictionary with fields added. MISSING keeps the value's own field, others replace it.

    Fields must be functions of the value: equal values get equal fields.
    """

    def __init__(self, base: Dictionary, columns: Mapping[str, Column | LazyColumn]) -> None:
        self.base = base
        self.new = columns
        self._columns: dict[str, Column] = {}
        self._classes: Codes | None = None

    def __len__(self) -> int:
        return len(self.base)

    def fields(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self.base.fields(), *self.new)))

    def column(self, field: str) -> Column:
        if field not in self.new:
            return self.base.column(field)
        if field not in self._columns:
            new = self.new[field]
            column = new if isinstance(new, Column) else new.of(np.arange(len(self.base), dtype=np.int32))
            replaces = field in self.base.fields()
            self._columns[field] = overlaid(column, self.base.column(field)) if replaces else column
        return self._columns[field]

    def classes(self) -> Codes:
        if self._classes is None:
            replaces = not self.new.keys().isdisjoint(self.base.fields())
            self._classes = _classes_by_fields(self) if replaces else self.base.classes()
        return self._classes

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        texts = self.base.texts(codes)
        in_base = self.new.keys() & set(self.base.fields())
        for field in in_base:
            _replace_field(texts, field, self._part(field, codes), self.base.column(field).codes[codes])
        added = [self._member_texts(field, codes) for field in self.new if field not in in_base]
        return _with_members(texts, added) if added else texts

    def subset(self, codes: Codes) -> "WithFields":
        """Some of the values, without computing the others."""
        parts = {
            field: new.take(codes) if isinstance(new, Column) else new.subset(codes) for field, new in self.new.items()
        }
        return WithFields(subset(self.base, codes), parts)

    def _member_texts(self, field: str, codes: Codes) -> list[bytes]:
        new = self.new[field]
        return member_texts(field, new.take(codes)) if isinstance(new, Column) else new.member_texts(codes)

    def _part(self, field: str, codes: Codes) -> Column:
        new = self.new[field]
        return new.take(codes) if isinstance(new, Column) else new.of(codes)


def with_fields(table: Table, columns: Mapping[str, Column | LazyColumn]) -> Table:
    """The same events with fields added to their data, or replaced."""
    base = table.data
    if isinstance(base, WithFields) and columns.keys().isdisjoint(base.new):
        columns = {**base.new, **columns}
        base = base.base
    return Table(table.start, table.end, table.id, table.value, WithFields(base, columns))


def subset(dictionary: Dictionary, codes: Codes) -> Dictionary:
    """Some values of a dictionary, renumbered in this order."""
    if isinstance(dictionary, Subset):
        return Subset(dictionary.base, dictionary.codes[codes])
    if isinstance(dictionary, WithFields):
        return dictionary.subset(codes)
    return Subset(dictionary, codes)


def compact(table: Table) -> Table:
    """The same events; if they use few values of a large dictionary, with a dictionary of only those."""
    if len(table) * _SPARSE >= len(table.data):
        return table
    used = used_codes(table.value, len(table.data))
    value = np.searchsorted(used, table.value).astype(np.int32)
    return Table(table.start, table.end, table.id, value, subset(table.data, used))


def join(dictionaries: Sequence[Dictionary]) -> tuple[Dictionary, list[Codes]]:
    """One dictionary of all distinct values, and for each dictionary the new codes of its values."""
    parts = {id(part): part for dictionary in dictionaries for part in _parts(dictionary)}
    if len(parts) == 1:
        joined: Dictionary = dictionaries[0]
        offsets = dict.fromkeys(parts, 0)
    else:
        joined = Joined(list(parts.values()))
        offsets = dict(zip(parts, joined.offsets.tolist(), strict=False))
    return joined, [_moved(dictionary, offsets) for dictionary in dictionaries]


def _parts(dictionary: Dictionary) -> Sequence[Dictionary]:
    return dictionary.parts if isinstance(dictionary, Joined) else (dictionary,)


def _moved(dictionary: Dictionary, offsets: Mapping[int, int]) -> Codes:
    ranges = [np.arange(len(part), dtype=np.int32) + np.int32(offsets[id(part)]) for part in _parts(dictionary)]
    return ranges[0] if len(ranges) == 1 else np.concatenate(ranges)


def _with_members(texts: list[CanonicalJson], members: Sequence[Sequence[bytes]]) -> list[CanonicalJson]:
    """Add fields to the JSON texts of objects that lack them: at the front, because key order does not matter."""
    inner = [b"" if text == EMPTY else text[1:-1] for text in texts]
    return [b"{%b}" % b",".join(filter(None, parts)) for parts in zip(*members, inner, strict=True)]


def _replace_field(texts: list[CanonicalJson], field: str, column: Column, had: Codes) -> None:
    """Set a field in the JSON texts of objects, some of which have it already."""
    members = member_texts(field, column)
    for row, (code, before) in enumerate(zip(column.codes.tolist(), had.tolist(), strict=True)):
        if code == MISSING:
            continue
        if before != MISSING:
            texts[row] = canonical_json({**_decode(texts[row]), field: column.items.value(code)})
        else:
            [texts[row]] = _with_members([texts[row]], [[members[row]]])


def _classes_by_fields(dictionary: Dictionary) -> Codes:
    """Which values are equal, whatever the key order of their texts."""
    fields = dictionary.fields()
    if not 0 < len(fields) <= _MANY_FIELDS:
        every = np.arange(len(dictionary), dtype=np.int32)
        return classes_of(canonical_json(_decode(text)) for text in dictionary.texts(every))
    columns = [dictionary.column(field) for field in fields]
    numbers, count = combined(
        [item_classes(column) + 1 for column in columns], [len(column.items) + 1 for column in columns]
    )
    return firsts(numbers, count)[numbers].astype(np.int32)
