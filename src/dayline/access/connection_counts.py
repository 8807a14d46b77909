"""How many connections an address may have open without showing a key.

Others may share the address: this machine's programs all do. So there are as many connections again, on which only
requests with a key are answered.
"""

import logging
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Final

from dayline.access.addresses import is_loopback, parse_address
from dayline.model.errors import TooMany
from dayline.model.health import Problem
from dayline.model.timestamps import SECOND, Microseconds, format_timestamp, now_us

# On this machine every program shares one address: browsers, watchers, a proxy that is not trusted by name.
LOOPBACK_TIMES: Final = 4
_LOGGED_EVERY: Final[Microseconds] = 60 * SECOND
_REPORTED_FOR: Final[Microseconds] = 600 * SECOND
_IPV6_NETWORK_BITS: Final = 64  # one household or one host, which can use every address in it

log = logging.getLogger(__name__)


class ConnectionCounts:
    """Connections by address. One that has shown a key is no longer counted. To be used on the event loop."""

    def __init__(self, limit: int, *, now: Callable[[], Microseconds] = now_us) -> None:
        self._limit = limit
        self._now = now
        self._open: Counter[str] = Counter()
        self._refused = 0
        self._unlogged = 0
        self._last_refused: tuple[Microseconds, str] | None = None
        self._last_logged: Microseconds | None = None

    def open(self, address: str) -> tuple[str, bool]:
        """Count a connection: the name to close it by, and whether it is for requests with a key only.

        Raises TooMany if there is no place for it at all.
        """
        name = _name_of(address)
        limit = self._limit_of(name)
        if self._open[name] >= 2 * limit:
            raise self.refuse(name)
        self._open[name] += 1
        return name, self._open[name] > limit

    def refuse(self, name: str) -> TooMany:
        """Count a refusal; what the client gets."""
        self._note_refusal(name)
        return TooMany(
            f"{name} has {self._limit_of(name)} connections open without a key, which is the limit",
            hint="close some of them, or raise limits.connections_per_address in the settings of the server",
            retry_after_s=5,
        )

    def _limit_of(self, name: str) -> int:
        return self._limit * (LOOPBACK_TIMES if is_loopback(name) else 1)

    def close(self, name: str) -> None:
        """Stop counting a connection: it has ended, or has shown a key."""
        self._open[name] -= 1
        if not self._open[name]:
            del self._open[name]

    def problems(self) -> list[Problem]:
        """Refused connections, until none was refused for ten minutes."""
        if self._last_refused is None or self._now() - self._last_refused[0] > _REPORTED_FOR:
            return []
        when, name = self._last_refused
        return [
            Problem(
                kind="connections",
                message=f"{self._refused} {'connection' if self._refused == 1 else 'connections'} refused since the "
                f"start of the server, the last one from {name}",
                hint="look for what opens so many there, or raise limits.connections_per_address in the settings",
                since=format_timestamp(when // SECOND * SECOND),
            )
        ]

    def _note_refusal(self, name: str) -> None:
        now = self._now()
        self._refused += 1
        self._unlogged += 1
        self._last_refused = now, name
        if self._last_logged is None or now - self._last_logged >= _LOGGED_EVERY:
            log.warning("refused %d connections: too many without a key, the last one from %s", self._unlogged, name)
            self._last_logged, self._unlogged = now, 0


def _name_of(address: str) -> str:
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address) and not parsed.is_loopback:
        shift = 128 - _IPV6_NETWORK_BITS
        return f"{IPv6Address(int(parsed) >> shift << shift)}/{_IPV6_NETWORK_BITS}"
    return str(parsed or address)
