"""A timesheet as CSV: a line a day, a column a key, and a line of totals. Pure."""

import csv
import io
from typing import Final

from msgspec import UNSET

from dayline.insight.timesheet_answer import SheetDay, Timesheet
from dayline.model.event_table import cell

_HOUR: Final = 3600


def csv_of(sheet: Timesheet) -> str:
    """The sheet; times in hours, lines end as RFC 4180 says."""
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
    sums = [hours(column.rounded) for column in sheet.columns]
    last = ["Total", "", "", str(totals.breaks.count), hours(totals.breaks.seconds), *sums]
    last += [hours(totals.rounded), hours(totals.seconds), *([] if totals.amount is UNSET else [money(totals.amount)])]
    writer.writerow([*last, ""] if has_notes else last)
    return text.getvalue()


def hours(seconds: float) -> str:
    """Hours with two digits, or four where two are not exact."""
    short = f"{seconds / _HOUR:.2f}"
    return short if round(float(short) * _HOUR, 3) == round(seconds, 3) else f"{seconds / _HOUR:.4f}"


def money(amount: float) -> str:
    return f"{amount:.2f}"


def clock(text: str) -> str:
    """Hours and minutes of a time: 2026-03-05T08:55:12+01:00 is 08:55."""
    return text[11:16]


def _line(sheet: Timesheet, day: SheetDay) -> list[str]:
    times = {entry.column: hours(entry.rounded) for entry in day.entries}
    line = [day.date, clock(day.first), clock(day.last), str(day.breaks.count), hours(day.breaks.seconds)]
    line += [times.get(number, "") for number in range(len(sheet.columns))]
    line += [hours(day.rounded), hours(day.seconds)]
    return line if day.amount is UNSET else [*line, money(day.amount)]
