"""The TCP sockets to listen on."""

import errno
import socket
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from dayline.access.origins import LOOPBACK, bracketed, is_wildcard
from dayline.access.peers import parse_address
from dayline.model.errors import Unavailable

BACKLOG: Final = 2048

_NOT_HERE: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
_ATTEMPTS: Final = 20  # to find a port that is free on all addresses


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Listening sockets, on one port: for every address that clients may try for the host.

    If another program listens on one of them, the start fails: clients that prefer that address would send it their
    keys and data. Addresses that this computer does not have are left out, except the first.
    """
    addresses = _addresses_of(host, port)
    for _ in range(_ATTEMPTS):
        sockets = _open_all(addresses, port)
        if sockets:
            return sockets
    raise Unavailable(
        f"no port is free at each of {', '.join(addresses)}", hint="choose one: dayline serve --port 5600"
    )


def bound_addresses(sockets: Iterable[socket.socket]) -> list[str]:
    """The addresses that TCP sockets listen on."""
    return [sock.getsockname()[0] for sock in sockets if sock.family in (socket.AF_INET, socket.AF_INET6)]


def own_addresses(sockets: Iterable[socket.socket]) -> list[str]:
    """The addresses that no other program can listen on: those of the sockets, and ::1 if this computer has none."""
    bound = bound_addresses(sockets)
    try:
        _listening("::1", 0).close()
    except OSError as error:
        return [*bound, "::1"] if error.errno in _NOT_HERE else bound
    return bound


def _addresses_of(host: str, port: int) -> list[str]:
    """Both addresses of `localhost`, whichever of the three is given; those of a name as this system knows them."""
    if host in ("localhost", *LOOPBACK):
        return list(LOOPBACK) if host == "localhost" else sorted(LOOPBACK, key=lambda address: address != host)
    if parse_address(host) is not None:
        return [host]
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _refusal(host, port, error) from error
    return list(dict.fromkeys(str(each[4][0]) for each in addresses))


def _open_all(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Sockets at all of the addresses; none if the port that the system chose is in use at one of them."""
    sockets: list[socket.socket] = []
    for address in addresses:
        chosen: int = sockets[0].getsockname()[1] if sockets else port
        try:
            sockets.append(_listening(address, chosen))
        except OSError as error:
            if sockets and error.errno in _NOT_HERE:
                continue
            for sock in sockets:
                sock.close()
            if sockets and port == 0 and error.errno == errno.EADDRINUSE:
                return []
            raise _refusal(address, chosen, error, is_first=not sockets) from error
    return sockets


def _listening(host: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sock.family == socket.AF_INET6:
            # Also IPv4, whatever the default of the system is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if is_wildcard(host) else 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def _refusal(host: str, port: int, error: OSError, *, is_first: bool = True) -> Unavailable:
    if error.errno != errno.EADDRINUSE:
        return Unavailable(f"cannot listen on {host} port {port}: {error.strerror}")
    address = "" if is_first else f" of {bracketed(host)}"
    return Unavailable(
        f"port {port}{address} is in use by {holder_of(port)}",
        hint=f"stop it, or choose another port: dayline serve --port {port + 1}",
    )


def holder_of(port: int) -> str:
    """The program that listens on a port of this computer, as far as it is known."""
    # Here, because only a failed start needs it.
    from dayline.cli.calls.running import version_at

    version, process = version_at(port), next(_processes_on(port), None)
    answer = None
    if version is not None:
        answer = f"Dayline {version.split(' ')[0]}" if "dayline" in version else f"an ActivityWatch server {version}"
    if answer and process:
        return f"{answer} ({process})"
    return answer or process or "another program"


def _processes_on(port: int) -> Iterator[str]:
    """Linux: the listening socket's inode, then the process that holds it open."""
    inodes: set[str] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    for descriptor in Path("/proc").glob("[0-9]*/fd/*") if inodes else ():
        try:
            if str(descriptor.readlink()) in inodes:
                process = descriptor.parts[2]
                name = Path(f"/proc/{process}/comm").read_text().strip()
                yield f"process {process}, {name}"
        except OSError:
            continue
