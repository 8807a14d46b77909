"""`dayline today` and `dayline yesterday`: where the day went."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from dayline.cli.calls.local import reading_server
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.periods import Asked, check_day
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import View, has_buckets, palette_of, view_of
from dayline.cli.screens.day import Day, day_screen
from dayline.cli.screens.layout import print_json, screen_of_output

if TYPE_CHECKING:
    from dayline.insight.summary.model import Summary

EXAMPLES = """\b
Examples:
  dayline today
  dayline today --date 2026-03-05
  dayline today --json
"""
LISTED: Final = 8  # of apps, sites, ...
_DEVICE: Final = click.option("--device", "devices", multiple=True, help="Only this device, by its host name.")


@click.command(epilog=EXAMPLES)
@click.option("--date", "day", metavar="DAY", help="Another day: 2026-03-05.")
@_DEVICE
@as_json
@on_database
def today(settings: Settings, day: str | None, devices: tuple[str, ...], is_json: bool) -> None:
    """Show today: how long, when, and on what.

    The difference is to the usual day: the median of the last four of the same weekday, up to this time of the day.
    """
    if day is not None:
        check_day(day, "--date")
    asked = Asked(name="today") if day is None else Asked(name="day", day=day)
    _show(settings, asked, devices, is_json=is_json)


@click.command(epilog="\b\nExample:\n  dayline yesterday")
@_DEVICE
@as_json
@on_database
def yesterday(settings: Settings, devices: tuple[str, ...], is_json: bool) -> None:
    """Show where yesterday went, as dayline today does."""
    _show(settings, Asked(name="yesterday"), devices, is_json=is_json)


def _show(settings: Settings, asked: Asked, devices: tuple[str, ...], *, is_json: bool) -> None:
    with reading_server(settings) as server:
        view = view_of(server)
        common = {**asked.parameters(view), "device": devices}
        by = "category,app,domain,title"
        summary: Any = server.call("GET", "/api/1/summary", by=by, limit=LISTED, compare="typical", **common)
        series: Any = server.call("GET", "/api/1/series", by="category", bin="5m", top=12, **common)
        if is_json:
            print_json({"summary": summary, "series": series})
            return
        # Here, because --help and --json need none of it.
        from dayline.insight.summary.model import Series, Summary

        shown = msgspec.convert(summary, Summary)
        day = Day(
            summary=shown,
            series=msgspec.convert(series, Series),
            palette=palette_of(server),
            now=_now_within(shown, view),
            is_recorded=shown.totals.active > 0 or has_buckets(server),
        )
    screen = screen_of_output(view.duration_style)
    screen.show(day_screen(screen, day))


def _now_within(summary: "Summary", view: View) -> str | None:
    """The time, where the day is not over."""
    now = view.now()
    start, end = (datetime.fromisoformat(edge) for edge in (summary.range.start, summary.range.end))
    return now.isoformat(timespec="seconds") if start <= now < end else None
