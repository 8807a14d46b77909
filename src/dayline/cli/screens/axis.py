"""What stands over a line of a column for each hour, day, week or month."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from dayline.cli.screens.amounts import DAYS, MONTHS

_A_WEEK: Final = 8  # bins: of so many days, or fewer, each has its letter
_HOURS_APART: Final = 6
_DAYS_APART: Final = 5


def axis(edges: Sequence[str], size: str) -> str:
    """A letter for each day of a week or each month, a number now and then for hours and days of a month.

    `edges` is one longer than there are columns.
    """
    starts = edges[:-1]
    days = [date.fromisoformat(edge[:10]) for edge in starts]
    if size == "month":
        return "".join(MONTHS[day.month - 1][0] for day in days)
    if size == "day" and len(days) <= _A_WEEK:
        return "".join(DAYS[day.weekday()][0] for day in days)
    if size == "hour":
        return _now_and_then([edge[11:13] for edge in starts], _HOURS_APART)
    return _now_and_then([str(day.day) for day in days], _DAYS_APART)


def _now_and_then(labels: Sequence[str], apart: int) -> str:
    line = ""
    for place in range(0, len(labels), apart):
        if place + len(labels[place]) <= len(labels):
            line = line.ljust(place) + labels[place]
    return line
