"""The file that lets our own commands find the running server of a database, and lets them in.

Only the user who runs the server can read it. Every start of a server writes a new token.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from dayline.cli.settings import Settings
from dayline.runtime.files import atomic_write


class LocalEndpoint(Struct, frozen=True, kw_only=True):
    """Where a running server listens, and which database it serves; `tls_cert` is the certificate that it shows.

    `place` and `store` are what cli/store_identity.py says of the database.
    """

    url: str
    token: str
    place: str
    store: str
    tls_cert: str | None = None

    def __repr__(self) -> str:
        return f"LocalEndpoint(url={self.url!r}, place={self.place!r})"


def token_file(database: Path) -> Path:
    """The token file of a database file."""
    return database.with_name(f"{database.name}.token")


def server_token_file(settings: Settings, place: str, *, port: int) -> Path:
    """The token file that a server at this port writes. Several servers may use one PostgreSQL database."""
    if settings.postgres is None:
        return token_file(settings.database)
    return _postgres_folder(settings) / f"postgres-{_digest(place)}-{port}.token"


def write_token_file(path: Path, endpoint: LocalEndpoint) -> None:
    """Write it whole, and readable by the owner alone from the first moment on."""
    try:
        with atomic_write(path) as file:
            file.write(msgspec.json.encode(endpoint))
    except OSError as error:
        # Here, because commands read the file, and start quicker without SQLite.
        from dayline.storage.disk_faults import failed

        raise failed("the token file for commands cannot be written", error, path) from error


def remove_token_file(path: Path) -> None:
    """The server is stopping. A file that cannot be removed does no harm: a command asks for a proof first."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def local_endpoints(settings: Settings, place: str) -> list[LocalEndpoint]:
    """What the token files of a database say; the servers may be gone. The configured port comes first."""
    if settings.postgres is None:
        paths = [token_file(settings.database)]
    else:
        found = sorted(_postgres_folder(settings).glob(f"postgres-{_digest(place)}-*.token"))
        own = server_token_file(settings, place, port=settings.port)
        paths = sorted(found, key=lambda path: path != own)
    return [endpoint for path in paths if (endpoint := _read(path)) is not None]


def _read(path: Path) -> LocalEndpoint | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=LocalEndpoint)
    except (OSError, msgspec.DecodeError):
        return None


def _postgres_folder(settings: Settings) -> Path:
    return settings.database.parent


def _digest(place: str) -> str:
    return hashlib.sha256(place.encode()).hexdigest()[:16]
