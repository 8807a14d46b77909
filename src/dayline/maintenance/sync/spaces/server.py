"""A sync space on a Dayline server, which stores files that it cannot read.

An idle pass is one request, answered with 304: the listing has the tag of every head, and heads are kept in memory.
"""

import secrets
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import IO, Final, TypeVar

import msgspec
from msgspec import structs

from dayline.client.address import parse_address
from dayline.client.errors import ServerUnreachable
from dayline.client.transport import IDEMPOTENCY_KEY, JSON, REQUEST_S, Reply, Transport
from dayline.maintenance.sync.spaces.protocol import FAST, HEAD, KEYS, MAX_HEAD_BYTES, RETRIED, Listing, is_device
from dayline.maintenance.sync.spaces.views import (
    MAX_FILE_BYTES,
    SpaceAccess,
    StoredDevice,
    StoredNames,
    StoredSpace,
    tag_of_content,
    tag_of_names,
)
from dayline.model.access import key_id_of
from dayline.model.error_body import ErrorBody
from dayline.model.errors import Invalid, Unavailable

_FILES: Final = "/api/1/sync/files"
_BYTES: Final = "application/octet-stream"
_MAX_LISTING_BYTES: Final = 16 << 20
T = TypeVar("T")


class ServerSpace:
    """The space of the tenant that the key belongs to. Raises Invalid for an address or a key that cannot be used."""

    timing = FAST

    def __init__(self, location: str, access: SpaceAccess, *, max_s: float = REQUEST_S) -> None:
        self._address = parse_address(location)
        if self._address.scheme == "http" and not self._address.is_loopback:
            raise Invalid(
                f"{self._address} is not encrypted",
                hint="use https://: dayline tls init on the server makes a certificate",
                field="location",
            )
        self._key_id = None if access.key is None else key_id_of(access.key)
        if access.key is not None and self._key_id is None:
            raise Invalid(
                "this is not the key of a Dayline server",
                hint=f"create one on {self._address.host} with: dayline keys create --name laptop --scope sync",
                field="server_key",
            )
        self._transport = Transport(str(self._address), key=access.key, fingerprint=access.fingerprint, max_s=max_s)
        self._tag = ""
        self._space = StoredSpace(devices={})
        self._is_current = False
        self._packs: dict[str, set[str]] = {}
        self._heads: dict[str, tuple[str, bytes]] = {}  # each with its tag

    @property
    def location(self) -> str:
        return str(self._address)

    def create(self) -> None:
        """Does nothing: the server makes the place for the first file."""

    def listing(self) -> Listing:
        reply = self._call("GET", "", tag=self._tag, max_bytes=_MAX_LISTING_BYTES)
        if reply.status != HTTPStatus.NOT_MODIFIED:
            self._space, self._tag = self._decoded(reply, StoredSpace), reply.headers.get("etag", "")
        self._is_current = True
        listing = Listing()
        listing.devices = {device for device in self._space.devices if is_device(device)}
        listing.has_keys = KEYS in self._space.devices
        return listing

    def packs(self, device: str) -> set[str]:
        stored, known = self._stored(device), self._packs.get(device)
        if stored is None:
            return set()
        if known is None or tag_of_names(known) != stored.packs:
            reply = self._call("GET", f"/{device}", max_bytes=_MAX_LISTING_BYTES)
            known = self._packs[device] = set(self._decoded(reply, StoredNames).packs)
        return set(known)

    def head(self, device: str) -> bytes | None:
        stored = self._stored(device)
        if stored is None or stored.head is None:
            return None
        tag, content = self._heads.get(device, ("", b""))
        if tag != stored.head:
            reply = self._call("GET", f"/{device}/{HEAD}", max_bytes=MAX_FILE_BYTES + 1)
            if reply.status == HTTPStatus.NOT_FOUND:
                return None
            content = reply.body[: MAX_HEAD_BYTES + 1]
            self._heads[device] = stored.head, content
        return content

    def open_pack(self, device: str, name: str) -> IO[bytes] | None:
        reply = self._call("GET", f"/{device}/{name}", max_bytes=MAX_FILE_BYTES + 1)
        if reply.status == HTTPStatus.NOT_FOUND:
            return None
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        file.write(reply.body)
        file.seek(0)
        return file

    def put(self, device: str, name: str, source: Path) -> None:
        content = source.read_bytes()
        self._call("PUT", f"/{device}/{name}", body=content)
        if name == HEAD:
            tag = tag_of_content(content)
            self._heads[device] = tag, content
            self._note(device, head=tag)
        else:
            self._note_packs(device, self.packs(device) | {name})

    def delete(self, device: str, name: str) -> None:
        self._call("DELETE", f"/{device}/{name}")
        self._note_packs(device, self.packs(device) - {name})

    def close(self) -> None:
        self._transport.close()

    def _stored(self, device: str) -> StoredDevice | None:
        if not self._is_current:
            self.listing()
        return self._space.devices.get(device)

    def _note_packs(self, device: str, packs: set[str]) -> None:
        self._packs[device] = packs
        self._note(device, packs=tag_of_names(packs))

    def _note(self, device: str, **changed: str) -> None:
        """Remember what this device has written, so that it is not read again."""
        stored = self._stored(device) or StoredDevice(head=None, packs=tag_of_names(()))
        self._space = StoredSpace(devices=self._space.devices | {device: structs.replace(stored, **changed)})
        self._tag = ""  # of another listing

    def _call(
        self, method: str, path: str, *, body: bytes | None = None, tag: str = "", max_bytes: int | None = None
    ) -> Reply:
        """The response if it is a success, 304, or 404 of a file. Raises Unavailable."""
        headers = {"If-None-Match": tag} if tag else {}
        if method != "GET":
            headers[IDEMPOTENCY_KEY] = secrets.token_urlsafe(12)  # repeating it does no harm
        try:
            reply = self._transport.call(
                method, _FILES + path, body=body, content_type=_BYTES, headers=headers, max_answer_bytes=max_bytes
            )
        except ServerUnreachable as error:
            raise Unavailable(error.message, hint=f"{RETRIED}; {error.hint}" if error.hint else RETRIED) from error
        is_missing_file = reply.status == HTTPStatus.NOT_FOUND and path.count("/") == 2
        if reply.status == HTTPStatus.OK and method != "GET":
            self._decoded(reply, dict)  # not the page of a proxy, which stores nothing
        if reply.status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED) or is_missing_file:
            return reply
        raise self._refusal(reply)

    def _refusal(self, reply: Reply) -> Unavailable:
        host = self._address.host
        try:
            body = msgspec.json.decode(reply.body, type=ErrorBody)
        except msgspec.DecodeError:
            return self._no_server()
        message, hint = body.message, body.hint if isinstance(body.hint, str) else None
        if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            hint = (
                f"{RETRIED}. Create a key there with: dayline keys create --name laptop --scope sync; "
                f"then enter it here: dayline sync start {self.location}"
            )
            if self._key_id is None:
                return Unavailable(f"{host} requires a key", hint=hint)
            reason = message.removeprefix("invalid key: it is ")
            return Unavailable(f"{host} refuses the key {self._key_id} ({reason})", hint=hint)
        if reply.status == HTTPStatus.NOT_FOUND:
            return self._no_server()
        return Unavailable(f"{host} does not store the files of sync: {message}", hint=hint or RETRIED)

    def _decoded(self, reply: Reply, kind: type[T]) -> T:
        try:
            if reply.headers.get("content-type", "").partition(";")[0] != JSON:
                raise self._no_server()
            return msgspec.json.decode(reply.body, type=kind)
        except msgspec.DecodeError as error:
            raise self._no_server() from error

    def _no_server(self) -> Unavailable:
        return Unavailable(
            f"what answers at {self.location} is not a Dayline server that stores files of sync",
            hint="check the address; the server needs this version of Dayline or a later one",
        )
