"""Events that wait in memory until they can be stored."""

import logging
from collections import deque
from collections.abc import Iterable
from typing import Final

from dayline.model.event import Event
from dayline.model.time import Microseconds
from dayline.transform.heartbeat import merge_heartbeat

MAX_BYTES: Final = 8 << 20  # weeks of a watcher: an event with a title takes 300 bytes
_BYTES_PER_EVENT: Final = 200  # in addition to its data

log = logging.getLogger(__name__)


class PendingEvents:
    """Events of a bucket, merged as heartbeats, the oldest first. Beyond `max_bytes` the oldest are dropped.

    The first dropped event is logged, and again after `take`. The newest event is never dropped.
    """

    def __init__(self, bucket_id: str, *, pulsetime: Microseconds, max_bytes: int = MAX_BYTES) -> None:
        self._bucket_id = bucket_id
        self._pulsetime = pulsetime
        self._max_bytes = max_bytes
        self._events = deque[Event]()
        self._bytes = 0
        self._is_dropping = False

    def add(self, event: Event) -> None:
        """Merge it into the newest event, or append it."""
        merged = merge_heartbeat(self._events[-1], event, pulsetime=self._pulsetime) if self._events else None
        if merged is not None:
            self._bytes -= _size(self._events.pop())
        self._append(event if merged is None else merged)

    def take(self) -> list[Event]:
        """Remove and return all events."""
        events = list(self._events)
        self._events.clear()
        self._bytes, self._is_dropping = 0, False
        return events

    def put_back(self, events: Iterable[Event]) -> None:
        """Add events that were taken before the ones that are here."""
        was_dropping, newer = self._is_dropping, self.take()
        self._is_dropping = was_dropping
        for event in (*events, *newer):
            self._append(event)

    def _append(self, event: Event) -> None:
        self._events.append(event)
        self._bytes += _size(event)
        while self._bytes > self._max_bytes and len(self._events) > 1:
            self._bytes -= _size(self._events.popleft())
            if not self._is_dropping:
                self._is_dropping = True
                log.warning("%s: too many events wait in memory; the oldest are dropped", self._bucket_id)


def _size(event: Event) -> int:
    return len(event.data) + _BYTES_PER_EVENT
