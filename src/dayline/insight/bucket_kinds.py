"""What a bucket tells of its device, by its type. No numpy."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from dayline.model.bucket import Bucket

Layer: TypeAlias = Literal["window", "tab", "file"]

UNKNOWN_HOST: Final = "unknown"  # of watchers that do not know where they run: they serve every device
PHONE_APP: Final = "app"
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


def is_within(bucket: Bucket) -> bool:
    """Whether it tells what happens within a program, while that is in front."""
    return is_tab(bucket) or bucket.type.startswith("app.editor")


def is_always_on(bucket: Bucket) -> bool:
    """Whether its watcher records for as long as the device is on."""
    return bucket.type.startswith("currentwindow") or is_away(bucket)


def is_by_hand(bucket: Bucket) -> bool:
    """Whether people fill it."""
    return bucket.type.startswith(("general.stopwatch", "dayline.annotation"))
