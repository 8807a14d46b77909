"""Requirements before the server can be reached from other machines: a key, and encryption."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.access.origins import is_wildcard
from dayline.access.peers import UNIX, is_loopback
from dayline.model.errors import Invalid

SERVE_WITH_PROXY: Final = "dayline serve --trusted-proxy ADDRESS"


class Exposure(Struct, frozen=True, kw_only=True):
    """Whether keys are required, and whether only trusted proxies and this machine may connect (without TLS)."""

    needs_keys: bool
    only_trusted: bool


class ListenOptions(Struct, frozen=True, kw_only=True):
    """Where the server will listen, and how that is protected."""

    host: str
    has_uds: bool = False
    has_tls: bool = False
    trusted_proxies: Sequence[str] = ()
    require_keys: bool = False


def check_exposure(options: ListenOptions, *, has_key: bool, commands: "HintCommands") -> Exposure:
    """The restrictions that apply. Raises Invalid if the server would be open to other people.

    The message names everything that is missing, the hint the commands that fix it.
    """
    if UNIX in options.trusted_proxies and not options.has_uds:
        raise Invalid(
            f"the trusted proxy {UNIX!r} needs a Unix socket, and there is none",
            hint="create one with --uds PATH",
            field="server.trusted_proxies",
        )
    is_open = not is_loopback(options.host)
    has_proxy = any(name != UNIX for name in options.trusted_proxies)
    if is_open:
        _check_open(options, has_key=has_key, is_guarded=options.has_tls or has_proxy, commands=commands)
    return Exposure(
        needs_keys=options.require_keys or is_open or bool(options.trusted_proxies),
        only_trusted=is_open and not options.has_tls,
    )


class HintCommands(Struct, frozen=True, kw_only=True):
    """The commands in hints. They name `database` if it is not the default one."""

    machine: str  # its host name, for certificates
    database: Path | None = None

    def create_key(self) -> str:
        return self._command("keys", "create", "--name", "owner", "--scope", "full")

    def make_certificate(self, host: str | None = None) -> str:
        named = [] if host is None else ["--name", self.machine if is_wildcard(host) else host]
        return self._command("tls", "init", *named)

    def _command(self, *words: str) -> str:
        database = () if self.database is None else ("--database", str(self.database))
        return shlex.join(["dayline", *words, *database])


def _check_open(options: ListenOptions, *, has_key: bool, is_guarded: bool, commands: HintCommands) -> None:
    missing: list[str] = []
    fixes: list[str] = []
    if not has_key:
        missing.append("there is no key, so anyone on the network could read your data")
        fixes.append(commands.create_key())
    if not is_guarded:
        missing.append("there is no TLS, so the traffic could be intercepted")
        fixes.append(commands.make_certificate(options.host))
    if missing:
        proxy = "" if is_guarded else f"; behind a proxy with TLS, instead of the certificate: {SERVE_WITH_PROXY}"
        raise Invalid(
            f"refusing to listen on {options.host}: {', and '.join(missing)}",
            hint=f"{' && '.join(fixes)}{proxy}",
            field="server.host",
        )
