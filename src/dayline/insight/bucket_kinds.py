"""What a bucket tells of its device, by its type. No numpy."""

from typing import Final

from dayline.model.bucket import Bucket

UNKNOWN_HOST: Final = "unknown"  # of watchers that do not know where they run
_PHONE_APP: Final = "app"


def is_window(bucket: Bucket) -> bool:
    """Whether it tells what is in front."""
    return bucket.type.startswith("currentwindow") or bucket.type == _PHONE_APP


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
