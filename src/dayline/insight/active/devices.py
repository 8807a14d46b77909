"""Groups buckets by device and type."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.insight.now.buckets import PHONE_APP, UNKNOWN_HOST, browser_pattern
from dayline.storage.columns.source import SourceBucket

WINDOW: Final = "currentwindow"
TAB: Final = "web.tab.current"
FILE: Final = "app.editor.activity"
AWAY: Final = "afkstatus"
_PHONE: Final = "aw-watcher-android"


class DeviceBuckets(Struct, frozen=True, kw_only=True):
    """The bucket ids of one device. `browsers` has one pattern for each bucket in `tabs`."""

    name: str
    fronts: tuple[str, ...]
    is_phone: tuple[bool, ...]  # for each of `fronts`: whether it counts without an AFK watcher
    tabs: tuple[str, ...] = ()
    browsers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

    @property
    def buckets(self) -> tuple[str, ...]:
        """All of its buckets."""
        return tuple(dict.fromkeys((*self.fronts, *self.tabs, *self.files, *self.away)))


def devices_of(buckets: Sequence[SourceBucket]) -> list[DeviceBuckets]:
    """The devices that have a window watcher or a phone watcher, in order of their first buckets.

    If a device has neither, the tabs of its browsers are used, if there are any.
    """
    by_host: dict[str, list[SourceBucket]] = {}
    for bucket in buckets:
        by_host.setdefault(bucket.hostname, []).append(bucket)
    watched = {host for host, own in by_host.items() if any(map(_is_front, own))}
    found: list[DeviceBuckets] = []
    for host, own in by_host.items():
        if host in watched:
            found.append(_device_buckets(host, own, by_host.get(UNKNOWN_HOST, []) if host != UNKNOWN_HOST else []))
        elif (tabs := _of_type(own, TAB)) and (host != UNKNOWN_HOST or not watched):
            found.append(DeviceBuckets(name=host, fronts=tabs, is_phone=(False,) * len(tabs), away=_of_type(own, AWAY)))
    return found


def _device_buckets(host: str, own: Sequence[SourceBucket], shared: Sequence[SourceBucket]) -> DeviceBuckets:
    fronts = [bucket for bucket in own if _is_front(bucket)]
    tabs = [bucket for bucket in (*own, *shared) if bucket.type == TAB]
    return DeviceBuckets(
        name=host,
        fronts=tuple(bucket.id for bucket in fronts),
        is_phone=tuple(_is_phone(bucket) for bucket in fronts),
        tabs=tuple(bucket.id for bucket in tabs),
        browsers=tuple(browser_pattern(bucket.id, bucket.hostname) for bucket in tabs),
        files=_of_type([*own, *shared], FILE),
        away=_of_type(own, AWAY),
    )


def _is_front(bucket: SourceBucket) -> bool:
    return bucket.type == WINDOW or _is_phone(bucket)


def _is_phone(bucket: SourceBucket) -> bool:
    is_watched = bucket.type == WINDOW and bucket.id.startswith(_PHONE)
    return is_watched or bucket.type == PHONE_APP


def _of_type(buckets: Sequence[SourceBucket], kind: str) -> tuple[str, ...]:
    return tuple(bucket.id for bucket in buckets if bucket.type == kind)
