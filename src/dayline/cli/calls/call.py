"""Calls of commands, and the token file through which they find the server of a database.

Only the user who runs the server can read it. A server writes a new token at every start.
"""

import hashlib
import os
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from dayline.access.local_users import ROOT, own_uid, user_name
from dayline.cli.options.options import postgres_library
from dayline.cli.options.settings import Settings
from dayline.config.data_folder import DataFile, data_file, data_files, former_file
from dayline.model.error_body import answered_error
from dayline.model.errors import StoreUnusable
from dayline.runtime.files import NO_LINK, atomic_write


class LocalServer(ABC):
    """Answers calls about a database on this computer. A server accepts concurrent calls from any thread."""

    is_server = False

    @property
    def url(self) -> str | None:
        """The address of the server; None if the command has opened the database itself."""
        return None

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Make a call and decode its response. Raises the error that the server reports."""
        content = None if body is None else msgspec.json.encode(body)
        return decoded(*self._exchange(method, path_with(path, query), content))

    def read(self, path: str, **query: object) -> bytes:
        """GET a response as bytes. Raises the same."""
        return checked(*self._exchange("GET", path_with(path, query), None))

    def send(self, path: str, file: BinaryIO, **query: object) -> Any:
        """POST a JSON file of any size and decode the response. Raises the same, or OSError."""
        return decoded(*self._exchange("POST", path_with(path, query), file))

    @abstractmethod
    def _exchange(self, method: str, target: str, body: bytes | BinaryIO | None) -> tuple[int, bytes]:
        """The status and the body of the response."""


def path_with(path: str, query: dict[str, object]) -> str:
    """The path with its query: without parameters that are None, and with those of a list repeated."""
    given = {name: value for name, value in query.items() if value is not None and value != ()}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def decoded(status: int, body: bytes) -> Any:
    """The value of a successful response. Raises the error of any other."""
    content = checked(status, body)
    return msgspec.json.decode(content) if content else None


def checked(status: int, body: bytes) -> bytes:
    """The body of a successful response. Raises the error of any other."""
    if status >= 400:
        raise answered_error(status, body)
    return body


class LocalEndpoint(Struct, frozen=True, kw_only=True):
    """Where a running server listens, and which database it serves; `tls_cert` is its certificate.

    `location` is `store_location` and `store` is `store_identity` of the database.
    """

    url: str
    token: str
    location: str
    store: str
    tls_cert: str | None = None

    def __repr__(self) -> str:
        return f"LocalEndpoint(url={self.url!r}, location={self.location!r})"


def token_file(database: Path) -> Path:
    """The token file of a database file."""
    return data_file(database, DataFile.TOKEN)


def server_token_file(settings: Settings, location: str, *, port: int) -> Path:
    """The token file that a server at this port writes. Several servers may use one PostgreSQL database."""
    if settings.postgres is None:
        return token_file(settings.database)
    return data_file(settings.database, DataFile.POSTGRES_TOKEN, f"{_digest(location)}-{port}.token")


def write_token_file(path: Path, endpoint: LocalEndpoint) -> None:
    """Write it atomically, readable by the owner only."""
    try:
        with atomic_write(path) as file:
            file.write(msgspec.json.encode(endpoint))
    except OSError as error:
        # Here, because commands that read the file start faster without SQLite.
        from dayline.storage.disk_faults import file_error

        raise file_error("the token file for commands cannot be written", error, path) from error


def remove_token_file(path: Path) -> None:
    """Delete it when the server stops. A file that remains does no harm: a command asks for a proof first."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def local_endpoints(settings: Settings, location: str) -> list[LocalEndpoint]:
    """The endpoints of a database's token files, that of the configured port first. Their servers may have stopped.

    Raises StoreUnusable if another user wrote one of them.
    """
    if settings.postgres is None:
        # The former one is of a server that was started before an upgrade, and still runs.
        paths = [token_file(settings.database), former_file(settings.database, DataFile.TOKEN)]
    else:
        files = sorted(data_files(settings.database, DataFile.POSTGRES_TOKEN, f"{_digest(location)}-*.token"))
        own = server_token_file(settings, location, port=settings.port)
        paths = sorted(files, key=lambda path: path != own)
    return [endpoint for path in paths if (endpoint := _read(path)) is not None]


def _read(path: Path) -> LocalEndpoint | None:
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0)), "rb")
    except OSError:
        return None
    with file:
        _check_owner(path, os.fstat(file.fileno()).st_uid)
        try:
            return msgspec.json.decode(file.read(), type=LocalEndpoint)
        except (OSError, msgspec.DecodeError):
            return None


def _check_owner(path: Path, uid: int) -> None:
    """Raise StoreUnusable if another user wrote a token file: the server that it names would get what we send.

    Root may use the servers of all users.
    """
    if own_uid() != ROOT and uid not in (own_uid(), ROOT):
        raise StoreUnusable(
            f"{path} was written by {user_name(uid)}, so the server that it names is not used", hint="delete it"
        )


def _digest(location: str) -> str:
    return hashlib.sha256(location.encode()).hexdigest()[:16]


# The location and the identity of a database.
#
# The location is the path of a file, or host, port and name of a PostgreSQL database. The identity is the database
# that is there now. A folder that was copied with its token file has another location; a file that was moved, or
# replaced under a running server, has another identity. The epoch of a store is not enough: a copy of a file has the
# same one.


def store_location(settings: Settings) -> str:
    """Where the database is, in a canonical form. Does not read it."""
    if settings.postgres is None:
        return os.path.realpath(settings.database)
    with postgres_library():
        from dayline.storage.postgres.identity import target_of
    return target_of(settings.postgres)


def store_identity(settings: Settings) -> str:
    """The identity of the database; empty if there is none. Raises StoreUnusable if PostgreSQL does not answer."""
    if settings.postgres is not None:
        with postgres_library():
            from dayline.storage.postgres.identity import identity_of
        return identity_of(settings.postgres)
    try:
        file = os.stat(settings.database)
    except OSError:
        return ""
    return f"{file.st_dev}:{file.st_ino}"
