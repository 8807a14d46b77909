"""A local certificate authority and a server certificate, for machines without a public name.

The authority is created once; other machines trust its certificate, `ca.pem`. It is limited to the names and addresses
that the server has at that time, so that its key cannot be used to impersonate another server. The server's certificate
is replaced each time, for all names that it ever had.
"""

import contextlib
import ipaddress
import platform
import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import Invalid
from dayline.runtime.files import atomic_write

if TYPE_CHECKING:
    from dayline.access.issuing import Pair

# Three years: its key is stored next to the data, and every machine that trusts it is exposed.
AUTHORITY_DAYS: Final = 1095
SERVER_DAYS: Final = 397  # the longest lifetime that browsers accept from public authorities
MAX_SERVER_DAYS: Final = 825  # the longest lifetime that Apple's systems accept from private authorities
_NEW_AUTHORITY: Final = (
    "`dayline tls init --new-authority` creates a new one; every machine that uses ca.pem then needs the new file"
)
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_DNS_NAME = re.compile(rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL})*")


class CertificateFiles(Struct, frozen=True):
    """The paths of the certificates: in a folder next to the database."""

    folder: Path

    @property
    def authority(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def authority_key(self) -> Path:
        return self.folder / "ca.key"

    @property
    def server(self) -> Path:
        return self.folder / "server.pem"

    @property
    def server_key(self) -> Path:
        return self.folder / "server.key"

    def exist(self) -> bool:
        """Whether the server should use them."""
        return self.server.exists() or self.server_key.exists()


class IssuedCertificates(Struct, frozen=True, kw_only=True):
    """The result of `make_certificates`. `fingerprint` is that of the authority."""

    names: tuple[str, ...]
    expires: datetime
    fingerprint: str
    server_fingerprint: str
    authority_expires: datetime
    is_new_authority: bool
    is_constrained: bool  # False for an authority that was created without name constraints


def files_beside(database: Path) -> CertificateFiles:
    """The certificate files of the server with this database."""
    return CertificateFiles(data_file(database, DataFile.TLS))


def make_certificates(
    files: CertificateFiles,
    names: Iterable[str] = (),
    *,
    now: datetime,
    days: int = SERVER_DAYS,
    replaces_authority: bool = False,
) -> IssuedCertificates:
    """Create the server's certificate, and the authority if there is none or `replaces_authority` is set.

    Raises Invalid and changes nothing if the authority cannot issue a certificate for one of the names.
    """
    wanted = [check_name(name) for name in names]
    from dayline.access.issuing import new_server  # imported here because it takes 100 ms to load

    try:
        files.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_new = replaces_authority or not (files.authority.exists() or files.authority_key.exists())
        all_names = tuple(dict.fromkeys([*_names_so_far(files), *wanted, *own_names()]))
        if is_new:
            authority = _make_authority(files, all_names, now)
        else:
            authority = _read_authority(files, now)
            _check_permitted(authority, wanted)
            # The machine may have been renamed; the new name needs a new authority.
            all_names = tuple(name for name in all_names if authority.permits(name))
        server = new_server(authority, all_names, now=now, expires=min(now + timedelta(days=days), authority.expires))
        _write(files.server_key, server.key_pem, mode=0o600)
        _write(files.server, server.pem + authority.pem, mode=0o644)
    except OSError as error:
        raise Invalid(f"cannot create certificates in {files.folder}: {error.strerror}") from error
    return IssuedCertificates(
        names=all_names,
        expires=server.expires,
        fingerprint=authority.fingerprint,
        server_fingerprint=server.fingerprint,
        authority_expires=authority.expires,
        is_new_authority=is_new,
        is_constrained=authority.is_constrained,
    )


def check_name(text: str) -> str:
    """A host name or address as it is written in a certificate. Raises Invalid."""
    name = text.strip().rstrip(".").removeprefix("[").removesuffix("]")
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(name))
    with contextlib.suppress(UnicodeError):
        name = name.lower() if name.isascii() else name.encode("idna").decode("ascii")
    if not _DNS_NAME.fullmatch(name) or len(name) > 253:
        raise Invalid(
            f"{text!r} is neither a host name nor an address",
            hint="use names such as --name laptop.lan --name 192.168.1.5",
            field="name",
        )
    return name


def own_names() -> list[str]:
    """This machine's host name, if it is valid in a certificate, and loopback."""
    machine = platform.node().lower().rstrip(".")
    return [*([machine] if _DNS_NAME.fullmatch(machine) else []), "localhost", "127.0.0.1", "::1"]


def _check_permitted(authority: "Pair", names: Iterable[str]) -> None:
    for name in names:
        if not authority.permits(name):
            raise Invalid(
                f"the certificate authority cannot issue a certificate for {name}: it is limited to its original names",
                hint=_NEW_AUTHORITY,
                field="name",
            )


def _make_authority(files: CertificateFiles, names: tuple[str, ...], now: datetime) -> "Pair":
    from dayline.access.issuing import new_authority  # imported here because it takes 100 ms to load

    # A number in the name: systems look up authorities by name, and one machine may have had several.
    name = f"Dayline {secrets.token_hex(4)} on {platform.node() or 'this machine'}"
    authority = new_authority(name, names, now=now, expires=now + timedelta(days=AUTHORITY_DAYS))
    # The key first: an authority without its key is useless and is never overwritten.
    _write(files.authority_key, authority.key_pem, mode=0o600)
    _write(files.authority, authority.pem, mode=0o644)
    return authority


def _read_authority(files: CertificateFiles, now: datetime) -> "Pair":
    from dayline.access.issuing import read_pair  # imported here because it takes 100 ms to load

    try:
        authority = read_pair(files.authority.read_bytes(), files.authority_key.read_bytes())
    except FileNotFoundError as error:
        raise Invalid(
            f"the certificate authority is incomplete: {error.filename} is missing", hint=_NEW_AUTHORITY
        ) from error
    except ValueError as error:
        raise Invalid(
            f"cannot use the certificate authority in {files.folder}: {error}", hint=_NEW_AUTHORITY
        ) from error
    if authority.expires <= now + timedelta(days=1):
        raise Invalid(f"the certificate authority {files.authority} has expired", hint=_NEW_AUTHORITY)
    return authority


def _names_so_far(files: CertificateFiles) -> list[str]:
    from dayline.access.issuing import names_in  # imported here because it takes 100 ms to load

    try:
        return names_in(files.server.read_bytes())
    except (FileNotFoundError, ValueError):
        return []


def _write(path: Path, content: bytes, *, mode: int) -> None:
    with atomic_write(path, mode=mode) as file:
        file.write(content)
