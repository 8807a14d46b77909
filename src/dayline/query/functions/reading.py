"""Reads events from buckets, and finds buckets."""

from collections.abc import Sequence

import numpy as np

from dayline.model.errors import BucketNotFound
from dayline.model.time import Period
from dayline.query.columns.dictionaries import compact
from dayline.query.columns.table import Table
from dayline.query.errors import QueryFunctionError
from dayline.query.functions.ordering import turned_round
from dayline.query.language.environment import Context, Reading
from dayline.query.language.errors import no_bucket
from dayline.query.language.values import Value
from dayline.storage.columns.source import ReadReport

# Events kept in case the only period reads them again. More would take too much memory, and are quickly read again from
# the store's cache.
_MAX_KEPT = 100_000


def query_bucket(context: Context, bucket_id: str) -> Table:
    """The events that overlap the period, clipped to it, newest first."""
    events = _touching(_reading(context, bucket_id), context.period)
    return compact(_clipped(turned_round(events), context.period))


def query_bucket_eventcount(context: Context, bucket_id: str) -> float:
    """The number of events that overlap the period."""
    period = context.period
    try:
        count = context.source.count(bucket_id, period.start, max(period.start, period.end))
    except BucketNotFound as error:
        raise _unknown(context, bucket_id) from error
    return float(count) if period.start <= period.end else 0.0


def query_bucket_names(context: Context) -> list[Value]:
    """The ids of all buckets, in order of creation."""
    return [bucket.id for bucket in context.source.buckets()]


def find_bucket(context: Context, text: str, hostname: str | None = None) -> str:
    """The bucket with that id or alias; otherwise the first whose id starts with the text, or contains it."""
    buckets = [bucket for bucket in context.source.buckets() if hostname in (None, bucket.hostname)]
    ids = [bucket.id for bucket in buckets]
    if text in ids:
        return text
    for bucket in buckets:
        if text in bucket.aliases:
            return bucket.id
    beginning = (bucket_id for bucket_id in ids if bucket_id.startswith(text))
    containing = (bucket_id for bucket_id in ids if text in bucket_id)
    match = next(beginning, None) or next(containing, None)
    if match is None:
        host = "" if hostname is None else f" of the host {hostname!r}"
        raise QueryFunctionError(
            f"no bucket{host} has {text!r} in its id", hint="query_bucket_names() lists the buckets"
        )
    return match


def _reading(context: Context, bucket_id: str) -> Reading:
    whole = _adjoining(context.periods, context.period)
    known = context.readings.get((bucket_id, whole))
    if known is not None:
        return known
    report = ReadReport()
    try:
        events = context.source.events(bucket_id, whole.start, max(whole.start, whole.end), report)
    except BucketNotFound as error:
        raise _unknown(context, bucket_id) from error
    context.trace.reads.append((bucket_id, report))
    reading = Reading(events, np.maximum.accumulate(events.end) if len(events.end) else events.end)
    if len(context.periods) > 1 or len(events.start) <= _MAX_KEPT:
        context.readings[bucket_id, whole] = reading
    return reading


def _adjoining(periods: Sequence[Period], period: Period) -> Period:
    """The whole range of periods adjoining one of them; a period set by the program is on its own."""
    if period not in periods or period.end < period.start:
        return period
    whole: Period | None = None
    for following in sorted((one for one in periods if one.start <= one.end), key=lambda one: one.start):
        if whole is not None and following.start <= whole.end:
            whole = Period(whole.start, max(whole.end, following.end))
        elif whole is not None and whole.start <= period.start <= whole.end:
            break
        else:
            whole = following
    return whole or period


def _touching(reading: Reading, period: Period) -> Table:
    """The events that overlap the closed period."""
    events = reading.events
    behind = int(np.searchsorted(events.start, period.end, side="right"))
    first = min(int(np.searchsorted(reading.latest_end, period.start, side="left")), behind)
    which = slice(first, behind if period.start <= period.end else first)
    touching = Table(events.start, events.end, events.id, events.value, events.dictionary).take(which)
    touches = touching.end >= period.start
    return touching if touches.all() else touching.take(np.flatnonzero(touches))


def _clipped(events: Table, period: Period) -> Table:
    """The events clipped to the period. Mostly few or none extend beyond it."""
    if (events.start >= period.start).all() and (events.end <= period.end).all():
        return events
    start, end = np.maximum(events.start, period.start), np.minimum(events.end, period.end)
    return Table(start, end, events.id, events.value, events.data)


def _unknown(context: Context, bucket_id: str) -> QueryFunctionError:
    return no_bucket(bucket_id, (bucket.id for bucket in context.source.buckets()))
