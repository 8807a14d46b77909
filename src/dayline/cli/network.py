"""What the settings say about the network: looked at before anything is opened, and turned into rules."""

import logging
import platform
import socket
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from dayline.access.addresses import is_loopback, parse_address
from dayline.access.certificates import files_beside
from dayline.access.exposure import Doors, Exposure, Mending, check_exposure
from dayline.access.hosts import HostRules, bracketed, is_wildcard
from dayline.access.server_tls import ServerTls, load_tls
from dayline.cli.listen import open_sockets
from dayline.cli.settings import Settings, default_database
from dayline.cli.token_file import LocalEndpoint
from dayline.cli.unix_socket import unix_socket
from dayline.model.errors import Invalid

log = logging.getLogger("dayline")

TELL_DAYS: Final = 30  # before a certificate expires


class Network(Struct, frozen=True, kw_only=True):
    """How the server is reached. Made by `look_at_network`."""

    settings: Settings
    tls: ServerTls | None
    mending: Mending

    def exposure(self, *, has_key: bool) -> Exposure:
        """How far the server is open. Raises Invalid where something is missing that must guard it."""
        settings = self.settings
        doors = Doors(
            host=settings.host,
            has_uds=settings.uds is not None,
            has_tls=self.tls is not None,
            trusted_proxies=settings.trusted_proxies,
            require_keys=settings.require_keys or settings.access.require_envelope,
        )
        return check_exposure(doors, has_key=has_key, mending=self.mending)

    @contextmanager
    def sockets(self) -> Generator[list[socket.socket]]:
        """Listening sockets, those of TCP first, closed at the end of the block. Raises Invalid or Unavailable."""
        settings = self.settings
        with ExitStack() as stack:
            sockets = [stack.enter_context(sock) for sock in open_sockets(settings.host, settings.port)]
            if settings.uds is not None:
                sockets.append(stack.enter_context(unix_socket(settings.uds, mode=settings.uds_mode)))
            yield sockets

    def hosts(self) -> HostRules:
        return HostRules(self.settings.host, (*self.settings.access.hosts, *self._certified_names()))

    def local_url(self, port: int) -> str:
        """Where programs on this machine find the server."""
        host = self.settings.host
        if host == "localhost" or is_wildcard(host):
            host = "::1" if ":" in host else "127.0.0.1"
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{bracketed(host)}:{port}"

    def local_endpoint(self, port: int, *, token: str, place: str, store: str) -> LocalEndpoint:
        """What our own commands need to find the server, and to know that it is the right one."""
        certificate = None if self.tls is None else str(self.tls.certificate.absolute())
        return LocalEndpoint(url=self.local_url(port), token=token, place=place, store=store, tls_cert=certificate)

    def url(self, port: int) -> str:
        """Where a browser finds the server, from elsewhere too if it can be reached from there."""
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://{bracketed(self._name())}:{port}/"

    def tell(self, exposure: Exposure, *, has_key: bool) -> None:
        """Log what the owner should know of: a certificate about to expire, or a server that lets nobody in."""
        if exposure.needs_keys and not has_key:
            log.warning("Every call needs a key, and there is none: %s", self.mending.create_key())
        if self.tls is None:
            return
        if self.tls.fault is not None:
            log.warning("Clients will not accept the certificate: %s", self.tls.fault)
        days = self.tls.days_left(datetime.now(UTC))
        if days is not None and days < TELL_DAYS:
            log.warning("The certificate expires in %d days; %s", days, self._renewal())

    def _name(self) -> str:
        host = self.settings.host
        if host in ("127.0.0.1", "::1"):
            return "localhost"
        return next(iter(self.settings.access.hosts), platform.node() or "localhost") if is_wildcard(host) else host

    def _certified_names(self) -> Sequence[str]:
        """What a certificate of ours is for is ours: a page elsewhere has none for such a name."""
        names = () if self.tls is None else self.tls.names
        return [name for name in names if parse_address(name) is None and not name.startswith("*")]

    def _renewal(self) -> str:
        is_own = self.settings.tls_cert is None
        return f"to renew it: {self.mending.make_certificate()}" if is_own else "renew it, and start the server again"


def look_at_network(settings: Settings) -> Network:
    """Read what the network needs. Raises Invalid for certificates that cannot be used."""
    is_usual = settings.database == default_database(is_testing=False).absolute()
    mending = Mending(machine=platform.node(), database=None if is_usual else settings.database)
    return Network(settings=settings, tls=_tls(settings, mending), mending=mending)


def _tls(settings: Settings, mending: Mending) -> ServerTls | None:
    if settings.tls_cert is not None and settings.tls_key is not None:
        return load_tls(settings.tls_cert, settings.tls_key)
    if settings.tls_cert is not None or settings.tls_key is not None:
        missing = "tls_key" if settings.tls_key is None else "tls_cert"
        raise Invalid(
            f"TLS needs a certificate and its key, and {missing} is not given",
            hint=f"--{missing.replace('_', '-')} FILE",
            field=f"server.{missing}",
        )
    # Behind a proxy the proxy has the certificate, and speaks plainly to us unless a certificate is named.
    if is_loopback(settings.host) or settings.trusted_proxies:
        return None
    files = files_beside(settings.database)
    if not files.exist():
        return None
    return load_tls(files.server, files.server_key, renewal=mending.make_certificate())
