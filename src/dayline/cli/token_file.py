"""The file beside the database that tells our own commands where the server is, and lets them in.

Only the user who runs the server can read it. It holds a new token with every start.
"""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct


class LocalDoor(Struct, frozen=True, kw_only=True):
    """Where the running server is, and what opens it; `tls_cert` is the certificate that it shows."""

    url: str
    token: str
    tls_cert: str | None = None

    def __repr__(self) -> str:
        return f"LocalDoor(url={self.url!r})"


def token_file(database: Path) -> Path:
    """Where the file is for a database."""
    return database.with_name(f"{database.name}.token")


def write_token_file(database: Path, door: LocalDoor) -> None:
    """Write it, for nobody else to read at any moment."""
    path = token_file(database)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(door))
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        # Here, because commands read the file, and start quicker without SQLite.
        from dayline.storage.faults import failed

        raise failed("the way in for commands cannot be written", error, database) from error


def remove_token_file(database: Path) -> None:
    """The server is stopping: nobody answers there any more."""
    with suppress(OSError):  # the folder may have become read-only; a token that nobody answers to opens nothing
        token_file(database).unlink(missing_ok=True)


def read_token_file(database: Path) -> LocalDoor | None:
    """The door of the server that uses this database; None where there is no such file."""
    try:
        return msgspec.json.decode(token_file(database).read_bytes(), type=LocalDoor)
    except (OSError, msgspec.DecodeError):
        return None
