"""Tells the database that a command was given apart from every other one.

`place` is what names it: the path of a file, or host, port and name of a PostgreSQL database. `identity` is which one
is there now. A folder that was copied with its token file has another place; a file that was moved, or replaced under a
running server, has another identity. The epoch of a store alone is not enough: a copy of a file has the same one.
"""

import os

from dayline.cli.postgres_library import postgres_library
from dayline.cli.settings import Settings


def store_place(settings: Settings) -> str:
    """Where the database is, however it was written. Reads nothing of it."""
    if settings.postgres is None:
        return os.path.realpath(settings.database)
    with postgres_library():
        from dayline.storage.postgres.database import target_of
    return target_of(settings.postgres)


def store_identity(settings: Settings) -> str:
    """Which database is there; empty if there is none. Raises StoreUnusable if PostgreSQL does not answer."""
    if settings.postgres is not None:
        with postgres_library():
            from dayline.storage.postgres.database import identity_of
        return identity_of(settings.postgres)
    try:
        found = os.stat(settings.database)
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}"
