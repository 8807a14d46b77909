"""Which hosts and origins may call us from a browser, and the base path behind a proxy."""

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from dayline.access.peers import parse_address
from dayline.model.errors import Invalid

# Which `Host` headers are ours: the protection against DNS rebinding.
#
# A page of the web can point a name of its own at 127.0.0.1 and so reach this server from a browser; what it cannot do
# is send another name than its own. So every request must name us.


LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_REMEMBERED: Final = 64
# A name or an address in brackets, and a port that nobody looks at; nothing that could stand for something else.
_HEADER = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+)(?::[0-9]{0,5})?")


class HostRules:
    """The names that this server answers to, ports aside. Always on."""

    def __init__(self, bind_host: str, extra: Iterable[str] = ()) -> None:
        names = extra if is_wildcard(bind_host) else (bind_host, *extra)
        self._names = LOOPBACK_NAMES | {bracketed(name).lower() for name in names}
        self._allowed: set[bytes] = set()  # headers seen before, for the hot path

    @property
    def names(self) -> list[str]:
        """All of them, in order."""
        return sorted(self._names)

    def allows(self, header: bytes | None, local_address: str | None = None) -> bool:
        """Whether a Host header, as it came, names us.

        The address that the client has connected to, `local_address`, does too: who types an address asks no name
        server, so that none can have lied.
        """
        if header is None:
            return False
        if header in self._allowed:
            return True
        name = host_name(header.decode("latin-1"))
        if name not in self._names:
            return local_address is not None and _is_same_address(name, local_address)
        if len(self._allowed) < _REMEMBERED:
            self._allowed.add(header)
        return True


def host_name(header: str) -> str:
    """The name without the port, in lower case; an IPv6 address keeps its brackets. Empty where it is no name."""
    found = _HEADER.fullmatch(header.strip(" \t").lower())
    return found[1] if found else ""


def is_wildcard(host: str) -> bool:
    """Whether a server that listens there listens at every address of the machine, so that it is no name of its own."""
    address = parse_address(host)
    return address is not None and address.is_unspecified


def bracketed(host: str) -> str:
    """A host as it stands in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_same_address(name: str, local_address: str) -> bool:
    named = parse_address(name.removeprefix("[").removesuffix("]"))
    return named is not None and named == parse_address(local_address)


# Which pages may call us from a browser: an `Origin` header is looked up here before anything else happens.


# The browser extension of the ActivityWatch project; Firefox gives each installation a random id of its own.
_CHROME_EXTENSION: Final = "chrome-extension://nglaklhklhcoonedhgnpgddginnjdadi"
_ANY_FIREFOX_EXTENSION = re.compile(r"moz-extension://[^/\s]+")
_ANY_CHROME_EXTENSION = re.compile(r"chrome-extension://[^/\s]+")
LOOPBACK: Final = ("127.0.0.1", "::1")
_FRAMES: Final = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_DEVELOPMENT_PORT: Final = 27180  # where the existing web UI's development server runs


class Standing(Enum):
    """What a page may do here."""

    FOREIGN = "foreign"  # nothing
    APPEND_ONLY = "append-only"  # record: any installed extension can reach us, so none may read
    TRUSTED = "trusted"  # everything


class OriginRules:
    """Our own pages, the known extensions, and what the configuration adds. Patterns match whole origins.

    `addresses` are those that the server listens on: at any other, the port may belong to another user of the machine.
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
        own = {f"http://{name}:{port}" for address in addresses for name in _names_of(address)}
        development = {f"http://{name}:{_DEVELOPMENT_PORT}" for name in ("127.0.0.1", "localhost")}
        self._trusted: set[str] = own | set(trusted) | (development if is_testing else set[str]())
        self._patterns: Sequence[re.Pattern[str]] = [_compiled(pattern) for pattern in patterns]
        self._extensions: Sequence[re.Pattern[str]] = (
            [_ANY_FIREFOX_EXTENSION, _ANY_CHROME_EXTENSION] if is_testing else [_ANY_FIREFOX_EXTENSION]
        )

    @property
    def trusted(self) -> list[str]:
        """Origins that may do everything, in order, and patterns of such."""
        return [*sorted(self._trusted), *(pattern.pattern for pattern in self._patterns)]

    def standing(self, origin: str, *, own: str | None = None) -> Standing:
        """What the page of this origin may do. `null`, the origin of sandboxed pages and files, is foreign.

        `own` is the origin that this request itself was sent to, by `own_origin`: a page that calls where it came from
        is ours, under whatever name the server is known.
        """
        if origin in self._trusted or (own is not None and origin == own):
            return Standing.TRUSTED
        if any(pattern.fullmatch(origin) for pattern in self._patterns):
            return Standing.TRUSTED
        if origin == _CHROME_EXTENSION or any(pattern.fullmatch(origin) for pattern in self._extensions):
            return Standing.APPEND_ONLY
        return Standing.FOREIGN


def _names_of(address: str) -> Sequence[str]:
    """The names by which pages on this machine reach an address."""
    match address:
        case "127.0.0.1" | "0.0.0.0":
            return "127.0.0.1", "localhost"
        case "::1":
            return "[::1]", "localhost"
        case "::":
            return "127.0.0.1", "[::1]", "localhost"
        case _:
            return (bracketed(address),)


def own_origin(scheme: str, host: bytes) -> str:
    """The origin of pages that were served as this request was. The host must have passed the check of hosts."""
    return f"{scheme}://{host.decode('latin-1').lower()}"


def is_foreign_load(site: str | None, mode: str | None, destination: str | None = None) -> bool:
    """Whether a page of another origin loads this as a picture, a script, a frame or the like, without an Origin.

    The arguments are what browsers send as `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`, and no page can
    change. Links to us are not meant, and neither are extensions, whose calls have another mode.
    """
    return site in ("cross-site", "same-site") and (mode == "no-cors" or destination in _FRAMES)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Invalid(
            f"access.origin_patterns: {pattern!r} is not a regular expression: {error}", field="access.origin_patterns"
        ) from error


# The path under which a proxy shows the server: `/dayline/api/0/info` is `/api/0/info` here.
#
# Links of the pages and redirects are relative, so nothing else has to know the path.


_SEGMENTS = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


def normal_base_path(text: str) -> str:
    """The path with a slash before it and none behind it; empty for the root. Raises Invalid."""
    path = text.rstrip("/")
    if (text and not text.startswith("/")) or not _SEGMENTS.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise Invalid(
            f"base_path must be a path such as /dayline, not {text!r}",
            hint="--base-path /dayline",
            field="server.base_path",
        )
    return path


def strip_base_path(raw_path: str, base: str) -> str:
    """The path below the base. One that does not begin with it stays: a proxy may have taken it away already."""
    if not base or not raw_path.startswith(base):
        return raw_path
    rest = raw_path[len(base) :]
    if rest.startswith("/"):
        return rest
    return raw_path if rest else "/"


def base_redirect(raw_path: str, base: str) -> str | None:
    """Where a page at the base without its final slash has to go, for its relative links to hold; None elsewhere."""
    return f"./{base.rpartition('/')[2]}/" if base and raw_path == base else None
