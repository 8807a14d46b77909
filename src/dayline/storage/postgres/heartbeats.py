"""Heartbeats of many clients in one transaction, merged here and written together.

lock the buckets ── is what we remember of them still true? ── merge ── write events, months, buckets
                        │ no: read their last events

Two round trips where every heartbeat extends an event. The version of a bucket, read under its lock, says whether
another server has changed it since: so last events may be remembered, though there are several writers.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from dayline.model.errors import BucketNotFound, DaylineError
from dayline.model.event import Event
from dayline.model.timestamps import Microseconds, month_of
from dayline.storage.postgres.turn import REACH_AHEAD, EventRow, Found, Turn, longest_bound
from dayline.transform.heartbeat import merge_heartbeat

_REMEMBERED: Final = 10_000  # buckets

# The event of the last heartbeat where the bucket knows it, else the newest; and the bounds of its month.
_LAST: Final = """
SELECT wanted.bucket, last.start, last.id, last.duration, last.value, value.json
FROM unnest(%(buckets)s::bigint[], %(starts)s::bigint[], %(ids)s::bigint[]) AS wanted(bucket, start, id)
CROSS JOIN LATERAL (
    SELECT start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND bucket = wanted.bucket
        AND (wanted.start IS NULL OR (event.start = wanted.start AND event.id = wanted.id))
    ORDER BY start DESC, id LIMIT 1
) AS last
JOIN value ON value.tenant = %(tenant)s AND value.bucket = wanted.bucket AND value.key = last.value
"""
_BOUNDS: Final = """
SELECT month.bucket, longest, reach
FROM unnest(%(buckets)s::bigint[], %(months)s::integer[]) AS wanted(bucket, month)
JOIN month ON month.tenant = %(tenant)s AND month.bucket = wanted.bucket AND month.month = wanted.month
"""


class Beat(Struct, frozen=True, eq=False):
    """A heartbeat, and how far it may be from the event before it."""

    bucket_id: str
    event: Event
    pulsetime: Microseconds


class Tail(Struct, frozen=True, eq=False):
    """The last event of a bucket that has some version, and the bounds of its month."""

    version: int
    event: Event
    value: int
    longest: Microseconds
    reach: Microseconds

    def covers(self, event: Event) -> bool:
        """Whether the bounds hold for a longer event, so that the month need not be written."""
        return event.duration <= self.longest and event.end <= self.reach


class Tails:
    """What is remembered of buckets from one commit to the next."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], Tail] = {}

    def get(self, tenant: str, state: Found) -> Tail | None:
        tail = self._kept.get((tenant, state.key))
        return tail if tail is not None and tail.version == state.version else None

    def keep(self, tenant: str, tails: Mapping[int, Tail]) -> None:
        for key, tail in tails.items():
            self._kept.pop((tenant, key), None)
            self._kept[tenant, key] = tail
        while len(self._kept) > _REMEMBERED:
            del self._kept[next(iter(self._kept))]


class _Series(Struct, eq=False):
    """The end of a bucket while heartbeats are merged into it."""

    state: Found
    tail: Tail | None
    old: Event | None  # what was there before, extended perhaps
    last: Event | None  # what the next heartbeat is merged with; without an id where it is new
    made: list[Event] = msgspec.field(default_factory=list)  # the new events, in order; the last one may be `last`


def beat(turn: Turn, beats: Sequence[Beat], tails: Tails) -> tuple[list[Event | DaylineError], dict[int, Tail]]:
    """Merge heartbeats in their order. The events as they are then, and what to remember after the commit."""
    found = turn.find_all(each.bucket_id for each in beats)
    series = _series_of(turn, {state.key: state for state in found.values()}, tails)
    merged: list[tuple[Event, _Series, int] | BucketNotFound] = []
    order: list[tuple[_Series, int]] = []  # the new events as they arrived: so they get their ids
    for each in beats:
        state = found.get(each.bucket_id)
        if state is None:
            merged.append(BucketNotFound(each.bucket_id))
        else:
            end = series[state.key]
            known = len(end.made)
            merged.append(_merge(end, each))
            order += [(end, place) for place in range(known, len(end.made))]
    kept = _write(turn, [each for each in series.values() if each.last is not None], order)
    outcomes: list[Event | DaylineError] = []
    for outcome in merged:
        if isinstance(outcome, BucketNotFound):
            outcomes.append(outcome)
        else:
            event, where, place = outcome
            given = where.made[place].id if place >= 0 else event.id
            outcomes.append(msgspec.structs.replace(event, id=given))
    return outcomes, kept


def _merge(series: _Series, each: Beat) -> tuple[Event, _Series, int]:
    """The event that a heartbeat made or extended, as it is then; its place among the new ones, -1 for the old one."""
    last = series.last
    event = None if last is None else merge_heartbeat(last, each.event, pulsetime=each.pulsetime)
    if event is None:
        event = Event(start=each.event.start, duration=each.event.duration, data=each.event.data)
        series.made.append(event)
    elif series.made:
        series.made[-1] = event
    else:
        series.old = event
    series.last = event
    return event, series, len(series.made) - 1


def _series_of(turn: Turn, states: Mapping[int, Found], tails: Tails) -> dict[int, _Series]:
    known = {key: tails.get(turn.tenant, state) for key, state in states.items()}
    unknown = [state for key, state in states.items() if known[key] is None]
    if unknown:
        known |= _read_tails(turn, unknown)
    return {
        key: _Series(state, tail, None if tail is None else tail.event, None if tail is None else tail.event)
        for key, state in states.items()
        for tail in (known[key],)
    }


def _read_tails(turn: Turn, states: Sequence[Found]) -> dict[int, Tail | None]:
    rows = turn.db.execute(
        _LAST,
        {
            "tenant": turn.tenant,
            "buckets": [state.key for state in states],
            "starts": [None if state.tail is None else state.tail[0] for state in states],
            "ids": [None if state.tail is None else state.tail[1] for state in states],
        },
    ).fetchall()
    bounds = turn.db.execute(
        _BOUNDS,
        {
            "tenant": turn.tenant,
            "buckets": [bucket for bucket, *_ in rows],
            "months": [month_of(start) for _, start, *_ in rows],
        },
    ).fetchall()
    bound_of = {bucket: (longest, reach) for bucket, longest, reach in bounds}
    versions = {state.key: state.version for state in states}
    read: dict[int, Tail | None] = dict.fromkeys(versions)
    for bucket, start, event_id, duration, value, json in rows:
        longest, reach = bound_of.get(bucket, (0, 0))
        event = Event(id=event_id, start=start, duration=duration, data=json.encode())
        read[bucket] = Tail(version=versions[bucket], event=event, value=value, longest=longest, reach=reach)
    return read


def _write(turn: Turn, all_series: Sequence[_Series], order: Sequence[tuple[_Series, int]]) -> dict[int, Tail]:
    """Write what was made and extended; the tails that the buckets have then."""
    numbers = turn.value_numbers((each.state, event.data) for each in all_series for event in each.made)
    first = turn.take_event_ids(len(order)) if order else 0
    for number, (each, place) in enumerate(order, start=first):
        each.made[place] = msgspec.structs.replace(each.made[place], id=number)
    kept: dict[int, Tail] = {}
    for each in all_series:
        for event in each.made:
            value = numbers[each.state.key, event.data]
            turn.put(EventRow(each.state.key, event.start, event.id, event.duration, value), is_new=True)
        tail = _tail_after(turn, each, numbers)
        if tail is not None:
            kept[each.state.key] = tail
    return kept


def _tail_after(turn: Turn, series: _Series, numbers: Mapping[tuple[int, bytes], int]) -> Tail | None:
    """What to remember of a bucket; None where every heartbeat lay inside its last event, so that nothing changes."""
    key, version = series.state.key, series.state.version + 1
    extended = _extended(turn, series)
    if series.made:
        last = series.made[-1]
        value = numbers[key, last.data]
        turn.keep_tail(key, EventRow(key, last.start, last.id, last.duration, value))
        longest, reach = longest_bound(last.duration), last.end + REACH_AHEAD
        return Tail(version=version, event=last, value=value, longest=longest, reach=reach)
    if extended is not None:
        turn.keep_tail(key, EventRow(key, extended.event.start, extended.event.id, 0, extended.value))
    return extended


def _extended(turn: Turn, series: _Series) -> Tail | None:
    """Write the event that was there before, where it lasts longer now."""
    before, old = series.tail, series.old
    if before is None or old is None or old.duration == before.event.duration:
        return None
    row = EventRow(series.state.key, old.start, old.id, old.duration, before.value)
    longest, reach = before.longest, before.reach
    if before.covers(old):
        turn.extend(row)
    else:
        turn.put(row, is_new=False)
        longest, reach = max(longest, longest_bound(old.duration)), max(reach, old.end + REACH_AHEAD)
    return Tail(version=series.state.version + 1, event=old, value=before.value, longest=longest, reach=reach)
