"""Sockets to listen on, and a clear word when the port is taken."""

import errno
import http.client
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from dayline.access.hosts import is_wildcard
from dayline.model.errors import Unavailable

BACKLOG: Final = 2048


_NO_IPV6: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
_ATTEMPTS: Final = 20  # to find a port that is free at both addresses


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Listening sockets. `localhost` is 127.0.0.1, and ::1 on the same port unless the machine has no IPv6.

    If somebody else listens on ::1, the start fails: clients that prefer IPv6 would send them their keys and data.
    """
    if host != "localhost":
        return [_bound(host, port)]
    for _ in range(_ATTEMPTS):
        first = _bound("127.0.0.1", port)
        chosen: int = first.getsockname()[1]
        try:
            return [first, _listening("::1", chosen)]
        except OSError as error:
            if error.errno in _NO_IPV6:
                return [first]
            first.close()
            if port == 0 and error.errno == errno.EADDRINUSE:
                continue
            raise _refusal("::1", chosen, error) from error
    raise Unavailable("no port is free at both 127.0.0.1 and ::1", hint="choose one: dayline serve --port 5600")


def bound_addresses(sockets: Iterable[socket.socket]) -> list[str]:
    """The addresses that TCP sockets listen on."""
    return [sock.getsockname()[0] for sock in sockets if sock.family in (socket.AF_INET, socket.AF_INET6)]


def _bound(host: str, port: int) -> socket.socket:
    try:
        return _listening(host, port)
    except OSError as error:
        raise _refusal(host, port, error) from error


def _listening(host: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sock.family == socket.AF_INET6:
            # Every address of the machine means those of the older form too, whatever the system's own habit is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if is_wildcard(host) else 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def _refusal(host: str, port: int, error: OSError) -> Unavailable:
    if error.errno != errno.EADDRINUSE:
        return Unavailable(f"cannot listen on {host} port {port}: {error.strerror}")
    address = " of [::1]" if host == "::1" else ""
    return Unavailable(
        f"port {port}{address} is in use by {holder_of(port)}",
        hint=f"stop it, or choose another port: dayline serve --port {port + 1}",
    )


def holder_of(port: int) -> str:
    """Who listens on a port of this machine, as far as it can be told."""
    answer = _server_at(port)
    process = next(_processes_on(port), None)
    if answer and process:
        return f"{answer} ({process})"
    return answer or process or "another program"


def _server_at(port: int) -> str | None:
    """What answers there as servers of this kind do."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/api/0/info")
        info = msgspec.json.decode(connection.getresponse().read(64 << 10), type=dict[str, object])
        version = str(info["version"])
    except (OSError, http.client.HTTPException, msgspec.DecodeError, UnicodeDecodeError, KeyError):
        return None
    finally:
        connection.close()
    return f"Dayline {version.split(' ')[0]}" if "dayline" in version else f"an ActivityWatch server {version}"


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
