"""Totals, lists and series equal what the slow reference adds up, for every field, bin, zone and start of the day."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from dayline.insight.calendar import BIN_NAMES, Bin
from dayline.insight.request import FIELDS, CommonRequest, Field, Filter, Scope, parse_filter
from dayline.insight.summary.model import (
    CompareWith,
    FocusActivity,
    FocusInterruption,
    SeriesRequest,
    SummaryRequest,
    Totals,
    comparison_of,
)
from dayline.insight.summary.series import series_of
from dayline.insight.summary.summary import summary_of
from dayline.model.category import UNCATEGORIZED, Category, Condition
from dayline.model.errors import Malformed
from dayline.model.time import DAY, parse_timestamp
from tests.insight.reference.active_time import Moment
from tests.insight.reference.clocks import edges, week_hour
from tests.insight.worlds import HOUR, MACHINES, SECOND, Drawn, worlds
from tests.support.profile import examples
from tests.support.query.tables import MemorySource, StoredEvent

INTERRUPTION = 120 * SECOND
RANGES = st.tuples(st.integers(-2, 20), st.integers(1, 30)).map(lambda each: (each[0], each[0] + each[1]))

Sums = dict[Any, int]


def moments_by(drawn: Drawn, field: Field, start: int, end: int) -> list[Moment]:
    """The moments that a field counts: by device, those of each on its own."""
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
    """The most time in one category or app, with interruptions under two minutes that are at most 10 % of it."""
    best = 0
    for key in {focus_key(moment) for moment in moments} - {None}:
        own = [moment for moment in moments if focus_key(moment) == key]
        for first in range(len(own)):
            time, interrupted, end = 0, 0, own[first].start
            for moment in own[first:]:
                if moment.start - end >= INTERRUPTION:
                    break
                interrupted += moment.start - end
                time += moment.end - moment.start
                end = moment.end
                if 10 * interrupted <= time + interrupted:
                    best = max(best, time)
    return best


def focus_key(moment: Moment) -> Any:
    """What a focus is on: the category, or the app of what has none."""
    category, app = moment.keys["category"], moment.keys["app"]
    if category != UNCATEGORIZED:
        return category, None
    return None if app is None else (category, app)


def switches(moments: list[Moment]) -> int:
    return sum(
        one.keys["app"] != other.keys["app"] and other.start - one.end < INTERRUPTION
        for one, other in pairwise(moments)
    )


def check_focus(totals: Totals, common: CommonRequest) -> None:
    """What interrupted the longest focus is the difference between how long it took and its time."""
    focus = totals.focus
    if focus is None:
        assert totals.longest_focus == 0
        return
    start, end = parse_timestamp(focus.start), parse_timestamp(focus.end)
    assert focus.interrupted == pytest.approx((end - start) / SECOND - totals.longest_focus)
    assert (focus.interruptions == 0) == (focus.interrupted == 0) == (focus.tolerated == [])
    assert isinstance(focus.tolerated, list)
    assert isinstance(focus.interrupted, float)
    tolerated = sum(each.seconds for each in focus.tolerated)
    if len(focus.tolerated) < 3:
        assert tolerated == pytest.approx(focus.interrupted)
    assert tolerated <= focus.interrupted + 1e-6
    assert all((each.category, focus.app and each.app) != (focus.category, focus.app) for each in focus.tolerated)
    assert 10 * focus.interrupted <= focus.interrupted + totals.longest_focus + 1e-6
    is_near = min(common.end, common.scope.now) - end < INTERRUPTION
    assert (focus.ended_by is None) == is_near


def test_the_longest_focus_shows_what_interrupted_it_and_what_ended_it() -> None:
    code, chat, mail = ({"app": app, "title": app} for app in ("Code", "Chat", "Mail"))
    minutes = [(0, 10, code), (10, 1, chat), (11, 9, code), (20, 0.5, mail), (20.5, 9.5, code), (31.5, 5, mail)]
    window: list[StoredEvent] = [
        (int(start * 60) * SECOND, int(length * 60) * SECOND, data, number)
        for number, (start, length, data) in enumerate(minutes, start=1)
    ]
    afk: list[StoredEvent] = [
        (0, 1800 * SECOND, {"status": "not-afk"}, 1),
        (1800 * SECOND, 90 * SECOND, {"status": "afk"}, 2),
        (1890 * SECOND, 300 * SECOND, {"status": "not-afk"}, 3),
    ]
    work = Category(id=0, name=("Work",), conditions=(Condition(field="app", op="is", value="Code"),))
    drawn = Drawn(
        "UTC",
        {"aw-watcher-window_laptop": window, "aw-watcher-afk_laptop": afk},
        Scope(now=2 * HOUR, day_start="00:00", categories=(work,)),
    )

    totals = summary_of(SummaryRequest(common=drawn.common(0, 1)), drawn.source).totals

    assert totals.longest_focus == 28.5 * 60
    focus = totals.focus
    assert focus is not None
    assert (focus.interruptions, focus.interrupted, focus.category) == (2, 90.0, ("Work",))
    assert focus.tolerated == [
        FocusInterruption(state="active", category=UNCATEGORIZED, app="Chat", seconds=60.0),
        FocusInterruption(state="active", category=UNCATEGORIZED, app="Mail", seconds=30.0),
    ]
    assert focus.ended_by == FocusActivity(state="away", category=None, app=None)


def alternating(rules: tuple[Category, ...], *parts: tuple[float, str]) -> Totals:
    """The totals of apps one after the other, each for some minutes."""
    events: list[StoredEvent] = []
    start = 0
    for number, (minutes, app) in enumerate(parts, start=1):
        length = int(minutes * 60) * SECOND
        events.append((start, length, {"app": app, "title": app}, number))
        start += length
    scope = Scope(now=12 * HOUR, day_start="00:00", categories=rules)
    drawn = Drawn("UTC", {"aw-watcher-window_laptop": events}, scope)
    return summary_of(SummaryRequest(common=drawn.common(0, 3)), drawn.source).totals


CODE = Category(id=0, name=("Work",), conditions=(Condition(field="app", op="is", value="Code"),))


def test_time_without_a_category_is_a_focus_on_one_app_only() -> None:
    # All uncategorized time was one focus, whatever the apps were.
    totals = alternating((), *((10, app) for app in ("Mail", "Chat", "Films", "Mail", "Chat")))
    assert totals.longest_focus == 600
    assert totals.focus is not None
    assert (totals.focus.category, totals.focus.app) == (UNCATEGORIZED, "Mail")


def test_many_short_interruptions_end_a_focus_if_they_are_more_than_a_tenth_of_it() -> None:
    # A focus of 78 minutes contained 102 interruptions of 31 minutes.
    often = alternating((CODE,), *((1, app) for _ in range(30) for app in ("Code", "Chat")))
    assert often.longest_focus == 60
    rarely = alternating((CODE,), (20, "Code"), (1, "Chat"), (20, "Code"), (1, "Chat"), (20, "Code"))
    assert rarely.longest_focus == 3600
    assert rarely.focus is not None
    assert rarely.focus.interruptions == 2


def test_a_tree_has_every_category_with_everything_below_it() -> None:
    rules = tuple(
        Category(id=number, name=name, conditions=(Condition(field="app", op="is", value=app),))
        for number, (name, app) in enumerate(
            {("Media",): "Radio", ("Media", "Music"): "Player", ("Work",): "Code"}.items()
        )
    )
    events: list[StoredEvent] = [
        (0, 600 * SECOND, {"app": "Radio"}, 1),
        (600 * SECOND, 1200 * SECOND, {"app": "Player"}, 2),
        (1800 * SECOND, 300 * SECOND, {"app": "Code"}, 3),
    ]
    scope = Scope(now=12 * HOUR, day_start="00:00", categories=rules)
    drawn = Drawn("UTC", {"aw-watcher-window_laptop": events}, scope)
    common = drawn.common(0, 1)

    answer = summary_of(SummaryRequest(common=common, by=("category",), depth=1), drawn.source)
    assert isinstance(answer.tree, list)
    assert [(each.key, each.seconds, each.own) for each in answer.tree] == [
        (("Media",), 1800, 600),
        (("Media", "Music"), 1200, 1200),
        (("Work",), 300, 300),
    ]
    assert [(row.key, row.seconds) for row in answer.lists["category"]] == [(("Media",), 1800), (("Work",), 300)]
    series = series_of(SeriesRequest(common=common, bin="day", depth=1), drawn.source)
    assert [(key, sum(values)) for key, values in zip(series.keys, series.values, strict=True)] == [
        (("Media",), 1800),
        (("Work",), 300),
    ]
    whole = series_of(SeriesRequest(common=common, bin="day"), drawn.source)
    assert whole.parents == [("Media",)]


@settings(max_examples=examples(60), deadline=None)
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
    check_focus(totals, common)
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


@settings(max_examples=examples(60), deadline=None)
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


@settings(max_examples=examples(60), deadline=None)
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


@settings(max_examples=examples(36), deadline=None)
@given(worlds(), st.sampled_from(["laptop", "phone", "tablet"]))
def test_one_device_is_counted_as_if_there_were_no_other(drawn: Drawn, device: str) -> None:
    [machine] = [each for each in MACHINES if each.name == device]
    expected = drawn.world.of_machine(machine, drawn.base, drawn.base + 30 * HOUR)
    for more in ({"devices": (device,)}, {"filters": (parse_filter(f"device:is:{device}"),)}):
        common = drawn.common(0, 30, **more)
        answer = summary_of(SummaryRequest(common=common, by=("app",)), drawn.source)
        assert {row.key: round(row.seconds * SECOND) for row in answer.lists["app"]} == sums_of(expected, "app")


@settings(max_examples=examples(36), deadline=None)
@given(worlds(annotated=False), st.integers(1, 5), st.sampled_from([7 * HOUR, 30 * HOUR]))
def test_what_is_typical_is_the_median_of_four_weeks_up_to_the_clock_time(drawn: Drawn, weeks: int, later: int) -> None:
    calendar = drawn.common(0, 1).calendar
    day = calendar.day_of(drawn.base + 5 * HOUR) + timedelta(weeks=weeks)
    start, end = calendar.span(day, day + timedelta(days=1))
    now = start + later
    common = CommonRequest(scope=replace(drawn.scope, now=now), start=start, end=end)
    comparison = comparison_of(calendar, "typical", (start, end), now=now)
    answer = summary_of(SummaryRequest(common=common, compare=comparison), drawn.source)
    times: list[int] = []
    for count in range(1, 5):
        before = day - timedelta(weeks=count)
        low, high = calendar.span(before, before + timedelta(days=1))
        if now < end:
            high = calendar.moment_at(calendar.local(now) - count * 7 * 24 * HOUR)
        if drawn.world.united(low, high) or drawn.world.away(low, high):
            times.append(total_of(drawn.world.united(low, high)))
    compared: Any = answer.compare
    assert compared.periods == compared.days == len(times)
    assert compared.totals.active == (int(median(times)) if times else 0) / SECOND


MONDAY = parse_timestamp("2026-11-02T00:00:00Z")  # and the days before it
WEEKS: list[StoredEvent] = [
    (MONDAY + day * DAY + 9 * HOUR, (hours * HOUR), {"app": app, "title": ""}, 0)
    for day, hours, app in [
        (-27, 1, "Editor"), (-20, 2, "Editor"), (-13, 4, "Mail"), (-6, 3, "Editor"), (-5, 7, "Editor"), (1, 1, "Game"),
    ]
]  # fmt: skip


def week(kind: CompareWith, *, now: int, by: Field = "app") -> tuple[SummaryRequest, SeriesRequest, MemorySource]:
    """What is asked of the week that begins on that Monday, where a Tuesday of each of four weeks before has data."""
    scope = Scope(now=MONDAY + now, day_start="00:00")
    common = CommonRequest(scope=scope, start=MONDAY, end=MONDAY + 7 * DAY)
    compare = comparison_of(common.calendar, kind, (common.start, common.end), now=scope.now)
    source = MemorySource({"window": WEEKS}, {"window": "laptop"}, {"window": "currentwindow"})
    return (
        SummaryRequest(common=common, by=(by,), compare=compare),
        SeriesRequest(common=common, by=by, bin="day", compare=compare),
        source,
    )


def test_a_week_that_is_not_over_is_compared_with_as_much_of_the_week_before() -> None:
    asked, of_days, source = week("previous", now=DAY + 12 * HOUR)
    compared: Any = summary_of(asked, source).compare
    series = series_of(of_days, source)

    assert compared.totals.active == 3 * 3600  # and not the seven hours of Wednesday
    assert (compared.range.end, compared.whole.label) == ("2026-10-27T12:00:00+00:00", "26 Oct to 1 Nov 2026")
    assert series.prev_total == [0.0, 3 * 3600.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert (series.prev_range, series.prev_whole) == (compared.range, compared.whole)


def test_a_week_that_is_over_is_compared_with_the_whole_week_before() -> None:
    asked, of_days, source = week("previous", now=7 * DAY)
    compared: Any = summary_of(asked, source).compare
    series = series_of(of_days, source)

    assert (compared.totals.active, compared.whole) == (10 * 3600, UNSET)
    assert series.prev_total == [0.0, 3 * 3600.0, 7 * 3600.0, 0.0, 0.0, 0.0, 0.0]
    assert series.prev_whole is UNSET


def test_what_is_typical_of_a_week_is_the_median_of_four_weeks_up_to_the_same_time() -> None:
    asked, of_days, source = week("typical", now=DAY + 12 * HOUR)
    answer = summary_of(asked, source)
    compared: Any = answer.compare
    series = series_of(of_days, source)

    # Of 1, 2, 3 and (of four that begin at nine) 3 hours.
    assert (compared.periods, compared.totals.active) == (4, 2.5 * 3600)
    assert [(row.key, row.prev) for row in answer.lists["app"]] == [("Game", 0.0)]
    assert [(row.key, row.seconds) for row in compared.lists["app"]] == [("Editor", 1.5 * 3600)]
    assert (series.prev_periods, series.prev_total) == (4, [0.0, 2.5 * 3600, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_the_earlier_range_has_lists_of_its_own_with_what_is_there_no_longer() -> None:
    asked, _, source = week("previous", now=7 * DAY)
    answer = summary_of(asked, source)
    compared: Any = answer.compare

    assert [(row.key, row.prev) for row in answer.lists["app"]] == [("Game", 0.0)]
    assert [(row.key, row.seconds, row.share) for row in compared.lists["app"]] == [("Editor", 10 * 3600, 1.0)]


def test_periods_without_any_data_are_not_typical_and_those_that_a_filter_leaves_empty_are() -> None:
    asked, of_days, source = week("typical", now=DAY + 12 * HOUR)
    later = replace(asked.common, start=MONDAY + 7 * DAY, end=MONDAY + 14 * DAY, filters=(parse_filter("app:is:Game"),))
    compare = comparison_of(later.calendar, "typical", (later.start, later.end), now=MONDAY + 14 * DAY)
    compared: Any = summary_of(replace(asked, common=later, compare=compare), source).compare
    series = series_of(replace(of_days, common=later, compare=compare), source)
    nothing = replace(later, start=MONDAY + 70 * DAY, end=MONDAY + 77 * DAY)
    compare = comparison_of(nothing.calendar, "typical", (nothing.start, nothing.end), now=MONDAY + 77 * DAY)
    empty: Any = summary_of(replace(asked, common=nothing, compare=compare), source).compare

    assert (compared.periods, compared.totals.active) == (4, 0)  # one hour of it in one week of four
    assert series.prev_periods == 4
    assert (empty.periods, empty.totals.active, empty.lists) == (0, 0, {"app": []})


def test_an_invalid_filter_is_rejected_with_the_right_syntax() -> None:
    for text in ("category", "category:is", "flavor:is:red", "app:under:x", "app:like:x"):
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


def test_many_years_add_up_month_by_month_also_when_they_are_asked_for_again() -> None:
    window = "aw-watcher-window_laptop"
    days = range(0, 1200, 7)
    events: list[StoredEvent] = [
        (day * 24 * HOUR, 600 * SECOND, {"app": f"App {day % 3}", "title": str(day)}, day + 1) for day in days
    ]
    drawn = Drawn("UTC", {window: events}, Scope(now=0))
    common = drawn.common(-24, 1300 * 24)
    for _ in range(2):
        answer = summary_of(SummaryRequest(common=common, by=("app", "title"), limit=2), drawn.source)
        assert answer.totals.active == 600.0 * len(days)
        assert answer.lists["app"][0].seconds == 600.0 * max(sum(day % 3 == rest for day in days) for rest in range(3))
        assert answer.more == {"app": 1, "title": len(days) - 2}
        assert answer.totals.switches == 0
        series = series_of(SeriesRequest(common=common, bin="month", by="app"), drawn.source)
        assert sum(series.total) == sum(map(sum, series.values)) == 600.0 * len(days)
