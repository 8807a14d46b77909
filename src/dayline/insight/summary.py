"""The task `summary`: totals of a range, and lists by field. Only query processes import this."""

import msgspec
from msgspec import UNSET

from dayline.insight.active.combinations import Key
from dayline.insight.active.pieces import active_pieces
from dayline.insight.calendar import Span
from dayline.insight.common_request import Field, range_answer
from dayline.insight.comparing import compared_spans
from dayline.insight.filters import filtered
from dayline.insight.lists import Grouping, KeyTime, Listed
from dayline.insight.summary_answer import Compared, DeviceTime, Row, Summary
from dayline.insight.summary_request import SummaryRequest
from dayline.insight.totals import Measured, measured, totals_of
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
    found, grouping = _measured(asked, source, span)
    others = [] if asked.compare is None else compared_spans(calendar, asked.compare, span, common.scope.now)
    compared = [_measured(asked, source, other) for other in others]
    if asked.compare is not None and asked.compare.kind == "typical":
        compared = [each for each in compared if each[0].active or each[0].away]  # days on which nothing was recorded
    lists: dict[Field, Listed] = {field: grouping.listed(field, asked.limit) for field in asked.by}
    return Summary(
        range=range_answer(calendar, *span),
        totals=totals_of(found, calendar),
        lists={
            str(field): _rows(
                listed.rows, found.active, _previous([other for _, other in compared], field, listed.rows, others)
            )
            for field, listed in lists.items()
        },
        more={field: listed.more for field, listed in lists.items()},
        without={field: listed.without / SECOND for field, listed in lists.items()},
        devices=[
            DeviceTime(device=str(device), seconds=time / SECOND)
            for device, time in sorted(grouping.times("device").items(), key=lambda each: (-each[1], each[0]))
        ],
        compare=Compared(
            range=range_answer(calendar, *others[0]),
            totals=totals_of(_median([each for each, _ in compared]), calendar),
            days=len(compared) if asked.compare.kind == "typical" else UNSET,
        )
        if asked.compare is not None
        else UNSET,
    )


def _measured(asked: SummaryRequest, source: ColumnSource, span: Span) -> tuple[Measured, Grouping]:
    common = asked.common
    everything = active_pieces(source, common.scope, *span, common)
    pieces = filtered(common, everything)
    return measured(everything, pieces, *span, common.scope.now), Grouping(pieces)


def _previous(compared: list[Grouping], field: Field, rows: list[KeyTime], others: list[Span]) -> dict[Key, int] | None:
    """What each key had in what the range is compared with; None where there is no comparison."""
    if not others:
        return None
    wanted = [row.key for row in rows]
    times = [each.of_keys(field, wanted) for each in compared]
    return {key: _middle([each[key] for each in times]) for key in wanted}


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
        first=None,
        last=None,
        longest_focus=_middle([each.longest_focus for each in found]),
        focus=None,
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
