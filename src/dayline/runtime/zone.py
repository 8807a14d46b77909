"""The time zone of this computer, by its name."""

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_ZONES: Final = "zoneinfo/"


def machine_zone(*, localtime: Path = Path("/etc/localtime"), timezone: Path = Path("/etc/timezone")) -> str | None:
    """Such as Europe/Berlin, from TZ, from what /etc/localtime links to or /etc/timezone, or from Windows' registry.

    None if none of them names one.
    """
    told = os.environ.get("TZ", "").removeprefix(":")
    if told and _is_name(told):
        return told
    if sys.platform == "win32":
        return _windows_zone()
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


def _windows_zone() -> str | None:
    from tzlocal import get_localzone_name  # here, because it is installed on Windows only

    with suppress(OSError, LookupError):
        name = get_localzone_name()
        if _is_name(name):
            return name
    return None


def _is_name(name: str) -> bool:
    """Whether it is among the zones that servers know; TZ may hold a path or a rule as well."""
    package = find_spec("tzdata")
    if package is None or not package.submodule_search_locations:
        return False
    return name in (Path(package.submodule_search_locations[0]) / "zones").read_text("utf-8").split()
