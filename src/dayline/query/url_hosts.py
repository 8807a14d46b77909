"""Hosts of URLs, as the URL standard writes them: domains, IPv4 and IPv6 addresses, and hosts of other schemes."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from dayline.query.url_domains import domain_to_ascii

# What may stand in a domain, and in the host of a scheme that the standard does not know.
FORBIDDEN_IN_HOST: Final = frozenset("\0\t\n\r #/:<>?@[\\]^|")
FORBIDDEN_IN_DOMAIN: Final = FORBIDDEN_IN_HOST | frozenset(map(chr, range(0x20))) | {"%", "\x7f"}
PRINTABLE_ASCII: Final = "".join(map(chr, range(0x20, 0x7F)))

_IPV4_PARTS: Final = 4
_IPV4_NUMBERS: Final = 1 << 32


def host_of(text: str) -> str | None:
    """The host of a URL whose scheme has domains, such as https. None where there can be no such host."""
    if text.startswith("["):
        return _ipv6(text)
    domain = domain_to_ascii(unquote_to_bytes(text).decode(errors="replace"))
    if not domain or not FORBIDDEN_IN_DOMAIN.isdisjoint(domain):
        return None
    return _ipv4(domain) if _ends_in_a_number(domain) else domain


def opaque_host_of(text: str) -> str | None:
    """The host of a URL with any other scheme: as it is written. None where there can be no such host."""
    if text.startswith("["):
        return _ipv6(text)
    return None if not FORBIDDEN_IN_HOST.isdisjoint(text) else quote(text, safe=PRINTABLE_ASCII)


def _ends_in_a_number(domain: str) -> bool:
    parts = domain.split(".")
    if parts[-1] == "" and len(parts) > 1:
        parts.pop()
    last = parts[-1]
    return re.fullmatch("[0-9]+|0[xX][0-9A-Fa-f]*", last) is not None


def _ipv4(domain: str) -> str | None:
    """An address of up to four numbers, of which the last stands for all the bytes that are left."""
    parts = domain.removesuffix(".").split(".")
    numbers = [_ipv4_number(part) for part in parts]
    if len(parts) > _IPV4_PARTS or None in numbers:
        return None
    *firsts, last = [number for number in numbers if number is not None]
    if any(number > 0xFF for number in firsts) or last >= _IPV4_NUMBERS >> 8 * len(firsts):
        return None
    address = last + sum(number << 8 * (3 - place) for place, number in enumerate(firsts))
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))


def _ipv4_number(text: str) -> int | None:
    for form, base, skipped in ((r"0[xX][0-9A-Fa-f]*", 16, 2), (r"0[0-7]+", 8, 1), (r"0|[1-9][0-9]*", 10, 0)):
        if re.fullmatch(form, text):
            digits = text[skipped:].lstrip("0")
            return int(digits or "0", base) if len(digits) <= 32 else _IPV4_NUMBERS
    return None


def _ipv6(text: str) -> str | None:
    try:
        if not text.endswith("]") or "%" in text:
            return None
        packed = IPv6Address(text[1:-1]).packed
    except AddressValueError:
        return None
    pieces = [f"{int.from_bytes(packed[place : place + 2], 'big'):x}" for place in range(0, 16, 2)]
    return f"[{_shortened(pieces)}]"


def _shortened(pieces: list[str]) -> str:
    """The pieces of an address, with its longest run of zeros (the first of equal ones, two or more) left out."""
    runs = [run.span() for run in re.finditer("0{2,}", "".join("0" if piece == "0" else "x" for piece in pieces))]
    if not runs:
        return ":".join(pieces)
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return f"{':'.join(pieces[:start])}::{':'.join(pieces[end:])}"
