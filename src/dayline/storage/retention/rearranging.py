"""Rearranges events within a quarter of an hour, so that there are fewer and every total stays the same.

    window   [a][b][a][b][a ]        the time is cut wherever any bucket changes, and pieces in which all buckets
    tab         [x]   [x]            say the same are moved together: the same move for all buckets

    window   [a      ][b   ][a ]     the first and the last piece stay where they are, so that events may cross the
    tab               [x   ]         edges

Active time joins the buckets of a device, closes gaps of less than GAP, and where two devices are active counts the one
whose event started last. So what is moved has its gaps closed, a longer gap never becomes a short one, and nothing
moves while two buckets compete.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from dayline.model.time import SECOND, Microseconds
from dayline.storage.columns.months import Span
from dayline.storage.engine.rows import EventRow

QUARTER: Final[Microseconds] = 900 * SECOND  # every offset of a zone is a multiple of it
GAP: Final[Microseconds] = 5 * SECOND  # active time closes shorter gaps
MARGIN: Final = 2 * GAP  # events that are farther from a quarter do not matter to it
_MAX_GROUPS: Final = 150  # the search for an order takes quadratic time

State: TypeAlias = tuple[tuple[int, int] | None, ...]  # bucket and value of each lane, None in a gap
Cost: TypeAlias = Callable[[State, State], tuple[int, ...]]


class Lane(Struct, frozen=True, kw_only=True):
    """Buckets of which one event counts at a time, shorter gaps than `gap` being closed.

    While two lanes of an arena have events, nothing moves.
    """

    buckets: tuple[int, ...]
    arenas: frozenset[str] = frozenset()
    gap: Microseconds = GAP


class Rewrite(Struct, frozen=True):
    """What replaces events of one quarter, and all events of all buckets near it, which must be unchanged."""

    span: Span
    buckets: Sequence[int]
    seen: list[EventRow]
    before: list[EventRow]
    after: list[EventRow]

    @property
    def removed(self) -> Counter[int]:
        """How many fewer events each bucket has."""
        removed = Counter(row.bucket for row in self.before)
        removed.subtract(row.bucket for row in self.after)
        return removed


class Quarters:
    """Plans one quarter after the other; each plan assumes that those before it were carried out.

    Events of buckets without a lane are never moved, and what happens at their edges stays there.
    """

    def __init__(
        self,
        buckets: Sequence[int],
        lanes: Sequence[Lane],
        events: Iterable[EventRow],
        redacted: Collection[int],
    ) -> None:
        self._buckets = buckets
        self._lanes = lanes
        self._redacted = redacted
        self._events: dict[int, EventRow] = {}
        self._ids: defaultdict[int, set[int]] = defaultdict(set)  # of the events that may be near, by quarter
        self._add(events)

    def plan(self, start: Microseconds, movable: Collection[int]) -> Rewrite | None:
        """How to rewrite the quarter that starts at this time by moving events of these buckets; None if in no way."""
        span = start, start + QUARTER
        ids = self._ids[start // QUARTER]
        near = nearby((self._events[key] for key in ids if key in self._events), span)
        after = _Cell(self._lanes, near, span, movable, self._redacted).rearranged()
        changed = [event for event in near if after.get(event.id) != event]
        if not changed:
            return None
        rewrite = Rewrite(
            span, self._buckets, near, changed, [after[event.id] for event in changed if event.id in after]
        )
        for event in changed:
            del self._events[event.id]
        self._add(rewrite.after)
        return rewrite

    def _add(self, events: Iterable[EventRow]) -> None:
        for event in events:
            self._events[event.id] = event
            edges = event.start, _end(event)
            for quarter in range((min(edges) - MARGIN) // QUARTER, (max(edges) + MARGIN) // QUARTER + 1):
                self._ids[quarter].add(event.id)


def nearby(events: Iterable[EventRow], span: Span) -> list[EventRow]:
    """The events that matter to a quarter, ordered by start, duration and id."""
    first, after = around(span)
    overlapping = [event for event in events if event.start < after and (event.start >= first or _end(event) > first)]
    return sorted(overlapping, key=lambda event: (event.start, event.duration, event.id))


def around(span: Span) -> Span:
    """The time whose events matter to a span."""
    return span[0] - MARGIN, span[1] + MARGIN


class _Placed(Struct):
    """An event with the time for which it counts, its short gaps closed."""

    event: EventRow
    start: Microseconds
    end: Microseconds

    @property
    def state(self) -> tuple[int, int]:
        return self.event.bucket, self.event.value


class _Cell:
    """The events near one quarter."""

    def __init__(
        self,
        lanes: Sequence[Lane],
        events: Sequence[EventRow],
        span: Span,
        movable: Collection[int],
        redacted: Collection[int],
    ) -> None:
        self._span = span
        self._lanes = lanes
        self._after = {event.id: event for event in events}
        self._cuts = {*span}
        self._blocks: list[Span] = []
        self._gaps: list[Span] = []
        by_bucket: defaultdict[int, list[EventRow]] = defaultdict(list)
        for event in events:
            by_bucket[event.bucket].append(event)
            if event.bucket not in movable:
                self._cuts |= {event.start, _end(event)}
            elif event.duration < 0 or event.value in redacted:
                self._block(min(event.start, _end(event)), max(event.start, _end(event)))
        self._placed = [self._place(lane, by_bucket) for lane in lanes]

    def rearranged(self) -> dict[int, EventRow]:
        """The events after it, by id."""
        self._block_arenas()
        self._block_cut_gaps()
        for span in self._segments():
            self._rearrange(span)
        return self._after

    def _block(self, start: Microseconds, end: Microseconds) -> None:
        self._blocks.append((start - GAP, end + GAP))

    def _place(self, lane: Lane, by_bucket: Mapping[int, list[EventRow]]) -> list[_Placed]:
        """Close the gaps of a lane, and block what cannot be understood event by event."""
        events = [event for bucket in lane.buckets for event in by_bucket.get(bucket, ()) if event.duration >= 0]
        placed: list[_Placed] = []
        last: _Placed | None = None
        for event in sorted(events, key=lambda event: (event.start, event.duration)):
            here = _Placed(event, event.start, _end(event))
            placed.append(here)
            if last is not None and event.start < _end(last.event):
                self._block(event.start, min(here.end, _end(last.event)))
            elif last is not None and 0 < event.start - _end(last.event) < lane.gap:
                self._gaps.append((_end(last.event), event.start))
                last.end = here.start = (_end(last.event) + event.start) // 2
            if last is None or here.end >= _end(last.event):
                last = here
        for each in placed:
            if each.start >= each.end:
                self._block(each.start, each.start)
        return placed

    def _block_arenas(self) -> None:
        edges: defaultdict[str, Counter[Microseconds]] = defaultdict(Counter)
        for lane, placed in zip(self._lanes, self._placed, strict=True):
            for arena in lane.arenas:
                edges[arena].update(each.start for each in placed)
                edges[arena].subtract(each.end for each in placed)
        for changes in edges.values():
            active = 0
            for start, end in pairwise(sorted(changes)):
                active += changes[start]
                if active > 1:
                    self._blocks.append((start, end))

    def _block_cut_gaps(self) -> None:
        """Leave gaps alone in which a cut is: only one of the events around it would be moved."""
        cuts = self._cuts.union(*self._blocks)
        left = self._gaps
        while cut_gaps := [gap for gap in left if any(gap[0] <= cut <= gap[1] for cut in cuts)]:
            left = [gap for gap in left if gap not in cut_gaps]
            cuts = {edge for gap in cut_gaps for edge in gap}
            self._blocks += cut_gaps
        self._cuts.update(*self._blocks)

    def _segments(self) -> Iterator[Span]:
        """The longest spans of the quarter without a cut that are not blocked."""
        first, after = self._span
        for start, end in pairwise(sorted(cut for cut in self._cuts if first <= cut <= after)):
            if not any(low < end and start < high for low, high in self._blocks):
                yield start, end

    def _rearrange(self, span: Span) -> None:
        segment = _Segment(span, self._lanes, self._placed)
        best = segment.best()
        if best is not None:
            for lane, placed in enumerate(segment.placed):
                self._put(placed, best.events(lane))

    def _put(self, old: Sequence[_Placed], new: Sequence[EventRow]) -> None:
        by_id = {event.id: event for event in new}
        for each in old:
            self._after.pop(each.event.id, None)  # a bucket may have two lanes, if it is not moved
            each.event = by_id.get(each.event.id, each.event)  # one that crosses the end is in the next segment too
        self._after.update(by_id)


class _Segment:
    """A span in which every event of a lane is in the way of no other."""

    def __init__(self, span: Span, lanes: Sequence[Lane], events: Sequence[Sequence[_Placed]]) -> None:
        self.span = span
        self.gaps = [lane.gap for lane in lanes]
        self.placed = [[each for each in placed if each.start < span[1] and each.end > span[0]] for placed in events]
        self._pieces = list(self._cut())
        self._lengths: Counter[State] = Counter()
        for state, length in self._pieces:
            self._lengths[state] += length

    def best(self) -> "_Layout | None":
        """The layout with the fewest events; None if none has fewer than there are."""
        if len(self._lengths) == len(self._pieces):
            return None
        events = sum(map(len, self.placed))
        layouts = [_Layout(self, order) for order in self._orders()]
        best = min((each for each in layouts if each.is_exact()), key=_Layout.count, default=None)
        return best if best is not None and best.count() < events else None

    def _cut(self) -> Iterator[tuple[State, Microseconds]]:
        edges = {*self.span}
        for placed in self.placed:
            edges.update(edge for each in placed for edge in (each.start, each.end))
        nexts = [0] * len(self.placed)
        for start, end in pairwise(sorted(edge for edge in edges if self.span[0] <= edge <= self.span[1])):
            for lane, placed in enumerate(self.placed):
                while nexts[lane] < len(placed) and placed[nexts[lane]].end <= start:
                    nexts[lane] += 1
            here = (placed[which : which + 1] for placed, which in zip(self.placed, nexts, strict=True))
            yield tuple(each[0].state if each and each[0].start <= start else None for each in here), end - start

    def _orders(self) -> Iterator[list[tuple[State, Microseconds]]]:
        """Ways to arrange the pieces, the first and the last in their places."""
        (first, length), (last, _) = self._pieces[0], self._pieces[-1]
        lengths = dict(self._lengths)
        head = lengths.pop(first) if first != last else length
        tail = lengths.pop(last) - (head if first == last else 0)
        for between in _orders(first, lengths):
            yield [(first, head), *((state, lengths[state]) for state in between), *([(last, tail)] if tail else [])]


def _orders(first: State, states: Collection[State]) -> Iterator[list[State]]:
    yield list(states)
    if len(states) <= _MAX_GROUPS:
        yield list(_nearest_first(first, states, _changes))
        yield list(_nearest_first(first, states, _changes_after_gaps))


def _nearest_first(state: State, states: Collection[State], cost: Cost) -> Iterator[State]:
    left = sorted(states, key=lambda state: tuple((-1, -1) if each is None else each for each in state))
    while left:
        near = state
        state = min(left, key=lambda each: cost(near, each))
        left.remove(state)
        yield state


def _changes(one: State, other: State) -> tuple[int, ...]:
    return (sum(a != b for a, b in zip(one, other, strict=True)),)


def _changes_after_gaps(one: State, other: State) -> tuple[int, ...]:
    """Keeps gaps together, so that few become short."""
    return (sum((a is None) != (b is None) for a, b in zip(one, other, strict=True)), *_changes(one, other))


class _Run(Struct):
    """A time in which a lane does not change."""

    state: tuple[int, int] | None
    start: Microseconds
    end: Microseconds


class _Layout:
    """One way to arrange the pieces of a segment."""

    def __init__(self, segment: _Segment, order: Sequence[tuple[State, Microseconds]]) -> None:
        self._span = segment.span
        self._placed = segment.placed
        self._gaps = segment.gaps
        self._runs: list[list[_Run]] = [[] for _ in segment.placed]
        time = segment.span[0]
        for states, length in order:
            for runs, state in zip(self._runs, states, strict=True):
                if runs and runs[-1].state == state:
                    runs[-1].end = time + length
                else:
                    runs.append(_Run(state, time, time + length))
            time += length

    def count(self) -> int:
        """The number of its events."""
        return sum(len(self._spans(lane)) for lane in range(len(self._placed)))

    def is_exact(self) -> bool:
        """Whether no long gap becomes a short one, and there are enough ids."""
        return all(map(self._is_exact, range(len(self._placed))))

    def events(self, lane: int) -> list[EventRow]:
        """The events of a lane; those that cross an edge of the segment keep what is outside."""
        placed = self._placed[lane]
        spans = self._spans(lane)
        ids: defaultdict[int, list[int]] = defaultdict(list)
        inner = placed[self._crosses_start(placed) : len(placed) - self._crosses_end(placed)]
        for each in sorted(inner, key=lambda each: -each.event.id):
            ids[each.event.bucket].append(each.event.id)
        if not spans or (len(placed) == 1 and self._crosses_start(placed) and self._crosses_end(placed)):
            return [each.event for each in placed]
        rearranged: list[EventRow] = []
        for number, ((bucket, value), start, end) in enumerate(spans):
            if number == 0 and self._crosses_start(placed):
                event = placed[0].event
                rearranged.append(replace(event, duration=end - event.start))
            elif number == len(spans) - 1 and self._crosses_end(placed):
                event = placed[-1].event
                rearranged.append(replace(event, start=start, duration=_end(event) - start))
            else:
                rearranged.append(
                    EventRow(bucket=bucket, start=start, id=ids[bucket].pop(), duration=end - start, value=value)
                )
        return rearranged

    def _spans(self, lane: int) -> list[tuple[tuple[int, int], Microseconds, Microseconds]]:
        placed = self._placed[lane]
        spans = [(run.state, run.start, run.end) for run in self._runs[lane] if run.state is not None]
        if len(spans) == 1 and len(placed) > 1 and self._crosses_start(placed) and self._crosses_end(placed):
            # Two events of equal data, one for each edge.
            [(state, start, end)] = spans
            return [(state, start, placed[-1].start), (state, placed[-1].start, end)]
        return spans

    def _is_exact(self, lane: int) -> bool:
        runs, placed = self._runs[lane], self._placed[lane]
        had = Counter(each.event.bucket for each in placed)
        needs = Counter(state[0] for state, _, _ in self._spans(lane))
        if not needs <= had:
            return False
        if not placed:
            return True
        gap, (first, after) = self._gaps[lane], self._span
        # At an edge, the gap may continue: together with the rest it stays long if this part does not shrink.
        at_start, at_end = min(gap, placed[0].start - first), min(gap, after - placed[-1].end)
        return all(
            run.end - run.start >= min(at_start if run.start == first else gap, at_end if run.end == after else gap)
            for run in runs
            if run.state is None
        )

    def _crosses_start(self, placed: Sequence[_Placed]) -> bool:
        return bool(placed) and placed[0].start < self._span[0]

    def _crosses_end(self, placed: Sequence[_Placed]) -> bool:
        return bool(placed) and placed[-1].end > self._span[1]


def _end(event: EventRow) -> Microseconds:
    return event.start + event.duration
