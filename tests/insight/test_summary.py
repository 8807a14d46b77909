"""Totals, lists and series equal what the slow reference adds up, for every field, bin, zone and start of the day."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.common_request import FIELDS, CommonRequest, Field, Filter, parse_filter
from dayline.insight.edges import BIN_NAMES, Bin
from dayline.insight.scope import Scope
from dayline.insight.series import series_of
from dayline.insight.summary import summary_of
from dayline.insight.summary_request import Comparison, SeriesRequest, SummaryRequest
from dayline.model.errors import Invalid, Malformed
from tests.insight.reference.active_time import Moment
from tests.insight.reference.clocks import edges, week_hour
from tests.insight.worlds import HOUR, MACHINES, SECOND, Drawn, worlds

INTERRUPTION = 120 * SECOND
RANGES = st.tuples(st.integers(-2, 20), st.integers(1, 30)).map(lambda each: (each[0], each[0] + each[1]))

Sums = dict[Any, int]


def moments_by(drawn: Drawn, field: Field, start: int, end: int) -> list[Moment]:
    """The moments that a field counts: by device, those of each by itself."""
    if field != "device":
        return drawn.world.united(start, end)
    return [moment for machine in MACHINES for moment in drawn.world.of_machine(machine, start, end)]


def sums_of(moments: list[Moment], field: Field) -> Sums:
    sums: Counter[Any] = Counter()
    for moment in moments:
        if moment.keys[field] is not None:
            sums[moment.keys[field]] += moment.end - moment.start
    return dict(sums)


def total_of(moments: list[Moment]) -> int:
    return sum(moment.end - moment.start for moment in moments)


def longest_focus(moments: list[Moment]) -> int:
    """The most time in one category without an interruption of two minutes."""
    best, running = 0, dict[Any, tuple[int, int]]()  # of each category, how much it is by now and when it ended
    for moment in moments:
        category = moment.keys["category"]
        time, end = running.get(category, (0, moment.start))
        time = (time if moment.start - end < INTERRUPTION else 0) + moment.end - moment.start
        running[category] = time, moment.end
        best = max(best, time)
    return best


def switches(moments: list[Moment]) -> int:
    return sum(
        one.keys["app"] != other.keys["app"] and other.start - one.end < INTERRUPTION
        for one, other in pairwise(moments)
    )


@settings(max_examples=40, deadline=None)
@given(worlds(), RANGES)
def test_a_summary_equals_the_reference(drawn: Drawn, span: tuple[int, int]) -> None:
    common = drawn.common(*span)
    answer = summary_of(SummaryRequest(common=common, by=FIELDS), drawn.source)
    moments = drawn.world.united(common.start, common.end)
    active, away = total_of(moments), drawn.world.away(common.start, common.end)
    totals = answer.totals
    assert totals.active == active / SECOND
    assert totals.away == away / SECOND
    assert totals.nodata == (common.end - common.start - active - away) / SECOND
    assert totals.first == (drawn.common(*span).calendar.text(moments[0].start) if moments else None)
    assert totals.last == (drawn.common(*span).calendar.text(moments[-1].end) if moments else None)
    assert totals.longest_focus == longest_focus(moments) / SECOND
    assert totals.switches == switches(moments)
    for field in FIELDS:
        of_field = moments_by(drawn, field, common.start, common.end)
        sums = sums_of(of_field, field)
        rows = answer.lists[field]
        assert {row.key: round(row.seconds * SECOND) for row in rows} == sums
        assert [row.key for row in rows] == sorted(sums, key=lambda key: (-sums[key], key))
        few = summary_of(SummaryRequest(common=common, by=(field,), limit=1), drawn.source)
        assert [row.key for row in few.lists[field]] == [row.key for row in rows[:1]]
        assert few.more[field] == max(0, len(rows) - 1)
        assert sum(sums.values()) + round(answer.without[field] * SECOND) == (
            total_of(of_field) if field != "device" else total_of(of_field) + total_of(_elsewhere(drawn, common))
        )
    devices = sum(round(each.seconds * SECOND) for each in answer.devices)
    assert devices + total_of(_elsewhere(drawn, common)) - active == round(totals.overlap * SECOND)


@settings(max_examples=50, deadline=None)
@given(worlds(), RANGES, st.sampled_from(BIN_NAMES), st.sampled_from(FIELDS))
def test_a_series_equals_the_reference(drawn: Drawn, span: tuple[int, int], bin_: Bin, field: Field) -> None:
    common = drawn.common(*span)
    answer = series_of(SeriesRequest(common=common, bin=bin_, by=field, top=2), drawn.source)
    expected = edges(drawn.zone, drawn.scope.day_start, bin_, common.start, common.end)
    cells = [week_hour(drawn.zone, edge) for edge in expected[:-1]] if bin_ == "weekhour" else range(len(expected) - 1)
    size = 168 if bin_ == "weekhour" else len(expected) - 1
    if bin_ == "weekhour":
        assert answer.edges == []
        assert isinstance(answer.hours, list)
        assert sum(answer.hours) == pytest.approx((common.end - common.start) / HOUR)
    else:
        assert answer.edges == [common.calendar.text(edge) for edge in expected]
    table: dict[Any, list[int]] = {}
    total = [0] * size
    for cell, low, high in zip(cells, expected, expected[1:], strict=False):
        for key, time in sums_of(moments_by(drawn, field, low, high), field).items():
            table.setdefault(key, [0] * size)[cell] += time
        total[cell] += total_of(drawn.world.united(low, high))
    largest = sorted(table, key=lambda key: (-sum(table[key]), key))
    assert answer.keys == largest[:2]
    assert answer.values == [[time / SECOND for time in table[key]] for key in largest[:2]]
    others = [sum(table[key][cell] for key in largest[2:]) / SECOND for cell in range(size)]
    assert answer.other == others
    assert answer.total == [time / SECOND for time in total]


@settings(max_examples=40, deadline=None)
@given(
    worlds(),
    RANGES,
    st.sampled_from(["category:under:Work", "category:not:Web", "app:has:O", "domain:is:docs.example.org"]),
)
def test_a_filter_leaves_what_it_says(drawn: Drawn, span: tuple[int, int], text: str) -> None:
    common = drawn.common(*span, filters=(parse_filter(text),))
    answer = summary_of(SummaryRequest(common=common, by=("category", "app", "domain")), drawn.source)
    moments = [moment for moment in drawn.world.united(common.start, common.end) if _passes(common.filters[0], moment)]
    assert answer.totals.active == total_of(moments) / SECOND
    for field in ("category", "app", "domain"):
        sums = sums_of(moments, field)
        assert {row.key: round(row.seconds * SECOND) for row in answer.lists[field]} == sums
    without = summary_of(SummaryRequest(common=drawn.common(*span)), drawn.source)
    assert (answer.totals.away, answer.totals.nodata) == (without.totals.away, without.totals.nodata)


@settings(max_examples=25, deadline=None)
@given(worlds(), st.sampled_from(["laptop", "phone", "tablet"]))
def test_one_device_is_counted_as_if_there_were_no_other(drawn: Drawn, device: str) -> None:
    [machine] = [each for each in MACHINES if each.name == device]
    expected = drawn.world.of_machine(machine, drawn.base, drawn.base + 30 * HOUR)
    for more in ({"devices": (device,)}, {"filters": (parse_filter(f"device:is:{device}"),)}):
        common = drawn.common(0, 30, **more)
        answer = summary_of(SummaryRequest(common=common, by=("app",)), drawn.source)
        assert {row.key: round(row.seconds * SECOND) for row in answer.lists["app"]} == sums_of(expected, "app")


@settings(max_examples=25, deadline=None)
@given(worlds(annotated=False), st.integers(1, 5), st.sampled_from([7 * HOUR, 30 * HOUR]))
def test_what_is_typical_is_the_median_of_four_weeks_up_to_the_clock_time(drawn: Drawn, weeks: int, later: int) -> None:
    calendar = drawn.common(0, 1).calendar
    day = calendar.day_of(drawn.base + 5 * HOUR) + timedelta(weeks=weeks)
    start, end = calendar.span(day, day + timedelta(days=1))
    now = start + later
    common = CommonRequest(scope=replace(drawn.scope, now=now), start=start, end=end)
    answer = summary_of(SummaryRequest(common=common, compare=Comparison(kind="typical")), drawn.source)
    times: list[int] = []
    for count in range(1, 5):
        before = day - timedelta(weeks=count)
        low, high = calendar.span(before, before + timedelta(days=1))
        if now < end:
            high = calendar.moment_at(calendar.local(now) - count * 7 * 24 * HOUR)
        if drawn.world.united(low, high) or drawn.world.away(low, high):
            times.append(total_of(drawn.world.united(low, high)))
    compared: Any = answer.compare
    assert compared.days == len(times)
    assert compared.totals.active == (int(median(times)) if times else 0) / SECOND


def test_only_a_day_has_something_typical() -> None:
    drawn = Drawn("UTC", {bucket: [] for bucket in ("aw-watcher-window_laptop",)}, Scope(now=0))
    request = SummaryRequest(common=drawn.common(0, 30), compare=Comparison(kind="typical"))
    with pytest.raises(Invalid, match="only a day"):
        summary_of(request, drawn.source)


def test_a_filter_that_cannot_be_read_says_how_it_is_written() -> None:
    for text in ("category", "category:is", "colour:is:red", "app:under:x", "app:like:x"):
        with pytest.raises(Malformed) as error:
            parse_filter(text)
        assert error.value.field == "filter"
    assert parse_filter('category:is:["Audio/Video"]').path == ("Audio/Video",)
    assert parse_filter("url:is:https://example.org/a:b").value == "https://example.org/a:b"


def _passes(asked: Filter, moment: Moment) -> bool:
    key = moment.keys[asked.field]
    match asked.op:
        case "under":
            return bool(key[: len(asked.path)] == asked.path)
        case "not":
            return bool(key != asked.path)
        case "has":
            return key is not None and asked.value.lower() in key.lower()
        case "is":
            return bool(key == asked.value)


def _elsewhere(drawn: Drawn, common: CommonRequest) -> list[Moment]:
    return drawn.world.elsewhere(common.start, common.end)
