"""Columns of several dictionaries as one: every distinct item once."""

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary, ref

import numpy as np
from msgspec import Struct

from dayline.query.distinct import used_codes
from dayline.storage.columns.source import MISSING, Codes, Column, Items

# Items of which less than one in so many is used are not all looked at.
_SPARSE: Final = 4
# How many joins with others are kept for the items of a store: they take as much memory as the items.
_MOST_KNOWN: Final = 4


class _Joined(Struct, frozen=True, eq=False):
    """Several items as one. `codes` has for each of them the new codes of its old ones, and MISSING at the end."""

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
    """The upper column, and the lower one where the upper has nothing. Both are of the same objects."""
    codes, items = _with_common_items([upper, lower])
    return Column(np.where(codes[0] == MISSING, codes[1], codes[0]), items)


def _with_common_items(columns: Sequence[Column]) -> tuple[list[Codes], Items]:
    parts = [column.items for column in columns]
    used = [used_codes(column.codes, len(column.items)) for column in columns]
    is_sparse = sum(map(len, used)) * _SPARSE < sum(map(len, parts))
    joined = _join(parts, used) if is_sparse else _join_again(parts)
    return [new.take(column.codes) for new, column in zip(joined.codes, columns, strict=True)], joined.items


# The same buckets are put together in one query after the other: what is known of joined items should live on too.
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
    del known[:-_MOST_KNOWN]
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
    """For each of the items its number among the strings, or among the others."""
    is_string = items.is_string[which]
    numbers = np.empty(len(which), dtype=np.int32)
    for flags, known in ((is_string, strings), (~is_string, others)):
        raws = items.raws(which[flags])
        numbers[flags] = np.fromiter((known.setdefault(raw, len(known)) for raw in raws), dtype=np.int32)
    return numbers
