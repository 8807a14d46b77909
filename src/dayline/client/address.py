"""The address of a server, and how users write it."""

from ipaddress import ip_address
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from dayline.model.errors import Invalid

Scheme = Literal["http", "https"]
DEFAULT_PORTS: Final[dict[Scheme, int]] = {"http": 80, "https": 443}


class Address(Struct, frozen=True, kw_only=True):
    """The address of a server. `base_path` is empty, or has a leading and no trailing slash."""

    scheme: Scheme
    host: str
    port: int
    base_path: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.base_path}"

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_address(url: str) -> Address:
    """Parse `http://localhost:5600` or `https://days.example/dayline/`. Raises Invalid, without quoting a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _not_an_address() from error
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in DEFAULT_PORTS or not host or not is_plain:
        raise _not_an_address()
    if parts.username is not None or parts.query or parts.fragment:
        raise Invalid(
            "a server's URL must not have a user, password, query or fragment", hint="pass the key separately"
        )
    return Address(
        scheme=parts.scheme,
        host=host,
        port=DEFAULT_PORTS[parts.scheme] if port is None else port,
        base_path=parts.path.rstrip("/"),
    )


def _not_an_address() -> Invalid:
    return Invalid(
        "this is not the URL of a server", hint="use a URL such as http://localhost:5600 or https://host/dayline"
    )
