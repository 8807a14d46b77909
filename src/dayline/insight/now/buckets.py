"""What a bucket records, by its type. No numpy.

window   ├──────────────────────────────────┤     the device is active
away     ├─────────────────────────────────┤
tabs     ├──────────┤                             no more events although its browser is active: silent

Whether a device should record at all follows from its habits. For the computer that runs the server it is certain: the
computer is awake.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from dayline.insight.now.model import Layer
from dayline.model.bucket import PHONE_APP, Bucket

# App names by the name in a bucket's id, which is at its start, at its end, or between separators.
_BROWSERS: Final[Mapping[str, str]] = {
    "chrome": "chrome|chromium",
    "chromium": "chromium|chrome",
    "firefox": "firefox|librewolf|waterfox|nightly",
    "opera": "opera",
    "brave": "brave",
    "edge": "edge|msedge",
    "arc": "arc",
    "vivaldi": "vivaldi",
    "orion": "orion",
    "yandex": "yandex",
    "zen": "zen",
    "floorp": "floorp",
    "helium": "helium",
    "safari": "safari",
    "librewolf": "librewolf",
    "waterfox": "waterfox",
}
_WORD: Final = re.compile(r"[a-z]+")
_LAYERS: Final[Mapping[str, Layer]] = {"currentwindow": "window", "web.tab": "tab", "app.editor": "file"}


def layer_of(bucket_type: str) -> Layer | None:
    """The layer of a bucket's events in category rules; None if they have no category."""
    if bucket_type == PHONE_APP:
        return "window"
    return next((layer for kind, layer in _LAYERS.items() if bucket_type.startswith(kind)), None)


def is_window(bucket: Bucket) -> bool:
    """Whether it records the active window."""
    return bucket.type.startswith("currentwindow") or bucket.type == PHONE_APP


def is_away(bucket: Bucket) -> bool:
    """Whether it records AFK status."""
    return bucket.type.startswith("afkstatus")


def is_tab(bucket: Bucket) -> bool:
    """Whether it records the page in a browser."""
    return bucket.type.startswith("web.tab")


def is_file(bucket: Bucket) -> bool:
    """Whether it records the file in an editor."""
    return bucket.type.startswith("app.editor")


def is_within(bucket: Bucket) -> bool:
    """Whether it records activity within a program while its window is active."""
    return is_tab(bucket) or is_file(bucket)


def is_always_on(bucket: Bucket) -> bool:
    """Whether its watcher records for as long as the device is on."""
    return bucket.type.startswith("currentwindow") or is_away(bucket)


def is_by_hand(bucket: Bucket) -> bool:
    """Whether users add its events by hand."""
    return bucket.type.startswith(("general.stopwatch", "dayline.annotation"))


def browser_pattern(bucket_id: str, hostname: str) -> str:
    """A pattern for the apps whose tabs a bucket records. If its id names no browser, a pattern for all browsers."""
    name = bucket_id.removesuffix(f"_{hostname}").lower()
    words = set(_WORD.findall(name))
    named = [names for browser, names in _BROWSERS.items() if browser in words]
    if not named:  # part of another word, such as `mychrome`
        named = [names for browser, names in _BROWSERS.items() if len(browser) > 3 and browser in name]
    return _app_pattern("|".join(named or _BROWSERS.values()))


def is_browser(app: str) -> bool:
    """Whether an app is a web browser that has a watcher."""
    return re.search(_app_pattern("|".join(_BROWSERS.values())), app) is not None


@lru_cache(maxsize=256)
def _app_pattern(names: str) -> str:
    return rf"(?i)(^|[^a-z])({'|'.join(dict.fromkeys(names.split('|')))})([^a-z]|$)"
