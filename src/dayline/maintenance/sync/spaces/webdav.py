"""A sync space on a WebDAV server (RFC 4918): Nextcloud, a NAS, or `rclone serve webdav` before other storage.

Heads are read with their ETags, so an idle pass reads a listing and gets a 304 for each head.
"""

import secrets
import tempfile
from base64 import b64encode
from collections.abc import Collection, Mapping
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import IO, Final
from urllib.parse import quote, unquote, urlsplit
from xml.etree import ElementTree

from dayline import __version__
from dayline.client.address import Address, parse_address
from dayline.client.connection import KeptConnection, Request, Response
from dayline.client.errors import ServerUnreachable
from dayline.client.transport import REQUEST_S, TIMEOUT_S
from dayline.maintenance.sync.spaces.protocol import (
    HEAD,
    KEYS,
    MAX_HEAD_BYTES,
    POLLED,
    RETRIED,
    Listing,
    is_device,
    is_file,
    no_space,
)
from dayline.maintenance.sync.spaces.views import MAX_FILE_BYTES, SpaceAccess
from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.files import UNFINISHED

PREFIX: Final = "webdav+"
_MAX_LISTING_BYTES: Final = 32 << 20
_PACKS_S: Final = 3600.0  # how long the own packs are known: a listing has some hundred bytes for each
_ASKED: Final = b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>'
# Also of proxies that do not know the Destination; 207 names what was not moved.
_NO_MOVE: Final = frozenset({207, 403, 405, 409, 412, 500, 501, 502})
_IS_MISSING: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class WebdavSpace:
    """The space in a folder of a WebDAV server. Raises Invalid for an address that cannot be used."""

    timing = POLLED

    def __init__(self, location: str, access: SpaceAccess, *, max_s: float = REQUEST_S) -> None:
        self._user, self._address = _parsed(location)
        self._headers = {"User-Agent": f"dayline/{__version__}"}
        if self._user or access.key is not None:
            credentials = f"{self._user}:{access.key or ''}".encode()
            self._headers["Authorization"] = f"Basic {b64encode(credentials).decode('ascii')}"
        self._connection = KeptConnection(
            self._address, fingerprint=access.fingerprint, timeout_s=TIMEOUT_S, max_s=max_s
        )
        self._heads: dict[str, tuple[str, bytes]] = {}
        self._packs: dict[str, tuple[float, set[str]]] = {}
        self._folders: set[str] = set()  # that are known to exist
        self._can_move = True

    @property
    def location(self) -> str:
        scheme, _, rest = str(self._address).partition("://")
        user = f"{quote(self._user)}@" if self._user else ""
        return f"{PREFIX}{scheme}://{user}{rest}"

    def create(self) -> None:
        """Create the folder, if its parent is there. Raises Invalid."""
        self._packs.clear()
        self._folders.clear()
        response = self._send("MKCOL", "/")
        if response.status == HTTPStatus.CONFLICT:
            raise Invalid(
                f"there is no folder for {self._address}", hint="create its parent there first", field="location"
            )
        self._check(response, {HTTPStatus.METHOD_NOT_ALLOWED})  # it exists

    def listing(self) -> Listing:
        listing = Listing()
        for name, is_folder in self._names("/"):
            if is_folder and is_device(name):
                listing.devices.add(name)
            elif is_folder and name == KEYS:
                listing.has_keys = True
            else:
                listing.ignored.append(name)
        return listing

    def packs(self, device: str) -> set[str]:
        since, known = self._packs.get(device, (0.0, None))
        if known is None or device == KEYS or monotonic() - since > _PACKS_S:
            names = self._names(f"/{device}/", may_be_missing=True)
            known = {name for name, is_folder in names if not is_folder and is_file(device, name)}
            self._packs[device] = monotonic(), known
        return set(known)

    def head(self, device: str) -> bytes | None:
        tag, known = self._heads.get(device, ("", b""))
        headers = {"If-None-Match": tag} if tag else {}
        path = f"/{device}/{HEAD}"
        response = self._send("GET", path, headers=headers, max_bytes=MAX_FILE_BYTES + 1)
        if response.status == HTTPStatus.NOT_MODIFIED and tag:
            return known
        if response.status in _IS_MISSING:
            self._packs.pop(device, None)
            self._folders.discard(device)
            return None
        self._check(response)
        content = response.body[: MAX_HEAD_BYTES + 1]
        self._heads[device] = response.headers.get("etag", ""), content
        return content

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        response = self._send("GET", f"/{device}/{name}", max_bytes=MAX_FILE_BYTES + 1)
        if response.status in _IS_MISSING:
            return None
        self._check(response)
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        file.write(response.body)
        file.seek(0)
        return file

    def put(self, device: str, name: str, source: Path) -> None:
        content = source.read_bytes()
        if device not in self._folders:
            self._check(self._send("MKCOL", f"/{device}/"), {HTTPStatus.METHOD_NOT_ALLOWED})
            self._folders.add(device)
        path = f"/{device}/{name}"
        if not (self._can_move and self._is_moved(path, content)):
            self._check(self._send("PUT", path, body=content))
        if name == HEAD:
            self._heads.pop(device, None)
        elif device in self._packs:
            self._packs[device][1].add(name)

    def delete(self, device: str, name: str) -> None:
        self._check(self._send("DELETE", f"/{device}/{name}"), _IS_MISSING)
        if device in self._packs:
            self._packs[device][1].discard(name)

    def close(self) -> None:
        self._connection.close()

    def _is_moved(self, path: str, content: bytes) -> bool:
        """Write a file under another name and rename it, so that no reader gets a part; False if that is refused."""
        unfinished = f"{path}.{secrets.token_hex(4)}{UNFINISHED}"
        self._check(self._send("PUT", unfinished, body=content))
        headers = {"Destination": f"{self._address}{path}", "Overwrite": "T"}
        response = self._send("MOVE", unfinished, headers=headers, is_repeatable=False)
        if response.status in _NO_MOVE:
            self._can_move = False
            self._send("DELETE", unfinished)
            return False
        self._check(response)
        return True

    def _names(self, path: str, *, may_be_missing: bool = False) -> list[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder."""
        headers = {"Depth": "1", "Content-Type": "application/xml"}
        response = self._send("PROPFIND", path, body=_ASKED, headers=headers, max_bytes=_MAX_LISTING_BYTES)
        if response.status in _IS_MISSING:
            if may_be_missing:
                return []
            raise no_space(self.location)
        self._check(response)
        try:
            # An entity could expand without limit. In UTF-16 the mark would be missed; no server needs that.
            is_safe = b"<!DOCTYPE" not in response.body and b"\0" not in response.body
            if response.status != HTTPStatus.MULTI_STATUS or not is_safe:
                raise ValueError("it is no listing")
            found = ElementTree.fromstring(response.body)
            folder = unquote(self._address.base_path + path).strip("/")
            return [each for response in found if (each := _entry(response, folder)) is not None]
        except (ElementTree.ParseError, ValueError) as error:
            raise Unavailable(
                f"what answers at {self._address} is not a WebDAV server", hint="check the address and its path"
            ) from error

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] = {},
        max_bytes: int = 1 << 20,
        is_repeatable: bool = True,
    ) -> Response:
        request = Request(
            method=method,
            target=self._address.base_path + path,
            headers={**self._headers, **headers},
            body=body,
            is_repeatable=is_repeatable,
            max_answer_bytes=max_bytes,
        )
        try:
            return self._connection.exchange(request)
        except ServerUnreachable as error:
            raise Unavailable(error.message, hint=f"{RETRIED}; {error.hint}" if error.hint else RETRIED) from error

    def _check(self, response: Response, accepted: Collection[int] = ()) -> None:
        """Raise Unavailable for anything but a success or an accepted status."""
        status, host = response.status, self._address.host
        if 200 <= status < 300 or status in accepted:
            return
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            who = f"the password of {self._user}" if self._user else "a request without a user"
            raise Unavailable(
                f"{host} refuses {who} ({_phrase(status)})",
                hint=f"{RETRIED}. To enter another password: dayline sync start {self.location}",
            )
        if status == HTTPStatus.INSUFFICIENT_STORAGE:
            raise Unavailable(f"{host} is full", hint=f"{RETRIED}, when it has disk space again")
        raise Unavailable(f"{host} answers with {_phrase(status)}", hint=RETRIED)


def _parsed(location: str) -> tuple[str, Address]:
    """The user and the address. Raises Invalid, without quoting a password."""
    try:
        parts = urlsplit(location.removeprefix(PREFIX))
        user, has_password = unquote(parts.username or ""), parts.password is not None
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    except ValueError:
        user, has_password, url = "", False, ""  # rejected below
    if has_password or ":" in user:
        raise Invalid(
            "the address of a WebDAV server must not have a password",
            hint="leave it out: dayline sync asks for it",
            field="location",
        )
    address = parse_address(url)
    if address.scheme == "http" and not address.is_loopback:
        raise Invalid(f"{address} is not encrypted", hint=f"use {PREFIX}https://", field="location")
    return user, address


def _entry(response: ElementTree.Element, folder: str) -> tuple[str, bool] | None:
    """The name of an entry, and whether it is a folder; None for the folder itself."""
    href = response.findtext("{DAV:}href")
    if href is None:
        raise ValueError("an entry without an address")
    path = unquote(urlsplit(href.strip()).path).strip("/")
    is_folder = response.find(".//{DAV:}resourcetype/{DAV:}collection") is not None
    return None if path == folder else (path.rpartition("/")[2], is_folder)


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
