"""Addresses of PostgreSQL databases, for those who need nothing else of it: the library is an extra."""

from typing import Final
from urllib.parse import urlsplit

_SCHEMES: Final = ("postgresql://", "postgres://")


def is_postgres(address: str) -> bool:
    """Whether this names a PostgreSQL database rather than a file."""
    return address.startswith(_SCHEMES)


def without_password(address: str) -> str:
    """The same address for a command line that others may see. `shown` is shorter, and not always an address."""
    parts = urlsplit(address)
    user, at, hosts = parts.netloc.rpartition("@")
    query = "&".join(each for each in parts.query.split("&") if not each.startswith(("password=", "sslpassword=")))
    # Not by `urlunsplit`, which leaves out the slashes of an empty host.
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{hosts}{parts.path}{query and f'?{query}'}"
