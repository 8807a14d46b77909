"""The task `summary`: totals of a range, and lists by field. Only query processes import this."""

import msgspec
from msgspec import UNSET

from dayline.insight.active.combinations import Key
from dayline.insight.calendar import Span
from dayline.insight.chunks import chunks_of
from dayline.insight.common_request import Field, range_answer
from dayline.insight.comparing import compared_spans
from dayline.insight.key_times import KeyTimes, key_times
from dayline.insight.lists import KeyTime, KeyTotals, Listed
from dayline.insight.summary_answer import Compared, DeviceTime, Row, Summary
from dayline.insight.summary_request import MOST_KEYS, SummaryRequest
from dayline.insight.totals import ChunkTotals, Measured, chunk_totals, joined_totals, totals_of
from dayline.model.timestamps import SECOND
from dayline.storage.columns import ColumnSource

_request = msgspec.json.Decoder(SummaryRequest)


def summary(request: bytes, source: ColumnSource) -> bytes:
    """Do the task: a SummaryRequest as JSON in, a Summary as JSON out."""
    return msgspec.json.encode(summary_of(_request.decode(request), source))


def summary_of(asked: SummaryRequest, source: ColumnSource) -> Summary:
    """The totals of a range, its lists, and what they are compared with."""
    common = asked.common
    calendar = common.calendar
    span = common.start, common.end
    found = _Range(asked, source, span)
    others = [] if asked.compare is None else compared_spans(calendar, asked.compare, span, common.scope.now)
    compared = [_Range(asked, source, other) for other in others]
    if asked.compare is not None and asked.compare.kind == "typical":
        compared = [each for each in compared if each.totals.active or each.totals.away]  # not where nothing is known
    lists: dict[Field, Listed] = {field: found.times[field].listed(asked.limit) for field in asked.by}
    devices = found.times["device"].listed(MOST_KEYS)
    return Summary(
        range=range_answer(calendar, *span),
        totals=totals_of(found.totals, calendar),
        lists={
            str(field): _rows(each.rows, found.totals.active, _previous(compared, field, each.rows) if others else None)
            for field, each in lists.items()
        },
        more={field: each.more for field, each in lists.items()},
        without={field: each.without / SECOND for field, each in lists.items()},
        devices=[DeviceTime(device=str(row.key), seconds=row.time / SECOND) for row in devices.rows],
        compare=Compared(
            range=range_answer(calendar, *others[0]),
            totals=totals_of(_median([each.totals for each in compared]), calendar),
            days=len(compared) if asked.compare.kind == "typical" else UNSET,
        )
        if asked.compare is not None
        else UNSET,
    )


class _Range:
    """What is known of a range, chunk by chunk."""

    def __init__(self, asked: SummaryRequest, source: ColumnSource, span: Span) -> None:
        now = asked.common.scope.now
        fields: tuple[Field, ...] = (*asked.by, "device")
        times: dict[Field, list[KeyTimes]] = {field: [] for field in fields}
        totals: list[ChunkTotals] = []
        for chunk in chunks_of(source, asked.common, span):  # one after the other, so that one is in memory at a time
            totals.append(chunk_totals(chunk, now))
            for field, parts in times.items():
                parts.append(key_times(chunk, field))
        self.totals = joined_totals(totals, span, now)
        self.times = {field: KeyTotals(parts) for field, parts in times.items()}


def _previous(compared: list[_Range], field: Field, rows: list[KeyTime]) -> dict[Key, int]:
    """What each key had in what the range is compared with."""
    keys = [row.key for row in rows]
    found = [each.times[field].times_of(keys) for each in compared]
    return {key: _middle([times[number] for times in found]) for number, key in enumerate(keys)}


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


def _median(found: list[Measured]) -> Measured:
    """The median of each number. When things were is told of one range only."""
    if len(found) == 1:
        return found[0]
    return Measured(
        active=_middle([each.active for each in found]),
        away=_middle([each.away for each in found]),
        nodata=_middle([each.nodata for each in found]),
        longest_focus=_middle([each.longest_focus for each in found]),
        switches=_middle([each.switches for each in found]),
        overlap=_middle([each.overlap for each in found]),
    )


def _middle(numbers: list[int]) -> int:
    """The median; the mean of the two in the middle of an even number, in whole microseconds."""
    if not numbers:
        return 0
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) // 2
