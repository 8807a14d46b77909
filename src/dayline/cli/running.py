"""Whether a server uses a database now, and quick questions to it: for what must never wait long."""

import http.client
import socket
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from dayline.cli.token_file import LocalDoor, read_token_file

ANSWER_S: Final = 2.0


def running_door(database: Path, *, within_s: float = ANSWER_S) -> LocalDoor | None:
    """The way in of the server that uses this database; None where none answers: after a crash nobody removes it."""
    door = read_token_file(database)
    if door is None:
        return None
    if door.tls_cert is not None:
        return door if _accepts(door, within_s) else None
    return None if asked(door, "/api/0/info", within_s=within_s) is None else door


def asked(door: LocalDoor, path: str, *, within_s: float) -> Any:
    """What a server without TLS answers to a GET; None where it does not, or not well."""
    parts = urlsplit(door.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=within_s)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {door.token}"})
        response = connection.getresponse()
        return msgspec.json.decode(response.read()) if response.status == 200 else None
    except (OSError, http.client.HTTPException, msgspec.DecodeError):
        return None
    finally:
        connection.close()


def _accepts(door: LocalDoor, within_s: float) -> bool:
    parts = urlsplit(door.url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 443), timeout=within_s):
            return True
    except OSError:
        return False
