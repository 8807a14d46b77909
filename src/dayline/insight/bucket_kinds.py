"""What a bucket tells of its device, by its type. No numpy."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dayline.model.bucket import Bucket

Layer: TypeAlias = Literal["window", "tab", "file"]

UNKNOWN_HOST: Final = "unknown"  # of watchers that do not know where they run: they serve every device
PHONE_APP: Final = "app"
# What an app is called of which a bucket's id has the name: at the start, at the end, or between signs.
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
    """Which rules of categories look at the events of such a bucket; None: they have no category."""
    if bucket_type == PHONE_APP:
        return "window"
    return next((layer for kind, layer in _LAYERS.items() if bucket_type.startswith(kind)), None)


def is_window(bucket: Bucket) -> bool:
    """Whether it tells what is in front."""
    return bucket.type.startswith("currentwindow") or bucket.type == PHONE_APP


def is_away(bucket: Bucket) -> bool:
    """Whether it tells if somebody is there."""
    return bucket.type.startswith("afkstatus")


def is_tab(bucket: Bucket) -> bool:
    """Whether it tells which page a browser shows."""
    return bucket.type.startswith("web.tab")


def is_file(bucket: Bucket) -> bool:
    """Whether it tells which file an editor shows."""
    return bucket.type.startswith("app.editor")


def is_within(bucket: Bucket) -> bool:
    """Whether it tells what happens within a program, while that is in front."""
    return is_tab(bucket) or is_file(bucket)


def is_always_on(bucket: Bucket) -> bool:
    """Whether its watcher records for as long as the device is on."""
    return bucket.type.startswith("currentwindow") or is_away(bucket)


def is_by_hand(bucket: Bucket) -> bool:
    """Whether people fill it."""
    return bucket.type.startswith(("general.stopwatch", "dayline.annotation"))


def browser_pattern(bucket_id: str, hostname: str) -> str:
    """A pattern for the apps whose tabs a bucket has; that of all browsers where its id names none."""
    name = bucket_id.removesuffix(f"_{hostname}").lower()
    words = set(_WORD.findall(name))
    named = [names for browser, names in _BROWSERS.items() if browser in words]
    if not named:  # written together with something else, such as `mychrome`
        named = [names for browser, names in _BROWSERS.items() if len(browser) > 3 and browser in name]
    return _app_pattern("|".join(named or _BROWSERS.values()))


@lru_cache(maxsize=256)
def _app_pattern(names: str) -> str:
    return rf"(?i)(^|[^a-z])({'|'.join(dict.fromkeys(names.split('|')))})([^a-z]|$)"
