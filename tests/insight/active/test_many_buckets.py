"""Buckets without events in the range cost next to nothing; with events, twice as many cost about twice as much."""

from collections import Counter
from collections.abc import Hashable
from functools import reduce
from random import Random
from typing import Final

import numpy as np
import pytest
from msgspec.structs import replace

from dayline.insight.active import annotating
from dayline.insight.active.annotating import RankedPieces, unite
from dayline.insight.active.intervals import Spans
from dayline.insight.active.layers import devices_of
from dayline.insight.categories import events as event_categories
from dayline.insight.request import CommonRequest, Field, Scope
from dayline.insight.summary.model import SummaryRequest
from dayline.insight.summary.summary import summary_of
from dayline.insight.timeline.model import TimelineRequest
from dayline.insight.timeline.task import timeline_answer
from dayline.model.category import Category, ClassicRule
from dayline.model.time import SECOND, Microseconds, parse_timestamp
from dayline.storage.columns.source import EventColumns, ReadReport
from tests.support.query.tables import MemorySource, StoredEvent
from tests.support.tracing import before_each_line

NOON: Final = parse_timestamp("2026-03-05T12:00:00Z")
HOUR: Final = 3600 * SECOND
BUSY: Final = "aw-watcher-window_laptop"


class CountingSource(MemorySource):
    """Counts reads by bucket."""

    def __init__(self, others: dict[str, list[StoredEvent]]) -> None:
        busy: list[StoredEvent] = [(NOON, HOUR, {"app": "Code", "title": "main.py"}, 1)]
        buckets = {BUSY: busy, **others}
        hosts = {name: name.rpartition("_")[2] for name in buckets}
        super().__init__(buckets, hosts, dict.fromkeys(buckets, "currentwindow"))
        self.reads: Counter[str] = Counter()

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        self.reads[bucket_id] += 1
        return super().events(bucket_id, start, end, report)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        self.reads[bucket_id] += 1
        return super().state(bucket_id, start, end)


def others_of(count: int, events: list[StoredEvent]) -> dict[str, list[StoredEvent]]:
    return {f"aw-watcher-window_host{number}": list(events) for number in range(count)}


EMPTY: Final = others_of(1500, [])
EARLIER: Final = others_of(300, [(NOON - 90 * 24 * HOUR, HOUR, {"app": "Old"}, 2)])
COMMON: Final = CommonRequest(scope=Scope(now=NOON + 24 * HOUR), start=NOON - HOUR, end=NOON + 2 * HOUR)


@pytest.mark.parametrize("others", [EMPTY, EARLIER], ids=["empty", "earlier"])
def test_a_summary_reads_only_buckets_with_events_in_the_range(others: dict[str, list[StoredEvent]]) -> None:
    source = CountingSource(others)

    answer = summary_of(SummaryRequest(common=COMMON, by=("app",)), source)

    assert (answer.totals.active, set(source.reads)) == (3600, {BUSY})


def reads_for(*by: Field) -> Counter[str]:
    """How often each bucket is read for a summary by these fields, of ten devices with events in the range."""
    source = CountingSource(others_of(10, [(NOON, HOUR, {"app": "Code", "title": "main.py"}, 2)]))
    summary_of(SummaryRequest(common=COMMON, by=by), source)
    return source.reads


def test_each_bucket_is_read_as_often_for_five_lists_as_for_one() -> None:
    assert reads_for("app", "title", "domain", "url", "category") == reads_for("app")
    assert set(reads_for("app").values()) == {6}  # two of them explain the longest focus


@pytest.mark.parametrize("others", [EMPTY, EARLIER], ids=["empty", "earlier"])
@pytest.mark.parametrize("lanes", ["bucket", "device"])
def test_a_timeline_reads_only_buckets_with_events_in_the_range(
    others: dict[str, list[StoredEvent]], lanes: str
) -> None:
    source = CountingSource(others)

    request = TimelineRequest(common=COMMON, px=100, lanes="device" if lanes == "device" else "bucket")
    answer = timeline_answer(request, source)

    assert len(answer.lanes) == len(others) + 1
    assert [lane.device for lane in answer.lanes if lane.events] == ["laptop"]
    assert set(source.reads) == {BUSY}


def test_devices_are_found_in_order_of_their_first_buckets() -> None:
    source = CountingSource(EMPTY)

    assert [device.name for device in devices_of(source.buckets())] == [
        "laptop",
        *(f"host{number}" for number in range(1500)),
    ]


def test_the_nearest_events_are_looked_for_only_in_buckets_that_have_some() -> None:
    source = CountingSource(EMPTY)
    common = replace(COMMON, start=NOON - 900 * 24 * HOUR, end=NOON - 800 * 24 * HOUR)

    answer = timeline_answer(TimelineRequest(common=common, px=100), source)

    assert answer.nearest is not None
    assert (answer.nearest.before, answer.nearest.after) == (None, "2026-03-05T12:00:00+00:00")
    assert set(source.reads) == {BUSY}


def pieces_of(device: int, *spans: tuple[int, int], rank: int = 0) -> RankedPieces:
    starts, ends = np.array(spans, dtype=np.int64).T
    codes = np.full(len(spans), device, dtype=np.int32)
    return RankedPieces(Spans(starts, ends), np.full(len(spans), rank, dtype=np.int64), codes, codes, codes)


def listed(pieces: RankedPieces) -> list[tuple[int, int, int]]:
    return list(zip(pieces.spans.start.tolist(), pieces.spans.end.tolist(), pieces.device.tolist(), strict=True))


def test_the_time_of_a_thousand_devices_is_copied_ten_times(monkeypatch: pytest.MonkeyPatch) -> None:
    united, copied = annotating.unite_two, 0

    def counted(first: RankedPieces, second: RankedPieces) -> RankedPieces:
        nonlocal copied
        copied += len(first) + len(second)
        return united(first, second)

    monkeypatch.setattr(annotating, "unite_two", counted)

    result = unite([pieces_of(number, (10 * number, 10 * number + 5)) for number in range(1024)])

    assert listed(result) == [(10 * number, 10 * number + 5, number) for number in range(1024)]
    assert copied == 10 * 1024


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_devices_in_pairs_are_united_like_one_after_the_other(count: int) -> None:
    random = Random(count)
    for _ in range(50):
        lists: list[RankedPieces] = []
        for device in range(count):
            edges = sorted(random.sample(range(30), 6))
            lists.append(pieces_of(device, *zip(edges[::2], edges[1::2], strict=True), rank=random.randrange(3)))

        assert listed(unite(lists)) == listed(reduce(annotating.unite_two, lists))


def lines_for(count: int) -> int:
    """How many lines run to categorize the events of this many devices."""
    source = CountingSource(others_of(count, [(NOON, HOUR, {"app": "Code", "title": "main.py"}, 2)]))
    categories = (Category(id=1, name=("Work",), rule=ClassicRule(regex="Code")),)
    request = TimelineRequest(common=replace(COMMON, scope=Scope(now=NOON, categories=categories)), px=100)
    lines = 0

    def count_line() -> None:
        nonlocal lines
        lines += 1

    with before_each_line(count_line, of=event_categories.__file__.__eq__):
        answer = timeline_answer(request, source)
    assert answer.categories == [("Work",)]
    return lines


def test_events_of_ten_times_the_devices_are_categorized_in_about_ten_times_the_steps() -> None:
    assert lines_for(200) < 15 * lines_for(20)
