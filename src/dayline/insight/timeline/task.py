"""The task `timeline`: lanes of pieces, at most one per pixel. Only query processes import this."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from dayline.insight.active.filters import chosen_devices, keeps
from dayline.insight.categories.events import EventCategories
from dayline.insight.request import CommonRequest, range_answer
from dayline.insight.timeline.device_lanes import device_lanes
from dayline.insight.timeline.lanes import DrawnLane, Numbering, bucket_lane, draw, empty_lane, order_by_device
from dayline.insight.timeline.model import LaneResponse, NearestResponse, TimelineRequest, TimelineResponse
from dayline.insight.timeline.pieces import Grid, columns_of
from dayline.model.category import Path
from dayline.model.edits.shown_text import shown_texts
from dayline.model.errors import BucketNotFound
from dayline.model.time import DAY, EARLIEST, LATEST, Microseconds
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import ColumnSource, ReadReport, SourceBucket

# Steps grow by this factor: usually the first, small one is enough.
_WIDER: Final = 8


def nearest_before(source: ColumnSource, buckets: Sequence[str], moment: Microseconds) -> Microseconds | None:
    """The latest end of an event at or before a time; None if an event extends beyond it."""
    buckets = [bucket for bucket in buckets if (extent := source.extent(bucket)) is not None and extent[0] <= moment]
    for low, high in _steps(moment - EARLIEST) if buckets else ():
        ends = [
            int(events.end.max())
            for bucket in buckets
            if len((events := source.events(bucket, moment - high, moment - low, ReadReport())).end)
        ]
        if ends:
            return max(ends)
    return None


def nearest_after(source: ColumnSource, buckets: Sequence[str], moment: Microseconds) -> Microseconds | None:
    """The first start of an event at or after a time; None if an event extends into it."""
    buckets = [bucket for bucket in buckets if (extent := source.extent(bucket)) is not None and extent[1] >= moment]
    for low, high in _steps(LATEST - moment) if buckets else ():
        starts = [
            int(events.start[0])
            for bucket in buckets
            if len((events := source.events(bucket, moment + low, moment + high, ReadReport())).start)
        ]
        if starts:
            return min(starts)
    return None


def _steps(reach: Microseconds) -> Iterator[tuple[Microseconds, Microseconds]]:
    """Growing distances to search, as pairs of from and to, up to the limit."""
    low, high = 0, DAY
    while low < reach:
        yield low, min(high, reach)
        low, high = high, high * _WIDER


_DIGITS: Final = 6  # of shares
_OVERVIEW_DIGITS: Final = 4


def timeline_answer(asked: TimelineRequest, source: ColumnSource) -> TimelineResponse:
    """The task: the requested lanes. Raises BucketNotFound or Invalid."""
    common = asked.common
    grid = Grid(common.start, common.end, asked.px)
    buckets = _select(source.buckets(), asked)
    keys, titles, categories = Numbering[str](), Numbering[str](), Numbering[Path]()
    answers: list[LaneResponse] = []
    overview = np.zeros(columns_of(grid))
    for lane in _lanes(source, buckets, grid, asked):
        answers.append(_answer(lane, grid, keys, titles, categories))
        np.maximum(overview, lane.density, out=overview)
    shown_keys, truncated_keys = shown_texts(keys.all())
    shown_titles, truncated_titles = shown_texts(titles.all())
    return TimelineResponse(
        range=range_answer(common.calendar, common.start, common.end),
        px=asked.px,
        lanes=answers,
        keys=shown_keys,
        truncated_keys=truncated_keys,
        titles=shown_titles,
        truncated_titles=truncated_titles,
        categories=categories.all(),
        overview=np.round(overview, _OVERVIEW_DIGITS).tolist(),
        nearest=None if any(lane.events for lane in answers) else _nearest(source, buckets, common),
    )


def _lanes(
    source: ColumnSource, buckets: Sequence[SourceBucket], grid: Grid, asked: TimelineRequest
) -> Iterator[DrawnLane]:
    """Draws one lane after the other, so that only one is in memory."""
    if asked.lanes == "device":
        yield from device_lanes(source, asked.common, grid, asked.color)
        return
    categories = EventCategories(source, asked.common.scope)
    empty = draw(empty_lane(), grid)
    for bucket in buckets:
        extent = source.extent(bucket.id)
        if extent is None or extent[0] >= grid.end or extent[1] < grid.start:
            yield replace(empty, bucket=bucket.id, device=bucket.hostname, type=bucket.type)
            continue
        yield draw(bucket_lane(source, bucket, grid, asked.common, asked.color, categories), grid)


def _answer(
    lane: DrawnLane, grid: Grid, keys: Numbering[str], titles: Numbering[str], categories: Numbering[Path]
) -> LaneResponse:
    """A lane as the API returns it."""
    pieces = lane.pieces
    gap = pieces.start - np.append(grid.start, pieces.end)[: len(pieces)]
    return LaneResponse(
        bucket=lane.bucket,
        device=lane.device,
        type=lane.type,
        events=int(pieces.count.sum()),
        is_exact=bool((pieces.count == 1).all()),
        gap=gap.tolist(),
        dur=(pieces.end - pieces.start).tolist(),
        key=keys.numbers(lane.keys, pieces.key).tolist(),
        share=np.round(pieces.share, _DIGITS).tolist(),
        cat=categories.numbers(lane.categories, pieces.category).tolist(),
        n=pieces.count.tolist(),
        cover=np.round(pieces.cover, _DIGITS).tolist(),
        title=titles.numbers(lane.titles, pieces.title).tolist(),
        id=[None if number == NO_ID else number for number in pieces.id.tolist()],
    )


def _select(buckets: Sequence[SourceBucket], asked: TimelineRequest) -> list[SourceBucket]:
    """The named buckets, by id or alias, or all of them; without those that devices and filters exclude."""
    named = [_find(buckets, name) for name in asked.buckets] or buckets
    of_devices = chosen_devices(asked.common, dict.fromkeys(named), lambda bucket: bucket.hostname)
    return order_by_device([bucket for bucket in of_devices if keeps(asked.common, "bucket", bucket.id)])


def _find(buckets: Sequence[SourceBucket], name: str) -> SourceBucket:
    for bucket in buckets:
        if bucket.id == name:
            return bucket
    for bucket in buckets:
        if name in bucket.aliases:
            return bucket
    raise BucketNotFound(name)


def _nearest(source: ColumnSource, buckets: Sequence[SourceBucket], common: CommonRequest) -> NearestResponse:
    ids, calendar = [bucket.id for bucket in buckets], common.calendar
    before, after = nearest_before(source, ids, common.start), nearest_after(source, ids, common.end)
    return NearestResponse(
        before=None if before is None else calendar.text(before),
        after=None if after is None else calendar.text(after),
    )
