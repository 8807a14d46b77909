"""`dayline report`: a timesheet."""

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec
from msgspec import UNSET, UnsetType

from dayline.cli.calls.local import reading_server
from dayline.cli.options.names import check_devices, devices_option, filters_option, report_names
from dayline.cli.options.options import as_json, force_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, view_of
from dayline.cli.output_files import opened_for_writing
from dayline.cli.screens.amounts import DAYS, MONTHS, clock, duration
from dayline.cli.screens.layout import GAP, Cell, Column, print_json, print_list, table
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Line, Span, advice, clean, cut, flowed, line, width_of
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.insight.timesheet.model import SheetColumn, SheetDay, Timesheet

EXAMPLES = """\b
Examples:
  dayline report --last month
  dayline report --last month --by project --format csv --output february.csv
  dayline report --last month --round up --step 15m --rate 80 --currency EUR
  dayline report --last week --filter category:under:Work --format html --output week.html
  dayline report --template invoice --last month
"""
FORMATS: Final = ("table", "csv", "html", "json")
FIELDS: Final = ("category", "project", "app", "title", "label")


@click.command(epilog=EXAMPLES)
@range_options()
@click.option("--by", type=click.Choice(FIELDS), help="Field of the columns. [default: category]")
@click.option("--depth", type=click.IntRange(1), help="Categories up to this level, with all below it.")
@click.option("--round", "rounding", type=click.Choice(["none", "up", "nearest", "down"]), help="Rounding of times.")
@click.option("--step", metavar="LENGTH", help="Rounding step. [default: 15m]")
@click.option("--per", type=click.Choice(["entry", "day"]), help="Unit that is rounded. [default: day]")
@click.option("--least", metavar="LENGTH", help="Leave out shorter entries.")
@click.option("--gaps", metavar="LENGTH", help="Count shorter gaps as work.")
@click.option("--rate", metavar="AMOUNT", help="Price of an hour.")
@click.option("--rates", metavar="NAME:AMOUNT,…", help="Prices by name: Work/Code:95,Work/Docs:80.")
@click.option("--currency", help="Currency of the prices.")
@click.option("--title", help="Title of the report.")
@click.option(
    "--template", metavar="NAME", shell_complete=report_names,
    help="A saved report; options override its settings.",
)  # fmt: skip
@click.option("--list", "lists", is_flag=True, help="List the saved reports instead.")
@devices_option
@filters_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Format.")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@force_option
@as_json
@on_database
def report(
    settings: Settings,
    /,
    range_: Range,
    form: str,
    output: Path | None,
    force: bool,
    lists: bool,
    is_json: bool,
    **options: str | int | tuple[str, ...] | None,
) -> None:
    """Print a timesheet as a table, CSV, HTML or JSON.

    It has a line per day with first and last activity and breaks, and a column per category. The default range is this
    month. LENGTH is 15m, 90s or 1.5h. HTML is a single file that prints well.
    """
    form = "json" if is_json else form
    with reading_server(settings) as server:
        if lists:
            _print_saved(server.call("GET", "/api/1/reports"), is_json=is_json)
            return
        devices = options["devices"]
        check_devices(server, devices if isinstance(devices, tuple) else ())
        view = view_of(server)
        parameters = {_PARAMETERS.get(name, name): value for name, value in options.items()}
        wire = "json" if form == "table" else form
        body = server.read("/api/1/reports/timesheet", **_period(range_, options, view), **parameters, format=wire)
    if output is not None:
        file = Screen(cuts=False, durations=view.duration_style)
        _write(output, file.text(_lines(file, body)).encode() if form == "table" else body, replaces=force)
    elif form == "table":
        screen = screen_of_output(view.duration_style)
        screen.show(_lines(screen, body))
    elif form == "json":
        print_json(msgspec.json.decode(body))
    else:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()


_PARAMETERS: Final = {"rounding": "round", "step": "to", "devices": "device", "filters": "filter"}


def _print_saved(saved: list[dict[str, Any]], *, is_json: bool) -> None:
    rows = [(report["name"], _shown(report["parameters"])) for report in saved]
    empty = "There are no saved reports. Save one on the page Reports."
    print_list(saved, ("name", "parameters"), rows, empty=empty, is_json=is_json)


def _shown(parameters: dict[str, str | list[str]]) -> str:
    listed = {name: [value] if isinstance(value, str) else value for name, value in parameters.items()}
    return ", ".join(f"{name}={'|'.join(values)}" for name, values in listed.items()) or "-"


def _period(range_: Range, options: dict[str, str | int | tuple[str, ...] | None], view: View) -> dict[str, object]:
    if range_.is_given:
        return range_.parameters(view)
    if options["template"] is not None:
        return {"tz": view.zone}  # it has its own range
    return Range(name="month").parameters(view)


def _lines(screen: Screen, body: bytes) -> list[Line]:
    # Here, because only a table needs it.
    from dayline.insight.timesheet.model import Timesheet

    return report_screen(screen, msgspec.json.decode(body, type=Timesheet))


def _write(output: Path, content: bytes, *, replaces: bool) -> None:
    with opened_for_writing(output, replaces=replaces) as file:
        file.write(content)
    click.echo(f"Wrote {output}.", err=True)


_FIXED: Final = 36  # columns for the day, its first and last time and the total
_BREAKS: Final = 9
_MIN_WIDTH: Final = 8
_WIDE: Final = 72  # columns from which breaks are shown
_NARROW: Final = 100  # columns below which names of columns are short
_WIDEST_NAME: Final = (12, 20)


def report_screen(screen: Screen, sheet: "Timesheet") -> list[Line]:
    """The whole screen."""
    title = clean(sheet.title) if sheet.title != sheet.range.label else ""
    heading = line(Span(title or "Timesheet", "bold"), Span(f" · {sheet.range.label}", "dim"))
    if not sheet.days:
        message = f"This range has no matching time: {sheet.range.label}."
        hint = "see what was recorded: dayline top --by category, with the same range"
        return [heading, (), *advice(message, hint, screen.width)]
    shown = _columns_shown(screen, sheet)
    columns, headings = _layout(screen, sheet, shown)
    rows = [headings, *(_day_row(screen, sheet, day, shown) for day in sheet.days), _total_row(screen, sheet, shown)]
    return [heading, (), *table(screen, columns, rows), (), *_notes(screen, sheet)]


def _columns_shown(screen: Screen, sheet: "Timesheet") -> list[int]:
    """The columns that fit, largest first; the others are combined into one."""
    every = [*range(len(sheet.columns))]
    width_left = (
        screen.width
        - _FIXED
        - (_BREAKS if _has_breaks(screen, sheet) else 0)
        - (_amount_width(sheet) + GAP if sheet.totals.amount is not UNSET else 0)
    )
    widths = [max(_MIN_WIDTH, width_of(_name(screen, sheet.columns[number]))) + GAP for number in every]
    if not screen.cuts or sum(widths) <= width_left:
        return every
    width_left -= width_of("others") + GAP
    shown: list[int] = []
    for number in every:
        width_left -= widths[number]
        if width_left < 0:
            break
        shown.append(number)
    return shown


def _layout(screen: Screen, sheet: "Timesheet", shown: Sequence[int]) -> tuple[list[Column], list[Cell]]:
    names = [
        "day",
        "first",
        "last",
        "breaks" if _has_breaks(screen, sheet) else "",
        *(_name(screen, sheet.columns[number]) for number in shown),
    ]
    names += ["others"] if len(shown) < len(sheet.columns) else []
    names += ["total", *([clean(sheet.currency) or "amount"] if sheet.totals.amount is not UNSET else [])]
    columns = [Column(align="left" if name == "day" else "right") for name in names]
    return columns, [(Span(name, "dim"),) for name in names]


def _day_row(screen: Screen, sheet: "Timesheet", day: "SheetDay", shown: Sequence[int]) -> list[Cell]:
    style, has_breaks = screen.durations, _has_breaks(screen, sheet)
    times = {entry.column: entry.rounded for entry in day.entries}
    row: list[Cell] = [
        (Span(_day(day.date)),),
        (Span(clock(day.first), "dim"),),
        (Span(clock(day.last), "dim"),),
        (Span(duration(day.breaks.seconds, style) if day.breaks.count and has_breaks else "", "dim"),),
        *((Span(duration(times[number], style) if number in times else ""),) for number in shown),
    ]
    if len(shown) < len(sheet.columns):
        others = sum(seconds for number, seconds in times.items() if number not in shown)
        row.append((Span(duration(others, style) if others else "", "dim"),))
    row.append((Span(duration(day.rounded, style), "bold"),))
    return row if sheet.totals.amount is UNSET else [*row, (Span(_money(day.amount)),)]


def _total_row(screen: Screen, sheet: "Timesheet", shown: Sequence[int]) -> list[Cell]:
    style, totals = screen.durations, sheet.totals
    row: list[Cell] = [
        (Span(quantity(totals.days, "day"), "bold"),),
        (),
        (),
        (Span(duration(totals.breaks.seconds, style) if _has_breaks(screen, sheet) else "", "dim"),),
        *((Span(duration(sheet.columns[number].rounded, style), "bold"),) for number in shown),
    ]
    if len(shown) < len(sheet.columns):
        others = sum(column.rounded for number, column in enumerate(sheet.columns) if number not in shown)
        row.append((Span(duration(others, style), "bold"),))
    row.append((Span(duration(totals.rounded, style), "bold"),))
    return row if totals.amount is UNSET else [*row, (Span(_money(totals.amount), "bold"),)]


def _has_breaks(screen: Screen, sheet: "Timesheet") -> bool:
    return sheet.totals.breaks.count > 0 and (screen.width >= _WIDE or not screen.cuts)


def _notes(screen: Screen, sheet: "Timesheet") -> list[Line]:
    totals, style = sheet.totals, screen.durations
    parts = [clean(sheet.rules.text)] if sheet.rules.text else []
    if sheet.warning is not UNSET:
        parts.append(sheet.warning)
    elif round(totals.seconds) != round(totals.rounded):
        parts.append(f"Not rounded: {duration(totals.seconds, style)}.")
    if totals.left_out.entries:
        entries = quantity(totals.left_out.entries, "entry", "entries")
        parts.append(f"Left out: {entries}, {duration(totals.left_out.seconds, style)}.")
    return flowed(" ".join(parts).split(" "), screen.width, style="dim") if parts else []


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{DAYS[day.weekday()][:3]} {day.day:2} {MONTHS[day.month - 1][:3]}"


def _name(screen: Screen, column: "SheetColumn") -> str:
    name = clean(column.name) or "(none)"
    return cut(name, _WIDEST_NAME[screen.width >= _NARROW]) if screen.cuts else name


def _amount_width(sheet: "Timesheet") -> int:
    return max(width_of(_money(sheet.totals.amount)), width_of(sheet.currency) or len("amount"))


def _money(amount: float | UnsetType) -> str:
    return "" if amount is UNSET else f"{amount:,.2f}"
