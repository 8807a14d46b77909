"""`dayline query`: run a query."""

import sys
from pathlib import Path
from typing import Any, cast

import click

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import InputFile
from dayline.cli.options.view import view_of
from dayline.cli.screens.layout import print_json
from dayline.cli.screens.records import value_table
from dayline.cli.screens.screen import screen_of_output
from dayline.model.errors import Invalid
from dayline.runtime.text import quantity

EXAMPLES = """\b
Examples:
  dayline query apps.dayline --last week
  echo 'RETURN = query_bucket(find_bucket("aw-watcher-afk_"));' | dayline query - --table
  dayline query apps.dayline --from 2026-03-02 --to 2026-03-06 --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("file", type=InputFile(allow_dash=True))
@range_options("today")
@click.option("--table", "is_table", flag_value=True, default=None, help="Print a table. [default: on a terminal]")
@click.option("--json", "-j", "is_table", flag_value=False, help="Print JSON. [default: in a pipe or file]")
@on_database
def query(settings: Settings, file: Path, range_: Range, is_table: bool | None) -> None:
    """Run a query.

    FILE contains the query; - reads it from standard input. Prints the result; statistics go to standard error.
    docs/reference/query-language.md describes the language.
    """
    program = _program(file)
    with reading_server(settings) as server:
        view = view_of(server)
        start, end = range_.span(view)
        body = {"query": program, "timeperiods": [f"{start}/{end}"]}
        answer: dict[str, Any] = server.call("POST", "/api/1/query", body)
    result: object = answer["results"][0]
    for line in answer["printed"]:
        click.echo(line, err=True)
    if not (sys.stdout.isatty() if is_table is None else is_table):
        print_json(result)
        return
    screen = screen_of_output(view.duration_style)
    lines = value_table(screen, result, view)
    if lines:
        screen.show(lines)
    rows = quantity(len(cast("list[object]", result)), "row") if isinstance(result, list) else "1 value"
    seconds = answer["statistics"]["seconds"]
    click.secho(f"{rows} · {seconds * 1000:,.0f} ms · {start} to {end}", dim=True, err=True)


def _program(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"cannot read {file}: {error}") from error
