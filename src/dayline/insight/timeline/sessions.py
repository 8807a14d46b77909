"""Sessions: active time grouped by what it was spent on. Only query processes import this.

pieces     Code Code Mail Code Code      Mail Mail Chat Mail    at most two minutes between them
sessions   [Code                ]        [Mail             ]    short interruptions are part of a session
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from dayline.insight.active.combinations import Keys
from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.request import range_answer
from dayline.insight.timeline.model import ActivitySession, SessionsRequest, SessionsResponse
from dayline.model.category import UNCATEGORIZED, Path
from dayline.model.edits.shown_text import shown_fields
from dayline.model.time import SECOND, Microseconds
from dayline.storage.columns.source import MISSING, Codes, ColumnSource

INTERRUPTION: Final[Microseconds] = 120 * SECOND


class Run(Struct, frozen=True):
    """Consecutive pieces of one group, from `low` to before `high`."""

    low: int
    high: int
    group: int
    start: Microseconds
    end: Microseconds
    time: Microseconds


def sessions_answer(asked: SessionsRequest, source: ColumnSource) -> SessionsResponse:
    """The task: the sessions of a range. Raises Invalid."""
    common = asked.common
    pieces = filter_pieces(common, active_pieces(source, common.scope, common.start, common.end, common))
    described = _Descriptions(pieces)
    runs = [run for run in joined_runs(_runs(pieces, _groups(pieces))) if run.end - run.start >= asked.min_s * SECOND]
    text = common.calendar.text
    return SessionsResponse(
        range=range_answer(common.calendar, common.start, common.end),
        sessions=[
            ActivitySession(
                start=text(run.start), end=text(run.end), active=run.time / SECOND,
                app=shown["app"], title=shown["title"], category=category, device=device, truncated=truncated,
            )
            for run in runs
            for category, app, title, device in [described.of(run)]
            for shown, truncated in [shown_fields({"app": app, "title": title})]
        ],
    )  # fmt: skip


def joined_runs(runs: Iterator[Run]) -> list[Run]:
    """Join runs across interruptions.

    If an interruption is longer, but has no session of its own, it becomes a session of its largest group.
    """
    joined: list[Run] = []
    current: Run | None = None
    pending: list[Run] = []
    pending_time = 0  # adding it up again for each run would take seconds on a day of short events
    for run in runs:
        if current is None or run.start - (pending or [current])[-1].end >= INTERRUPTION:
            joined += [each for each in (current, _mix(pending)) if each]
            current, pending, pending_time = run, [], 0
        elif run.group == current.group:
            current, pending, pending_time = _spanning([current, *pending, run], current.group), [], 0
        elif run.time >= INTERRUPTION:
            joined += [each for each in (current, _mix(pending)) if each]
            current, pending, pending_time = run, [], 0
        else:
            pending.append(run)
            pending_time += run.time
            if pending_time >= INTERRUPTION:
                joined.append(current)
                current, pending, pending_time = _mix(pending), [], 0
    return [*joined, *(each for each in (current, _mix(pending)) if each)]


def _mix(runs: list[Run]) -> Run | None:
    """Join runs of several groups into one of the group with the most time; None if there are no runs."""
    if not runs:
        return None
    times: dict[int, Microseconds] = {}
    for run in runs:
        times[run.group] = times.get(run.group, 0) + run.time
    return _spanning(runs, max(times, key=lambda group: times[group]))


def _spanning(runs: list[Run], group: int) -> Run:
    first, last = runs[0], runs[-1]
    return Run(first.low, last.high, group, first.start, last.end, sum(run.time for run in runs))


def _groups(pieces: Pieces) -> Codes:
    """A number for the category of each piece, or for its app if it has none."""
    categories, apps = pieces.keys("category"), pieces.keys("app")
    is_none = np.array([*(name == UNCATEGORIZED for name in categories.names), True], dtype=np.bool_)
    groups: Codes = np.where(is_none[categories.codes], len(categories.names) + 1 + apps.codes, categories.codes)
    return groups


def _runs(pieces: Pieces, groups: Codes) -> Iterator[Run]:
    """Consecutive pieces of one group, with gaps that are shorter than an interruption."""
    start, end = pieces.start, pieces.end
    if not len(pieces):
        return
    is_first = (groups[1:] != groups[:-1]) | (start[1:] - end[:-1] >= INTERRUPTION)
    lows = np.flatnonzero(np.append(True, is_first))
    highs = np.append(lows[1:], len(pieces))
    times = np.add.reduceat(end - start, lows)
    columns = lows, highs, groups[lows], start[lows], end[highs - 1], times
    for low, high, group, begin, finish, time in zip(*(column.tolist() for column in columns), strict=True):
        yield Run(low, high, group, begin, finish, time)


class _Descriptions:
    """Describes what sessions were spent on."""

    def __init__(self, pieces: Pieces) -> None:
        self._duration = pieces.duration
        self._groups = _groups(pieces)
        self._categories, self._apps = pieces.keys("category"), pieces.keys("app")
        self._titles, self._devices = pieces.keys("title"), pieces.keys("device")

    def of(self, run: Run) -> tuple[Path, str | None, str | None, str | None]:
        """Its category, app, title and device."""
        which = np.arange(run.low, run.high, dtype=np.int32)
        own = which[self._groups[which] == run.group]
        category = self._categories.names[self._most(self._categories, own)]
        assert isinstance(category, tuple)
        if category == UNCATEGORIZED:
            # Of apps that alternate, any may have begun the session: the one with the most time names it.
            own = which[self._categories.codes[which] == self._most(self._categories, own)]
        app = self._most(self._apps, own)
        of_app = own[self._apps.codes[own] == app]
        return (
            category,
            _text(self._apps, app),
            _text(self._titles, self._most(self._titles, of_app)),
            _text(self._devices, self._most(self._devices, own)),
        )

    def _most(self, keys: Keys, which: Codes) -> int:
        """The code with the most time among some pieces; may be MISSING."""
        codes = keys.codes[which]
        times = np.bincount(codes + 1, weights=self._duration[which])
        return int(times.argmax()) - 1


def _text(keys: Keys, code: int) -> str | None:
    return None if code == MISSING else str(keys.names[code])
