"""The way of heartbeats into a bucket: privacy rules, the queue of a Watcher, and never two recorders.

Dayline's watcher starts if no other one records into the bucket, and gives way to one that does.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from dayline.client.pending import PendingEvents
from dayline.client.watcher import Watcher
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import SECOND, Microseconds
from dayline.transform.heartbeat import merge_heartbeat
from dayline.transform.privacy import PrivacyRules

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The watchers of ActivityWatch send what they merge after 10 seconds at the latest.
_FREE_AFTER: Final[Microseconds] = 15 * SECOND
_FREE_AGAIN_AFTER: Final[Microseconds] = 60 * SECOND  # once another watcher was seen
_TOLERANCE: Final[Microseconds] = SECOND

State: TypeAlias = Literal["checking", "recording", "quiet"]


class Span(Struct, frozen=True):
    """When something was true."""

    start: Microseconds
    end: Microseconds


class BucketGuard:
    """Decides whether to record into a bucket.

    checking    the newest event is recent: another watcher may be recording. Heartbeats are stored, not sent
    recording   no other watcher extended the bucket although there was something to record
    quiet       another watcher records. Heartbeats are discarded
    """

    def __init__(self) -> None:
        self.state: State = "checking"
        self._first: Span | None = None
        self._later: Span | None = None

    def check(self, newest: Span | None, observed: Span | None) -> State:
        """The new state. `newest` is the bucket's newest event.

        `observed` is what this watcher would record as its newest event, and was read after `newest`.
        """
        if observed is None:
            return self.state
        match self.state:
            case "checking":
                if newest is None or observed.end > newest.end + _FREE_AFTER:
                    self.state = "recording"
                elif self._first is not None and newest != self._first:
                    self.state = "quiet"
                self._first = newest
            case "recording":
                if newest is not None and self._is_of_another(newest, observed):
                    self.state = "quiet"
            case "quiet":
                if newest is None or observed.end > newest.end + _FREE_AGAIN_AFTER:
                    self.state = "recording"
        return self.state

    def _is_of_another(self, newest: Span, observed: Span) -> bool:
        """Whether another watcher must have recorded the bucket's newest event."""
        if newest.end > observed.end + _TOLERANCE:
            return True
        # One event that begins later may be an edited one; a second one is not.
        before, self._later = self._later, newest if newest.start > observed.start + _TOLERANCE else None
        return before is not None and self._later is not None and before.start != newest.start


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
        self._pending = PendingEvents(watcher.bucket_id, pulsetime=self._pulsetime)

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
        self._pending.add(event)
        newest = None if self._newest is None else merge_heartbeat(self._newest, event, pulsetime=self._pulsetime)
        self._newest = event if newest is None else newest
        self.flush()

    def flush(self) -> None:
        """Pass on what waits for the privacy rules, if they are known now."""
        rules = self._rules()
        if rules is None:
            return
        events = self._pending.take()
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
