"""What must be there before the server may be reached from other machines: a key, and a way that nobody reads along."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.access.addresses import is_loopback
from dayline.access.hosts import is_wildcard
from dayline.access.peers import UNIX
from dayline.model.errors import Invalid

SERVE_WITH_PROXY: Final = "dayline serve --trusted-proxy ADDRESS"


class Exposure(Struct, frozen=True, kw_only=True):
    """How far the server is open. `only_trusted`: without TLS, only the named proxies and this machine may connect."""

    needs_keys: bool
    only_trusted: bool


class Doors(Struct, frozen=True, kw_only=True):
    """Where the server is about to listen, and what guards it."""

    host: str
    has_uds: bool = False
    has_tls: bool = False
    trusted_proxies: Sequence[str] = ()
    require_keys: bool = False


def check_exposure(doors: Doors, *, has_key: bool, mending: "Mending") -> Exposure:
    """How far the server is open. Raises Invalid where it would be open to people who are not meant.

    The message names everything that is missing, the hint the command that mends it.
    """
    if UNIX in doors.trusted_proxies and not doors.has_uds:
        raise Invalid(
            f"the trusted proxy {UNIX!r} is whoever comes by the Unix socket, and there is none",
            hint="--uds PATH makes one",
            field="server.trusted_proxies",
        )
    is_open = not is_loopback(doors.host)
    has_proxy = any(name != UNIX for name in doors.trusted_proxies)
    if is_open:
        _check_open(doors, has_key=has_key, is_guarded=doors.has_tls or has_proxy, mending=mending)
    return Exposure(
        needs_keys=doors.require_keys or is_open or bool(doors.trusted_proxies),
        only_trusted=is_open and not doors.has_tls,
    )


class Mending(Struct, frozen=True, kw_only=True):
    """The commands of hints. `database` is named in them where it is not the usual one."""

    machine: str  # its host name, for certificates
    database: Path | None = None

    def create_key(self) -> str:
        return self._command("keys", "create", "--name", "owner", "--scope", "full")

    def make_certificate(self, host: str | None = None) -> str:
        named = [] if host is None else ["--name", self.machine if is_wildcard(host) else host]
        return self._command("tls", "init", *named)

    def _command(self, *words: str) -> str:
        place = () if self.database is None else ("--database", str(self.database))
        return shlex.join(["dayline", *words, *place])


def _check_open(doors: Doors, *, has_key: bool, is_guarded: bool, mending: Mending) -> None:
    missing: list[str] = []
    commands: list[str] = []
    if not has_key:
        missing.append("there is no key, so everybody on the network could read your data")
        commands.append(mending.create_key())
    if not is_guarded:
        missing.append("there is no TLS, so everybody on the way could read along")
        commands.append(mending.make_certificate(doors.host))
    if missing:
        proxy = "" if is_guarded else f"; behind a proxy that has TLS, instead of the certificate: {SERVE_WITH_PROXY}"
        raise Invalid(
            f"refusing to listen on {doors.host}: {', and '.join(missing)}",
            hint=f"{' && '.join(commands)}{proxy}",
            field="server.host",
        )
