"""Calls to a server by its address, with the rules of the client: no unencrypted key, TLS, timeouts."""

from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from dayline.cli.calls.call import decoded, path_with
from dayline.client.errors import ServerUnreachable
from dayline.client.key_file import read_key_file
from dayline.client.transport import TIMEOUT_S, Transport
from dayline.model.errors import Invalid, Unavailable
from dayline.storage.transfer.report import ImportReport

IMPORT_S: Final = 600.0  # the response comes when everything is stored


class RemoteServer:
    """A server at an address. Raises Invalid if the key must not be sent there."""

    def __init__(
        self, url: str, *, key_file: Path | None = None, ca_file: Path | None = None, fingerprint: str | None = None
    ) -> None:
        self.url = url
        self._key = None if key_file is None else read_key_file(key_file)
        self._ca_file = None if ca_file is None else str(ca_file)
        self._fingerprint = fingerprint
        self._transport(TIMEOUT_S).close()

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its response. Raises the error that the server reports."""
        content = None if body is None else msgspec.json.encode(body)
        return self._called(method, path_with(path, query), content, timeout_s=TIMEOUT_S)

    def import_document(self, document: Path) -> ImportReport:
        """Send an export document, and wait until it is stored. Raises the same."""
        with document.open("rb") as file:
            report = self._called("POST", "/api/0/import", file, timeout_s=IMPORT_S)
        return msgspec.convert(report, ImportReport)

    def _called(self, method: str, target: str, body: bytes | BinaryIO | None, *, timeout_s: float) -> Any:
        path, _, query = target.partition("?")
        try:
            with self._transport(timeout_s) as transport:
                reply = transport.call(method, path, query=query, body=body)
            return decoded(reply.status, reply.body)
        except ServerUnreachable as error:
            raise Unavailable(error.message, hint=error.hint) from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Invalid(f"the server at {self.url} is not a Dayline server: {error}") from error

    def _transport(self, timeout_s: float) -> Transport:
        return Transport(
            self.url, key=self._key, ca_file=self._ca_file, fingerprint=self._fingerprint, timeout_s=timeout_s
        )
