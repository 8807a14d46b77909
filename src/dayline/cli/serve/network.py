"""Network settings, checked before anything is opened."""

import logging
import platform
import socket
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from dayline.access.certificates import files_beside
from dayline.access.exposure import Exposure, HintCommands, ListenOptions, check_exposure
from dayline.access.origins import HostRules, bracketed, is_wildcard
from dayline.access.peers import is_loopback, parse_address
from dayline.access.tls import ServerTls, load_tls
from dayline.cli.calls.call import LocalEndpoint
from dayline.cli.options.settings import Settings, default_database
from dayline.cli.serve.sockets import open_sockets
from dayline.cli.serve.unix_socket import unix_socket
from dayline.model.errors import Invalid

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
