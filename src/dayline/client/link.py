"""What is known of the other end: whether it answers, since when, and which buckets it does not take."""

import logging
import threading
import time
from typing import Final, Literal

from msgspec import Struct

from dayline.model.time import Microseconds, now_us

log = logging.getLogger(__name__)

FIRST_DELAY_S: Final = 0.5
LONGEST_DELAY_S: Final = 60.0

State = Literal["starting", "connected", "away"]


class LinkState(Struct, frozen=True, kw_only=True):
    """`reason` is why nothing can be sent; None while it can. `held_back` tells the same of single buckets."""

    state: State
    since: Microseconds
    reason: str | None
    sent: int
    held_back: dict[str, str]


class _Held(Struct, frozen=True):
    """A bucket whose calls wait until the (monotonic) time of the next try."""

    reason: str
    tries: int
    until: float
    is_missing: bool


class Link:
    """Kept by the forwarder, read by the door. What changes is told in the log, once."""

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
        """Whether the server has answered the last call."""
        return self._state == "connected"

    def note_connected(self) -> None:
        """The server has answered."""
        with self._lock:
            if self._state == "connected":
                return
            self._state, self._since, self._reason = "connected", now_us(), None
        log.info("Connected to %s", self._to)

    def note_away(self, reason: str) -> None:
        """Nothing can be sent."""
        with self._lock:
            if self._reason == reason:
                return
            if self._state != "away":
                self._state, self._since = "away", now_us()
            self._reason = reason
        log.warning("Nothing can be sent to %s at present, calls are kept: %s", self._to, reason)

    def note_sent(self, bucket_id: str) -> None:
        """A call for this bucket was taken."""
        with self._lock:
            self._sent += 1
            was_held = self._held.pop(bucket_id, None) is not None
        if was_held:
            log.info("%s takes calls for %r again", self._to, bucket_id)

    def hold(self, bucket_id: str, reason: str, *, is_missing: bool) -> None:
        """Let the calls for this bucket wait, longer each time."""
        with self._lock:
            before = self._held.get(bucket_id)
            tries = 0 if before is None else before.tries + 1
            self._held[bucket_id] = _Held(reason, tries, time.monotonic() + delay_after(tries), is_missing)
        if before is None or before.reason != reason:
            log.warning("%s takes no calls for %r, they are kept: %s", self._to, bucket_id, reason)

    def release(self, bucket_id: str) -> bool:
        """The calls for this bucket need not wait any longer. Returns whether they did."""
        with self._lock:
            return self._held.pop(bucket_id, None) is not None

    def held_for(self) -> dict[str, float]:
        """The buckets whose calls wait at this moment, each with the seconds until the next try."""
        now = time.monotonic()
        with self._lock:
            return {bucket_id: held.until - now for bucket_id, held in self._held.items() if held.until > now}

    def is_missing(self, bucket_id: str) -> bool:
        """Whether the server has no such bucket, and nobody has told the relay how to create it."""
        with self._lock:
            held = self._held.get(bucket_id)
        return held is not None and held.is_missing

    def state(self) -> LinkState:
        """All of it, at one moment."""
        with self._lock:
            return LinkState(
                state=self._state,
                since=self._since,
                reason=self._reason,
                sent=self._sent,
                held_back={bucket_id: held.reason for bucket_id, held in self._held.items()},
            )


def delay_after(tries: int) -> float:
    """Seconds to wait after so many vain tries and one more: twice as long each time, up to a limit."""
    return min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(tries, 10))
