"""Renders a timesheet as CSV, or as one HTML file without scripts that prints on A4 or Letter. Pure.

Titles come from web pages, so everything is escaped, and the file's content security policy forbids scripts.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date
from html import escape
from typing import Final

from msgspec import UNSET

from dayline.insight.timesheet.model import SheetDay, Timesheet
from dayline.runtime.text import quantity
from dayline.transform.spreadsheet import cell

_HOUR: Final = 3600


def csv_of(sheet: Timesheet) -> str:
    """The sheet as CSV, with times in hours. Lines end as in RFC 4180."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    has_amount, has_notes = sheet.totals.amount is not UNSET, any(day.notes is not UNSET for day in sheet.days)
    amount = [cell(f"Amount {sheet.currency}".strip())] if has_amount else []
    names = [cell(column.name) for column in sheet.columns]
    head = ["Date", "First", "Last", "Breaks", "Break hours", *names, "Total", "True total", *amount]
    writer.writerow([*head, "Notes"] if has_notes else head)
    for day in sheet.days:
        line = _line(sheet, day)
        writer.writerow([*line, cell("; ".join(day.notes or []))] if has_notes else line)
    totals = sheet.totals
    sums = [csv_hours(column.rounded) for column in sheet.columns]
    last = ["Total", "", "", str(totals.breaks.count), csv_hours(totals.breaks.seconds), *sums]
    last += [
        csv_hours(totals.rounded),
        csv_hours(totals.seconds),
        *([] if totals.amount is UNSET else [money(totals.amount)]),
    ]
    writer.writerow([*last, ""] if has_notes else last)
    return text.getvalue()


def csv_hours(seconds: float) -> str:
    """Hours with two decimals, or four if two are not exact."""
    short = f"{seconds / _HOUR:.2f}"
    return short if round(float(short) * _HOUR, 3) == round(seconds, 3) else f"{seconds / _HOUR:.4f}"


def money(amount: float) -> str:
    return f"{amount:.2f}"


def clock(text: str) -> str:
    """Hours and minutes of a time: 2026-03-05T08:55:12+01:00 is 08:55."""
    return text[11:16]


def _line(sheet: Timesheet, day: SheetDay) -> list[str]:
    times = {entry.column: csv_hours(entry.rounded) for entry in day.entries}
    line = [day.date, clock(day.first), clock(day.last), str(day.breaks.count), csv_hours(day.breaks.seconds)]
    line += [times.get(number, "") for number in range(len(sheet.columns))]
    line += [csv_hours(day.rounded), csv_hours(day.seconds)]
    return line if day.amount is UNSET else [*line, money(day.amount)]


POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
WIDEST: Final = 6  # columns of keys that fit on paper; more are listed below each other
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_STYLE: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 68rem; background: #fff; color: #1d2329;
  font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0 0 .2rem; font-size: 1.6rem; line-height: 1.2; overflow-wrap: anywhere; }
p { margin: 0 0 1.2rem; color: #55606b; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .35rem .45rem; border-bottom: 1px solid #dde2e7; text-align: right; vertical-align: top; }
th { font-weight: 600; overflow-wrap: anywhere; }
thead th { min-width: 4.4em; border-bottom: 2px solid #8a949e; vertical-align: bottom; }
tfoot th, tfoot td { border-top: 2px solid #8a949e; border-bottom: 0; font-weight: 600; }
tfoot tr + tr th, tfoot tr + tr td { border-top: 0; padding-top: 0; font-weight: 400; color: #55606b; }
td.price { white-space: nowrap; }
th.text, td.text { text-align: left; overflow-wrap: anywhere; }
td.day, th.day, td.clock { white-space: nowrap; }
tbody.day tr:last-child td { border-bottom-color: #8a949e; }
tr.sum td { font-weight: 600; }
.rule { margin-top: 1.2rem; font-size: .87em; }
@page { margin: 15mm 14mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 9pt; }
  .wide { overflow: visible; }
  th, td { padding: .25rem .3rem; }
  thead { display: table-header-group; }
  tfoot { display: table-row-group; }
  tr, .rule { break-inside: avoid; }
  h1, p { break-after: avoid; }
}
"""


def html_of(sheet: Timesheet) -> str:
    """The sheet as HTML: a line per day with few columns; with many, one line per key."""
    rows = _side_by_side(sheet) if len(sheet.columns) <= WIDEST else _below_each_other(sheet)
    body = (
        "\n".join(['<div class="wide">', *rows, "</div>"])
        if sheet.days
        else "<p>Nothing was recorded in this time that the filters let through.</p>"
    )
    title = escape(sheet.title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{escape(_about(sheet))}</p>
{body}
<p class="rule">{escape(_rule(sheet))}</p>
</body>
</html>
"""


def _about(sheet: Timesheet) -> str:
    label, totals = sheet.range.label, sheet.totals
    said = f"{html_hours(totals.rounded)} hours on {quantity(totals.days, 'day')}"
    if totals.amount is not UNSET:
        said += f", {_money(totals.amount)} {sheet.currency}".rstrip()
    return said if sheet.title == label else f"{label}: {said}"


def _rule(sheet: Timesheet) -> str:
    totals = sheet.totals
    said = f"Hours of the time zone {sheet.range.tz}. {sheet.rules.text}"
    if sheet.rules.round != "none":
        said += f" Without rounding it is {html_hours(totals.seconds)} hours."
    if totals.left_out.entries:
        entries = quantity(totals.left_out.entries, "entry", "entries")
        said += f" Left out: {entries} of {html_hours(totals.left_out.seconds)} hours together."
    return said


def _side_by_side(sheet: Timesheet) -> Iterator[str]:
    has_amount, has_notes = sheet.totals.amount is not UNSET, _has_notes(sheet)
    yield "<table>"
    head = [_th("Date", "day text"), _th("First"), _th("Last"), _th("Breaks")]
    head += [_th(column.name) for column in sheet.columns]
    head += [
        _th("Total"),
        *([_th(f"Amount {sheet.currency}".strip())] if has_amount else []),
        *([_th("Notes", "text")] if has_notes else []),
    ]
    yield f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>"
    for day in sheet.days:
        times = {entry.column: html_hours(entry.rounded) for entry in day.entries}
        cells = [*_day_cells(day), *(_td(times.get(number, "")) for number in range(len(sheet.columns)))]
        cells += [_td(html_hours(day.rounded)), *([] if day.amount is UNSET else [_td(_money(day.amount), "price")])]
        cells += [_td("; ".join(day.notes or []), "text")] if has_notes else []
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>\n<tfoot>"
    totals = sheet.totals
    last = [_td("")] if has_notes else []
    amount = [] if totals.amount is UNSET else [_td(_money(totals.amount), "price")]
    rounded = [_td(html_hours(column.rounded)) for column in sheet.columns]
    yield _foot("Total", [*rounded, _td(html_hours(totals.rounded)), *amount, *last])
    if sheet.rules.round != "none":
        true = [_td(html_hours(column.seconds)) for column in sheet.columns]
        yield _foot("Not rounded", [*true, _td(html_hours(totals.seconds)), *([_td("")] if has_amount else []), *last])
    yield "</tfoot>\n</table>"


def _below_each_other(sheet: Timesheet) -> Iterator[str]:
    has_amount = sheet.totals.amount is not UNSET
    yield "<table>"
    head = [_th("Date", "day text"), _th("First"), _th("Last"), _th("Breaks"), _th(sheet.by.capitalize(), "text")]
    head += [_th("Hours"), *([_th(f"Amount {sheet.currency}".strip())] if has_amount else [])]
    yield f"<thead><tr>{''.join(head)}</tr></thead>"
    for day in sheet.days:
        yield '<tbody class="day">'
        yield from _day_lines(sheet, day, has_amount=has_amount)
        yield "</tbody>"
    totals = sheet.totals
    amount = [] if totals.amount is UNSET else [_td(_money(totals.amount), "price")]
    yield "<tfoot>"
    yield _foot("Total", [_td(""), _td(html_hours(totals.rounded)), *amount])
    if sheet.rules.round != "none":
        yield _foot("Not rounded", [_td(""), _td(html_hours(totals.seconds)), *([_td("")] if has_amount else [])])
    yield "</tfoot>\n</table>"


def _day_lines(sheet: Timesheet, day: SheetDay, *, has_amount: bool) -> Iterator[str]:
    before = "".join(_day_cells(day))
    for entry in day.entries:
        cells = [_td(sheet.columns[entry.column].name, "text"), _td(html_hours(entry.rounded))]
        cells += [] if entry.amount is UNSET else [_td(_money(entry.amount), "price")]
        yield f"<tr>{before}{''.join(cells)}</tr>"
        before = '<td colspan="4"></td>'
    cells = [
        _td("Total", "text"),
        _td(html_hours(day.rounded)),
        *([] if day.amount is UNSET else [_td(_money(day.amount), "price")]),
    ]
    if len(day.entries) > 1:
        yield f'<tr class="sum"><td colspan="4"></td>{"".join(cells)}</tr>'
    if day.notes:
        note = _td("; ".join(day.notes), "text")
        yield f'<tr><td colspan="4"></td>{note}<td></td>{"<td></td>" if has_amount else ""}</tr>'


def _day_cells(day: SheetDay) -> list[str]:
    weekday = _DAYS[date.fromisoformat(day.date).weekday()]
    breaks = f"{day.breaks.count} · {html_hours(day.breaks.seconds)}" if day.breaks.count else ""
    return [
        _td(f"{weekday} {day.date}", "day text"),
        _td(clock(day.first), "clock"),
        _td(clock(day.last), "clock"),
        _td(breaks, "clock"),
    ]


def _foot(name: str, cells: Sequence[str]) -> str:
    return f'<tr><th class="text" colspan="4">{name}</th>{"".join(cells)}</tr>'


def _has_notes(sheet: Timesheet) -> bool:
    return any(day.notes for day in sheet.days)


def html_hours(seconds: float) -> str:
    """Hours for print. The JSON and the CSV have the exact ones."""
    return f"{seconds / 3600:,.2f}"


def _money(amount: float) -> str:
    return f"{amount:,.2f}"


def _th(text: str, kind: str = "") -> str:
    return f'<th scope="col"{f" class={kind!r}" if kind else ""}>{_breakable(text)}</th>'


def _td(text: str, kind: str = "") -> str:
    return f"<td{f' class={kind!r}' if kind else ''}>{escape(text)}</td>"


def _breakable(text: str) -> str:
    """Text that wraps after a slash rather than within a word."""
    return escape(text).replace("/", "/<wbr>")
