"""Addresses of PostgreSQL databases, for those who need nothing else of it: the library is an extra."""

from typing import Final

_SCHEMES: Final = ("postgresql://", "postgres://")


def is_postgres(address: str) -> bool:
    """Whether this names a PostgreSQL database rather than a file."""
    return address.startswith(_SCHEMES)
