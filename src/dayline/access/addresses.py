"""Internet addresses as the system and proxies write them, made comparable."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address


def parse_address(text: str) -> Address | None:
    """The address, or None where it is none.

    A socket that listens in both families gives IPv4 addresses in the form `::ffff:192.168.1.7`, and link-local ones
    with the name of an interface: neither matters to who it is.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def is_loopback(host: str) -> bool:
    """Whether what listens at this host can be reached from this machine alone."""
    address = parse_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)
