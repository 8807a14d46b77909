"""The time zone of this machine, by its name."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo


def machine_zone() -> str:
    """The zone's name, such as Europe/Berlin; where it is not to be found, one that has the clock's offset."""
    named = (os.environ.get("TZ", "").removeprefix(":"), _link(), _line(Path("/etc/timezone")))
    return next((name for name in named if _is_zone(name)), None) or _by_offset(datetime.now().astimezone())


def _link() -> str:
    try:
        target = os.path.realpath("/etc/localtime")
    except OSError:
        return ""
    return target.rpartition("/zoneinfo/")[2]


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _is_zone(name: str) -> bool:
    if not name:
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, no name at all, a folder
        return False
    return True


def _by_offset(now: datetime) -> str:
    offset = now.utcoffset() or timedelta()
    hours = round(offset / timedelta(hours=1))
    # The names of these zones count westward.
    return "UTC" if hours == 0 else f"Etc/GMT{-hours:+d}"
