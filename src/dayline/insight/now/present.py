"""What is active on each device, from the newest events of its buckets. No numpy.

window   [Mail][Code · a.py][Code · b.py]     active: Code, since the start of a.py
tabs     [x.org]                              ended before that: none
away           [not-afk                 ]
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from dayline.insight.now.buckets import browser_pattern, is_away, is_by_hand, is_file, is_tab, is_window, is_within
from dayline.insight.now.recent import RECENT, RecordedEvent, last_of, newest_events
from dayline.model.bucket import UNKNOWN_HOST, Bucket
from dayline.model.time import SECOND, Microseconds
from dayline.storage.store import Store

_LOOKED_AT: Final = 100  # windows to look back for the start of a stretch
_MAX_BREAK: Final[Microseconds] = 60 * SECOND  # longest break within one stretch


class PresentDevice(Struct, frozen=True, kw_only=True):
    """The state of a device, now or when it last recorded something."""

    device: str
    window: RecordedEvent | None
    tab: RecordedEvent | None  # of the active browser
    file: RecordedEvent | None
    since: Microseconds | None
    away_since: Microseconds | None
    last_seen: Microseconds | None
    is_recording: bool


def present_devices(store: Store, buckets: Sequence[Bucket], *, now: Microseconds) -> list[PresentDevice]:
    """All devices of these buckets, the one that recorded last first. Call in a thread."""
    devices: defaultdict[str, list[Bucket]] = defaultdict(list)
    for bucket in buckets:
        if is_by_hand(bucket):
            continue  # entries made by hand do not show what a device displays
        devices[bucket.hostname].append(bucket)
    nowhere = devices.get(UNKNOWN_HOST, [])
    within = [bucket for bucket in nowhere if is_within(bucket)]
    if len(devices) > 1 and not any(map(is_window, nowhere)):
        devices.pop(UNKNOWN_HOST, None)  # watchers that do not know their host: their tabs count for all other devices
    present = [
        _present(store, hostname, of_device, [*of_device, *(within if hostname != UNKNOWN_HOST else ())], now)
        for hostname, of_device in devices.items()
    ]
    return sorted(present, key=lambda each: (-(each.last_seen or 0), each.device))


def _present(
    store: Store, hostname: str, buckets: Sequence[Bucket], layers: Sequence[Bucket], now: Microseconds
) -> PresentDevice:
    windows = _newest(store, [bucket for bucket in buckets if is_window(bucket)], now, limit=_LOOKED_AT)
    window = windows[0] if windows else None
    tabs = [bucket for bucket in layers if is_tab(bucket) and window is not None and _shows(window, bucket)]
    files = [bucket for bucket in layers if is_file(bucket)]
    aways = _newest(store, [bucket for bucket in buckets if is_away(bucket)], now, limit=1)
    ends = [end for bucket in buckets if (end := last_of(store, bucket, until=now)) is not None]
    last_seen = max(ends, default=None)
    return PresentDevice(
        device=hostname,
        window=window,
        tab=_within(store, window, tabs, now),
        file=_within(store, window, files, now),
        since=_since(windows),
        away_since=_away_since(aways, now),
        last_seen=last_seen,
        is_recording=last_seen is not None and now - last_seen <= RECENT,
    )


def _shows(window: RecordedEvent, tabs: Bucket) -> bool:
    """Whether a window belongs to the browser whose tabs a bucket records."""
    return re.search(browser_pattern(tabs.id, tabs.hostname), window.text("app") or "") is not None


def _within(
    store: Store, window: RecordedEvent | None, buckets: Sequence[Bucket], now: Microseconds
) -> RecordedEvent | None:
    """The newest event of some buckets, unless it ended before the window became active."""
    newest = _newest(store, buckets, now, limit=1)
    return newest[0] if newest and window is not None and newest[0].end > window.start else None


def _newest(store: Store, buckets: Sequence[Bucket], now: Microseconds, *, limit: int) -> list[RecordedEvent]:
    """The newest events of the bucket that recorded last."""
    if not buckets:
        return []
    latest = max(buckets, key=lambda bucket: last_of(store, bucket, until=now) or 0) if buckets[1:] else buckets[0]
    return newest_events(store, latest.id, until=now, limit=limit)


def _since(windows: Sequence[RecordedEvent]) -> Microseconds | None:
    """The start of the stretch in which the app of the newest window is active."""
    since: Microseconds | None = None
    for window in windows:
        if since is not None and (window.text("app") != windows[0].text("app") or since - window.end > _MAX_BREAK):
            break
        since = window.start
    return since


def _away_since(aways: Sequence[RecordedEvent], now: Microseconds) -> Microseconds | None:
    """The start of the newest event if it is AFK and still being recorded; otherwise None.

    If its watcher has stopped, the AFK status is unknown.
    """
    if not aways or aways[0].text("status") != "afk" or now - aways[0].end > RECENT:
        return None
    return aways[0].start
