"""The remote end of a connection, and the original request before a trusted proxy forwarded it.

The headers `Forwarded` and `X-Forwarded-*` are used only from the addresses in the settings, because any client can
send them.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.errors import Invalid

Address: TypeAlias = IPv4Address | IPv6Address


def parse_address(text: str) -> Address | None:
    """The address, or None if it is invalid.

    IPv4 addresses of dual-stack sockets (`::ffff:192.168.1.7`) become IPv4, and the interface of link-local ones is
    removed.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def is_loopback(host: str) -> bool:
    """Whether a server on this host can be reached only from this machine."""
    address = parse_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


# The headers of proxies: `Forwarded` (RFC 7239), or the older `X-Forwarded-For`, `-Proto`, `-Host`.
#
# The caller decides whether to trust them. Invalid parts are left out, and everything if the two forms contradict each
# other: a proxy that sets one forwards the other as the client sent it.


Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

MAX_HOPS: Final = 32  # more than any chain of proxies; a longer list is an attack
_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e])*"'
_PAIR = re.compile(rf"({_TOKEN})=({_TOKEN}|{_QUOTED})")
_IPV6_NODE = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?")
_IPV4_NODE = re.compile(r"([0-9.]+)(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?")
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_SCHEMES: Final[dict[str, Literal["http", "https"]]] = {"http": "http", "https": "https"}


class Hop(Struct, frozen=True, kw_only=True):
    """What a proxy reports of a request it received; None for what is missing or unknown."""

    address: Address | None = None
    scheme: Literal["http", "https"] | None = None
    host: bytes | None = None


def hops_of(headers: Headers) -> list[Hop]:
    """The hops in order; the last one was added by the sender of these headers."""
    standard, older = _join_values(headers, b"forwarded"), _older_hops(headers)
    if standard is None:
        return older
    hops = _standard_hops(standard)
    return hops if not older or hops == older else []


def _standard_hops(value: str) -> list[Hop]:
    hops: list[Hop] = []
    for element in _split(value, ","):
        if not element.strip(" \t"):
            continue
        hop = _standard_hop(element)
        if hop is None:
            # Later elements come from nearer proxies and stay valid; earlier ones do not.
            hops.clear()
        else:
            hops.append(hop)
    return hops if len(hops) <= MAX_HOPS else []


def _standard_hop(element: str) -> Hop | None:
    fields: dict[str, str] = {}
    for pair in _split(element, ";"):
        match = _PAIR.fullmatch(pair.strip(" \t"))
        if match is None or match[1].lower() in fields:
            return None
        fields[match[1].lower()] = _unquote(match[2])
    return Hop(
        address=_node(fields.get("for", "")),
        scheme=_SCHEMES.get(fields.get("proto", "").lower()),
        host=_host(fields.get("host", "")),
    )


def _older_hops(headers: Headers) -> list[Hop]:
    """`-For` is a list; `-Proto` and `-Host` describe the request that our first proxy received."""
    addresses, scheme, host = (_join_values(headers, b"x-forwarded-" + name) for name in (b"for", b"proto", b"host"))
    if addresses is None and scheme is None and host is None:
        return []
    known_scheme = _SCHEMES.get((scheme or "").strip().lower())
    known_host = _host((host or "").strip())
    nodes = [] if addresses is None else [_node(text.strip(" \t")) for text in addresses.split(",")]
    if len(nodes) > MAX_HOPS:
        return []
    return [Hop(address=node, scheme=known_scheme, host=known_host) for node in nodes or [None]]


def _join_values(headers: Headers, name: bytes) -> str | None:
    values = [value.decode("latin-1") for known, value in headers if known == name]
    return ", ".join(values) if values else None


def _split(text: str, separator: str) -> list[str]:
    """Split at separators outside quotes."""
    return re.findall(rf'(?:[^{separator}"]|"(?:[^"\\]|\\.)*"?)+', text)


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _node(text: str) -> Address | None:
    """The address in `192.0.2.1:80`, `[2001:db8::1]:80` or `2001:db8::1`; None for `unknown` and obfuscated names."""
    match = _IPV6_NODE.fullmatch(text) or _IPV4_NODE.fullmatch(text)
    return parse_address(match[1] if match else text)


def _host(text: str) -> bytes | None:
    return text.encode("ascii") if _HOST.fullmatch(text) else None


UNIX: Final = "unix"  # the address of callers on the Unix socket

Scheme: TypeAlias = Literal["http", "https"]


class RequestOrigin(Struct, frozen=True, kw_only=True):
    """Where a request came from, and the scheme and host it was sent to, before any trusted proxy.

    `host` is None unless there is exactly one Host header.
    """

    address: str
    scheme: Scheme
    host: bytes | None

    @property
    def is_here(self) -> bool:
        """Whether it came from this computer."""
        return self.address == UNIX or is_loopback(self.address)


class Peers:
    """The trusted proxies. With `only_trusted`, only they and this machine may connect."""

    def __init__(self, trusted: Iterable[str] = (), *, only_trusted: bool = False) -> None:
        names = list(trusted)
        self._trusts_unix = UNIX in names
        self._networks = [parse_network(name) for name in names if name != UNIX]
        self._only_trusted = only_trusted
        self._is_trusted_text = lru_cache(maxsize=256)(self._find_trusted)

    def admits(self, address: str | None) -> bool:
        """Whether to accept a connection from this address; None is the Unix socket, guarded by its file mode."""
        if not self._only_trusted or address is None:
            return True
        parsed = parse_address(address)
        return parsed is not None and (parsed.is_loopback or self.is_trusted(address))

    def is_trusted(self, address: str | None) -> bool:
        """Whether to use the forwarding headers of this peer."""
        return self._trusts_unix if address is None else bool(self._networks) and self._is_trusted_text(address)

    def origin(self, address: str | None, headers: Headers, *, scheme: str) -> RequestOrigin:
        """The origin of a request. `address` and `scheme` are those of the connection; header names in lower case."""
        named = [value for name, value in headers if name == b"host"]
        host = named[0] if len(named) == 1 else None
        direct = RequestOrigin(address=_plain(address), scheme="https" if scheme == "https" else "http", host=host)
        if not self.is_trusted(address):
            return direct
        hop = self._first_hop(hops_of(headers))
        if hop is None:
            return direct
        return RequestOrigin(
            address=direct.address if hop.address is None else str(hop.address),
            scheme=hop.scheme or direct.scheme,
            host=hop.host or direct.host,
        )

    def _first_hop(self, hops: list[Hop]) -> Hop | None:
        """The hop at which the request reached our first proxy.

        Each proxy appends its hop. From the end backwards they are valid as long as a trusted proxy added them; the
        rest was written by the caller.
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
    """An address or network of proxies. Raises Invalid, also for a network of all addresses."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        raise Invalid(
            f"trusted_proxies: {text!r} is neither an address nor a network: {error}",
            hint="use an address or network such as 192.168.1.9, 10.0.0.0/24 or unix",
            field="server.trusted_proxies",
        ) from error
    if network.prefixlen == 0:
        raise Invalid(
            f"trusted_proxies: {text!r} includes every address",
            hint="name only the address of the proxy",
            field="server.trusted_proxies",
        )
    return network


def _plain(address: str | None) -> str:
    if address is None:
        return UNIX
    parsed = parse_address(address)
    return address if parsed is None else str(parsed)
