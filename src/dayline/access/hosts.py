"""Which `Host` headers are ours: the protection against DNS rebinding.

A page of the web can point a name of its own at 127.0.0.1 and so reach this server from a browser; what it cannot do is
send another name than its own. So every request must name us.
"""

import re
from collections.abc import Iterable
from typing import Final

from dayline.access.addresses import parse_address

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_REMEMBERED: Final = 64
# A name or an address in brackets, and a port that nobody looks at; nothing that could stand for something else.
_HEADER = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+)(?::[0-9]{0,5})?")


class HostRules:
    """The names that this server answers to, ports aside. Always on."""

    def __init__(self, bind_host: str, extra: Iterable[str] = ()) -> None:
        names = extra if is_wildcard(bind_host) else (bind_host, *extra)
        self._names = LOOPBACK_NAMES | {bracketed(name).lower() for name in names}
        self._allowed: set[bytes] = set()  # headers seen before, for the hot path

    @property
    def names(self) -> list[str]:
        """All of them, in order."""
        return sorted(self._names)

    def allows(self, header: bytes | None, local_address: str | None = None) -> bool:
        """Whether a Host header, as it came, names us.

        The address that the client has connected to, `local_address`, does too: who types an address asks no name
        server, so that none can have lied.
        """
        if header is None:
            return False
        if header in self._allowed:
            return True
        name = name_of(header.decode("latin-1"))
        if name not in self._names:
            return local_address is not None and _is_same_address(name, local_address)
        if len(self._allowed) < _REMEMBERED:
            self._allowed.add(header)
        return True


def name_of(header: str) -> str:
    """The name without the port, in lower case; an IPv6 address keeps its brackets. Empty where it is no name."""
    found = _HEADER.fullmatch(header.strip(" \t").lower())
    return found[1] if found else ""


def is_wildcard(host: str) -> bool:
    """Whether a server that listens there listens at every address of the machine, so that it is no name of its own."""
    address = parse_address(host)
    return address is not None and address.is_unspecified


def bracketed(host: str) -> str:
    """A host as it stands in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_same_address(name: str, local_address: str) -> bool:
    named = parse_address(name.removeprefix("[").removesuffix("]"))
    return named is not None and named == parse_address(local_address)
