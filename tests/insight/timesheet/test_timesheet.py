"""A timesheet equals what the slow reference adds up, rounds as it says, and is the same as CSV and as a page."""

import csv
import io
from collections import Counter
from datetime import date, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from dayline.insight.calendar import Calendar
from dayline.insight.periods import label_of as label_of_range
from dayline.insight.request import CommonRequest, Scope, parse_filter
from dayline.insight.timesheet.model import SHEET_FIELDS, KeyRate, Rounding, SheetField, Timesheet, TimesheetRequest
from dayline.insight.timesheet.render import csv_of, html_of
from dayline.insight.timesheet.sheet import CountedDay, cents_of, round_time, shared_out, sheet_of
from dayline.insight.timesheet.timesheet import counted_days
from dayline.storage.columns.source import ColumnSource
from tests.insight.reference.active_time import Moment
from tests.insight.reference.clocks import edges, shown
from tests.insight.worlds import HOUR, SECOND, Drawn, worlds
from tests.support.query.tables import StoredEvent

MINUTE = 60 * SECOND
TIMES = st.integers(0, 30 * HOUR)
STEPS = st.sampled_from([SECOND, 6 * MINUTE, 15 * MINUTE, HOUR])
RULES = st.fixed_dictionaries(
    {
        "rounding": st.sampled_from(["none", "up", "nearest", "down"]),
        "step": STEPS,
        "per": st.sampled_from(["entry", "day"]),
        "least": st.sampled_from([0, MINUTE, 10 * MINUTE]),
        "gaps": st.sampled_from([0, 3 * MINUTE, 3 * HOUR]),
        "rate": st.none() | st.integers(0, 2_000_000),
        "rates": st.sampled_from([(), (KeyRate(key="Work", rate=950_000), KeyRate(key="Code", rate=1))]),
    }
)
HOSTILE = [
    '=cmd|" /C calc"!A0',
    "+1",
    "-1",
    "@SUM(A1)",
    '<script>alert("x")</script>',
    'a,b\n"c"',
    "</style><b>",
    "&amp;",
]


def sheet(asked: TimesheetRequest, source: ColumnSource) -> Timesheet:
    return sheet_of(asked, *counted_days(asked, source))


def made(columns: list[str], times: list[list[int]], by: SheetField = "title", **more: Any) -> Timesheet:
    """A sheet of one line for each day, in minutes."""
    common = CommonRequest(scope=Scope(now=0), start=0, end=len(times) * 24 * HOUR)
    days = [
        CountedDay(
            date=date(1970, 1, 1) + timedelta(days=number), first=number * 24 * HOUR, last=number * 24 * HOUR + HOUR,
            breaks=[], notes=["=note"],
            times={key: time * MINUTE for key, time in zip(columns, line, strict=True) if time},
        )
        for number, line in enumerate(times)
    ]  # fmt: skip
    return sheet_of(TimesheetRequest(common=common, by=by, **more), days, [])


def reference(drawn: Drawn, by: SheetField, start: int, end: int, asked: TimesheetRequest) -> dict[date, Counter[Any]]:
    """The time of each key on each day, without entries that are too short."""
    moments = list(bridged(drawn, drawn.world.united(start, end), asked.gaps))
    found: dict[date, Counter[Any]] = {}
    for low, high in pairwise(edges(drawn.zone, drawn.scope.day_start, "day", start, end)):
        sums: Counter[Any] = Counter()
        for moment in moments:
            time = min(moment.end, high) - max(moment.start, low)
            if time > 0:
                sums[label_of(drawn, moment) if by == "label" else moment.keys[by]] += time
        kept = Counter({key: time for key, time in sums.items() if time >= asked.least})
        if kept:
            hours, minutes = map(int, drawn.scope.day_start.split(":"))
            found[(shown(drawn.zone, low) - timedelta(hours=hours, minutes=minutes)).date()] = kept
    return found


def label_of(drawn: Drawn, moment: Moment) -> str | None:
    return None if moment.note is None else drawn.scope.annotations[moment.note].label or None


def bridged(drawn: Drawn, moments: list[Moment], gaps: int) -> list[Moment]:
    """Moments that last until the next one where the gap is short, and no one has excluded it."""
    filled: list[Moment] = []
    for number, moment in enumerate(moments):
        after = moments[number + 1].start if number + 1 < len(moments) else moment.end
        is_excluded = any(
            each.kind == "exclude" and each.start < after and each.end > moment.end for each in drawn.scope.annotations
        )
        end = after if 0 < after - moment.end < gaps and not is_excluded else moment.end
        filled.append(msgspec.structs.replace(moment, end=end))
    return filled


@settings(max_examples=settings().max_examples // 2)
@given(worlds(), st.sampled_from(SHEET_FIELDS), st.integers(-2, 20), st.integers(1, 40), RULES)
def test_the_figures_are_those_of_the_reference(
    drawn: Drawn, by: SheetField, start: int, hours: int, rules: dict[str, Any]
) -> None:
    common = drawn.common(start, start + hours)
    asked = TimesheetRequest(common=common, by=by, **rules)

    found = sheet(asked, drawn.source)

    expected = reference(drawn, by, common.start, common.end, asked)
    keys = [tuple(column.key) if isinstance(column.key, list | tuple) else column.key for column in found.columns]
    times = {
        date.fromisoformat(day.date): {keys[entry.column]: round(entry.seconds * SECOND) for entry in day.entries}
        for day in found.days
    }
    assert list(times.values()) == [dict(counter) for counter in expected.values()]
    assert len(times) == len(expected)
    check_sums(found, rules["rounding"], rules["step"], per_day=rules["per"] == "day")


def check_sums(found: Timesheet, rounding: Rounding, step: int, *, per_day: bool) -> None:
    """Lines and columns add up to the same, and each is rounded as the rules say."""
    for field in ("seconds", "rounded", "amount"):
        of_days = sum(getattr(day, field) or 0 for day in found.days)
        assert of_days == pytest.approx(getattr(found.totals, field) or 0, abs=1e-6)
        assert of_days == pytest.approx(sum(getattr(column, field) or 0 for column in found.columns), abs=1e-6)
    for day in found.days:
        assert sum(entry.rounded for entry in day.entries) == pytest.approx(day.rounded)
        whole = day.entries if not per_day else [day]
        for each in whole:
            assert round(each.rounded * SECOND) == round_time(round(each.seconds * SECOND), rounding, step)


@given(TIMES, STEPS)
def test_rounding_keeps_within_its_bounds(time: int, step: int) -> None:
    up, nearest, down = (round_time(time, rounding, step) for rounding in ("up", "nearest", "down"))

    assert round_time(time, "none", step) == time
    assert down <= time <= up
    assert up - down in (0, step)
    assert 2 * abs(nearest - time) <= step
    assert {up % step, nearest % step, down % step} == {0}


@given(st.lists(TIMES, min_size=1, max_size=8), STEPS, st.sampled_from(["up", "nearest", "down"]))
def test_shares_of_a_rounded_day_add_up_and_none_is_a_step_off(times: list[int], step: int, rounding: Rounding) -> None:
    total = round_time(sum(times), rounding, step)

    shares = shared_out(total, times, step)

    assert sum(shares) == (total if sum(times) else 0)
    for time, share in zip(times, shares, strict=True):
        assert share % step == 0
        assert not sum(times) or abs(share - time * total / sum(times)) < step + 1e-3


@pytest.mark.parametrize(
    ("minutes", "rate", "cents"), [(60, 800_000, 8000), (15, 333_333, 833), (1, 3_000, 1), (0, 9, 0)]
)
def test_money_is_rounded_to_the_nearest_hundredth(minutes: int, rate: int, cents: int) -> None:
    assert cents_of(minutes * MINUTE, rate) == cents


def test_a_category_has_the_rate_of_the_nearest_one_above_it() -> None:
    common = CommonRequest(scope=Scope(now=0), start=0, end=24 * HOUR)
    day = CountedDay(
        date=date(1970, 1, 1), first=0, last=HOUR, breaks=[], notes=[],
        times={("Work", "Code"): HOUR, ("Work", "Docs"): HOUR, ("Play",): HOUR, ("Workshop",): HOUR},
    )  # fmt: skip
    rates = (KeyRate(key="Work", rate=800_000), KeyRate(key="Work/Code", rate=950_000))

    found = sheet_of(TimesheetRequest(common=common, rates=rates), [day], [])

    amounts = {column.name: column.amount for column in found.columns}
    assert amounts == {"Work/Code": 95.0, "Work/Docs": 80.0, "Play": 0.0, "Workshop": 0.0}


def test_filters_choose_what_counts_and_gaps_to_other_things_do_not() -> None:
    drawn = Drawn("UTC", _switching(), Scope(now=0))
    asked = TimesheetRequest(
        common=drawn.common(0, 2, filters=(parse_filter("app:is:Code"),)), by="app", gaps=5 * MINUTE
    )

    found = sheet(asked, drawn.source)

    # Ten minutes of Code, three of nothing, ten of Code; then Zoom, and Code again right after it.
    assert found.totals.seconds == (10 + 3 + 10 + 10) * 60


@pytest.mark.parametrize(("gaps", "counted"), [(3 * MINUTE, 0), (3 * MINUTE + 1, 3)])
def test_a_gap_counts_if_it_is_shorter_than_the_limit(gaps: int, counted: int) -> None:
    drawn = Drawn("UTC", _switching(), Scope(now=0))
    asked = TimesheetRequest(common=drawn.common(0, 2, filters=(parse_filter("app:is:Code"),)), by="app", gaps=gaps)

    assert sheet(asked, drawn.source).totals.seconds == (30 + counted) * 60


def _switching() -> dict[str, list[Any]]:
    window = "aw-watcher-window_laptop"
    code, zoom = {"app": "Code", "title": "a"}, {"app": "Zoom", "title": "b"}
    lines = [(0, code), (13, code), (23, zoom), (33, code)]
    return {window: [(at * MINUTE, 10 * MINUTE, data, number) for number, (at, data) in enumerate(lines, start=1)]}


@given(
    st.lists(st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=20), min_size=1, max_size=12, unique=True),
    st.data(),
)
def test_csv_reads_back_as_the_table(columns: list[str], data: st.DataObject) -> None:
    line = st.lists(st.integers(0, 600), min_size=len(columns), max_size=len(columns))
    found = made(columns, data.draw(st.lists(line, min_size=1, max_size=4)), rate=800_000, rounding="up")

    head, *lines = csv.reader(io.StringIO(csv_of(found), newline=""))

    assert head[:4] == ["Date", "First", "Last", "Breaks"]
    assert head[-4:] == ["Total", "Not rounded", "Amount", "Notes"]
    names = head[4 : 4 + len(found.columns)]
    assert [name.removeprefix("'") for name in names] == [column.name.removeprefix("'") for column in found.columns]
    for row, day in zip(lines[:-1], found.days, strict=True):
        assert row[0] == day.date
        cells = row[4 : 4 + len(found.columns)]
        hours = {entry.column: entry.rounded / 3600 for entry in day.entries}
        assert {number: float(cell) for number, cell in enumerate(cells) if cell} == pytest.approx(hours, abs=5e-5)
        assert float(row[-2]) == day.amount
    assert float(lines[-1][4 + len(found.columns)]) == pytest.approx(found.totals.rounded / 3600, abs=5e-5)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in (head, *lines) for cell in row)


class Texts(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("count", [3, len(HOSTILE)])
def test_hostile_titles_are_text_on_the_page(count: int) -> None:
    columns = [*HOSTILE[-count:], *(f"column {n}" for n in range(0 if count == 3 else 3))]
    found = made(columns, [[30] * len(columns)], title="<img src=x onerror=alert(1)>", currency='"><i>')

    page = Texts(html_of(found).replace("<wbr>", ""))  # where a line may end

    known = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "div",
        "p",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
    }
    assert page.tags <= known
    assert set(columns) <= set(page.texts)
    assert "<img src=x onerror=alert(1)>" in page.texts


class Table(HTMLParser):
    """The texts of the cells of the only table, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        self._is_cell = tag in ("th", "td", "wbr")
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._is_cell = False


@pytest.mark.parametrize("more", [{}, {"rounding": "up"}, {"rounding": "up", "rate": 800_000, "currency": "EUR"}])
def test_csv_and_the_page_have_the_same_columns_with_the_same_names(more: dict[str, Any]) -> None:
    found = made(["a/b", "c"], [[30, 15], [0, 45]], by="app", **more)

    in_csv = list(csv.reader(io.StringIO(csv_of(found), newline="")))
    on_page = Table(html_of(found)).rows

    assert on_page[0] == in_csv[0]
    assert [row[1:-1] for row in on_page] == [row[1:-1] for row in in_csv]  # the page adds the weekday to the date


def test_with_many_columns_the_page_lists_the_entries_below_their_day() -> None:
    found = made(["a", "b", "c", "d"], [[30, 10, 5, 1], [0, 70, 0, 0]], rounding="up")

    head, *rows, total = Table(html_of(found)).rows

    assert head == ["Date", "First", "Last", "Breaks", "Title", "Hours", "Not rounded", "Notes"]
    assert [row[4:7] for row in rows] == [
        ["", "1.00", "0.77"], ["b", "0.25", "0.17"], ["a", "0.75", "0.50"],
        ["c", "0.00", "0.08"], ["d", "0.00", "0.02"], ["", "1.25", "1.17"], ["b", "1.25", "1.17"],
    ]  # fmt: skip
    assert (total[0], total[5:7]) == ("Total", ["2.25", "1.93"])


def test_days_are_rounded_unless_entries_are_requested_with_a_note_on_what_rounding_adds() -> None:
    columns, times = [f"title {number}" for number in range(10)], [[1] * 10]

    by_day, by_entry = made(columns, times, rounding="up"), made(columns, times, rounding="up", per="entry")

    assert (by_day.rules.per, by_day.totals.rounded, by_day.warning) == ("day", 15 * 60, UNSET)
    assert by_entry.totals.rounded == 150 * 60
    warning = "Rounding each entry adds 2.3 h: 0.2 h → 2.5 h."
    assert by_entry.warning == warning
    assert warning in html_of(by_entry).replace("&gt;", ">")
    assert made(columns, times, rounding="down", per="entry").warning == (
        "Rounding each entry removes 0.2 h: 0.2 h → 0.0 h."
    )


def test_the_page_shows_the_rule_and_both_sums() -> None:
    page = html_of(made(["a"], [[50], [40]], rounding="nearest", step=15 * MINUTE))

    assert "rounded to the nearest 15 minutes, the entries of a day together." in page
    assert "Without rounding it is 1.50 hours." in page
    assert ">1.50<" in page  # 45 and 45 minutes


def test_files_are_in_the_language_that_is_asked_for() -> None:
    common = CommonRequest(scope=Scope(now=0, day_start="00:00"), start=0, end=24 * HOUR)
    day = CountedDay(
        date=date(1970, 1, 1), first=0, last=HOUR, breaks=[], notes=["Entwurf"],
        times={("Work",): HOUR, ("Work", "Code"): 1234 * HOUR, ("Uncategorized",): MINUTE},
    )  # fmt: skip
    asked = TimesheetRequest(
        common=common, language="de", rounding="up", per="entry", rate=800_000, currency="EUR",
        gaps=5 * MINUTE, least=HOUR,
    )  # fmt: skip
    found = sheet_of(asked, [day], [2 * MINUTE])

    head, _, total = csv.reader(io.StringIO(csv_of(found, "de"), newline=""))
    page = html_of(found, "de").replace("<wbr>", "").replace("&gt;", ">")

    names = ["Work/Code", "Work selbst", "Ohne Kategorie"]
    assert head == [
        "Datum", "Erste", "Letzte", "Pausen", *names, "Summe", "Ungerundet", "Betrag EUR", "Notizen",
    ]  # fmt: skip
    assert total[:5] == ["Summe", "", "", "", "1234.00"]  # for programs
    assert '<html lang="de">' in page
    assert "<h1>Do., 1. Jan. 1970</h1>" in page
    assert "<p>1.235,25 Stunden an 1 Tag, 98.820,00 EUR</p>" in page
    assert (
        "Zeitzone: UTC. Zeiten sind auf 15 Minuten aufgerundet, jeder Eintrag eines Tages. "
        "Lücken unter 5 Minuten zählen mit. Einträge unter 1 Stunde sind ausgeblendet. "
        "Das Runden jedes Eintrags addiert 0,2 h: 1.235,0 h → 1.235,2 h. "
        "Ausgeblendet: 1 Eintrag, insgesamt 0,03 Stunden."
    ) in page


@pytest.mark.parametrize(
    ("first", "after", "label"),
    [
        (date(2026, 3, 5), date(2026, 3, 6), "Do., 5. März 2026"),
        (date(2026, 3, 2), date(2026, 3, 9), "2. bis 8. März 2026"),
        (date(2026, 2, 23), date(2026, 3, 2), "23. Feb. bis 1. März 2026"),
        (date(2025, 12, 29), date(2026, 1, 5), "29. Dez. 2025 bis 4. Jan. 2026"),
        (date(2026, 3, 1), date(2026, 4, 1), "März 2026"),
        (date(2026, 1, 1), date(2027, 1, 1), "2026"),
    ],
)
def test_ranges_have_german_names(first: date, after: date, label: str) -> None:
    calendar = Calendar("UTC", day_start="00:00", week_start="monday")

    assert label_of_range(calendar, *calendar.span(first, after), "de") == label


def test_an_empty_timesheet_is_reported_as_empty() -> None:
    empty = sheet_of(TimesheetRequest(common=CommonRequest(scope=Scope(now=0), start=0, end=HOUR)), [], [2 * MINUTE])

    assert "Nothing was recorded" in html_of(empty)
    assert empty.totals.left_out.entries == 1
    assert len(list(csv.reader(io.StringIO(csv_of(empty))))) == 2


def test_other_work_is_no_break_of_a_filtered_timesheet() -> None:
    # A timesheet of one app had all other work as breaks.
    apps = [(0, 30, "Code"), (30, 60, "Mail"), (100, 20, "Code")]
    events: list[StoredEvent] = [
        (start * MINUTE, length * MINUTE, {"app": app, "title": app}, number)
        for number, (start, length, app) in enumerate(apps, start=1)
    ]
    drawn = Drawn("UTC", {"aw-watcher-window_laptop": events}, Scope(now=9 * HOUR, day_start="00:00"))
    common = msgspec.structs.replace(drawn.common(0, 3), filters=(parse_filter("app:is:Code"),))
    [day] = sheet(TimesheetRequest(common=common, by="app"), drawn.source).days
    assert (day.seconds, day.breaks.count, day.breaks.seconds) == (50 * 60, 1, 10 * 60)


def test_a_filter_by_project_ignores_case() -> None:
    events: list[StoredEvent] = [(0, HOUR, {"app": "Code", "project": "Dayline"}, 1)]
    drawn = Drawn("UTC", {"aw-watcher-window_laptop": events}, Scope(now=9 * HOUR, day_start="00:00"))
    common = msgspec.structs.replace(drawn.common(0, 3), filters=(parse_filter("project:is:dayLINE"),))
    assert sheet(TimesheetRequest(common=common), drawn.source).totals.seconds == 3600
