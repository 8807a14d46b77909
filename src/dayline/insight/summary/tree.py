"""Categories with everything below them. Only query processes import this."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import UNSET, Struct, structs

from dayline.insight.active.combinations import Key
from dayline.insight.summary.keys import KeyTimes, KeyTotals
from dayline.insight.summary.model import Branch
from dayline.model.category import Path
from dayline.model.time import SECOND
from dayline.query.columns.distinct import lookup
from dayline.storage.columns.source import MISSING


class BranchTimes(Struct, frozen=True):
    """The time of a category with everything below it, and of the category itself, in microseconds."""

    total: int
    own: int


def cut_categories(part: KeyTimes, depth: int) -> KeyTimes:
    """The time of categories up to a depth: what is below them counts for them."""
    numbers: dict[Key, int] = {}
    of_names = [numbers.setdefault(name[:depth], len(numbers)) for name in part.names]
    key = lookup(np.array(of_names, dtype=np.int32), part.key, MISSING)
    return structs.replace(part, names=list(numbers), key=key)


def branch_times(totals: KeyTotals) -> dict[Path, BranchTimes]:
    """The time of every category that has some, and of those above it."""
    own = {path: time for path, time in totals.all_times().items() if isinstance(path, tuple)}
    sums: dict[Path, int] = {}
    for path, time in own.items():
        for depth in range(1, len(path) + 1):
            sums[path[:depth]] = sums.get(path[:depth], 0) + time
    return {path: BranchTimes(total, own.get(path, 0)) for path, total in sums.items()}


def tree_of(
    times: Mapping[Path, BranchTimes],
    active: int,
    earlier: Sequence[Mapping[Path, BranchTimes]] | None,
    middle: Callable[[list[int]], int],
) -> list[Branch]:
    """All categories, each before those below it; next to each other, the ones with the most time first."""

    def place(path: Path) -> list[tuple[int, Path]]:
        return [(-times[path[:depth]].total, path[:depth]) for depth in range(1, len(path) + 1)]

    nothing = BranchTimes(0, 0)
    rows: list[Branch] = []
    for path in sorted(times, key=place):
        before = None if earlier is None else [each.get(path, nothing) for each in earlier]
        rows.append(
            Branch(
                key=path,
                seconds=times[path].total / SECOND,
                own=times[path].own / SECOND,
                share=times[path].total / active if active else 0.0,
                prev=UNSET if before is None else middle([each.total for each in before]) / SECOND,
                prev_own=UNSET if before is None else middle([each.own for each in before]) / SECOND,
            )
        )
    return rows


def parents_among(keys: Sequence[Key], names: Sequence[Key]) -> list[Path]:
    """Those of some categories that others are below."""
    above = {name[:depth] for name in names if isinstance(name, tuple) for depth in range(1, len(name))}
    return [key for key in keys if isinstance(key, tuple) and key in above]
