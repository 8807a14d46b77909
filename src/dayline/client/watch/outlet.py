"""The way of heartbeats into a bucket: privacy rules first, then the queue of a Watcher."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from dayline.client.watch.exclusive import BucketGuard, Span, State
from dayline.client.watcher import Watcher
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.transform.heartbeat import merge_heartbeat
from dayline.transform.privacy import PrivacyRules

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Outlet:
    """Records into one bucket. `record` and `flush` are called by one thread, the rest by another one.

    Until the privacy rules are known, heartbeats stay in memory: nothing is stored or sent that a rule might change.
    """

    def __init__(self, watcher: Watcher, *, pulsetime_s: float, rules: Callable[[], PrivacyRules | None]) -> None:
        self.watcher = watcher
        self.guard = BucketGuard()
        self._newest: Event | None = None
        self._pulsetime: Microseconds = round(pulsetime_s * SECOND)
        self._rules = rules
        self._pending: list[Event] = []

    @property
    def bucket_id(self) -> str:
        return self.watcher.bucket_id

    @property
    def observed(self) -> Span | None:
        """When the newest event began that this watcher would record, and how far it goes."""
        newest = self._newest
        return None if newest is None else Span(newest.start, newest.end)

    def record(self, data: dict[str, Any], start: Microseconds, duration: Microseconds) -> None:
        """Take a heartbeat."""
        event = Event(start=start, duration=duration, data=canonical_json(data))
        merged = merge_heartbeat(self._pending[-1], event, pulsetime=self._pulsetime) if self._pending else None
        if merged is None:
            self._pending.append(event)
        else:
            self._pending[-1] = merged
        newest = None if self._newest is None else merge_heartbeat(self._newest, event, pulsetime=self._pulsetime)
        self._newest = event if newest is None else newest
        self.flush()

    def flush(self) -> None:
        """Pass on what waits for the privacy rules, if they are known now."""
        rules = self._rules()
        if rules is None:
            return
        events, self._pending = self._pending, []
        if self.guard.state == "quiet":
            return
        for event in rules.kept(self.bucket_id, events):
            self.watcher.heartbeat(
                msgspec.json.decode(event.data),
                timestamp=_EPOCH + timedelta(microseconds=event.start),
                duration=timedelta(microseconds=event.duration),
            )

    def check(self, newest: Span | None) -> State:
        """Compare with the bucket's newest event, and start or stop sending. Returns the state."""
        before = self.guard.state
        # What is under way to the server is not in its newest event; that makes a check useless, never wrong.
        state = self.guard.check(newest, self.observed)
        if state == before:
            return state
        if state == "quiet":
            self.watcher.discard()
        self.watcher.resume()  # also if it is quiet: what an earlier run stored was recorded rightly
        return state
