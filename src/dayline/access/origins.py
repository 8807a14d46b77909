"""Which pages may call us from a browser: an `Origin` header is looked up here before anything else happens."""

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from dayline.access.hosts import bracketed
from dayline.model.errors import Invalid

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
