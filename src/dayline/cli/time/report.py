"""`dayline report`: a timesheet."""

import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, view_of
from dayline.cli.screens.layout import Screen, print_json, screen_of_output
from dayline.cli.screens.report import report_screen
from dayline.cli.screens.text import Line
from dayline.runtime.files import opened_for_writing

EXAMPLES = """\b
Examples:
  dayline report --last month
  dayline report --last month --by project --format csv --output february.csv
  dayline report --last month --round up --step 15m --per day --rate 80 --currency EUR
  dayline report --last week --filter category:under:Work --format html --output week.html
  dayline report --template invoice --last month
"""
FORMATS: Final = ("table", "csv", "html", "json")
FIELDS: Final = ("category", "project", "app", "title", "label")


@click.command(epilog=EXAMPLES)
@range_options()
@click.option("--by", type=click.Choice(FIELDS), help="Field of the columns. [default: category]")
@click.option("--round", "rounding", type=click.Choice(["none", "up", "nearest", "down"]), help="Rounding of times.")
@click.option("--step", metavar="LENGTH", help="Rounding step. [default: 15m]")
@click.option("--per", type=click.Choice(["entry", "day"]), help="Unit that is rounded. [default: entry]")
@click.option("--least", metavar="LENGTH", help="Leave out shorter entries.")
@click.option("--gaps", metavar="LENGTH", help="Count shorter gaps as work.")
@click.option("--rate", metavar="AMOUNT", help="Price of an hour.")
@click.option("--rates", metavar="NAME:AMOUNT,…", help="Prices by name: Work/Code:95,Work/Docs:80.")
@click.option("--currency", help="Currency of the prices.")
@click.option("--title", help="Title of the report.")
@click.option("--template", metavar="NAME", help="A saved report; options override its settings.")
@click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")
@click.option("--filter", "filters", multiple=True, metavar="FIELD:OP:VALUE", help="Only matching time.")
@click.option("--format", "-f", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Format.")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@as_json
@on_database
def report(
    settings: Settings,
    /,
    range_: Range,
    form: str,
    output: Path | None,
    is_json: bool,
    **options: str | tuple[str, ...] | None,
) -> None:
    """Print a timesheet as a table, CSV, HTML or JSON.

    It has a line per day with first and last activity and breaks, and a column per category. The default range is this
    month. LENGTH is 15m, 90s or 1.5h. HTML is a single file that prints well.
    """
    form = "json" if is_json else form
    with reading_server(settings) as server:
        view = view_of(server)
        parameters = {_PARAMETERS.get(name, name): value for name, value in options.items()}
        wire = "json" if form == "table" else form
        body = server.read("/api/1/reports/timesheet", **_period(range_, options, view), **parameters, format=wire)
    if output is not None:
        file = Screen(cuts=False, durations=view.duration_style)
        _write(output, file.text(_lines(file, body)).encode() if form == "table" else body)
    elif form == "table":
        screen = screen_of_output(view.duration_style)
        screen.show(_lines(screen, body))
    elif form == "json":
        print_json(msgspec.json.decode(body))
    else:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()


_PARAMETERS: Final = {"rounding": "round", "step": "to", "devices": "device", "filters": "filter"}


def _period(range_: Range, options: dict[str, str | tuple[str, ...] | None], view: View) -> dict[str, object]:
    if range_.is_given:
        return range_.parameters(view)
    if options["template"] is not None:
        return {"tz": view.zone}  # it has its own range
    return Range(name="month").parameters(view)


def _lines(screen: Screen, body: bytes) -> list[Line]:
    # Here, because only a table needs it.
    from dayline.insight.timesheet.model import Timesheet

    return report_screen(screen, msgspec.json.decode(body, type=Timesheet))


def _write(output: Path, content: bytes) -> None:
    with opened_for_writing(output) as file:
        file.write(content)
    click.echo(f"Wrote {output}.", err=True)
