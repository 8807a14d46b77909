"""The task `summary`: totals of a range, and lists by field. Only query processes import this."""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from dayline.insight.active.combinations import Key
from dayline.insight.calendar import Calendar, Span
from dayline.insight.chunks import chunks_of
from dayline.insight.common_request import Field, range_answer
from dayline.insight.key_times import KeyTimes, key_times
from dayline.insight.lists import KeyTime, KeyTotals, Listed
from dayline.insight.summary_answer import Compared, DeviceTime, Row, Summary
from dayline.insight.summary_request import MOST_KEYS, Comparison, SummaryRequest
from dayline.insight.totals import ChunkTotals, Measured, chunk_totals, joined_totals, totals_of
from dayline.model.timestamps import SECOND
from dayline.storage.columns.source import ColumnSource

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
    compared = None if asked.compare is None else _Earlier(asked, asked.compare, source)
    lists: dict[Field, Listed] = {field: found.times[field].listed(asked.limit) for field in asked.by}
    before = {} if compared is None else {field: compared.times(field, each.rows) for field, each in lists.items()}
    devices = found.times["device"].listed(MOST_KEYS)
    return Summary(
        range=range_answer(calendar, *span),
        totals=totals_of(found.totals, calendar),
        lists={str(field): _rows(each.rows, found.totals.active, before.get(field)) for field, each in lists.items()},
        more={field: each.more for field, each in lists.items()},
        without={field: each.without / SECOND for field, each in lists.items()},
        devices=[DeviceTime(device=str(row.key), seconds=row.time / SECOND) for row in devices.rows],
        compare=UNSET if compared is None else compared.answer(calendar),
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
        self.is_recorded = any(part.known for part in totals)
        self.times = {field: KeyTotals(parts) for field, parts in times.items()}


class _Earlier:
    """What is known of the ranges that a range is compared with. `typical` leaves out those without any data."""

    def __init__(self, asked: SummaryRequest, comparison: Comparison, source: ColumnSource) -> None:
        self._asked = asked
        self._comparison = comparison
        self._is_typical = comparison.kind == "typical"
        ranges = [_Range(asked, source, span) for span in comparison.spans]
        self._ranges = [each for each in ranges if not self._is_typical or each.is_recorded]

    def answer(self, calendar: Calendar) -> Compared:
        whole, periods = self._comparison.whole, len(self._ranges) if self._is_typical else UNSET
        totals = _median([each.totals for each in self._ranges])
        return Compared(
            range=range_answer(calendar, *self._comparison.spans[0]),
            whole=UNSET if whole is None else range_answer(calendar, *whole),
            totals=totals_of(totals, calendar),
            lists={str(field): _rows(self._largest(field), totals.active, None) for field in self._asked.by},
            periods=periods,
            days=periods,
        )

    def times(self, field: Field, rows: Iterable[KeyTime]) -> dict[Key, int]:
        """What each of these keys had."""
        keys = [row.key for row in rows]
        found = [each.times[field].times_of(keys) for each in self._ranges]
        return {key: _middle([times[number] for times in found]) for number, key in enumerate(keys)}

    def _largest(self, field: Field) -> list[KeyTime]:
        """The keys with the most time; of several ranges by the median."""
        limit = self._asked.limit
        listed = [each.times[field].listed(limit).rows for each in self._ranges]
        if len(listed) == 1:
            return listed[0]
        rows = {row.key: row for each in listed for row in each}
        times = self.times(field, rows.values())
        found = [KeyTime(row.key, times[row.key], row.category) for row in rows.values() if times[row.key]]
        return sorted(found, key=lambda row: (-row.time, row.key))[:limit]


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
