"""What proxies write down of a request: `Forwarded` (RFC 7239), or the older `X-Forwarded-For`, `-Proto`, `-Host`.

Whether it is believed is decided by who asks. What cannot be read is left out, and so is everything where the two
forms contradict each other: a proxy that writes the one passes the other on as the client sent it.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from dayline.access.addresses import Address, parse_address

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

MOST_HOPS: Final = 32  # more than any chain of proxies; a longer list is an attempt to keep us busy
_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e])*"'
_PAIR = re.compile(rf"({_TOKEN})=({_TOKEN}|{_QUOTED})")
_IPV6_NODE = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?")
_IPV4_NODE = re.compile(r"([0-9.]+)(?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?")
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_SCHEMES: Final[dict[str, Literal["http", "https"]]] = {"http": "http", "https": "https"}


class Hop(Struct, frozen=True, kw_only=True):
    """What a proxy says of a request that reached it; None for what it does not say, or does not know."""

    address: Address | None = None
    scheme: Literal["http", "https"] | None = None
    host: bytes | None = None


def hops_of(headers: Headers) -> list[Hop]:
    """The hops in the order of the request's way, the last one added by whoever sends these headers."""
    standard, older = _joined(headers, b"forwarded"), _older_hops(headers)
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
            # What stands behind it came from nearer proxies and is still true; before it, nothing is.
            hops.clear()
        else:
            hops.append(hop)
    return hops if len(hops) <= MOST_HOPS else []


def _standard_hop(element: str) -> Hop | None:
    fields: dict[str, str] = {}
    for pair in _split(element, ";"):
        found = _PAIR.fullmatch(pair.strip(" \t"))
        if found is None or found[1].lower() in fields:
            return None
        fields[found[1].lower()] = _unquoted(found[2])
    return Hop(
        address=_node(fields.get("for", "")),
        scheme=_SCHEMES.get(fields.get("proto", "").lower()),
        host=_host(fields.get("host", "")),
    )


def _older_hops(headers: Headers) -> list[Hop]:
    """`-For` is a list; `-Proto` and `-Host` are of the one request that the first of our proxies got."""
    addresses, scheme, host = (_joined(headers, b"x-forwarded-" + name) for name in (b"for", b"proto", b"host"))
    if addresses is None and scheme is None and host is None:
        return []
    known_scheme = _SCHEMES.get((scheme or "").strip().lower())
    known_host = _host((host or "").strip())
    nodes = [] if addresses is None else [_node(text.strip(" \t")) for text in addresses.split(",")]
    if len(nodes) > MOST_HOPS:
        return []
    return [Hop(address=node, scheme=known_scheme, host=known_host) for node in nodes or [None]]


def _joined(headers: Headers, name: bytes) -> str | None:
    values = [value.decode("latin-1") for known, value in headers if known == name]
    return ", ".join(values) if values else None


def _split(text: str, separator: str) -> list[str]:
    """Split, but not inside quotes."""
    return re.findall(rf'(?:[^{separator}"]|"(?:[^"\\]|\\.)*"?)+', text)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _node(text: str) -> Address | None:
    """The address in `192.0.2.1:80`, `[2001:db8::1]:80` or `2001:db8::1`; None for `unknown` and hidden names."""
    found = _IPV6_NODE.fullmatch(text) or _IPV4_NODE.fullmatch(text)
    return parse_address(found[1] if found else text)


def _host(text: str) -> bytes | None:
    return text.encode("ascii") if _HOST.fullmatch(text) else None
