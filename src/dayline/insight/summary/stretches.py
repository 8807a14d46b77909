"""The longest focus: time in one category, or in one app if it has no category. Only query processes import this.

Interruptions of less than two minutes do not end it, as long as they are at most 10 % of it in total.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
from msgspec import Struct

from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Span
from dayline.model.category import UNCATEGORIZED, Path
from dayline.model.time import SECOND
from dayline.storage.columns.source import MISSING, Codes, Times

# Longer interruptions end a focus; a change of app after a longer break is not a switch.
INTERRUPTION: Final = 120 * SECOND
# An interrupted second needs nine others: so that interruptions are at most 10 % of the whole.
_OTHERS: Final = 9

FocusKey: TypeAlias = tuple[Path, str | None]  # the category; also the app if it is Uncategorized


class Stretch(Struct, frozen=True):
    """Some focus: its time without interruptions."""

    start: int
    end: int
    time: int
    category: Path
    app: str | None = None

    @property
    def key(self) -> FocusKey:
        """What it was about."""
        return self.category, self.app


class Chain(Struct, frozen=True, eq=False):
    """Pieces of one key, with interruptions of less than two minutes."""

    key: FocusKey
    start: Times
    end: Times

    @property
    def nbytes(self) -> int:
        return 300 + self.start.nbytes + self.end.nbytes

    @property
    def time(self) -> int:
        """The time without interruptions."""
        return int((self.end - self.start).sum())

    def longest(self) -> Stretch:
        """The part of it with the most time, of those whose interruptions are short enough in total."""
        length = self.end - self.start
        passed = np.append(0, np.cumsum(length))
        interrupted = np.append(0, np.cumsum(self.start[1:] - self.end[:-1]))
        # Pieces i to j fit if their time is at least nine times their interruptions: high[j] >= low[i].
        low = passed[:-1] - _OTHERS * interrupted
        high = passed[1:] - _OTHERS * interrupted
        least = np.minimum.accumulate(low)
        first = np.searchsorted(-least, -high, side="left")
        times = passed[1:] - passed[first]
        last = int(times.argmax())
        begin = int(first[last])
        category, app = self.key
        return Stretch(int(self.start[begin]), int(self.end[last]), int(times[last]), category, app)


class Focused(Struct, frozen=True, eq=False):
    """The longest focus of a month, and the chains that may continue before or after it."""

    longest: Stretch | None
    edges: tuple[Chain, ...]

    @property
    def nbytes(self) -> int:
        return 500 + sum(chain.nbytes for chain in self.edges)


def focused(pieces: Pieces, span: Span) -> Focused:
    """The focus in some pieces within a span."""
    codes, keys = focus_keys(pieces)
    there = np.flatnonzero(codes != MISSING)
    if not len(there):
        return Focused(None, ())
    # numpy sorts 16-bit numbers by counting, which is many times faster.
    which = codes[there]
    order = there[np.argsort(which.astype(np.uint16) if len(keys) <= 1 << 16 else which, kind="stable")]
    start, end, code = pieces.start[order], pieces.end[order], codes[order]
    firsts = np.flatnonzero(np.append(True, (code[1:] != code[:-1]) | (start[1:] - end[:-1] >= INTERRUPTION)))
    behind = np.append(firsts[1:], len(order))

    def chain(number: int) -> Chain:
        part = slice(int(firsts[number]), int(behind[number]))
        return Chain(keys[int(code[part.start])], start[part], end[part])

    times = np.add.reduceat(end - start, firsts)
    longest: Stretch | None = None
    for number in np.argsort(-times, kind="stable").tolist():
        if longest is not None and times[number] < longest.time:
            break
        longest = longer(longest, chain(number).longest())
    is_edge = (start[firsts] - span[0] < INTERRUPTION) | (span[1] - end[behind - 1] < INTERRUPTION)
    return Focused(longest, tuple(chain(number) for number in np.flatnonzero(is_edge).tolist()))


def longest_focus(months: Iterable[Focused]) -> Stretch | None:
    """The longest focus of consecutive months; of equal ones, the first."""
    running: dict[FocusKey, Chain] = {}
    best: Stretch | None = None
    for month in months:
        best = longer(best, month.longest)
        for chain in sorted(month.edges, key=lambda each: int(each.start[0])):
            before = running.get(chain.key)
            if before is not None and 0 <= chain.start[0] - before.end[-1] < INTERRUPTION:
                starts, ends = (before.start, chain.start), (before.end, chain.end)
                chain = Chain(chain.key, np.concatenate(starts), np.concatenate(ends))
                best = longer(best, chain.longest())
            running[chain.key] = chain
    return best


def longer(one: Stretch | None, other: Stretch | None) -> Stretch | None:
    """The one with more time; of equal ones, the first."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda each: (each.time, -each.start))


def focus_keys(pieces: Pieces) -> tuple[Codes, Sequence[FocusKey]]:
    """What each piece may be a focus on; MISSING if it has neither a category nor an app."""
    categories, apps = pieces.keys("category"), pieces.keys("app")
    none = np.array([name == UNCATEGORIZED for name in categories.names] or [False], dtype=np.bool_)
    keys: list[FocusKey] = [(name, None) for name in categories.names if isinstance(name, tuple)]
    is_none = none[categories.codes]
    used = np.unique(apps.codes[is_none & (apps.codes != MISSING)])
    numbers = np.full(len(apps.names) + 1, MISSING, dtype=np.int32)  # the last is that of MISSING
    numbers[used] = np.arange(len(keys), len(keys) + len(used), dtype=np.int32)
    keys += [(UNCATEGORIZED, str(apps.names[app])) for app in used.tolist()]
    return np.where(is_none, numbers[apps.codes], categories.codes).astype(np.int32), keys
