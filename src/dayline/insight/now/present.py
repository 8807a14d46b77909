"""What is in front of each device, from the newest events of its buckets. No numpy.

window   [Mail][Code · a.py][Code · b.py]     in front: Code, since the start of a.py
tabs     [x.org]                              before that: none
away           [not-afk                 ]
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.insight.now.buckets import (
    RECENT,
    UNKNOWN_HOST,
    Recorded,
    browser_pattern,
    is_away,
    is_by_hand,
    is_file,
    is_tab,
    is_window,
    is_within,
    last_of,
    newest_events,
)
from dayline.model.bucket import Bucket
from dayline.model.time import SECOND, Microseconds
from dayline.storage.store import Store

_LOOKED_AT: Final = 100  # windows back to where a stretch may have begun
_LONGEST_BREAK: Final[Microseconds] = 60 * SECOND  # within one stretch


class Present(Struct, frozen=True, kw_only=True):
    """A device as it is, or as it was when it recorded something last."""

    device: str
    window: Recorded | None
    tab: Recorded | None  # of a browser, while that is in front
    file: Recorded | None
    since: Microseconds | None
    away_since: Microseconds | None
    last_seen: Microseconds | None
    is_recording: bool


def present(store: Store, buckets: Sequence[Bucket], *, now: Microseconds) -> list[Present]:
    """All devices of these buckets, the one that was heard of last first. Read on a thread."""
    devices: defaultdict[str, list[Bucket]] = defaultdict(list)
    for bucket in buckets:
        if is_by_hand(bucket):
            continue  # what people write says nothing about what a device shows
        devices[bucket.hostname].append(bucket)
    nowhere = devices.get(UNKNOWN_HOST, [])
    within = [bucket for bucket in nowhere if is_within(bucket)]
    if len(devices) > 1 and not any(map(is_window, nowhere)):
        devices.pop(UNKNOWN_HOST, None)  # watchers that do not know where they run: their tabs belong to all others
    found = [
        _present(store, hostname, of_device, [*of_device, *(within if hostname != UNKNOWN_HOST else ())], now)
        for hostname, of_device in devices.items()
    ]
    return sorted(found, key=lambda each: (-(each.last_seen or 0), each.device))


def _present(
    store: Store, hostname: str, buckets: Sequence[Bucket], layers: Sequence[Bucket], now: Microseconds
) -> Present:
    windows = _newest(store, [bucket for bucket in buckets if is_window(bucket)], now, limit=_LOOKED_AT)
    window = windows[0] if windows else None
    tabs = [bucket for bucket in layers if is_tab(bucket) and window is not None and _shows(window, bucket)]
    files = [bucket for bucket in layers if is_file(bucket)]
    aways = _newest(store, [bucket for bucket in buckets if is_away(bucket)], now, limit=1)
    ends = [end for bucket in buckets if (end := last_of(store, bucket, until=now)) is not None]
    last_seen = max(ends, default=None)
    return Present(
        device=hostname,
        window=window,
        tab=_within(store, window, tabs, now),
        file=_within(store, window, files, now),
        since=_since(windows),
        away_since=_away_since(aways, now),
        last_seen=last_seen,
        is_recording=last_seen is not None and now - last_seen <= RECENT,
    )


def _shows(window: Recorded, tabs: Bucket) -> bool:
    """Whether a window is of the browser whose tabs a bucket has."""
    return re.search(browser_pattern(tabs.id, tabs.hostname), window.text("app") or "") is not None


def _within(store: Store, window: Recorded | None, buckets: Sequence[Bucket], now: Microseconds) -> Recorded | None:
    """The newest event of some buckets, where it is not over since before the window came to the front."""
    newest = _newest(store, buckets, now, limit=1)
    return newest[0] if newest and window is not None and newest[0].end > window.start else None


def _newest(store: Store, buckets: Sequence[Bucket], now: Microseconds, *, limit: int) -> list[Recorded]:
    """The newest events of that bucket which had something last."""
    if not buckets:
        return []
    latest = max(buckets, key=lambda bucket: last_of(store, bucket, until=now) or 0) if buckets[1:] else buckets[0]
    return newest_events(store, latest.id, until=now, limit=limit)


def _since(windows: Sequence[Recorded]) -> Microseconds | None:
    """Where the stretch begins in which the app of the newest window is in front."""
    since: Microseconds | None = None
    for window in windows:
        if since is not None and (window.text("app") != windows[0].text("app") or since - window.end > _LONGEST_BREAK):
            break
        since = window.start
    return since


def _away_since(aways: Sequence[Recorded], now: Microseconds) -> Microseconds | None:
    """The start of the newest event if it is AFK and still being recorded; otherwise None.

    If its watcher has stopped, the AFK status is unknown.
    """
    if not aways or aways[0].text("status") != "afk" or now - aways[0].end > RECENT:
        return None
    return aways[0].start
