"""Calls of our own commands to the server that runs, over HTTP. Only a command that calls imports this."""

import http.client
import os
import ssl
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

import msgspec

from dayline.cli.local_call import checked, decoded, path_with
from dayline.cli.token_file import LocalDoor
from dayline.model.errors import Unavailable

TIMEOUT_S: Final = 600.0  # applying privacy rules to years of history takes its time


class RunningDoor:
    """The LocalServer behind an open door."""

    is_server = True

    def __init__(self, door: LocalDoor) -> None:
        self._door = door

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        headers = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else msgspec.json.encode(body)
        return decoded(*self._sent(method, path_with(path, query), content, headers))

    def read(self, path: str, **query: object) -> bytes:
        return checked(*self._sent("GET", path_with(path, query), None, {}))

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        headers = {"Content-Type": "application/json", "Content-Length": str(os.fstat(file.fileno()).st_size)}
        return decoded(*self._sent("POST", path_with(path, query), file, headers))

    def _sent(
        self, method: str, target: str, body: bytes | BinaryIO | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        connection = _connect(self._door)
        try:
            authorization = {"Authorization": f"Bearer {self._door.token}"}
            connection.request(method, target, body=body, headers=headers | authorization)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"the server at {self._door.url} does not answer: {error}") from error
        finally:
            connection.close()


def answers(door: LocalDoor) -> bool:
    """Whether the server that wrote the file is still there: after a crash nobody removes it."""
    connection = _connect(door, timeout_s=2.0)
    try:
        connection.request("GET", "/api/0/info")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _connect(door: LocalDoor, timeout_s: float = TIMEOUT_S) -> http.client.HTTPConnection:
    parts = urlsplit(door.url)
    assert parts.hostname is not None  # we wrote it
    if door.tls_cert is None:
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout_s)
    return _PinnedConnection(parts.hostname, parts.port, Path(door.tls_cert), timeout_s=timeout_s)


class _PinnedConnection(http.client.HTTPSConnection):
    """To a server that must show exactly the certificate of this file, under whatever name."""

    def __init__(self, host: str, port: int | None, certificate: Path, *, timeout_s: float) -> None:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the comparison below is stricter than any authority
        super().__init__(host, port, timeout=timeout_s, context=context)
        self._certificate = certificate

    def connect(self) -> None:
        super().connect()
        expected = ssl.PEM_cert_to_DER_cert(_first_certificate(self._certificate.read_text("ascii")))
        if self.sock.getpeercert(binary_form=True) != expected:
            self.close()
            raise OSError("it shows another certificate than its own")


def _first_certificate(text: str) -> str:
    end = "-----END CERTIFICATE-----"
    return text[text.index("-----BEGIN CERTIFICATE-----") : text.index(end) + len(end)] + "\n"
