"""Numbers for distinct things: which values are used, which combinations exist, and sorting."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from dayline.storage.columns.source import MISSING, Codes, Column, Ids, Times


def stable_order(numbers: Times) -> Ids:
    """The positions of the numbers in ascending order; equal ones keep their order."""
    if not len(numbers):
        return np.zeros(0, dtype=np.int64)
    lowest = int(numbers.min())
    bits = len(numbers).bit_length()
    if (int(numbers.max()) - lowest).bit_length() + bits >= 64:
        return np.argsort(numbers, kind="stable")
    # Each number with its position appended: numpy sorts numbers much faster than it computes an argsort.
    order = ((numbers - lowest) << bits) | np.arange(len(numbers))
    order.sort()
    order &= (1 << bits) - 1
    return order


T = TypeVar("T", bound=np.generic)

# Up to this many possible codes per existing one, a lookup table is faster than sorting.
_TABLE_ENTRIES_EACH = 8


def distinct(values: "np.ndarray[Any, np.dtype[T]]") -> "np.ndarray[Any, np.dtype[T]]":
    """The distinct values, ascending.

    Not `np.unique`: without the inverse it uses a hash table, and takes ten times as long for a million numbers.
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def used_codes(codes: Codes, size: int) -> Codes:
    """The codes below `size` that occur, ascending. MISSING does not count."""
    if len(codes) * _TABLE_ENTRIES_EACH < size:
        used = distinct(codes)
        return used[1:] if len(used) and used[0] == MISSING else used
    occurs = np.zeros(size + 1, dtype=np.bool_)
    occurs[codes] = True  # MISSING is the last entry, which is one too many
    return np.flatnonzero(occurs[:size]).astype(np.int32)


def lookup(
    values: "np.ndarray[Any, np.dtype[T]]", codes: Codes | Ids, missing: object
) -> "np.ndarray[Any, np.dtype[T]]":
    """The value at each code, and `missing` at -1: MISSING, and what other modules call none or outside."""
    if not len(values):
        return np.full(len(codes), missing, dtype=values.dtype)
    chosen = values[codes]  # not after appending `missing`: a day uses few of a year's values
    chosen[codes == MISSING] = np.array(missing, dtype=values.dtype)
    return chosen


def item_classes(column: Column) -> Codes:
    """For each object the class of its item in a field, MISSING if it lacks the field."""
    return lookup(column.items.classes(), column.codes, MISSING)


def combined(codes: Sequence[Codes], sizes: Sequence[int]) -> tuple[Ids, int]:
    """A number for each combination of codes that occurs, and how many there are.

    Every code must be between 0 and its size. Numbers ascend with the combinations.
    """
    numbers, count = codes[0].astype(np.int64), sizes[0]
    for more, size in zip(codes[1:], sizes[1:], strict=True):
        if size == 1:
            continue  # all of them are 0
        # Renumbered after each step, so that products stay far below the limit of int64.
        numbers, count = renumbered(numbers * size + more, count * size)
    return renumbered(numbers, count)


def renumbered(numbers: Ids, below: int) -> tuple[Ids, int]:
    """The same numbers without gaps, in the same order, and how many distinct ones there are."""
    if below <= _TABLE_ENTRIES_EACH * len(numbers):
        occurs = np.zeros(below, dtype=np.bool_)
        occurs[numbers] = True
        rank = np.cumsum(occurs, dtype=np.int64) - 1
        return rank[numbers], int(rank[-1]) + 1 if below else 0
    order = stable_order(numbers)
    ordered = numbers[order]
    rank = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    ranks = np.empty(len(numbers), dtype=np.int64)
    ranks[order] = rank[: len(numbers)]
    return ranks, int(rank[-1]) + 1 if len(numbers) else 0


def numbered_within(counts: Ids) -> Ids:
    """0, 1, 2 … within each group of these sizes, one group after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def firsts(numbers: Ids | Codes, count: int) -> Ids:
    """The position of the first occurrence of each number below `count`, which must all occur."""
    rows = np.empty(count, dtype=np.int64)
    rows[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # of several assignments, the last one stays
    return rows
