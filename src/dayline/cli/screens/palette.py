"""Colours of categories: those that they were given, and others that stay the same where none was."""

from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

UNCATEGORIZED: Final = ("Uncategorized",)
# Bright enough on black, dark enough on white, and told apart by those who see fewer colours.
_OTHERS: Final = (
    "#4f8ef7", "#f28e2b", "#2fb380", "#d65f9e", "#9a7bea", "#c7a11b", "#1fa7b8", "#e15759", "#7f9f3f", "#b07a5a",
)  # fmt: skip
_GREY: Final = "#8a8f98"


class Palette:
    """The colour of every category. One without a colour has that of the category above it."""

    def __init__(self, given: Mapping[tuple[str, ...], str | None] | None = None) -> None:
        self._given = {path: color for path, color in (given or {}).items() if color and _is_color(color)}

    def color(self, path: Sequence[str]) -> str:
        """As #rrggbb."""
        whole = tuple(path)
        if not whole or whole == UNCATEGORIZED:
            return _GREY
        for depth in range(len(whole), 0, -1):
            if whole[:depth] in self._given:
                return _long(self._given[whole[:depth]])
        return _OTHERS[crc32(whole[0].encode()) % len(_OTHERS)]


def _is_color(text: str) -> bool:
    return len(text) in (4, 7) and text[0] == "#" and all(digit in "0123456789abcdefABCDEF" for digit in text[1:])


def _long(color: str) -> str:
    return color if len(color) == 7 else "#" + "".join(digit * 2 for digit in color[1:])
