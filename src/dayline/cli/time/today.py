"""`dayline today`: how a day was spent."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.names import check_devices, devices_option
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.ranges import Range, check_day, date_option
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, has_buckets, palette_of, view_of
from dayline.cli.screens.day import Day, day_screen
from dayline.cli.screens.layout import print_json
from dayline.cli.screens.screen import screen_of_output

if TYPE_CHECKING:
    from dayline.insight.summary.model import Summary

EXAMPLES = """\b
Examples:
  dayline today
  dayline today --date yesterday
  dayline today -d 2026-03-05 --json
"""
LISTED: Final = 8  # apps, sites, …


@click.command(epilog=EXAMPLES)
@date_option
@devices_option
@as_json
@on_database
def today(settings: Settings, day: str | None, devices: tuple[str, ...], is_json: bool) -> None:
    """Show today, or the day of --date.

    Each amount is compared with a usual day: the median of the last four of the same weekday, up to this time of day.
    """
    if day is not None:
        check_day(day, "--date")
    range_ = Range(name="today") if day is None else Range(name="day", day=day)
    with reading_server(settings) as server:
        check_devices(server, devices)
        view = view_of(server)
        common = {**range_.parameters(view), "device": devices}
        by = "category,app,domain,title"
        summary: Any = server.call("GET", "/api/1/summary", by=by, limit=LISTED, compare="typical", **common)
        series: Any = server.call("GET", "/api/1/series", by="category", bin="5m", top=12, **common)
        if is_json:
            print_json({"summary": summary, "series": series})
            return
        # Here, because --help and --json do not need it.
        from dayline.insight.summary.model import Series, Summary

        shown = msgspec.convert(summary, Summary)
        report = Day(
            summary=shown,
            series=msgspec.convert(series, Series),
            palette=palette_of(server),
            now=_now_within(shown, view),
            is_recorded=shown.totals.active > 0 or has_buckets(server),
        )
    screen = screen_of_output(view.duration_style)
    screen.show(day_screen(screen, report))


def _now_within(summary: "Summary", view: View) -> str | None:
    """The current time if the day is not over."""
    now = view.now()
    start, end = (datetime.fromisoformat(edge) for edge in (summary.range.start, summary.range.end))
    return now.isoformat(timespec="seconds") if start <= now < end else None
