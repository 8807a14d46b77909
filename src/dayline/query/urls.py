"""URLs in their parts, following the URL standard (url.spec.whatwg.org), for absolute URLs only.

Ordinary addresses match a regular expression, which takes a tenth of the time; `ada_url` parses all others.
"""

import re
from typing import Final

from msgspec import Struct

# An ordinary address: ASCII letters, no empty label, and a last label that cannot be a number. Every repetition is of a
# single character, which needs no memory and cannot run away.
_ORDINARY_HOST: Final = rb"(https?)://((?:[A-Za-z0-9-][A-Za-z0-9.-]*\.)?[A-Za-z][A-Za-z0-9-]*)(?::[0-9]{0,4})?"
_EMPTY_LABEL: Final = b".."
_ORDINARY_START: Final = re.compile(_ORDINARY_HOST + rb"(?:[/?#\\]|\Z)")
# With a path, a query and a fragment that need no encoding.
_ORDINARY: Final = re.compile(
    _ORDINARY_HOST + rb"((?:/[!$-;=@-\[\]_a-z|~]*)?)(?:\?([!$-&(-;=?-~]*))?(?:#([!#-;=?-_a-~]*))?"
)
_MAY_BE_DOTS: Final = re.compile(rb"/(?:\.|%2[Ee])")
_WWW: Final = re.compile(rb"(?:www\.)*")


class UrlParts(Struct, frozen=True):
    """The fields that split_url_events adds, without their dollar sign. All are ASCII; the last three may be empty."""

    protocol: bytes
    domain: bytes
    path: bytes
    params: bytes
    options: bytes
    identifier: bytes


def split_url(raw: bytes) -> UrlParts | None:
    """The parts of a URL; None if it is not absolute."""
    match = _ORDINARY.fullmatch(raw)
    if match is None or _EMPTY_LABEL in match[2] or _MAY_BE_DOTS.search(match[3]):
        return _split_any(raw)
    query = match[4] or b""
    return UrlParts(match[1], _without_www(match[2].lower()), match[3] or b"/", query, query, match[5] or b"")


def _split_any(raw: bytes) -> UrlParts | None:
    from ada_url import URL  # imported here, because most queries only have ordinary addresses

    try:
        url = URL(raw.decode(errors="replace"))
    except ValueError:
        return None
    scheme, host = url.protocol.removesuffix(":").encode(), url.hostname.encode()
    query = url.search.removeprefix("?").encode()
    return UrlParts(
        protocol=scheme,
        domain=_without_www(host) if host else scheme,
        path=url.pathname.encode(),
        params=query,
        options=query,
        identifier=url.hash.removeprefix("#").encode(),
    )


def domain_of(raw: bytes) -> bytes | None:
    """The domain that split_url would return, at a tenth of the cost for ordinary addresses."""
    match = _ORDINARY_START.match(raw)
    if match is None or _EMPTY_LABEL in match[2]:
        parts = _split_any(raw)
        return None if parts is None else parts.domain
    host = match[2].lower()
    return _without_www(host) if host.startswith(b"www.") else host


def _without_www(host: bytes) -> bytes:
    return _WWW.sub(b"", host, count=1)
