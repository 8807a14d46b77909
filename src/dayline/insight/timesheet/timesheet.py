"""The task `timesheet`: active time by day and key. Only query processes import this."""

from collections.abc import Sequence
from datetime import date

import msgspec
import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Key, Keys
from dayline.insight.active.intervals import Spans, no_spans, overlaps, union
from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.calendar import edges_of
from dayline.insight.timesheet.model import MAX_COLUMNS, Timesheet, TimesheetRequest
from dayline.insight.timesheet.render import csv_of, html_of
from dayline.insight.timesheet.sheet import CountedDay, sheet_of
from dayline.model.edits.annotation import Annotation
from dayline.model.errors import Invalid
from dayline.model.time import SECOND, Microseconds
from dayline.query.columns.distinct import distinct, firsts, lookup, renumbered
from dayline.storage.columns.source import MISSING, Codes, ColumnSource, Flags, Ids, Times

BREAK = 60 * SECOND  # shorter gaps do not count as breaks


class _Parts(Struct, frozen=True, eq=False):
    """Active time cut at the edges of days: the day, the key and the annotation of each part."""

    start: Times
    end: Times
    day: Ids
    key: Codes
    note: Codes

    def take(self, which: Flags) -> "_Parts":
        return _Parts(self.start[which], self.end[which], self.day[which], self.key[which], self.note[which])


def timesheet(asked: TimesheetRequest, source: ColumnSource) -> Timesheet | bytes:
    """The task: a sheet, or its text as CSV or HTML."""
    days, left_out = counted_days(asked, source)
    sheet = sheet_of(asked, days, left_out)
    match asked.format:
        case "json":
            return sheet
        case "csv":
            return csv_of(sheet, asked.language).encode()
        case "html":
            return html_of(sheet, asked.language).encode()


def counted_days(asked: TimesheetRequest, source: ColumnSource) -> tuple[list[CountedDay], list[Microseconds]]:
    """The time that counts on each day with any, and the entries that are too short. Raises Invalid."""
    common = asked.common
    everything = active_pieces(source, common.scope, common.start, common.end, common)
    pieces = _without_gaps(filter_pieces(common, everything), everything, asked)
    keys = _keys(asked, pieces)
    edges = edges_of(common.calendar, "day", common.start, common.end)
    cut = overlaps(pieces.spans, Spans(np.array(edges[:-1]), np.array(edges[1:])))
    parts = _Parts(cut.start, cut.end, cut.second, keys.codes[cut.first], pieces.note[cut.first])
    of_cell, count = renumbered(parts.day * (len(keys.names) + 1) + parts.key + 1, len(edges) * (len(keys.names) + 1))
    times = np.bincount(of_cell, weights=parts.end - parts.start, minlength=count).astype(np.int64)
    is_kept = times >= asked.least
    _check_columns(parts.key[firsts(of_cell, count)[is_kept]])
    days = [common.calendar.day_of(edge) for edge in edges[:-1]]
    left: list[int] = times[~is_kept].tolist()
    kept = parts if is_kept.all() else parts.take(is_kept[of_cell])
    busy = union([everything.spans, Spans(parts.start, parts.end)])
    return _days(asked, kept, keys.names, days, busy), left


def _without_gaps(pieces: Pieces, everything: Pieces, asked: TimesheetRequest) -> Pieces:
    """Extend pieces to the start of the next one if the gap is short.

    A gap counts only if the time before and after it counts, nothing else is in between, and no annotation excludes it.
    """
    if not asked.gaps or len(pieces) < 2:
        return pieces
    gap = Spans(pieces.end[:-1], pieces.start[1:])
    row = np.searchsorted(everything.start, pieces.start)
    length = gap.end - gap.start
    fills = (length > 0) & (length < asked.gaps) & (np.diff(row) == 1)
    excluded = _excluded_spans(asked.common.scope.annotations)
    if len(excluded):
        among = np.flatnonzero(fills)
        fills[among[overlaps(gap.take(among), excluded).first]] = False
    end = pieces.end.copy()
    end[:-1][fills] = gap.end[fills]
    return msgspec.structs.replace(pieces, end=end)


def _excluded_spans(annotations: Sequence[Annotation]) -> Spans:
    excluded = sorted(
        (each.start, each.end) for each in annotations if each.kind == "exclude" and each.start < each.end
    )
    if not excluded:
        return no_spans()
    start, end = np.array(excluded, dtype=np.int64).T
    return union([Spans(start, end)])


def _keys(asked: TimesheetRequest, pieces: Pieces) -> Keys:
    if asked.by != "label":
        keys = pieces.keys(asked.by)
        return keys if asked.depth is None or asked.by != "category" else _cut(keys, asked.depth)
    labels = [each.label for each in asked.common.scope.annotations]
    names = sorted({label for label in labels if label})
    number = {label: code for code, label in enumerate(names)}
    codes = np.array([number.get(label, MISSING) for label in labels], dtype=np.int32)
    return Keys(lookup(codes, pieces.note, MISSING), names)


def _cut(keys: Keys, depth: int) -> Keys:
    """Categories up to a depth: what is below them counts for them."""
    numbers: dict[Key, int] = {}
    of_names = [numbers.setdefault(name[:depth], len(numbers)) for name in keys.names]
    return Keys(lookup(np.array(of_names, dtype=np.int32), keys.codes, MISSING), list(numbers))


def _check_columns(codes: Codes) -> None:
    count = len(distinct(codes))
    if count > MAX_COLUMNS:
        raise Invalid(
            f"the sheet would have {count:,} columns (at most {MAX_COLUMNS:,})",
            hint="leave out short entries with least=2m, or request fewer days or another field",
            field="by",
        )


def _days(
    asked: TimesheetRequest, parts: _Parts, names: Sequence[Key], days: Sequence[date], busy: Spans
) -> list[CountedDay]:
    """The days. Breaks are gaps between all `busy` spans: other work is no break."""
    counted: list[CountedDay] = []
    used: list[int] = parts.day[np.flatnonzero(np.diff(parts.day, prepend=-1))].tolist()  # they are ascending
    edges = np.searchsorted(parts.day, [*used, len(days)])
    labels = [each.label for each in asked.common.scope.annotations]
    for number, day in enumerate(used):
        low, high = int(edges[number]), int(edges[number + 1])
        start, end, key = parts.start[low:high], parts.end[low:high], parts.key[low:high]
        low_busy: list[int] = np.searchsorted(busy.end, start[:1], side="left").tolist()
        high_busy: list[int] = np.searchsorted(busy.start, end[-1:], side="left").tolist()
        inside = slice(low_busy[0], high_busy[0])
        gaps = busy.start[inside][1:] - busy.end[inside][:-1]
        gaps = gaps[gaps > BREAK]
        sums = np.bincount(key + 1, weights=end - start)
        codes: list[int] = np.flatnonzero(sums).tolist()
        noted: list[int] = parts.note[low:high][parts.note[low:high] != MISSING].tolist()
        counted.append(
            CountedDay(
                date=days[day],
                first=int(start[0]),
                last=int(end[-1]),
                breaks=[int(gap) for gap in gaps],
                times={None if code == 0 else names[code - 1]: int(sums[code]) for code in codes},
                notes=list(dict.fromkeys(labels[note] for note in noted if labels[note])),
            )
        )
    return counted
