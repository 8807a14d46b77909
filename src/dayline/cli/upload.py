"""Calls to a server by its address: an export document that is sent while it is being written, and small ones."""

import http.client
import io
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast
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


class ServerAt:
    """A server by its address, for calls with small answers."""

    def __init__(self, url: str, *, key: str | None = None) -> None:
        self._url = url
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its answer. Raises Invalid with the server's own words."""
        assert not query  # nobody needs them so far
        connection = _connection(self._url)
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else msgspec.json.encode(body), headers)
            response = connection.getresponse()
            answer = response.read()
        except OSError as error:
            raise _nobody(self._url, error) from error
        finally:
            connection.close()
        if response.status >= 400:
            raise Invalid(f"the server refused: {answer.decode(errors='replace')[:300]}")
        return msgspec.json.decode(answer) if answer else None


@contextmanager
def upload_to(url: str, *, key: str | None = None) -> Generator[Upload]:
    """Open an import call to a server on this machine. Raises Unavailable where none answers."""
    connection = _connection(url)
    try:
        connection.putrequest("POST", "/api/0/import")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        if key is not None:
            connection.putheader("Authorization", f"Bearer {key}")
        connection.endheaders()
        yield Upload(connection)
    except OSError as error:
        raise _nobody(url, error) from error
    finally:
        connection.close()


def _connection(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise Invalid(f"{url!r} is not a server's address like http://127.0.0.1:5600")
    return http.client.HTTPConnection(parts.hostname, parts.port or 80)


def _nobody(url: str, error: OSError) -> Unavailable:
    return Unavailable(f"no server answers at {url}: {error.strerror or error}", hint="start one with: dayline serve")
