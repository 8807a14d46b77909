"""Addresses of PostgreSQL databases, without importing its library, which is optional."""

from typing import Final
from urllib.parse import urlsplit

_SCHEMES: Final = ("postgresql://", "postgres://")


def is_postgres(address: str) -> bool:
    """Whether this is the address of a PostgreSQL database rather than a file."""
    return address.startswith(_SCHEMES)


def without_password(address: str) -> str:
    """The address without its password, for a command line that others may see. Unlike `display_address`, still
    usable.
    """
    parts = urlsplit(address)
    user, at, hosts = parts.netloc.rpartition("@")
    query = "&".join(each for each in parts.query.split("&") if not each.startswith(("password=", "sslpassword=")))
    # Not `urlunsplit`, which drops the slashes of an empty host.
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{hosts}{parts.path}{query and f'?{query}'}"
