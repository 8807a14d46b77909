"""How much one key may do: requests a second, bytes a day, buckets.

A key for everything belongs to the owner and has no limits. All others, and browser extensions, have them, so that a
key that was stolen or a watcher that runs wild cannot fill the disk or slow every page down.
"""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.access.caller import Caller
from dayline.model.errors import Forbidden, TooMany
from dayline.model.timestamps import DAY, SECOND, Microseconds, now_us

_BURST_S: Final = 10  # a relay that was offline sends what it has kept as quickly as it is answered
_KEYS_REMEMBERED: Final = 10_000


class KeyLimits(Struct, frozen=True, kw_only=True):
    """How much a key may do that is not for everything.

    A watcher sends a heartbeat a second at most, some 300 bytes each, into one or two buckets.
    """

    key_requests_per_second: Annotated[
        int, Meta(ge=1, description="requests a second that a key may send for 10 seconds or longer")
    ] = 1000
    key_mib_per_day: Annotated[int, Meta(ge=1, description="MiB that a key may send in a day (UTC)")] = 2048
    key_buckets: Annotated[int, Meta(ge=1, description="buckets that a key may create")] = 300


class KeyUsage:
    """What one key has used. To be used on the event loop."""

    __slots__ = ("_at", "_bytes", "_clock", "_day", "_limits", "_now", "_requests_left", "_who")

    def __init__(
        self, who: str, limits: KeyLimits, clock: Callable[[], float], now: Callable[[], Microseconds]
    ) -> None:
        self._who = who
        self._limits = limits
        self._clock = clock
        self._now = now
        self._at = clock()
        self._requests_left = float(limits.key_requests_per_second * _BURST_S)
        self._day: int = now() // DAY
        self._bytes = 0

    def take_request(self) -> None:
        """Count a request. Raises TooMany."""
        if not self._has_request():
            rate = self._limits.key_requests_per_second
            raise TooMany(
                f"{self._who} sends more than {rate} requests a second, the limit for one key",
                hint="send fewer, or raise limits.key_requests_per_second in the settings of the server",
                retry_after_s=1,
            )
        self._requests_left -= 1

    def take_bytes(self, size: int) -> None:
        """Count a piece of a body. Raises TooMany."""
        if not self._has_bytes(size):
            raise TooMany(
                f"{self._who} has sent {self._limits.key_mib_per_day} MiB today, the limit for one key",
                hint="send the rest tomorrow (UTC), or raise limits.key_mib_per_day in the settings of the server",
                retry_after_s=1 + (DAY - self._now() % DAY) // SECOND,
            )
        self._bytes += size

    def take(self, size: int) -> bool:
        """Count a whole request with its body, and return True; if it is over a limit, count nothing."""
        if not (self._has_request() and self._has_bytes(size)):
            return False
        self._requests_left -= 1
        self._bytes += size
        return True

    def _has_request(self) -> bool:
        now, rate = self._clock(), self._limits.key_requests_per_second
        self._requests_left = min(self._requests_left + (now - self._at) * rate, rate * _BURST_S)
        self._at = now
        return self._requests_left >= 1

    def _has_bytes(self, size: int) -> bool:
        day = self._now() // DAY
        if day != self._day:
            self._day, self._bytes = day, 0
        return self._bytes + size <= self._limits.key_mib_per_day << 20


class KeyUsages:
    """The usage of every key, since the start of the server."""

    def __init__(
        self,
        limits: KeyLimits,
        *,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], Microseconds] = now_us,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._now = now
        self._usages: OrderedDict[str, KeyUsage] = OrderedDict()

    def of(self, caller: Caller) -> KeyUsage | None:
        """The usage of a caller; None if it has no limits."""
        who = name_of(caller)
        if who is None:
            return None
        usage = self._usages.get(who)
        if usage is None:
            usage = self._usages[who] = KeyUsage(who, self._limits, self._clock, self._now)
            if len(self._usages) > _KEYS_REMEMBERED:
                self._usages.popitem(last=False)
        else:
            self._usages.move_to_end(who)
        return usage

    def check_new_bucket(self, who: str, created: int) -> None:
        """Raise Forbidden if a caller with limits has created as many buckets as it may."""
        if created >= self._limits.key_buckets:
            raise Forbidden(
                f"{who} has created {created} buckets, and the limit for one key is {self._limits.key_buckets}",
                hint="delete some of them, or raise limits.key_buckets in the settings of the server",
            )


def name_of(caller: Caller) -> str | None:
    """The name under which a caller with limits is counted, and by which its buckets are known; None for others."""
    if caller.origin:
        return caller.origin
    if not caller.key_id or (caller.scope == "full" and caller.buckets.is_all):
        return None
    return f"key {caller.key_id}"
