"""Network settings, checked before anything is opened, and the sockets to listen on."""

import errno
import logging
import os
import platform
import socket
import stat
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.access.certificates import files_beside
from dayline.access.origins import LOOPBACK, HostRules, bracketed, is_wildcard
from dayline.access.peers import is_loopback, parse_address
from dayline.access.tls import Exposure, HintCommands, ListenOptions, ServerTls, check_exposure, load_tls
from dayline.cli.calls.call import LocalEndpoint
from dayline.cli.options.settings import Settings, default_database
from dayline.model.errors import Invalid, Unavailable

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
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _refusal(host, port, error) from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))


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


# The Unix socket: an additional endpoint, protected by its file mode.


_MAX_PATH_BYTES: Final = 103  # bytes: the limit of every system; Linux allows a few more
_FIELD: Final = "server.uds"


@contextmanager
def unix_socket(path: Path, *, mode: int) -> Generator[socket.socket]:
    """Listen on a socket at the path, and remove its file at the end. Raises Invalid or Unavailable."""
    sock = _open(path, mode=mode)
    identity = _identity(path)
    try:
        yield sock
    finally:
        sock.close()
        # Only our own file: another program may have replaced it.
        if identity is not None and _identity(path) == identity:
            path.unlink(missing_ok=True)


def _open(path: Path, *, mode: int) -> socket.socket:
    if sys.platform == "win32":
        raise Invalid("this system has no Unix sockets", hint="leave out --uds", field=_FIELD)
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        raise Invalid(f"the path of the Unix socket is longer than {_MAX_PATH_BYTES} bytes: {path}", field=_FIELD)
    sock = socket.socket(socket.AF_UNIX)
    try:
        _remove_stale(path)
        sock.bind(str(path))
        # No client can connect before listen(), so the mode is set in time.
        path.chmod(mode)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise Unavailable(f"cannot listen on the Unix socket {path}: {error.strerror or error}") from error
    except BaseException:
        sock.close()
        raise
    return sock


def _remove_stale(path: Path) -> None:
    """Remove the socket of a stopped server. Raises Invalid or Unavailable for anything else."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise Invalid(f"{path} exists and is not a socket", hint="choose another path for --uds", field=_FIELD)
    if _is_answered(path):
        raise Unavailable(
            f"the Unix socket {path} is in use by another program", hint="stop it, or choose another path for --uds"
        )
    path.unlink(missing_ok=True)


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(1)
        try:
            sock.connect(str(path))
        except OSError as error:
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)  # when in doubt, it is in use
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


# Network settings, checked before anything is opened.


log = logging.getLogger("dayline")

WARNING_DAYS: Final = 30  # before a certificate expires


class Network(Struct, frozen=True, kw_only=True):
    """How the server is reached. Created by `look_at_network`."""

    settings: Settings
    tls: ServerTls | None
    commands: HintCommands

    def exposure(self, *, has_key: bool) -> Exposure:
        """Who can reach the server. Raises Invalid if a required protection is missing."""
        settings = self.settings
        options = ListenOptions(
            host=settings.server.host,
            has_uds=settings.server.uds is not None,
            has_tls=self.tls is not None,
            trusted_proxies=settings.server.trusted_proxies,
            require_keys=settings.access.require_keys or settings.access.require_envelope,
        )
        return check_exposure(options, has_key=has_key, commands=self.commands)

    @contextmanager
    def sockets(self, inherited: Sequence[socket.socket] = ()) -> Generator[list[socket.socket]]:
        """Listening sockets, those of TCP first, closed at the end of the block. Raises Invalid or Unavailable.

        `inherited` TCP sockets are used instead of new ones.
        """
        settings = self.settings
        with ExitStack() as stack:
            sockets = [
                stack.enter_context(sock) for sock in inherited or open_sockets(settings.server.host, settings.port)
            ]
            if settings.server.uds is not None:
                sockets.append(
                    stack.enter_context(unix_socket(settings.server.uds, mode=int(settings.server.uds_mode, 8)))
                )
            yield sockets

    def hosts(self) -> HostRules:
        return HostRules(self.settings.server.host, (*self.settings.access.hosts, *self._certified_names()))

    def local_url(self, port: int) -> str:
        """The address for programs on this computer."""
        host = self.settings.server.host
        if host == "localhost" or is_wildcard(host):
            host = "::1" if ":" in host else "127.0.0.1"
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{bracketed(host)}:{port}"

    def local_endpoint(self, port: int, *, token: str, location: str, store: str) -> LocalEndpoint:
        """What commands need to find the server and to verify it."""
        certificate = None if self.tls is None else str(self.tls.certificate.absolute())
        return LocalEndpoint(
            url=self.local_url(port), token=token, location=location, store=store, tls_cert=certificate
        )

    def url(self, port: int) -> str:
        """The address for browsers, also on other computers if it is reachable from there."""
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{bracketed(self._name())}:{port}/"

    def log_warnings(self, exposure: Exposure, *, has_key: bool) -> None:
        """Warn about a certificate that expires soon, and about a server without keys."""
        if exposure.needs_keys and not has_key:
            log.warning("Every request needs a key, and there is none: %s", self.commands.create_key())
        if self.tls is None:
            return
        if self.tls.fault is not None:
            log.warning("Clients will not accept the certificate: %s", self.tls.fault)
        days = self.tls.days_left(datetime.now(UTC))
        if days is not None and days < WARNING_DAYS:
            log.warning("The certificate expires in %d days; %s", days, self._renewal())

    def _name(self) -> str:
        host = self.settings.server.host
        if host in ("127.0.0.1", "::1"):
            return "localhost"
        return next(iter(self.settings.access.hosts), platform.node() or "localhost") if is_wildcard(host) else host

    def _certified_names(self) -> Sequence[str]:
        """The names of our certificate. Pages on other servers have no certificate for them."""
        names = () if self.tls is None else self.tls.names
        return [name for name in names if parse_address(name) is None and not name.startswith("*")]

    def _renewal(self) -> str:
        is_own = self.settings.server.tls_cert is None
        return f"to renew it: {self.commands.make_certificate()}" if is_own else "renew it, and restart the server"


def look_at_network(settings: Settings) -> Network:
    """Load certificates and check network settings. Raises Invalid."""
    is_usual = settings.database == default_database(is_testing=False).absolute()
    commands = HintCommands(machine=platform.node(), database=None if is_usual else settings.database)
    return Network(settings=settings, tls=_tls(settings, commands), commands=commands)


def _tls(settings: Settings, commands: HintCommands) -> ServerTls | None:
    if settings.server.tls_cert is not None and settings.server.tls_key is not None:
        return load_tls(settings.server.tls_cert, settings.server.tls_key)
    if settings.server.tls_cert is not None or settings.server.tls_key is not None:
        missing = "tls_key" if settings.server.tls_key is None else "tls_cert"
        raise Invalid(
            f"TLS needs a certificate and its key, and {missing} is missing",
            hint=f"--{missing.replace('_', '-')} FILE",
            field=f"server.{missing}",
        )
    # Behind a proxy, the proxy has the certificate and uses plain HTTP unless a certificate is configured.
    if is_loopback(settings.server.host) or settings.server.trusted_proxies:
        return None
    files = files_beside(settings.database)
    if not files.exist():
        return None
    return load_tls(files.server, files.server_key, renewal=commands.make_certificate())
