"""The screen of `dayline today`: how long, when, and on what."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, Struct

from dayline.cli.screens.amounts import clock, difference, duration, format_day, percent
from dayline.cli.screens.charts import UNCATEGORIZED, Palette, bar, day_strip
from dayline.cli.screens.layout import Cell, Column, side_by_side, table
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, advice, clean, flowed, line, padded, width_of_line
from dayline.runtime.text import quantity

if TYPE_CHECKING:
    from dayline.insight.summary.model import Key, Row, Series, Summary

NAMELESS: Final = "(none)"
_MIN_BAR: Final = 10
_WIDE: Final = 46  # columns from which shares are shown
_WIDER: Final = 54  # and for differences


def key_text(key: "Key") -> str:
    """A key as it is shown: a category with its parents."""
    text = "/".join(key) if isinstance(key, tuple) else key
    return clean(text) or NAMELESS


def parents_of(summary: "Summary") -> frozenset[tuple[str, ...]]:
    """The categories that have time of their own and time below them."""
    tree = () if summary.tree is UNSET else summary.tree
    return frozenset(each.key for each in tree if 0 < each.own < each.seconds)


def is_compared(summary: "Summary") -> bool:
    """Whether there is a comparison: without recorded data everything would be new."""
    return summary.compare is not UNSET and summary.compare.totals.active > 0


def color_of(item: "Row", palette: Palette) -> str:
    """The color of a category, or of the category that most of an item's time belongs to."""
    return palette.color(item.key if isinstance(item.key, tuple) else item.category or ())


def marked_name(item: "Row", palette: Palette, parents: frozenset[tuple[str, ...]] = frozenset()) -> Line:
    """A name after a square in its color. Without colors the square marks uncategorized time.

    The time directly in one of `parents` is named so: its name alone means everything below it.
    """
    is_nowhere = item.key == UNCATEGORIZED
    square = Span("▨ " if is_nowhere else "■ ", color_of(item, palette))
    return (
        square,
        Span(f"{key_text(item.key)}{' (itself)' if item.key in parents else ''}", "dim" if is_nowhere else ""),
    )


def item_rows(
    screen: Screen,
    items: "Sequence[Row]",
    palette: Palette,
    *,
    is_marked: bool,
    has_difference: bool,
    parents: frozenset[tuple[str, ...]] = frozenset(),
    extra: Sequence[tuple[Column, Sequence[Cell]]] = (),
) -> list[Line]:
    """The list as a table as wide as the screen. `extra` columns come before the bar."""
    most = max((item.seconds for item in items), default=0.0)
    shows_share = screen.width >= _WIDE
    shows_difference = has_difference and screen.width >= _WIDER and any(item.prev is not UNSET for item in items)
    columns = [Column(fit="cut", min_width=12), Column(align="right")]
    columns += [Column(align="right")] if shows_share else []
    columns += [column for column, _ in extra]
    columns += [Column(fit="rest", min_width=_MIN_BAR, max_width=40)]
    columns += [Column(align="right")] if shows_difference else []
    rows: list[list[Cell]] = []
    for number, item in enumerate(items):
        name = marked_name(item, palette, parents) if is_marked else (Span(key_text(item.key)),)
        row: list[Cell] = [name, (Span(duration(item.seconds, screen.durations), "bold"),)]
        row += [(Span(percent(item.share), "dim"),)] if shows_share else []
        row += [cells[number] for _, cells in extra]
        row += [_bar_cell(item.seconds / most if most > 0 else 0.0, color_of(item, palette))]
        row += [_difference(screen, item)] if shows_difference else []
        rows.append(row)
    return table(screen, columns, rows)


def _bar_cell(share: float, color: str) -> Callable[[int], Line]:
    return lambda width: (Span(bar(share, width), color),)


def _difference(screen: Screen, item: "Row") -> Line:
    if item.prev is UNSET:
        return ()
    if item.prev == 0:
        return (Span("new", "cyan"),)
    return difference(item.seconds - item.prev, screen.durations)


_THREE_PANELS: Final = 120  # columns from which three lists fit side by side
_TWO_PANELS: Final = 76
_GAP: Final = 3
_HEADINGS: Final = {"category": "Categories", "app": "Apps", "domain": "Sites", "title": "Titles"}


class Day(Struct, frozen=True, kw_only=True):
    """The content of the screen. `now` is the current time if the day is not over, RFC 3339 in its zone."""

    summary: "Summary"
    series: "Series"
    palette: Palette
    now: str | None = None
    is_recorded: bool = True  # whether there is any bucket


def day_screen(screen: Screen, day: Day) -> list[Line]:
    """The whole screen."""
    summary = day.summary
    if summary.totals.active <= 0:
        return [*_heading(screen, day), (), *_nothing(screen, day)]
    lines = [*_heading(screen, day), (), *_figures(screen, day), ()]
    lines += day_strip(day.series, day.palette, width=screen.width, until=_passed(day))
    return [*lines, *_lists(screen, summary, day.palette), *_devices(screen, summary)]


def _heading(screen: Screen, day: Day) -> list[Line]:
    left: Line = (Span(format_day(day.summary.range.start), "bold"),)
    right = f"until now, {clock(day.now)}" if day.now is not None else ""
    zone: Line = (Span(" · ".join(part for part in (right, day.summary.range.tz) if part), "dim"),)
    return [line(left, *padded(zone, screen.width - width_of_line(left), "right"))]


def _figures(screen: Screen, day: Day) -> list[Line]:
    totals, style = day.summary.totals, screen.durations
    first: list[str | Span | Line] = ["  ", Span(duration(totals.active, style), "bold"), " active"]
    usual = day.summary.compare
    if usual is not UNSET and is_compared(day.summary):
        by_now = " by now" if day.now is not None else ""
        message = f"  usual{by_now}: {duration(usual.totals.active, style)}"
        first += ["   ", difference(totals.active - usual.totals.active, style), Span(message, "dim")]
    facts = [
        f"{clock(totals.first)} to {clock(totals.last)}" if totals.first and totals.last else "",
        f"longest focus {duration(totals.longest_focus, style)}" if totals.longest_focus else "",
        quantity(totals.switches, "switch", "switches") if totals.switches else "",
        f"away {duration(totals.away, style)}" if totals.away >= 60 else "",
    ]
    return [line(*first), *flowed((fact for fact in facts if fact), screen.width, between=" · ", style="dim")]


def _passed(day: Day) -> int | None:
    """The number of bins of the day that have started."""
    if day.now is None:
        return None
    # Both are of one zone; but its offset may have changed in between, so that text alone does not compare them.
    from datetime import datetime

    now = datetime.fromisoformat(day.now)
    return sum(datetime.fromisoformat(edge) <= now for edge in day.series.edges[:-1])


def _lists(screen: Screen, summary: "Summary", palette: Palette) -> list[Line]:
    def panel(by: str, width: int) -> list[Line]:
        return _panel(screen, summary, by, width, palette)

    if screen.width >= _THREE_PANELS:
        narrow = (screen.width - 2 * _GAP) * 3 // 10
        widths = [screen.width - 2 * (narrow + _GAP), narrow, narrow]
        panels = [panel(by, width) for by, width in zip(("category", "app", "domain"), widths, strict=True)]
        rows = side_by_side(panels, widths, gap=_GAP)
        return [*rows, *panel("title", screen.width)]
    lines = panel("category", screen.width)
    if screen.width >= _TWO_PANELS and screen.cuts:
        width = (screen.width - _GAP) // 2
        lines += side_by_side([panel(by, width) for by in ("app", "domain")], [width] * 2, gap=_GAP)
    else:
        lines += [*panel("app", screen.width), *panel("domain", screen.width)]
    return [*lines, *panel("title", screen.width)]


def _panel(screen: Screen, summary: "Summary", by: str, width: int, palette: Palette) -> list[Line]:
    items = summary.lists.get(by, [])
    if not items:
        return []
    narrow = Screen(width=width, colors=screen.colors, cuts=screen.cuts, durations=screen.durations)
    has_difference = by == "category" and is_compared(summary)
    parents = parents_of(summary)
    rows = item_rows(narrow, items, palette, is_marked=by == "category", has_difference=has_difference, parents=parents)
    more = summary.more.get(by, 0)
    tail: list[Line] = [(Span(f"  … {quantity(more, 'more', 'more')}: dayline top --by {by}", "dim"),)] if more else []
    return [(), (Span(f"  {_HEADINGS[by]}", "bold"),), *rows, *tail]


def _devices(screen: Screen, summary: "Summary") -> list[Line]:
    if len(summary.devices) < 2:
        return []
    parts = [f"{clean(each.device)} {duration(each.seconds, screen.durations)}" for each in summary.devices]
    both = summary.totals.overlap
    parts += [f"{duration(both, screen.durations)} on several at once"] if both >= 60 else []
    return [(), *flowed([f"Devices: {parts[0]}", *parts[1:]], screen.width, between=" · ", style="dim")]


def _nothing(screen: Screen, day: Day) -> list[Line]:
    """A message for an empty day, with a hint."""
    if not day.is_recorded:
        message = "Nothing has been recorded yet: no watcher has sent anything."
        hint = "start a watcher, or create demo data: dayline demo"
    elif day.now is not None:
        message = "Nothing has been recorded today."
        hint = "see whether everything records: dayline status"
    else:
        message = "Nothing was recorded on that day."
        hint = "see when there is something: dayline top --month --by device"
    return advice(message, hint, screen.width)
