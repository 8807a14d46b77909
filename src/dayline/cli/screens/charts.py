"""Bars and lines made of characters: eighths of a block, so that they are finer than a column or a row."""

from collections.abc import Sequence
from typing import Final

_ACROSS: Final = " ▏▎▍▌▋▊▉█"
_UP: Final = " ▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> str:
    """A bar across, of a share of the width. What is not nothing is seen: at least an eighth of a column."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_ACROSS[rest] if rest else "")


def column(share: float) -> str:
    """One column of a sparkline. What is not nothing is seen."""
    height = round(max(0.0, min(share, 1.0)) * 8)
    return _UP[max(height, 1) if share > 0 else 0]


def sparkline(values: Sequence[float], *, most: float | None = None) -> str:
    """A column for each value, the largest as high as the line."""
    top = max(values, default=0.0) if most is None else most
    return "".join(column(value / top if top > 0 else 0.0) for value in values)
