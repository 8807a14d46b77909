"""Sends an export document to a server while it is being written."""

import http.client
import io
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast
from urllib.parse import urlsplit

import msgspec

from dayline.model.errors import Invalid, Unavailable
from dayline.storage.base import ImportReport


class Upload(io.RawIOBase):
    """A file whose content becomes the body of an import call, in chunks."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        chunk = bytes(cast("bytes", data))
        if chunk:
            self._connection.send(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        return len(chunk)

    def finish(self) -> ImportReport:
        """End the body; what the server made of it. Raises Invalid with the server's own words."""
        self._connection.send(b"0\r\n\r\n")
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise Invalid(f"the server refused: {body.decode(errors='replace')[:300]}")
        return msgspec.json.decode(body, type=ImportReport)


@contextmanager
def upload_to(url: str, *, key: str | None = None) -> Generator[Upload]:
    """Open an import call to a server on this machine. Raises Unavailable where none answers."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise Invalid(f"{url!r} is not a server's address like http://127.0.0.1:5600")
    connection = http.client.HTTPConnection(parts.hostname, parts.port or 80)
    try:
        connection.putrequest("POST", "/api/0/import")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        if key is not None:
            connection.putheader("Authorization", f"Bearer {key}")
        connection.endheaders()
        yield Upload(connection)
    except OSError as error:
        raise Unavailable(
            f"no server answers at {url}: {error.strerror or error}", hint="start one with: dayline serve"
        ) from error
    finally:
        connection.close()
