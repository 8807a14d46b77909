"""`dayline top`: what took the most time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec
from msgspec import UNSET, Struct

from dayline.cli.calls.local import reading_server
from dayline.cli.options.names import check_devices, devices_option, filters_option
from dayline.cli.options.options import as_json, limit_option, on_database
from dayline.cli.options.ranges import Range, range_options
from dayline.cli.options.settings import Settings
from dayline.cli.options.view import has_buckets, palette_of, view_of
from dayline.cli.screens.amounts import difference, duration
from dayline.cli.screens.charts import Palette, axis, sparkline
from dayline.cli.screens.day import color_of, is_compared, item_rows, parents_of
from dayline.cli.screens.layout import Cell, Column, print_json
from dayline.cli.screens.screen import Screen, screen_of_output
from dayline.cli.screens.text import Line, Span, advice, line, padded, width_of_line
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.insight.summary.model import Row, Series, Summary

EXAMPLES = """\b
Examples:
  dayline top                                 the apps of today
  dayline top --by category --week
  dayline top --by category --depth 1         Work with everything below it
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
MANY: Final = {
    "category": "categories", "app": "apps", "title": "titles", "domain": "sites", "url": "pages",
    "project": "projects", "device": "devices", "bucket": "buckets",
}  # fmt: skip
_LEFT_FOR_LIST: Final = 56  # columns for a list next to its sparklines
_BEFORE: Final = {"today": "yesterday", "week": "last week", "month": "last month", "year": "last year"}


@click.command(epilog=EXAMPLES)
@click.option(
    "--by", type=click.Choice([*MANY]), default="app", show_default=True, help="Field to add up by.",
)  # fmt: skip
@range_options("today")
@devices_option
@filters_option
@click.option("--depth", type=click.IntRange(1), help="With --by category: up to this level, with all below it.")
@limit_option(LISTED, maximum=1000)
@as_json
@on_database
def top(
    settings: Settings,
    by: str,
    range_: Range,
    devices: tuple[str, ...],
    filters: tuple[str, ...],
    depth: int | None,
    limit: int,
    is_json: bool,
) -> None:
    """Show what took the most time.

    Each amount is compared with the previous day, week or month. A period that is not over is compared with the same
    part of the previous one.
    """
    if depth is not None and by != "category":
        raise click.UsageError("--depth is for categories: add --by category")
    with reading_server(settings) as server:
        check_devices(server, devices)
        view = view_of(server)
        common = {**range_.parameters(view), "device": devices, "filter": filters, "depth": depth}
        summary: Any = server.call("GET", "/api/1/summary", by=by, limit=limit, compare="previous", **common)
        if is_json:
            print_json(summary)
            return
        # Here, because --help and --json do not need it.
        from dayline.insight.summary.model import Series, Summary

        shown = msgspec.convert(summary, Summary)
        size = _BINS.get(range_.name or "", "day")
        series: Any = server.call("GET", "/api/1/series", by=by, bin=size, top=limit, **common)
        ranking = Top(
            summary=shown,
            by=by,
            palette=palette_of(server),
            series=msgspec.convert(series, Series),
            bin=size,
            before=_BEFORE.get(range_.name or ""),
            depth=depth,
            is_recorded=shown.totals.active > 0 or has_buckets(server),
        )
    screen = screen_of_output(view.duration_style)
    screen.show(top_screen(screen, ranking))


class Top(Struct, frozen=True, kw_only=True):
    """The content of the screen. `series` has the same keys over the period, in bins of `bin`."""

    summary: "Summary"
    by: str
    palette: Palette
    series: "Series | None" = None
    bin: str = "day"
    depth: int | None = None
    before: str | None = None  # name of the previous period: "last week"
    is_recorded: bool = True


def top_screen(screen: Screen, top: Top) -> list[Line]:
    """The whole screen."""
    items = top.summary.lists.get(top.by, [])
    if not items:
        return [*_heading(screen, top), (), *_nothing(screen, top)]
    rows = item_rows(
        screen,
        items,
        top.palette,
        is_marked=top.by == "category",
        has_difference=is_compared(top.summary),
        parents=parents_of(top.summary) if top.depth is None else frozenset(),
        extra=_lines_over_time(screen, top, items),
    )
    more = top.summary.more.get(top.by, 0)
    tail: list[Line] = [(Span(f"  … {quantity(more, 'more', 'more')}: --limit shows them", "dim"),)] if more else []
    return [*_heading(screen, top), (), *rows, *tail, *_overlap(screen, top)]


def _heading(screen: Screen, top: Top) -> list[Line]:
    totals, style = top.summary.totals, screen.durations
    left = line(Span(f"Top {MANY[top.by]}", "bold"), Span(f" · {top.summary.range.label}", "dim"))
    right: list[str | Span | Line] = [Span(duration(totals.active, style), "bold"), " active"]
    before = top.summary.compare
    if before is not UNSET and is_compared(top.summary):
        right += ["  ", difference(totals.active - before.totals.active, style)]
        label = before.range.label
        if before.whole is not UNSET:
            label = f"{top.before or before.whole.label} by this time"
        right += [Span(f"  {label}: {duration(before.totals.active, style)}", "dim")]
    message = line(*right)
    if width_of_line(left) + width_of_line(message) + 2 <= screen.width:
        return [line(left, padded(message, screen.width - width_of_line(left), "right"))]
    return [left, line("  ", message)]


def _lines_over_time(screen: Screen, top: Top, items: "Sequence[Row]") -> list[tuple[Column, Sequence[Cell]]]:
    """A sparkline for each row, if the screen is wide enough."""
    series = top.series
    if series is None or not (1 < len(series.edges) - 1 <= screen.width - _LEFT_FOR_LIST):
        return []
    values = dict(zip(series.keys, series.values, strict=True))
    empty = [0.0] * (len(series.edges) - 1)
    cells: list[Cell] = [
        (Span(sparkline(values.get(item.key, empty)).ljust(len(empty)), color_of(item, top.palette)),) for item in items
    ]
    return [(Column(heading=axis(series.edges, top.bin)), cells)]


def _overlap(screen: Screen, top: Top) -> list[Line]:
    """Devices can add up to more than the total."""
    both = top.summary.totals.overlap
    if top.by != "device" or both < 60:
        return []
    return [(Span(f"  {duration(both, screen.durations)} of it on several devices at once", "dim"),)]


def _nothing(screen: Screen, top: Top) -> list[Line]:
    if not top.is_recorded:
        message = "Nothing has been recorded yet: no watcher has sent anything."
        hint = "start a watcher, or create demo data: dayline demo"
    elif top.summary.totals.active > 0:
        message = f"This time has no {MANY[top.by]}: no watcher records them."
        hint = "list the buckets: dayline buckets"
    else:
        message = f"Nothing was recorded in this period: {top.summary.range.label}."
        hint = "choose a longer range: dayline top --last month, or dayline top --year"
    return advice(message, hint, screen.width)
