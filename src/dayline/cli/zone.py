"""The time zone of this computer, by its name."""

import os
from pathlib import Path
from typing import Final

_ZONES: Final = "zoneinfo/"


def machine_zone(*, localtime: Path = Path("/etc/localtime"), timezone: Path = Path("/etc/timezone")) -> str | None:
    """Such as Europe/Berlin, as far as it can be told: by TZ, by what /etc/localtime links to, or by /etc/timezone."""
    told = os.environ.get("TZ", "").removeprefix(":")
    if told and _is_name(told):
        return told
    try:
        place = os.path.realpath(localtime)
    except OSError:
        place = ""
    name = place.partition(_ZONES)[2] if _ZONES in place else ""
    if not name:
        try:
            name = timezone.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
    name = name.removeprefix("posix/").removeprefix("right/")
    return name if _is_name(name) else None


def _is_name(name: str) -> bool:
    """Whether it is a name of the zones that the server has; TZ may hold a path, or a rule."""
    from zoneinfo import ZoneInfo  # here, because most commands know no zones

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return not name.startswith("/")
