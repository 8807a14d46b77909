"""Which `Host` headers are ours: the protection against DNS rebinding.

A page of the web can point a name of its own at 127.0.0.1 and so reach this server from a browser; what it cannot do is
send another name than its own. So every request must name us.
"""

from collections.abc import Iterable
from typing import Final

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_REMEMBERED: Final = 64


class HostRules:
    """The names that this server answers to, ports aside. Always on."""

    def __init__(self, bind_host: str, extra: Iterable[str] = ()) -> None:
        self._names = LOOPBACK_NAMES | {_bracketed(name).lower() for name in (bind_host, *extra)}
        self._allowed: set[bytes] = set()  # headers seen before, for the hot path

    def allows(self, header: bytes | None) -> bool:
        """Whether a Host header, as it came, names us."""
        if header is None:
            return False
        if header in self._allowed:
            return True
        if name_of(header.decode("latin-1")) not in self._names:
            return False
        if len(self._allowed) < _REMEMBERED:
            self._allowed.add(header)
        return True


def name_of(header: str) -> str:
    """The name without the port, in lower case; an IPv6 address keeps its brackets."""
    header = header.strip().lower()
    if header.startswith("["):
        address, bracket, port = header.partition("]")
        return f"{address}{bracket}" if port[:1] in ("", ":") else header
    return header.partition(":")[0]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
