"""The time zone of this computer."""

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_ZONES: Final = "zoneinfo/"


def machine_zone(*, localtime: Path = Path("/etc/localtime"), timezone: Path = Path("/etc/timezone")) -> str | None:
    """A name such as Europe/Berlin, from TZ, /etc/localtime, /etc/timezone, or the Windows registry.

    None if none of them has a name.
    """
    variable = os.environ.get("TZ", "").removeprefix(":")
    if variable and _is_name(variable):
        return variable
    if sys.platform == "win32":
        return _windows_zone()
    try:
        target = os.path.realpath(localtime)
    except OSError:
        target = ""
    name = target.partition(_ZONES)[2] if _ZONES in target else ""
    if not name:
        try:
            name = timezone.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
    name = name.removeprefix("posix/").removeprefix("right/")
    return name if _is_name(name) else None


def _windows_zone() -> str | None:
    from tzlocal import get_localzone_name  # imported here because it is installed only on Windows

    with suppress(OSError, LookupError):
        name = get_localzone_name()
        if _is_name(name):
            return name
    return None


def _is_name(name: str) -> bool:
    """Whether it is a zone that servers know; TZ may also be a path or a rule."""
    package = find_spec("tzdata")
    if package is None or not package.submodule_search_locations:
        return False
    return name in (Path(package.submodule_search_locations[0]) / "zones").read_text("utf-8").split()
