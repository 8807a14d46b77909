"""`dayline top`: what took the most time."""

from typing import Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import has_buckets, palette_of, view_of
from dayline.cli.screens.layout import print_json, screen_of_output
from dayline.cli.screens.top import MANY, Top, top_screen

EXAMPLES = """\b
Examples:
  dayline top                                 the apps of today
  dayline top --by category --week
  dayline top --by domain --last month
  dayline top --by title --from 2026-03-02 --to 2026-03-06
  dayline top --by project --year --filter category:under:Work
"""
LISTED: Final = 20
# The bins of the sparklines: as many as can be distinguished.
_BINS: Final = {
    "today": "hour", "day": "hour", "yesterday": "hour", "week": "day", "last-week": "day", "last-7-days": "day",
    "month": "day", "last-month": "day", "last-30-days": "day", "year": "month", "last-year": "month",
}  # fmt: skip
_BEFORE: Final = {"today": "yesterday", "week": "last week", "month": "last month", "year": "last year"}


@click.command(epilog=EXAMPLES)
@click.option(
    "--by", type=click.Choice([*MANY]), default="app", show_default=True, help="Field to add up by.",
)  # fmt: skip
@range_options("today")
@click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")
@click.option("--filter", "filters", multiple=True, metavar="FIELD:OP:VALUE", help="Only matching time.")
@limit_option(LISTED, maximum=1000)
@as_json
@on_database
def top(
    settings: Settings,
    by: str,
    range_: Range,
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    limit: int,
    is_json: bool,
) -> None:
    """Show what took the most time.

    Each amount is compared with the previous day, week or month. A period that is not over is compared with the same
    part of the previous one.
    """
    with reading_server(settings) as server:
        view = view_of(server)
        common = {**range_.parameters(view), "device": devices, "filter": filters}
        summary: Any = server.call("GET", "/api/1/summary", by=by, limit=limit, compare="previous", **common)
        if is_json:
            print_json(summary)
            return
        # Here, because --help and --json do not need it.
        from dayline.insight.summary.model import Series, Summary

        shown = msgspec.convert(summary, Summary)
        size = _BINS.get(range_.name or "", "day")
        series: Any = server.call("GET", "/api/1/series", by=by, bin=size, top=limit, **common)
        found = Top(
            summary=shown,
            by=by,
            palette=palette_of(server),
            series=msgspec.convert(series, Series),
            bin=size,
            before=_BEFORE.get(range_.name or ""),
            is_recorded=shown.totals.active > 0 or has_buckets(server),
        )
    screen = screen_of_output(view.duration_style)
    screen.show(top_screen(screen, found))
