"""The time zone of this computer, by its name."""

import os
from importlib.util import find_spec
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
    """Whether it is among the zones that servers know; TZ may hold a path or a rule as well."""
    package = find_spec("tzdata")
    if package is None or not package.submodule_search_locations:
        return False
    return name in (Path(package.submodule_search_locations[0]) / "zones").read_text("utf-8").split()
