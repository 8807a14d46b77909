"""Who is at the other end of a connection, and what a request was before a proxy of ours passed it on.

Headers that say so (`Forwarded`, `X-Forwarded-*`) are believed from the addresses that the settings name and from
nobody else: anybody can send them.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.access.addresses import Address, parse_address
from dayline.access.forwarded import Headers, Hop, hops_of
from dayline.model.errors import Invalid

UNIX: Final = "unix"  # stands for the address of whoever comes by the Unix socket

Scheme: TypeAlias = Literal["http", "https"]


class Seen(Struct, frozen=True, kw_only=True):
    """What a request really was: where it came from, and which page address it was sent to.

    `host` is None where no single Host header names one.
    """

    address: str
    scheme: Scheme
    host: bytes | None


class Peers:
    """The proxies whose word counts. With `only_trusted` nobody else may connect, but for this machine itself."""

    def __init__(self, trusted: Iterable[str] = (), *, only_trusted: bool = False) -> None:
        names = list(trusted)
        self._trusts_unix = UNIX in names
        self._networks = [parse_network(name) for name in names if name != UNIX]
        self._only_trusted = only_trusted
        self._is_trusted_text = lru_cache(maxsize=256)(self._find_trusted)

    def admits(self, address: str | None) -> bool:
        """Whether a connection from there is to be served; None is the Unix socket, which its file mode guards."""
        if not self._only_trusted or address is None:
            return True
        parsed = parse_address(address)
        return parsed is not None and (parsed.is_loopback or self.is_trusted(address))

    def is_trusted(self, address: str | None) -> bool:
        """Whether what this peer says of others is believed."""
        return self._trusts_unix if address is None else bool(self._networks) and self._is_trusted_text(address)

    def seen(self, address: str | None, headers: Headers, *, scheme: str) -> Seen:
        """What the request was. `address` and `scheme` are those of the connection, header names in lower case."""
        named = [value for name, value in headers if name == b"host"]
        host = named[0] if len(named) == 1 else None
        direct = Seen(address=_plain(address), scheme="https" if scheme == "https" else "http", host=host)
        if not self.is_trusted(address):
            return direct
        hop = self._first_hop(hops_of(headers))
        if hop is None:
            return direct
        return Seen(
            address=direct.address if hop.address is None else str(hop.address),
            scheme=hop.scheme or direct.scheme,
            host=hop.host or direct.host,
        )

    def _first_hop(self, hops: list[Hop]) -> Hop | None:
        """The hop at which the request reached the first of our proxies.

        Each proxy adds its hop at the end. From there backwards they are true as long as the one who added them is
        trusted, and what stands before that was written by whoever called.
        """
        for hop in reversed(hops):
            if hop.address is None or not self._contains(hop.address):
                return hop
        return hops[0] if hops else None

    def _find_trusted(self, text: str) -> bool:
        address = parse_address(text)
        return address is not None and self._contains(address)

    def _contains(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def parse_network(text: str) -> IPv4Network | IPv6Network:
    """An address or a network of proxies. Raises Invalid, also for the network that is everybody."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise Invalid(
            f"trusted_proxies: {text!r} is neither an address nor a network: {error}",
            hint="such as 192.168.1.9, 10.0.0.0/24 or unix",
            field="server.trusted_proxies",
        ) from error
    if network.prefixlen == 0:
        raise Invalid(
            f"trusted_proxies: {text!r} is everybody",
            hint="name the address of the proxy alone",
            field="server.trusted_proxies",
        )
    return network


def _plain(address: str | None) -> str:
    if address is None:
        return UNIX
    parsed = parse_address(address)
    return address if parsed is None else str(parsed)
