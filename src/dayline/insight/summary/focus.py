"""Explains the longest focus: the interruptions it tolerated, and what ended it. Only query processes import this."""

from bisect import bisect_right
from collections import Counter
from itertools import islice, pairwise
from typing import Final, TypeAlias, cast

from msgspec import Struct

from dayline.insight.active.intervals import Spans, clip
from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.calendar import Calendar, Span
from dayline.insight.request import CommonRequest
from dayline.insight.summary.model import Focus, FocusActivity, FocusInterruption, FocusState
from dayline.insight.summary.stretches import INTERRUPTION, Stretch, focus_keys
from dayline.model.category import Path
from dayline.model.time import SECOND, Microseconds
from dayline.storage.columns.source import MISSING, ColumnSource

_SHOWN: Final = 3

_What: TypeAlias = tuple[FocusState, Path | None, str | None]
_Piece: TypeAlias = tuple[Microseconds, Microseconds, _What]
_AWAY: Final[_What] = ("away", None, None)
_NO_DATA: Final[_What] = ("nodata", None, None)


class ExplainedStretch(Struct, frozen=True):
    """A stretch, and what interrupted and ended it."""

    stretch: Stretch
    interruptions: int
    interrupted: int
    tolerated: tuple[tuple[_What, int], ...]
    ended_by: _What | None

    def focus(self, calendar: Calendar) -> Focus:
        """The longest focus as answers show it."""
        return Focus(
            start=calendar.text(self.stretch.start),
            end=calendar.text(self.stretch.end),
            category=self.stretch.category,
            app=self.stretch.app,
            interruptions=self.interruptions,
            interrupted=self.interrupted / SECOND,
            tolerated=[
                FocusInterruption(state=state, category=category, app=app, seconds=time / SECOND)
                for (state, category, app), time in self.tolerated
            ],
            ended_by=None
            if self.ended_by is None
            else FocusActivity(state=self.ended_by[0], category=self.ended_by[1], app=self.ended_by[2]),
        )


def read_explanation(common: CommonRequest, source: ColumnSource, stretch: Stretch) -> ExplainedStretch:
    """Explain a stretch that is not within one month: reads its events again."""
    until = min(stretch.end + INTERRUPTION, common.end)
    everything = active_pieces(source, common.scope, stretch.start, until, common)
    return explained(stretch, everything, filter_pieces(common, everything), until, common.scope.now)


def explained(
    stretch: Stretch, everything: Pieces, counted: Pieces, until: Microseconds, now: Microseconds
) -> ExplainedStretch:
    """Explain a stretch by all pieces up to `until`, which is two minutes after it or the end of the range.

    `counted` are the pieces that pass the filters.
    """
    timeline = _timeline(everything, (stretch.start, until))
    inside = _focused(counted, stretch)
    gaps = [(one[1], other[0]) for one, other in pairwise(inside) if other[0] > one[1]]
    tolerated: Counter[_What] = Counter()
    for gap in gaps:
        tolerated += _times(timeline, gap)
    return ExplainedStretch(
        stretch,
        interruptions=len(gaps),
        interrupted=sum(high - low for low, high in gaps),
        tolerated=tuple(tolerated.most_common(_SHOWN)),
        ended_by=_end_of(timeline, stretch, min(until, now)),
    )


def _end_of(timeline: list[_Piece], stretch: Stretch, until: Microseconds) -> _What | None:
    """What took most of the time after the stretch; None if the range or the present ends there."""
    if until - stretch.end < INTERRUPTION:
        return None
    times = _times(timeline, (stretch.end, until))
    others = [each for each in times.most_common() if not _is_of(each[0], stretch)]
    return (others or times.most_common(1))[0][0]


def _is_of(what: _What, stretch: Stretch) -> bool:
    return what[1] == stretch.category and stretch.app in (None, what[2])


def _focused(counted: Pieces, stretch: Stretch) -> list[Span]:
    """The time that counts as focus."""
    pieces = _within(counted, (stretch.start, stretch.end))
    codes, keys = focus_keys(pieces)
    rows = zip(pieces.start.tolist(), pieces.end.tolist(), codes.tolist(), strict=True)
    return [(start, end) for start, end, code in rows if code != MISSING and keys[code] == stretch.key]


def _timeline(everything: Pieces, span: Span) -> list[_Piece]:
    """What happened when, ascending and without gaps: active time, time away, and time without data."""
    pieces = _within(everything, span)
    categories, apps = pieces.keys("category"), pieces.keys("app")
    rows = zip(pieces.start.tolist(), pieces.end.tolist(), categories.codes.tolist(), apps.codes.tolist(), strict=True)
    timeline: list[_Piece] = []
    for start, end, category, app in rows:
        path = None if category == MISSING else categories.names[category]
        what: _What = ("active", cast("Path | None", path), None if app == MISSING else str(apps.names[app]))
        timeline.append((start, end, what))
    away: Spans = clip(pieces.away, *span)
    ends = zip(away.start.tolist(), away.end.tolist(), strict=True)
    timeline += [(start, end, _AWAY) for start, end in ends]
    timeline.sort(key=lambda each: each[:2])
    edge, filled = span[0], list[_Piece]()
    for piece in [*timeline, (span[1], span[1], _NO_DATA)]:
        if piece[0] > edge:
            filled.append((edge, piece[0], _NO_DATA))
        filled.append(piece)
        edge = max(edge, piece[1])
    return filled


def _within(pieces: Pieces, span: Span) -> Pieces:
    return pieces.take((pieces.start < span[1]) & (pieces.end > span[0]))


def _times(timeline: list[_Piece], span: Span) -> "Counter[_What]":
    """How much of each activity there was in a span."""
    times: Counter[_What] = Counter()
    first = bisect_right(timeline, span[0], key=lambda piece: piece[1])
    for start, end, what in islice(timeline, first, None):
        if start >= span[1]:
            break
        times[what] += min(end, span[1]) - max(start, span[0])
    return times
