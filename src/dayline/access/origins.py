"""The hosts and origins that may call us from a browser, and the base path behind a proxy."""

import re
from collections.abc import Iterable, Sequence, Set
from enum import Enum
from typing import Final

from dayline.access.peers import parse_address
from dayline.model.errors import Invalid

# The `Host` headers that name this server: the protection against DNS rebinding.
#
# A web page can point its own name at 127.0.0.1 and reach this server from a browser, but it cannot send another name
# than its own. So every request must name this server.


LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_REMEMBERED: Final = 64
_REMEMBERED_BYTES: Final = 300  # the longest name has 253
# A name or an address in brackets, and a port, which is ignored.
_HEADER = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+)(?::[0-9]{0,5})?")


class HostRules:
    """The host names that this server accepts, with any port. Always on."""

    def __init__(self, bind_host: str, extra: Iterable[str] = ()) -> None:
        names = extra if is_wildcard(bind_host) else (bind_host, *extra)
        self._names = LOOPBACK_NAMES | {bracketed(name).lower() for name in names}
        self._allowed: set[bytes] = set()  # cache of accepted headers, for the fast path

    @property
    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._names)

    def allows(self, header: bytes | None, local_address: str | None = None) -> bool:
        """Whether a raw Host header names this server.

        `local_address`, the address that the client has connected to, is accepted too: no name was resolved, so DNS
        rebinding is not possible.
        """
        if header is None:
            return False
        if header in self._allowed:
            return True
        name = host_name(header.decode("latin-1"))
        if name not in self._names:
            return local_address is not None and _is_same_address(name, local_address)
        if len(self._allowed) < _REMEMBERED and len(header) <= _REMEMBERED_BYTES:
            self._allowed.add(header)
        return True


def host_name(header: str) -> str:
    """The name without the port, in lower case; an IPv6 address keeps its brackets. Empty if it is invalid."""
    match = _HEADER.fullmatch(header.strip(" \t").lower())
    return match[1] if match else ""


def is_wildcard(host: str) -> bool:
    """Whether this host means all addresses of the machine, and so is not a name of the server."""
    address = parse_address(host)
    return address is not None and address.is_unspecified


def bracketed(host: str) -> str:
    """A host as in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_same_address(name: str, local_address: str) -> bool:
    named = parse_address(name.removeprefix("[").removesuffix("]"))
    return named is not None and named == parse_address(local_address)


# The pages that may call us from a browser, by their `Origin`.
# The browser extension of ActivityWatch; Firefox gives each installation a random id.
_CHROME_EXTENSION: Final = "chrome-extension://nglaklhklhcoonedhgnpgddginnjdadi"
_ANY_FIREFOX_EXTENSION = re.compile(r"moz-extension://[^/\s]+")
_ANY_CHROME_EXTENSION = re.compile(r"chrome-extension://[^/\s]+")
LOOPBACK: Final = ("127.0.0.1", "::1")
_FRAMES: Final = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_DEVELOPMENT_PORT: Final = 27180  # of the development server of ActivityWatch's web UI


class Standing(Enum):
    """What the pages of an origin may do."""

    FOREIGN = "foreign"  # nothing
    APPEND_ONLY = "append-only"  # record only: any installed extension can call us
    TRUSTED = "trusted"  # everything


class OriginRules:
    """Our own pages, known extensions, and origins in the settings. Patterns match whole origins.

    `addresses` are those that the server listens on: on other addresses, the port may belong to another user.
    """

    def __init__(
        self,
        *,
        port: int,
        addresses: Iterable[str] = LOOPBACK,
        is_testing: bool = False,
        trusted: Iterable[str] = (),
        patterns: Iterable[str] = (),
    ) -> None:
        own = {f"http://{name}:{port}" for name in _names_of(frozenset(addresses))}
        development = {f"http://{name}:{_DEVELOPMENT_PORT}" for name in ("127.0.0.1", "localhost")}
        self._trusted: set[str] = own | set(trusted) | (development if is_testing else set[str]())
        self._patterns: Sequence[re.Pattern[str]] = [_compile(pattern) for pattern in patterns]
        self._extensions: Sequence[re.Pattern[str]] = (
            [_ANY_FIREFOX_EXTENSION, _ANY_CHROME_EXTENSION] if is_testing else [_ANY_FIREFOX_EXTENSION]
        )

    @property
    def trusted(self) -> list[str]:
        """The origins with full access, sorted, and patterns of such."""
        return [*sorted(self._trusted), *(pattern.pattern for pattern in self._patterns)]

    def standing(self, origin: str, *, own: str | None = None) -> Standing:
        """What pages of this origin may do. `null`, the origin of sandboxed pages and files, is foreign.

        `own` is the origin that the request was sent to (see `own_origin`): a page that calls its own server is
        trusted, under any name of the server.
        """
        if origin in self._trusted or (own is not None and origin == own):
            return Standing.TRUSTED
        if any(pattern.fullmatch(origin) for pattern in self._patterns):
            return Standing.TRUSTED
        if origin == _CHROME_EXTENSION or any(pattern.fullmatch(origin) for pattern in self._extensions):
            return Standing.APPEND_ONLY
        return Standing.FOREIGN


def _names_of(addresses: Set[str]) -> Set[str]:
    """The host names of these addresses on this machine: `localhost` if the server listens on all that it may mean."""
    if "::" in addresses:
        addresses = addresses | set(LOOPBACK)
    elif "0.0.0.0" in addresses:
        addresses = addresses | {"127.0.0.1"}
    names = {bracketed(address) for address in addresses if not is_wildcard(address)}
    return names | {"localhost"} if addresses >= set(LOOPBACK) else names


def own_origin(scheme: str, host: bytes) -> str:
    """The origin that the request was sent to. The host must have passed `HostRules`."""
    return f"{scheme}://{host.decode('latin-1').lower()}"


def is_foreign_load(site: str | None, mode: str | None, destination: str | None = None) -> bool:
    """Whether a page of another origin loads this as an image, a script, a frame or the like, without an Origin.

    The arguments are the headers `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`, which pages cannot change.
    Links to this server are allowed, and so are extensions, whose requests have another mode.
    """
    return site in ("cross-site", "same-site") and (mode == "no-cors" or destination in _FRAMES)


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Invalid(
            f"access.origin_patterns: {pattern!r} is not a valid regular expression: {error}",
            field="access.origin_patterns",
        ) from error


# The base path behind a proxy: `/dayline/api/0/info` becomes `/api/0/info`. Links and redirects of pages are relative,
# so no other code needs the base path.


_SEGMENTS = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


def normal_base_path(text: str) -> str:
    """The path with a leading and without a trailing slash; empty for the root. Raises Invalid."""
    path = text.rstrip("/")
    if (text and not text.startswith("/")) or not _SEGMENTS.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise Invalid(
            f"base_path must be a path such as /dayline (got {text!r})",
            hint="use --base-path /dayline",
            field="server.base_path",
        )
    return path


def strip_base_path(raw_path: str, base: str) -> str:
    """The path below the base. Other paths stay the same: a proxy may have removed the base already."""
    if not base or not raw_path.startswith(base):
        return raw_path
    rest = raw_path[len(base) :]
    if rest.startswith("/"):
        return rest
    return raw_path if rest else "/"


def base_redirect(raw_path: str, base: str) -> str | None:
    """The redirect for the base without a trailing slash, which relative links need; None for other paths."""
    return f"./{base.rpartition('/')[2]}/" if base and raw_path == base else None
