"""The distinct data objects of several buckets, and the texts of their fields."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, overload

import numpy as np

from dayline.model.data import CanonicalJson
from dayline.query.columns.dictionaries import joined_column
from dayline.query.functions.urls import DOMAIN, URL, UrlPart
from dayline.storage.columns.source import (
    MISSING,
    Codes,
    Column,
    Dictionary,
    Flags,
    Ids,
    Items,
)

NONE: Final = -1  # the layer has no value

OfDictionary: TypeAlias = Callable[[Dictionary, Codes], Column]


class BucketValues:
    """The values of several buckets: codes of the second bucket continue after those of the first, and so on."""

    def __init__(self, buckets: Sequence[str], dictionaries: Sequence[Dictionary]) -> None:
        self.buckets = tuple(buckets)
        self.dictionaries = tuple(dictionaries)
        self.offsets = np.zeros(len(self.buckets) + 1, dtype=np.int64)
        np.cumsum([len(dictionary) for dictionary in dictionaries], out=self.offsets[1:])

    def is_same(self, other: "BucketValues") -> bool:
        """Whether equal codes refer to equal values."""
        return self.buckets == other.buckets and all(
            one is another for one, another in zip(self.dictionaries, other.dictionaries, strict=True)
        )

    def owners(self, codes: Codes) -> Codes:
        """The bucket of each code; NONE if there is no value."""
        return (np.searchsorted(self.offsets, codes, side="right") - 1).astype(np.int32)

    def text(self, code: int | np.int32) -> CanonicalJson | None:
        """The JSON text of a value; None if there is none."""
        if code == NONE:
            return None
        owner = int(self.owners(np.array([code], dtype=np.int32))[0])
        [text] = self.dictionaries[owner].texts(np.array([code - self.offsets[owner]], dtype=np.int32))
        return text

    def strings(self, field: str, codes: Codes) -> Column:
        """A field of these values, if it is a string."""
        return self.column(lambda data, values: only_strings(field_of(data, field, values)), codes)

    def column(self, of: OfDictionary, codes: Codes) -> Column:
        """A column computed per bucket, for all these values; MISSING if there is no value."""
        places = self._places(codes)
        columns = [
            of(self.dictionaries[number], (codes[which] - self.offsets[number]).astype(np.int32))
            for number, which in places
        ]
        if not columns:
            return Column(np.full(len(codes), MISSING, dtype=np.int32), Items.of([], []))
        joined = columns[0] if len(columns) == 1 else joined_column(columns)
        if len(columns) == 1 and len(joined.codes) == len(codes):
            return joined
        spread = np.full(len(codes), MISSING, dtype=np.int32)
        spread[np.concatenate([which for _, which in places])] = joined.codes
        return Column(spread, joined.items)

    def numbers(self, of: Callable[[Dictionary, Codes], Codes], codes: Codes) -> Codes:
        """A number computed per bucket, for all these values; 0 if there is no value."""
        numbers = np.zeros(len(codes), dtype=np.int32)
        for number, which in self._places(codes):
            numbers[which] = of(self.dictionaries[number], (codes[which] - self.offsets[number]).astype(np.int32))
        return numbers

    def by_bucket(self, codes: Codes) -> Iterator[tuple[str, Dictionary, Ids, Codes]]:
        """For each bucket: its id, its dictionary, the positions of its codes, and its own codes there."""
        for number, which in self._places(codes):
            own = (codes[which] - self.offsets[number]).astype(np.int32)
            yield self.buckets[number], self.dictionaries[number], which, own

    def _places(self, codes: Codes) -> list[tuple[int, Ids]]:
        """The buckets of the codes, and the positions of their codes."""
        if len(self.buckets) == 1 and len(codes) and int(codes.min()) != NONE:
            return [(0, np.arange(len(codes)))]
        owners = self.owners(codes)
        numbered = ((number, np.flatnonzero(owners == number)) for number in range(len(self.buckets)))
        return [(number, which) for number, which in numbered if len(which)]


def field_of(data: Dictionary, field: str, values: Codes) -> Column:
    """A field of some values. `domain` is computed from the URL."""
    if field == "domain":
        return UrlPart(data.column(URL), DOMAIN).of(values)
    return data.column(field).take(values)


def only_strings(column: Column) -> Column:
    """The column with strings only."""
    flags = column.items.is_string
    if flags.all():
        return column
    keeps: Flags = np.append(flags, False)
    return Column(np.where(keeps[column.codes], column.codes, np.int32(MISSING)), column.items)


class ItemTexts(Sequence[str]):
    """The texts of some items. Items that are not strings are shown as JSON.

    They are decoded on access: there may be a hundred thousand titles.
    """

    def __init__(self, items: Items) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._items.raw(index).decode()

    @property
    def items(self) -> Items:
        return self._items
