"""`dayline report`: a timesheet, to read, to print or to send."""

import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.periods import Asked, period_options
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
@period_options(None)
@click.option("--by", type=click.Choice(FIELDS), help="What has a column. [default: category]")
@click.option(
    "--round", "rounding", type=click.Choice(["none", "up", "nearest", "down"]), help="How times are rounded."
)
@click.option("--step", metavar="LENGTH", help="To what they are rounded. [default: 15m]")
@click.option("--per", type=click.Choice(["entry", "day"]), help="What is rounded. [default: entry]")
@click.option("--least", metavar="LENGTH", help="Leave out entries that are shorter.")
@click.option("--gaps", metavar="LENGTH", help="Gaps that are shorter count.")
@click.option("--rate", metavar="AMOUNT", help="What an hour costs.")
@click.option("--rates", metavar="NAME:AMOUNT,…", help="What an hour of some costs: Work/Code:95,Work/Docs:80.")
@click.option("--currency", help="What that is in.")
@click.option("--title", help="What stands above it.")
@click.option("--template", metavar="NAME", help="A report that is kept; what is said here goes before what it says.")
@click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")
@click.option("--filter", "filters", multiple=True, metavar="FIELD:OP:VALUE", help="Only what this holds of.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="As what.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write, or to write anew.")
@as_json
@on_database
def report(
    settings: Settings,
    /,
    asked: Asked,
    form: str,
    output: Path | None,
    is_json: bool,
    **said: str | tuple[str, ...] | None,
) -> None:
    """Print a timesheet: a line for each day, with first and last activity, breaks, and a column for each category.

    Without a period it is about this month. LENGTH is written as 15m, 90s or 1.5h. HTML prints well, and is one file.
    """
    form = "json" if is_json else form
    with reading_server(settings) as server:
        view = view_of(server)
        parameters = {_PARAMETERS.get(name, name): value for name, value in said.items()}
        wire = "json" if form == "table" else form
        body = server.read("/api/1/reports/timesheet", **_period(asked, said, view), **parameters, format=wire)
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


def _period(asked: Asked, said: dict[str, str | tuple[str, ...] | None], view: View) -> dict[str, object]:
    if asked != Asked():
        return asked.parameters(view)
    if said["template"] is not None:
        return {"tz": view.zone}  # it knows its period
    return Asked(name="month").parameters(view)


def _lines(screen: Screen, body: bytes) -> list[Line]:
    # Here, because only a table needs it.
    from dayline.insight.timesheet.model import Timesheet

    return report_screen(screen, msgspec.json.decode(body, type=Timesheet))


def _write(output: Path, content: bytes) -> None:
    with opened_for_writing(output) as file:
        file.write(content)
    click.echo(f"Written to {output}.", err=True)
