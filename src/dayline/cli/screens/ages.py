"""How long ago something was, in as few words as tell it."""

from datetime import datetime, timedelta
from typing import Final

from dayline.cli.screens.amounts import MONTHS

_NOW: Final = timedelta(seconds=2)


def ago(moment: datetime, now: datetime) -> str:
    """Such as: now, 40s ago, 12m ago, 3h ago, 2 days ago; the day itself where that is long ago."""
    age = now - moment
    if age < _NOW:
        return "now"
    if age < timedelta(days=14):
        return f"{about(age)} ago"
    return _day(moment, now)


def last_recorded(moment: datetime, now: datetime) -> str:
    """Such as: last recorded 12m ago; from a day on with the date, in the time zone of `now`."""
    if now - moment < timedelta(days=1):
        return f"last recorded {ago(moment, now)}"
    return f"last recorded {_day(moment, now)}"


def about(length: timedelta) -> str:
    """A length of time in its largest unit: 40s, 12m, 3h, 2 days."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m"
    if seconds < 86_400:
        return f"{seconds // 3600}h"
    return f"{length.days} day{'s' if length.days > 1 else ''}"


def _day(moment: datetime, now: datetime) -> str:
    local = moment.astimezone(now.tzinfo)
    return f"{local.day} {MONTHS[local.month - 1][:3]} {local.year}"
