"""The state of the connection to the server: whether it answers, since when, and which buckets it rejects."""

import logging
import threading
import time
from typing import Final, Literal

from msgspec import Struct

from dayline.model.time import Microseconds, now_us

log = logging.getLogger(__name__)

INITIAL_DELAY_S: Final = 0.5
MAX_DELAY_S: Final = 60.0

State = Literal["starting", "connected", "away"]


class LinkState(Struct, frozen=True, kw_only=True):
    """`reason` is why nothing can be sent; None if calls can be sent. `held_back` has the reasons of single buckets."""

    state: State
    since: Microseconds
    reason: str | None
    sent: int
    held_back: dict[str, str]


class _Held(Struct, frozen=True):
    """A bucket whose calls wait until the (monotonic) time of the next attempt."""

    reason: str
    tries: int
    until: float
    is_missing: bool


class Link:
    """Written by the forwarder, read by the endpoints. Each change is logged once."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._lock = threading.Lock()
        self._state: State = "starting"
        self._since = now_us()
        self._reason: str | None = None
        self._sent = 0
        self._held: dict[str, _Held] = {}

    @property
    def is_connected(self) -> bool:
        """Whether the server answered the last call."""
        return self._state == "connected"

    def note_connected(self) -> None:
        """Record that the server has answered."""
        with self._lock:
            if self._state == "connected":
                return
            self._state, self._since, self._reason = "connected", now_us(), None
        log.info("Connected to %s", self._to)

    def note_away(self, reason: str) -> None:
        """Record that nothing can be sent."""
        with self._lock:
            if self._reason == reason:
                return
            if self._state != "away":
                self._state, self._since = "away", now_us()
            self._reason = reason
        log.warning("Cannot send to %s, calls are queued: %s", self._to, reason)

    def note_sent(self, bucket_id: str) -> None:
        """Record that a call for this bucket was accepted."""
        with self._lock:
            self._sent += 1
            was_held = self._held.pop(bucket_id, None) is not None
        if was_held:
            log.info("%s accepts calls for %r again", self._to, bucket_id)

    def hold(self, bucket_id: str, reason: str, *, is_missing: bool) -> None:
        """Make the calls for this bucket wait, longer each time."""
        with self._lock:
            before = self._held.get(bucket_id)
            tries = 0 if before is None else before.tries + 1
            self._held[bucket_id] = _Held(reason, tries, time.monotonic() + delay_after(tries), is_missing)
        if before is None or before.reason != reason:
            log.warning("%s rejects calls for %r, they are queued: %s", self._to, bucket_id, reason)

    def release(self, bucket_id: str) -> bool:
        """Stop holding the calls for this bucket. Returns whether they were held."""
        with self._lock:
            return self._held.pop(bucket_id, None) is not None

    def held_for(self) -> dict[str, float]:
        """The buckets whose calls are held, with the seconds until the next attempt."""
        now = time.monotonic()
        with self._lock:
            return {bucket_id: held.until - now for bucket_id, held in self._held.items() if held.until > now}

    def is_missing(self, bucket_id: str) -> bool:
        """Whether the server has no such bucket, and the relay does not know how to create it."""
        with self._lock:
            held = self._held.get(bucket_id)
        return held is not None and held.is_missing

    def state(self) -> LinkState:
        """A snapshot of the state."""
        with self._lock:
            return LinkState(
                state=self._state,
                since=self._since,
                reason=self._reason,
                sent=self._sent,
                held_back={bucket_id: held.reason for bucket_id, held in self._held.items()},
            )


def delay_after(tries: int) -> float:
    """Seconds to wait after this many failed attempts: doubled each time, up to a limit."""
    return min(MAX_DELAY_S, INITIAL_DELAY_S * 2.0 ** min(tries, 10))
