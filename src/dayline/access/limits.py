"""Limits per key and per address: requests, bytes and buckets of a key, connections of an address.

A key with scope full for all buckets belongs to the owner and has no limits. All other keys and browser extensions have
them, so that a stolen key or a faulty watcher cannot fill the disk or slow down the server.
"""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ipaddress import IPv6Address
from time import monotonic
from typing import Final

from dayline.access.peers import is_loopback, parse_address
from dayline.config.sections import Limits
from dayline.model.access import Caller
from dayline.model.errors import Forbidden, TooMany, Unavailable
from dayline.model.health import Problem
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp, now_us
from dayline.runtime.text import quantity

# Connections per address, on loopback per user, without a key. Several programs may share an address, so the same
# number of connections again is accepted for requests with a key only. On loopback all programs of a user share one.
LOOPBACK_TIMES: Final = 4
_LOGGED_EVERY: Final[Microseconds] = 60 * SECOND
_REPORTED_FOR: Final[Microseconds] = 600 * SECOND
_USER: Final = "uid "
_IPV6_NETWORK_BITS: Final = 64  # one household or one host, which can use every address in it

log = logging.getLogger(__name__)

_BURST_S: Final = 10  # a relay that was offline sends its queue as fast as it is answered
_KEYS_REMEMBERED: Final = 10_000

UNPROVEN_BYTES: Final = 64 << 20  # of bodies of callers whose key is not checked yet


class ConnectionCounts:
    """Connections per address, on loopback per user. One with a valid key is not counted. Use on the event loop."""

    def __init__(self, limit: int, *, now: Callable[[], Microseconds] = now_us) -> None:
        self._limit = limit
        self._now = now
        self._open: Counter[str] = Counter()
        self._refused = 0
        self._unlogged = 0
        self._last_refused: tuple[Microseconds, str] | None = None
        self._last_logged: Microseconds | None = None

    def open(self, address: str, *, uid: int | None = None) -> tuple[str, bool]:
        """Count a connection. Returns the name to close it by, and whether it accepts only requests with a key.

        `uid` is the local user who opened it, if that is known. Raises TooMany if there are too many in all.
        """
        name = _network_name(address)
        if uid is not None and is_loopback(name):
            name = f"{_USER}{uid}"  # each user has its own limit, so that no other one uses up the owner's
        limit = self._limit_of(name)
        if self._open[name] >= 2 * limit:
            raise self.refuse(name)
        self._open[name] += 1
        return name, self._open[name] > limit

    def refuse(self, name: str) -> TooMany:
        """Count a rejected connection. Returns the error for the client."""
        self._note_refusal(name)
        return TooMany(
            f"{name} has {quantity(self._limit_of(name), 'connection')} open without a key, which is the limit",
            hint="close some of them, or raise limits.connections_per_address in the server's settings",
            retry_after_s=5,
        )

    def _limit_of(self, name: str) -> int:
        return self._limit * (LOOPBACK_TIMES if name.startswith(_USER) or is_loopback(name) else 1)

    def close(self, name: str) -> None:
        """Stop counting a connection: it has ended, or had a valid key."""
        self._open[name] -= 1
        if not self._open[name]:
            del self._open[name]

    def problems(self) -> list[Problem]:
        """Rejected connections, until there were none for ten minutes."""
        if self._last_refused is None or self._now() - self._last_refused[0] > _REPORTED_FOR:
            return []
        when, name = self._last_refused
        return [
            Problem(
                kind="connections",
                message=f"rejected {quantity(self._refused, 'connection')} since the start of the server, the last one "
                f"from {name}",
                hint="check which program opens these connections, or raise limits.connections_per_address",
                since=format_timestamp(when // SECOND * SECOND),
            )
        ]

    def _note_refusal(self, name: str) -> None:
        now = self._now()
        self._refused += 1
        self._unlogged += 1
        self._last_refused = now, name
        if self._last_logged is None or now - self._last_logged >= _LOGGED_EVERY:
            refused = quantity(self._unlogged, "connection")
            log.warning("Rejected %s: too many without a key, the last one from %s", refused, name)
            self._last_logged, self._unlogged = now, 0


def _network_name(address: str) -> str:
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address) and not parsed.is_loopback:
        shift = 128 - _IPV6_NETWORK_BITS
        return f"{IPv6Address(int(parsed) >> shift << shift)}/{_IPV6_NETWORK_BITS}"
    return str(parsed or address)


class KeyUsage:
    """The usage of one key. Use on the event loop."""

    __slots__ = ("_at", "_bytes", "_clock", "_day", "_limits", "_now", "_requests_left", "_who")

    def __init__(self, who: str, limits: Limits, clock: Callable[[], float], now: Callable[[], Microseconds]) -> None:
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
        if not self.take(0):
            rate = self._limits.key_requests_per_second
            raise TooMany(
                f"{self._who} sends more than {rate} requests per second, the limit per key",
                hint="send fewer requests, or raise limits.key_requests_per_second in the server's settings",
                retry_after_s=1,
            )

    def take_bytes(self, size: int) -> None:
        """Count a piece of a body. Raises TooMany."""
        if not self.take(size, requests=0):
            raise TooMany(
                f"{self._who} has sent {self._limits.key_mib_per_day} MiB today, the limit per key",
                hint="send the rest tomorrow (UTC), or raise limits.key_mib_per_day in the server's settings",
                retry_after_s=1 + (DAY - self._now() % DAY) // SECOND,
            )

    def take(self, size: int, *, requests: int = 1) -> bool:
        """Count a request with its body. Returns False and counts nothing if it exceeds a limit."""
        # Without further calls, because every heartbeat is counted.
        now, day, rate = self._clock(), self._now() // DAY, self._limits.key_requests_per_second
        left = self._requests_left + (now - self._at) * rate
        if left > rate * _BURST_S:
            left = rate * _BURST_S
        self._requests_left, self._at = left, now
        if day != self._day:
            self._day, self._bytes = day, 0
        sent = self._bytes + size
        if left < requests or sent > self._limits.key_mib_per_day << 20:
            return False
        self._requests_left, self._bytes = left - requests, sent
        return True


class KeyUsages:
    """The usage of every key, since the start of the server."""

    def __init__(
        self,
        limits: Limits,
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
        who = usage_name(caller)
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
        """Raise Forbidden if a caller has reached its limit of buckets."""
        if created >= self._limits.key_buckets:
            raise Forbidden(
                f"{who} has created {quantity(created, 'bucket')}; the limit per key is {self._limits.key_buckets}",
                hint="delete some of them, or raise limits.key_buckets in the server's settings",
            )


def usage_name(caller: Caller) -> str | None:
    """The name under which a caller with limits is counted; None without limits.

    The key, if there is one: any program can send any Origin, and would get the limits once per Origin.
    """
    if not caller.key_id:
        return caller.origin or None
    has_limits = caller.origin or caller.scope != "full" or not caller.buckets.is_all
    return f"key {caller.key_id}" if has_limits else None


def creator_name(caller: Caller) -> str | None:
    """The name of a caller with limits as the creator of buckets: an extension with a key is both."""
    return " ".join(filter(None, (usage_name(caller), caller.key_id and caller.origin))) or None


def is_creator(who: str, creator: str | None) -> bool:
    """Whether a bucket of this creator counts for a caller, by its `usage_name`."""
    return creator is not None and (creator == who or creator.startswith(f"{who} "))


class BodyBudget:
    """A memory budget shared by all connections."""

    def __init__(self, limit: int = UNPROVEN_BYTES) -> None:
        self._limit = limit
        self._used = 0

    @contextmanager
    def held(self) -> Generator[Callable[[int], None]]:
        """A function that reserves bytes until the block ends. It raises Unavailable if the budget is exceeded."""
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            if self._used + size > self._limit:
                raise Unavailable("the server is processing too many large messages", hint="retry in a few seconds")
            self._used += size
            held += size

        try:
            yield hold
        finally:
            self._used -= held
