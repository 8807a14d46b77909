"""A list of what took the time: names, durations, shares, bars and differences, in a table of any width."""

from collections.abc import Callable, Sequence
from typing import Final

from dayline.cli.screens.amounts import difference, duration, percent
from dayline.cli.screens.answers import Item, Key, Summary
from dayline.cli.screens.charts import bar
from dayline.cli.screens.layout import Cell, Column, table
from dayline.cli.screens.palette import UNCATEGORIZED, Palette
from dayline.cli.screens.screen import Screen
from dayline.cli.screens.text import Line, Span, clean

NAMELESS: Final = "(none)"
_LEAST_BAR: Final = 10
_WIDE: Final = 46  # from here on there is room for shares
_WIDER: Final = 54  # and for differences


def name_of(key: Key) -> str:
    """A key as it is shown: a category with its parents."""
    text = "/".join(key) if isinstance(key, tuple) else key
    return clean(text) or NAMELESS


def is_compared(summary: Summary) -> bool:
    """Whether there is something to compare with: where nothing was recorded, everything would be new."""
    return summary.compare is not None and summary.compare.totals.active > 0


def color_of(item: Item, palette: Palette) -> str:
    """The colour of a category, or of the category that most of an item's time belongs to."""
    return palette.color(item.key if isinstance(item.key, tuple) else item.category or ())


def marked_name(item: Item, palette: Palette) -> Line:
    """A name behind a square in its colour. Without colours the square tells what has no category."""
    is_nowhere = item.key == UNCATEGORIZED
    square = Span("▨ " if is_nowhere else "■ ", color_of(item, palette))
    return (square, Span(name_of(item.key), "dim" if is_nowhere else ""))


def item_rows(
    screen: Screen,
    items: Sequence[Item],
    palette: Palette,
    *,
    is_marked: bool,
    has_difference: bool,
    extra: Sequence[tuple[Column, Sequence[Cell]]] = (),
) -> list[Line]:
    """The list as a table as wide as the screen. `extra` columns stand before the bar."""
    most = max((item.seconds for item in items), default=0.0)
    shows_share = screen.width >= _WIDE
    shows_difference = has_difference and screen.width >= _WIDER and any(item.prev is not None for item in items)
    columns = [Column(room="cut", least=12), Column(align="right")]
    columns += [Column(align="right")] if shows_share else []
    columns += [column for column, _ in extra]
    columns += [Column(room="rest", least=_LEAST_BAR, most=40)]
    columns += [Column(align="right")] if shows_difference else []
    rows: list[list[Cell]] = []
    for number, item in enumerate(items):
        name = marked_name(item, palette) if is_marked else (Span(name_of(item.key)),)
        row: list[Cell] = [name, (Span(duration(item.seconds, screen.durations), "bold"),)]
        row += [(Span(percent(item.share), "dim"),)] if shows_share else []
        row += [cells[number] for _, cells in extra]
        row += [_bar_cell(item.seconds / most if most > 0 else 0.0, color_of(item, palette))]
        row += [_difference(screen, item)] if shows_difference else []
        rows.append(row)
    return table(screen, columns, rows)


def _bar_cell(share: float, color: str) -> Callable[[int], Line]:
    return lambda width: (Span(bar(share, width), color),)


def _difference(screen: Screen, item: Item) -> Line:
    if item.prev is None:
        return ()
    if item.prev == 0:
        return (Span("new", "cyan"),)
    return difference(item.seconds - item.prev, screen.durations)
