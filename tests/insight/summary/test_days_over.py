"""Days that are over are computed once: their cached results are those of a server that never computed them."""

from collections.abc import Generator, Hashable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import urlencode

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.active import months
from dayline.insight.calendar import BIN_NAMES, Bin
from dayline.insight.goals.model import GoalsRequest
from dayline.insight.goals.progress import goals_progress
from dayline.insight.request import FIELDS, CommonRequest, Field, Filter, Scope
from dayline.insight.summary.model import SeriesRequest, SummaryRequest, comparison_of
from dayline.insight.summary.series import series_of
from dayline.insight.summary.summary import summary_of
from dayline.model.settings.goal import Goal
from dayline.model.time import DAY, Microseconds, parse_timestamp
from dayline.storage.columns.source import EventColumns, ReadReport
from tests.insight.worlds import HOUR, SECOND, Drawn, worlds
from tests.support.keyed_server import KeyedServer
from tests.support.profile import examples
from tests.support.query.tables import MemorySource, StoredEvent

NEVER_OVER: Final = 10_000 * DAY
WINDOW: Final = "aw-watcher-window_laptop"
GOAL: Final = Goal(id=1, name="a goal", kind="at_least", seconds=60.0, per="day", by="app", value="Code")


@contextmanager
def in_whole_months() -> Generator[None]:
    """As if no day of a month was over."""
    with patch.object(months, "_LATE", NEVER_OVER):
        yield


def at_hour(drawn: Drawn, now: int, span: tuple[int, int], **more: Any) -> CommonRequest:
    return replace(drawn.common(*span, **more), scope=replace(drawn.scope, now=drawn.base + now * HOUR))


@settings(max_examples=examples(60), deadline=None)
@given(worlds(), st.integers(2, 60), st.sampled_from(BIN_NAMES), st.sampled_from(FIELDS))
def test_a_month_in_two_parts_has_the_same_totals(drawn: Drawn, now: int, bin_: Bin, field: Field) -> None:
    common = at_hour(drawn, now, (-30, 70))
    summary, series = SummaryRequest(common=common, by=FIELDS), SeriesRequest(common=common, bin=bin_, by=field)
    goals = GoalsRequest(common=common, goals=(GOAL,), hours=None)
    with in_whole_months():
        expected = (
            summary_of(summary, drawn.source),
            series_of(series, drawn.source),
            goals_progress(goals, drawn.source),
        )
    source = drawn.without().source
    for _ in range(2):  # the second time from the cache
        assert (summary_of(summary, source), series_of(series, source), goals_progress(goals, source)) == expected


@settings(max_examples=examples(40), deadline=None)
@given(
    worlds(),
    st.lists(st.integers(0, 24 * 3600), min_size=2, max_size=4),
    st.integers(1, 2),
    st.sampled_from([(), (Filter(field="app", op="has", value="o"),)]),
    st.sampled_from([(), ("laptop",)]),
)
def test_what_is_typical_is_the_same_at_any_time_of_a_day(
    drawn: Drawn, times: list[int], weeks: int, filters: tuple[Filter, ...], devices: tuple[str, ...]
) -> None:
    start = drawn.base + 7 * weeks * DAY
    for time in times:  # in any order: what was computed later in the day includes more of it
        scope = replace(drawn.scope, now=start + time * SECOND)
        common = CommonRequest(scope=scope, start=start, end=start + DAY, filters=filters, devices=devices)
        compare = comparison_of(common.calendar, "typical", (start, start + DAY), now=scope.now)
        summary = SummaryRequest(common=common, by=FIELDS, compare=compare)
        series = SeriesRequest(common=common, bin="hour", by="app", compare=compare)
        with in_whole_months():
            new = drawn.without().source
            expected = summary_of(summary, new), series_of(series, new)
        assert (summary_of(summary, drawn.source), series_of(series, drawn.source)) == expected


class OpenMonthSource(MemorySource):
    """The month of `today` is still recorded. Notes the start of each read."""

    def __init__(self, events: list[StoredEvent], today: Microseconds) -> None:
        super().__init__({WINDOW: events}, {WINDOW: "laptop"}, {WINDOW: "currentwindow"})
        self._today = today
        self.reads: list[Microseconds] = []

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        self.reads.append(start)
        return super().events(bucket_id, start, end, report)

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        return super().state(bucket_id, start, end) if end < self._today + HOUR else None


def test_days_that_are_over_are_read_once_for_comparisons_and_goals() -> None:
    today = parse_timestamp("2026-11-19T00:00:00Z")
    days: list[StoredEvent] = [(today + day * DAY + HOUR, HOUR, {"app": "Code"}, 1) for day in range(-15, 1)]
    source = OpenMonthSource(days, today)
    for hour in (3, 4):
        source.reads.clear()
        scope = Scope(now=today + hour * HOUR, day_start="00:00")
        common = CommonRequest(scope=scope, start=today, end=today + DAY)
        compare = comparison_of(common.calendar, "typical", (today, today + DAY), now=scope.now)
        summary_of(SummaryRequest(common=common, compare=compare), source)
        goals_progress(GoalsRequest(common=common, goals=(GOAL,), hours=None), source)

    assert source.reads
    assert min(source.reads) >= today - HOUR


def ago(hours: float) -> str:
    return (datetime.now(UTC) - timedelta(hours=hours)).isoformat()


def test_what_changes_in_a_day_that_is_over_counts_at_once(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "dayline.db") as server:
        server.create(WINDOW, type="currentwindow", hostname="laptop")
        server.create("other", type="currentwindow", hostname="phone")
        limited = server.key("read", "other")
        path = f"/api/0/buckets/{WINDOW}/events"
        span = {"start": ago(48), "end": ago(-48), "compare": "previous", "by": "category,app"}

        def compared(key: str | None = None) -> tuple[float, list[str]]:
            """The active time of the first half of the range before, and its categories."""
            answer = server.with_key(key or server.owner, "GET", f"/api/1/summary?{urlencode(span)}")
            before = answer.json["compare"]
            return before["totals"]["active"], [row["key"][0] for row in before["lists"]["category"]]

        event = {"timestamp": ago(120), "duration": 600.0, "data": {"app": "Code", "title": ""}}
        assert compared() == (0.0, [])
        [stored] = server.as_owner("POST", path, [event]).json
        assert [compared(), compared()] == [(600.0, ["Uncategorized"])] * 2
        assert compared(limited) == (0.0, [])
        server.as_owner("POST", path, [{**event, "id": stored["id"], "duration": 60.0}])
        assert compared() == (60.0, ["Uncategorized"])
        rules = [{"id": 1, "name": ["Work"], "rule": {"type": "regex", "regex": "Code"}}]
        server.as_owner("POST", "/api/0/settings/classes", rules)
        assert compared() == (60.0, ["Work"])
        deleted = server.as_owner("DELETE", f"/api/1/events/{WINDOW}/{stored['id']}").json
        assert compared() == (0.0, [])
        assert server.as_owner("POST", f"/api/1/undo/{deleted['undo']}").status == 200
        assert compared() == (60.0, ["Work"])
        note = {"kind": "exclude", "start": ago(121), "end": ago(119)}
        assert server.as_owner("POST", "/api/1/annotations", note).status == 201
        assert compared() == (0.0, [])
