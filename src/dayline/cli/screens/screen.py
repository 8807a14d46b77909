"""The screen: its width and its colors."""

import os
import sys
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import click
from msgspec import Struct

from dayline.cli.screens.amounts import DurationStyle
from dayline.cli.screens.text import Line, Span, cut_line

Colors: TypeAlias = Literal["none", "few", "256", "all"]

DEFAULT_WIDTH: Final = 80  # if the width is unknown
MIN_WIDTH: Final = 40
_RESET: Final = "\x1b[0m"
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
_LEVELS: Final = (0, 95, 135, 175, 215, 255)  # of the cube of 256 colors


class Screen(Struct, frozen=True, kw_only=True):
    """`cuts`: whether long text is truncated. Not in a file or a pipe, which a program may search."""

    width: int = DEFAULT_WIDTH
    colors: Colors = "none"
    cuts: bool = True
    durations: DurationStyle = "hours"

    def text(self, lines: Iterable[Line]) -> str:
        """Lines as text: without trailing spaces, and none wider than the terminal."""
        bare = map(_without_end, lines)
        fitting = (cut_line(line, self.width) for line in bare) if self.cuts else bare
        return "".join(f"{''.join(map(self._painted, line))}\n" for line in fitting)

    def show(self, lines: Iterable[Line]) -> None:
        """Write lines to standard output."""
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a console without block characters gets question marks, not a traceback
        click.echo(self.text(lines), nl=False, color=self.colors != "none")

    def _painted(self, span: Span) -> str:
        if self.colors == "none" or not span.style or not span.text.strip():
            return span.text
        codes = ";".join(_code(word, self.colors) for word in span.style.split())
        return f"\x1b[{codes}m{span.text}{_RESET}"


def screen_of_output(durations: DurationStyle = "hours") -> Screen:
    """The terminal of standard output, or plain text if it is not a terminal."""
    is_terminal = sys.stdout.isatty()
    return Screen(
        width=max(_screen_width(is_terminal=is_terminal), MIN_WIDTH),
        colors=_colors(is_terminal=is_terminal),
        cuts=is_terminal,
        durations=durations,
    )


def _without_end(line: Line) -> Line:
    """A line without trailing spaces."""
    spans = [*line]
    while spans and not spans[-1].text.rstrip(" "):
        spans.pop()
    if spans:
        spans[-1] = Span(spans[-1].text.rstrip(" "), spans[-1].style)
    return tuple(spans)


def _screen_width(*, is_terminal: bool) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return int(columns)
    if not is_terminal:
        return DEFAULT_WIDTH
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def _colors(*, is_terminal: bool) -> Colors:
    """As https://no-color.org has it: any value of NO_COLOR but an empty one means none."""
    term = os.environ.get("TERM", "")
    if os.environ.get("NO_COLOR") or not is_terminal or term == "dumb":
        return "none"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or "WT_SESSION" in os.environ:
        return "all"
    return "256" if "256" in term else "few"


def _code(word: str, colors: Colors) -> str:
    if word in _CODES:
        return _CODES[word]
    red, green, blue = (int(word[at : at + 2], 16) for at in (1, 3, 5))
    if colors == "all":
        return f"38;2;{red};{green};{blue}"
    if colors == "256":
        return f"38;5;{16 + 36 * _level(red) + 6 * _level(green) + _level(blue)}"
    # The nearest of eight colors; blue is hard to read on black, so it is bright.
    middle = (min(red, green, blue) + max(red, green, blue)) / 2
    number = (red > middle) + 2 * (green > middle) + 4 * (blue > middle)
    return {0: "37", 4: "94", 7: "37"}.get(number, str(30 + number))


def _level(value: int) -> int:
    return min(range(6), key=lambda number: abs(_LEVELS[number] - value))
