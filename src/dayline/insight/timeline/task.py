"""The task of a timeline: lanes of pieces, at most one a pixel. Only query processes import this."""

from collections.abc import Sequence

import msgspec
import numpy as np

from dayline.insight.classify import Classifier
from dayline.insight.common_request import CommonRequest, range_answer
from dayline.insight.timeline.coverage import coverage_of
from dayline.insight.timeline.density import columns_of, density
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.lanes import Tables, ordered, shown
from dayline.insight.timeline.nearest import nearest_after, nearest_before
from dayline.insight.timeline.pieces import pieces_of
from dayline.insight.timeline_answer import LaneAnswer, NearestAnswer, TimelineAnswer
from dayline.insight.timeline_request import TimelineRequest
from dayline.model.errors import BucketNotFound
from dayline.storage.columns import ColumnSource, SourceBucket

_request = msgspec.json.Decoder(TimelineRequest)


def timeline(request: bytes, source: ColumnSource) -> bytes:
    """The answer to a TimelineRequest, a TimelineAnswer."""
    return msgspec.json.encode(timeline_answer(_request.decode(request), source))


def timeline_answer(asked: TimelineRequest, source: ColumnSource) -> TimelineAnswer:
    """The lanes that were asked for. Raises BucketNotFound."""
    common = asked.common
    grid = Grid(common.start, common.end, asked.px)
    classifier = Classifier.of(common.scope.categories)
    tables = Tables(classifier)
    lanes: list[LaneAnswer] = []
    overview = np.zeros(columns_of(grid))
    buckets = ordered(_chosen(source.buckets(), asked))
    for bucket in buckets:
        found = shown(source, bucket, grid, classifier, asked.color)
        coverage = coverage_of(found.spans.start, found.spans.end)
        lanes.append(tables.lane(bucket, found.keys, pieces_of(found.spans, coverage, grid), grid))
        np.maximum(overview, density(coverage, grid), out=overview)
    return TimelineAnswer(
        range=range_answer(common.calendar, common.start, common.end),
        px=asked.px,
        lanes=lanes,
        keys=tables.keys,
        categories=tables.categories,
        overview=np.round(overview, 4).tolist(),
        nearest=None if any(lane.events for lane in lanes) else _nearest(source, buckets, common),
    )


def _chosen(buckets: Sequence[SourceBucket], asked: TimelineRequest) -> list[SourceBucket]:
    """Those named, by their own ids or aliases; all where none are."""
    devices = asked.common.devices
    found = [_named(buckets, name) for name in asked.buckets] or buckets
    return [bucket for bucket in dict.fromkeys(found) if not devices or bucket.hostname in devices]


def _named(buckets: Sequence[SourceBucket], name: str) -> SourceBucket:
    for bucket in buckets:
        if bucket.id == name:
            return bucket
    for bucket in buckets:
        if name in bucket.aliases:
            return bucket
    raise BucketNotFound(name)


def _nearest(source: ColumnSource, buckets: Sequence[SourceBucket], common: CommonRequest) -> NearestAnswer:
    ids, calendar = [bucket.id for bucket in buckets], common.calendar
    before, after = nearest_before(source, ids, common.start), nearest_after(source, ids, common.end)
    return NearestAnswer(
        before=None if before is None else calendar.text(before),
        after=None if after is None else calendar.text(after),
    )
