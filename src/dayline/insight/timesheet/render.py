"""Renders a timesheet as CSV, or as one HTML file without scripts that prints on A4 or Letter. Pure.

Both have the same columns with the same names, and so has the preview in the web UI
(`features/reports/sheet/sheet.ts`). Titles come from web pages, so everything is escaped, and the file's content
security policy forbids scripts.
"""

import csv
import io
from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from dayline.insight.timesheet.model import POLICY, SheetDay, SheetLanguage, Timesheet
from dayline.insight.timesheet.words import WORDS, SheetWords
from dayline.runtime.text import cell

_HOUR: Final = 3600

_Row: TypeAlias = list[str]


class _Texts(Struct, frozen=True):
    """How a format writes dates, hours and amounts, with the words of a language."""

    words: SheetWords
    day: Callable[[SheetDay], str]
    hours: Callable[[float], str]
    money: Callable[[float], str]


class _Layout:
    """The columns of a sheet, and the cells that they share in both layouts."""

    def __init__(self, sheet: Timesheet, texts: _Texts) -> None:
        self.sheet = sheet
        self._texts = texts
        self._is_rounded = sheet.rules.round != "none"
        self._has_amount = sheet.totals.amount is not UNSET
        self._has_notes = any(day.notes for day in sheet.days)

    def head(self, keys: Sequence[str], total: str) -> _Row:
        words = self._texts.words
        row = [words.date, words.first, words.last, words.breaks, *keys, total]
        row += [words.not_rounded] if self._is_rounded else []
        row += [words.amount.format(currency=self.sheet.currency).strip()] if self._has_amount else []
        return [*row, words.notes] if self._has_notes else row

    def day(self, day: SheetDay, keys: Sequence[str]) -> _Row:
        breaks = self._texts.hours(day.breaks.seconds) if day.breaks.count else ""
        row = [self._texts.day(day), clock(day.first), clock(day.last), breaks, *keys]
        return [*row, *self._sums(day.rounded, day.seconds, day.amount, "; ".join(day.notes or []))]

    def entry(self, name: str, rounded: float, seconds: float, amount: float | UnsetType) -> _Row:
        return ["", "", "", "", name, *self._sums(rounded, seconds, amount)]

    def foot(self, keys: Sequence[str]) -> _Row:
        totals = self.sheet.totals
        breaks = self._texts.hours(totals.breaks.seconds) if totals.breaks.count else ""
        return [
            self._texts.words.total,
            "",
            "",
            breaks,
            *keys,
            *self._sums(totals.rounded, totals.seconds, totals.amount),
        ]

    def _sums(self, rounded: float, seconds: float, amount: float | UnsetType, notes: str = "") -> _Row:
        row = [self._texts.hours(rounded)]
        row += [self._texts.hours(seconds)] if self._is_rounded else []
        row += [self._texts.money(0 if amount is UNSET else amount)] if self._has_amount else []
        return [*row, notes] if self._has_notes else row


class _Table(Struct, frozen=True):
    """Head, days and totals. Rows of one group stay together on paper."""

    head: _Row
    groups: list[list[_Row]]
    foot: _Row


def _side_by_side(sheet: Timesheet, texts: _Texts) -> _Table:
    """One row per day, one column per key."""
    layout = _Layout(sheet, texts)
    numbers = range(len(sheet.columns))
    rows: list[_Row] = []
    for day in sheet.days:
        times = {entry.column: texts.hours(entry.rounded) for entry in day.entries}
        rows.append(layout.day(day, [times.get(number, "") for number in numbers]))
    head = layout.head([column.name for column in sheet.columns], texts.words.total)
    return _Table(head, [rows], layout.foot([texts.hours(column.rounded) for column in sheet.columns]))


def _below_each_other(sheet: Timesheet, texts: _Texts) -> _Table:
    """One row per day and one per entry below it, for many keys."""
    layout = _Layout(sheet, texts)
    groups = [
        [
            layout.day(day, [""]),
            *(
                layout.entry(sheet.columns[entry.column].name, entry.rounded, entry.seconds, entry.amount)
                for entry in day.entries
            ),
        ]
        for day in sheet.days
    ]
    return _Table(layout.head([texts.words.fields[sheet.by]], texts.words.hours), groups, layout.foot([""]))


def csv_of(sheet: Timesheet, language: SheetLanguage = "en") -> str:
    """The sheet as CSV: a row per day, with times in hours. Lines end as in RFC 4180.

    Numbers have a decimal point in every language, because programs read them.
    """
    table = _side_by_side(sheet, _Texts(WORDS[language], lambda day: day.date, csv_hours, money))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for row in (table.head, *(row for group in table.groups for row in group), table.foot):
        writer.writerow(map(cell, row))
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
td.price { white-space: nowrap; }
th.text, td.text { text-align: left; overflow-wrap: anywhere; }
td.day, th.day, td.clock { white-space: nowrap; }
tbody.day tr:last-child td { border-bottom-color: #8a949e; }
tbody.day tr:first-child td { font-weight: 600; }
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


def html_of(sheet: Timesheet, language: SheetLanguage = "en") -> str:
    """The sheet as HTML: a row per day if there are few columns; otherwise also a row per entry."""
    is_wide = not sheet.is_listed
    words = WORDS[language]
    texts = _Texts(
        words,
        lambda day: f"{words.days[date.fromisoformat(day.date).weekday()]} {day.date}",
        lambda seconds: words.number(seconds / _HOUR),
        words.number,
    )
    table = _side_by_side(sheet, texts) if is_wide else _below_each_other(sheet, texts)
    body = (
        "\n".join(['<div class="wide">', *_html_table(table, words, is_wide=is_wide), "</div>"])
        if sheet.days
        else f"<p>{escape(words.nothing)}</p>"
    )
    title = escape(sheet.title)
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{escape(_about(sheet, words))}</p>
{body}
<p class="rule">{escape(_rule(sheet, words))}</p>
</body>
</html>
"""


def _about(sheet: Timesheet, words: SheetWords) -> str:
    label, totals = sheet.range.label, sheet.totals
    summary = words.summary.format(hours=words.number(totals.rounded / _HOUR), days=words.on_days(totals.days))
    if totals.amount is not UNSET:
        summary += f", {words.number(totals.amount)} {sheet.currency}".rstrip()
    return summary if sheet.title == label else f"{label}: {summary}"


def _rule(sheet: Timesheet, words: SheetWords) -> str:
    totals, left_out = sheet.totals, sheet.totals.left_out
    notes = [words.zone.format(zone=sheet.range.tz), sheet.rules.text]
    if sheet.warning is not UNSET:
        notes.append(sheet.warning)
    elif sheet.rules.round != "none":
        notes.append(words.exact.format(hours=words.number(totals.seconds / _HOUR)))
    if left_out.entries:
        hours = words.number(left_out.seconds / _HOUR)
        notes.append(words.left_out.format(entries=words.entries(left_out.entries), hours=hours))
    return " ".join(notes)


def _html_table(table: _Table, words: SheetWords, *, is_wide: bool) -> list[str]:
    kinds = [_kind(name, column, words, is_wide=is_wide) for column, name in enumerate(table.head)]

    def row(cells: _Row) -> str:
        return "".join(_td(text, kind) for text, kind in zip(cells, kinds, strict=True))

    head = "".join(_th(text, kind) for text, kind in zip(table.head, kinds, strict=True))
    lines = ["<table>", f"<thead><tr>{head}</tr></thead>"]
    for group in table.groups:
        lines += ["<tbody>" if is_wide else '<tbody class="day">', *(f"<tr>{row(cells)}</tr>" for cells in group)]
        lines.append("</tbody>")
    total, *cells = table.foot
    lines.append(
        f'<tfoot><tr><th scope="row" class="day text">{escape(total)}</th>'
        + "".join(_td(text, kind) for text, kind in zip(cells, kinds[1:], strict=True))
        + "</tr></tfoot>"
    )
    return [*lines, "</table>"]


def _kind(name: str, column: int, words: SheetWords, *, is_wide: bool) -> str:
    """The class of a column."""
    if column == 0:
        return "day text"
    if column < 4:
        return "clock"
    if name == words.notes or (column == 4 and not is_wide):
        return "text"
    return "price" if name.startswith(words.amount.format(currency="")) else ""


def _th(text: str, kind: str = "") -> str:
    return f'<th scope="col"{f" class={kind!r}" if kind else ""}>{_breakable(text)}</th>'


def _td(text: str, kind: str = "") -> str:
    return f"<td{f' class={kind!r}' if kind else ''}>{escape(text)}</td>"


def _breakable(text: str) -> str:
    """Text that wraps after a slash rather than within a word."""
    return escape(text).replace("/", "/<wbr>")
