"""The task `summary`: totals of a range, and lists by field. Only query processes import this."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from dayline.insight.active.combinations import Key
from dayline.insight.active.intervals import clip, union
from dayline.insight.active.months import RangeMonth, months_of
from dayline.insight.active.pieces import Pieces
from dayline.insight.calendar import Calendar, Span
from dayline.insight.request import Field, range_answer
from dayline.insight.summary.focus import ExplainedStretch, explained, read_explanation
from dayline.insight.summary.keys import KeyTime, KeyTimes, KeyTotals, TopKeys, key_times
from dayline.insight.summary.model import (
    MAX_KEYS,
    Branch,
    ComparedRange,
    Comparison,
    DeviceTime,
    Focus,
    Row,
    Summary,
    SummaryRequest,
    Totals,
)
from dayline.insight.summary.stretches import INTERRUPTION, Focused, Stretch, focused, longest_focus
from dayline.insight.summary.tree import BranchTimes, branch_times, cut_categories, tree_of
from dayline.model.category import Path
from dayline.model.time import SECOND, Microseconds
from dayline.storage.columns.source import MISSING, ColumnSource


class MeasuredTotals(Struct, frozen=True, kw_only=True):
    """Totals in microseconds."""

    active: int = 0
    unfiltered: int = 0
    away: int = 0
    nodata: int = 0
    first: Microseconds | None = None
    last: Microseconds | None = None
    focus: Stretch | None = None
    explained: ExplainedStretch | None = None
    longest_focus: int = 0
    switches: int = 0
    overlap: int = 0


class MonthTotals(Struct, frozen=True, kw_only=True):
    """Totals of a month, and what is needed to join it with its neighbors."""

    active: int
    unfiltered: int
    away: int
    known: int  # active or away up to now, of all devices and without filters
    edges: tuple[Microseconds, Microseconds] | None  # start and end of its active time
    apps: tuple[str | None, str | None]  # the first and the last app
    focused: Focused
    explained: ExplainedStretch | None  # the longest, unless what ended it may be in the next month
    switches: int
    overlap: int

    @property
    def nbytes(self) -> int:
        return 2500 + self.focused.nbytes


def month_totals(month: RangeMonth, now: Microseconds) -> MonthTotals:
    """The totals of a month."""
    until = min(now, month.span[1])  # a later `now` changes nothing
    return month.get_or_make(("totals", until), MonthTotals, lambda which: _month_totals(which, until))


def joined_totals(parts: Sequence[MonthTotals], span: Span, now: Microseconds) -> MeasuredTotals:
    """The totals of a range from those of its months."""
    active = [part for part in parts if part.edges is not None]
    focus = longest_focus(part.focused for part in active)
    passed = max(0, min(span[1], now) - span[0])
    return MeasuredTotals(
        active=sum(part.active for part in parts),
        unfiltered=sum(part.unfiltered for part in parts),
        away=sum(part.away for part in parts),
        nodata=passed - sum(part.known for part in parts),
        first=active[0].edges[0] if active and active[0].edges else None,
        last=active[-1].edges[1] if active and active[-1].edges else None,
        focus=focus,
        explained=next((each.explained for each in active if each.explained and each.explained.stretch == focus), None),
        longest_focus=0 if focus is None else focus.time,
        switches=sum(part.switches for part in parts) + sum(_is_switch(one, other) for one, other in pairwise(active)),
        overlap=sum(part.overlap for part in parts),
    )


def totals_of(measured: MeasuredTotals, calendar: Calendar, focus: Focus | None = None) -> Totals:
    """Totals as answers show them. `focus` explains the longest focus."""
    stretch = measured.focus
    if focus is None and stretch is not None:
        focus = Focus(
            start=calendar.text(stretch.start),
            end=calendar.text(stretch.end),
            category=stretch.category,
            app=stretch.app,
        )
    return Totals(
        active=measured.active / SECOND,
        unfiltered=measured.unfiltered / SECOND,
        away=measured.away / SECOND,
        nodata=measured.nodata / SECOND,
        first=None if measured.first is None else calendar.text(measured.first),
        last=None if measured.last is None else calendar.text(measured.last),
        longest_focus=measured.longest_focus / SECOND,
        focus=focus,
        switches=measured.switches,
        overlap=measured.overlap / SECOND,
    )


def _month_totals(month: RangeMonth, until: Microseconds) -> MonthTotals:
    everything, pieces = month.activity.everything, month.activity.pieces
    start = month.span[0]
    known = clip(union([everything.spans, everything.away]), start, until).total if start < until else 0
    apps, switches = _apps(pieces)
    focus = focused(pieces, month.span)
    return MonthTotals(
        active=pieces.spans.total,
        unfiltered=everything.spans.total,
        away=everything.away.total,
        known=known,
        edges=(int(pieces.start[0]), int(pieces.end[-1])) if len(pieces) else None,
        apps=apps,
        focused=focus,
        explained=_explained(month, focus.longest, until),
        switches=switches,
        overlap=sum(device.spans.total for device in pieces.apart) - pieces.spans.total,
    )


def _apps(pieces: Pieces) -> tuple[tuple[str | None, str | None], int]:
    """The first and the last app, and the number of changes."""
    if not len(pieces):
        return (None, None), 0
    keys = pieces.keys("app")
    codes = keys.codes
    is_near = pieces.start[1:] - pieces.end[:-1] < INTERRUPTION
    ends = [None if code == MISSING else str(keys.names[code]) for code in (int(codes[0]), int(codes[-1]))]
    return (ends[0], ends[1]), int(np.count_nonzero((codes[1:] != codes[:-1]) & is_near))


def _is_switch(one: MonthTotals, other: MonthTotals) -> bool:
    assert one.edges is not None
    assert other.edges is not None
    return one.apps[1] != other.apps[0] and other.edges[0] - one.edges[1] < INTERRUPTION


def _explained(month: RangeMonth, longest: Stretch | None, now: Microseconds) -> ExplainedStretch | None:
    if longest is None or month.is_moving:  # of ranges that are compared with, it is not shown
        return None
    until = longest.end + INTERRUPTION
    if until > month.span[1]:
        return None
    return explained(longest, month.activity.everything, month.activity.pieces, until, now)


def summary_of(asked: SummaryRequest, source: ColumnSource) -> Summary:
    """The task: the totals of a range, its lists, and the comparison."""
    common = asked.common
    calendar = common.calendar
    span = common.start, common.end
    measured = _Range(asked, source, span)
    compared = None if asked.compare is None else _Earlier(asked, asked.compare, source)
    lists: dict[Field, TopKeys] = {field: measured.times[field].top(asked.limit) for field in asked.by}
    before = {} if compared is None else {field: compared.times(field, each.rows) for field, each in lists.items()}
    devices = measured.times["device"].top(MAX_KEYS)
    stretch, known = measured.totals.focus, measured.totals.explained
    if known is None and stretch is not None:
        known = read_explanation(common, source, stretch)
    focus = None if known is None else known.focus(calendar)
    return Summary(
        range=range_answer(calendar, *span),
        totals=totals_of(measured.totals, calendar, focus),
        lists={
            str(field): _rows(each.rows, measured.totals.active, before.get(field)) for field, each in lists.items()
        },
        tree=_tree(measured, compared),
        more={field: each.more for field, each in lists.items()},
        without={field: each.without / SECOND for field, each in lists.items()},
        devices=[DeviceTime(device=str(row.key), seconds=row.time / SECOND) for row in devices.rows],
        compare=UNSET if compared is None else compared.answer(calendar),
    )


class _Range:
    """The results for a range, month by month."""

    def __init__(self, asked: SummaryRequest, source: ColumnSource, span: Span, *, is_moving: bool = False) -> None:
        now = asked.common.scope.now
        fields: tuple[Field, ...] = (*asked.by, "device")
        times: dict[Field, list[KeyTimes]] = {field: [] for field in fields}
        totals: list[MonthTotals] = []
        # One after the other, so that only one is in memory.
        for month in months_of(source, asked.common, span, is_summed=True, is_moving=is_moving):
            totals.append(month_totals(month, now))
            for field, parts in times.items():
                parts.append(key_times(month, field))
        self.tree = branch_times(KeyTotals(times["category"])) if "category" in times else None
        if asked.depth is not None and "category" in times:
            times["category"] = [cut_categories(part, asked.depth) for part in times["category"]]
        self.totals = joined_totals(totals, span, now)
        self.is_recorded = any(part.known for part in totals)
        self.times = {field: KeyTotals(parts) for field, parts in times.items()}


class _Earlier:
    """The results for the ranges to compare with. `typical` leaves out those without data."""

    def __init__(self, asked: SummaryRequest, comparison: Comparison, source: ColumnSource) -> None:
        self._asked = asked
        self._comparison = comparison
        self._is_typical = comparison.kind == "typical"
        is_moving = comparison.whole is not None
        ranges = [_Range(asked, source, span, is_moving=is_moving) for span in comparison.spans]
        self._ranges = [each for each in ranges if not self._is_typical or each.is_recorded]

    def answer(self, calendar: Calendar) -> ComparedRange:
        whole, periods = self._comparison.whole, len(self._ranges) if self._is_typical else UNSET
        totals = _median([each.totals for each in self._ranges])
        return ComparedRange(
            range=range_answer(calendar, *self._comparison.spans[0]),
            whole=UNSET if whole is None else range_answer(calendar, *whole),
            totals=totals_of(totals, calendar),
            lists={str(field): _rows(self._largest(field), totals.active, None) for field in self._asked.by},
            periods=periods,
            days=periods,
        )

    def times(self, field: Field, rows: Iterable[KeyTime]) -> dict[Key, int]:
        """The time of each of these keys."""
        keys = [row.key for row in rows]
        per_range = [each.times[field].times_of(keys) for each in self._ranges]
        return {key: _middle([times[number] for times in per_range]) for number, key in enumerate(keys)}

    def trees(self) -> list[Mapping[Path, BranchTimes]]:
        """The categories of each range."""
        return [each.tree for each in self._ranges if each.tree is not None]

    def _largest(self, field: Field) -> list[KeyTime]:
        """The keys with the most time; for several ranges, by the median."""
        limit = self._asked.limit
        found_rows = [each.times[field].top(limit).rows for each in self._ranges]
        if len(found_rows) == 1:
            return found_rows[0]
        rows = {row.key: row for each in found_rows for row in each}
        times = self.times(field, rows.values())
        largest = [KeyTime(row.key, times[row.key], row.category) for row in rows.values() if times[row.key]]
        return sorted(largest, key=lambda row: (-row.time, row.key))[:limit]


def _tree(measured: _Range, compared: _Earlier | None) -> list[Branch] | UnsetType:
    if measured.tree is None:
        return UNSET
    earlier = None if compared is None else compared.trees()
    return tree_of(measured.tree, measured.totals.active, earlier, _middle)


def _rows(rows: list[KeyTime], active: int, previous: dict[Key, int] | None) -> list[Row]:
    return [
        Row(
            key=row.key,
            seconds=row.time / SECOND,
            share=row.time / active if active else 0.0,
            prev=UNSET if previous is None else previous[row.key] / SECOND,
            category=UNSET if row.category is None else row.category,
        )
        for row in rows
    ]


def _median(measured: list[MeasuredTotals]) -> MeasuredTotals:
    """The median of each number. Times of day are only returned for a single range."""
    if len(measured) == 1:
        return measured[0]
    return MeasuredTotals(
        active=_middle([each.active for each in measured]),
        unfiltered=_middle([each.unfiltered for each in measured]),
        away=_middle([each.away for each in measured]),
        nodata=_middle([each.nodata for each in measured]),
        longest_focus=_middle([each.longest_focus for each in measured]),
        switches=_middle([each.switches for each in measured]),
        overlap=_middle([each.overlap for each in measured]),
    )


def _middle(numbers: list[int]) -> int:
    """The median. For an even number the mean of the middle two, in whole microseconds."""
    if not numbers:
        return 0
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) // 2
