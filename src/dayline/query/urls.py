"""URLs in their parts, following the URL standard (url.spec.whatwg.org), for absolute URLs only."""

import re
import unicodedata
from functools import partial
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from msgspec import Struct

# Domains in ASCII, as the URL standard asks for: other letters mapped (UTS #46) and written in punycode.
#
# Close to the standard, not the same: what a character is mapped to and whether it may stand there is taken from
# Python's `unicodedata`, not from the standard's own table, of which this differs in a few rare signs; the order of
# right-to-left letters is not checked; a joiner is taken after a virama only.


PREFIX: Final = "xn--"

_FULL_STOPS: Final = str.maketrans("\u3002\uff0e\uff61", "...")
_LEFT_OUT: Final = re.compile(
    "[\u00ad\u034f\u180b-\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)  # hyphens, blanks and variants that are not seen
_KEPT: Final = "\u00df\u03c2\u200c\u200d"  # sharp s, final sigma and the joiners mean something in names
_REPLACEMENT: Final = "\ufffd"
_NO_SIGNS: Final = re.compile("[\u2ff0-\u2fff\ufffc\ufffd]")  # what describes or replaces a character
_JOINERS: Final = "\u200c\u200d"
_VIRAMA: Final = 9  # the combining class
# Control and format characters, what is unassigned or private, and all blanks.
_NO_LETTERS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})


def domain_to_ascii(domain: str) -> str | None:
    """The domain in lower case and in ASCII; None where it cannot be one."""
    if domain.isascii() and PREFIX not in domain.lower():
        return domain.lower()
    labels = [_label_to_ascii(label) for label in _mapped(domain).split(".")]
    written = [label for label in labels if label is not None]
    return ".".join(written) if len(written) == len(labels) else None


def _mapped(domain: str) -> str:
    visible = _LEFT_OUT.sub("", domain.translate(_FULL_STOPS))
    return unicodedata.normalize("NFC", "".join(map(_mapped_character, visible)))


def _mapped_character(character: str) -> str:
    if character in _KEPT:
        return character
    folded = character.lower() if character == "\u1e9e" else character.casefold()
    mapped = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    # A sign such as a number with a full stop must not make two labels of one.
    return mapped if "." not in mapped or character == "." else _REPLACEMENT


def _label_to_ascii(label: str) -> str | None:
    if label.startswith(PREFIX):
        return label if _is_punycode(label) else None
    if label.isascii():
        return label
    return PREFIX + label.encode("punycode").decode("ascii") if _is_valid(label) else None


def _is_punycode(label: str) -> bool:
    """Whether a label that is in punycode already stands for one that had to be."""
    try:
        decoded = label.removeprefix(PREFIX).encode("ascii").decode("punycode")
        return not decoded.isascii() and _is_valid(decoded) and _label_to_ascii(decoded) == label
    except (UnicodeError, ValueError, OverflowError):
        return False


def _is_valid(label: str) -> bool:
    if _mapped(label) != label or unicodedata.category(label[0]).startswith("M") or _NO_SIGNS.search(label):
        return False
    return all(_may_follow(character, before) for before, character in zip(f" {label}", label, strict=False))


def _may_follow(character: str, before: str) -> bool:
    if character in _JOINERS:
        return unicodedata.combining(before) == _VIRAMA
    return unicodedata.category(character) not in _NO_LETTERS


# Hosts of URLs, as the URL standard writes them: domains, IPv4 and IPv6 addresses, and hosts of other schemes.


# What may stand in a domain, and in the host of a scheme that the standard does not know.
FORBIDDEN_IN_HOST: Final = frozenset("\0\t\n\r #/:<>?@[\\]^|")
FORBIDDEN_IN_DOMAIN: Final = FORBIDDEN_IN_HOST | frozenset(map(chr, range(0x20))) | {"%", "\x7f"}
PRINTABLE_ASCII: Final = "".join(map(chr, range(0x20, 0x7F)))

_IPV4_PARTS: Final = 4
_IPV4_NUMBERS: Final = 1 << 32


def host_of(text: str) -> str | None:
    """The host of a URL whose scheme has domains, such as https. None where there can be no such host."""
    if text.startswith("["):
        return _ipv6(text)
    domain = domain_to_ascii(unquote_to_bytes(text).decode(errors="replace"))
    if not domain or not FORBIDDEN_IN_DOMAIN.isdisjoint(domain):
        return None
    return _ipv4(domain) if _ends_in_a_number(domain) else domain


def opaque_host_of(text: str) -> str | None:
    """The host of a URL with any other scheme: as it is written. None where there can be no such host."""
    if text.startswith("["):
        return _ipv6(text)
    return None if not FORBIDDEN_IN_HOST.isdisjoint(text) else quote(text, safe=PRINTABLE_ASCII)


def _ends_in_a_number(domain: str) -> bool:
    parts = domain.split(".")
    if parts[-1] == "" and len(parts) > 1:
        parts.pop()
    last = parts[-1]
    return re.fullmatch("[0-9]+|0[xX][0-9A-Fa-f]*", last) is not None


def _ipv4(domain: str) -> str | None:
    """An address of up to four numbers, of which the last stands for all the bytes that are left."""
    parts = domain.removesuffix(".").split(".")
    numbers = [_ipv4_number(part) for part in parts]
    if len(parts) > _IPV4_PARTS or None in numbers:
        return None
    *firsts, last = [number for number in numbers if number is not None]
    if any(number > 0xFF for number in firsts) or last >= _IPV4_NUMBERS >> 8 * len(firsts):
        return None
    address = last + sum(number << 8 * (3 - place) for place, number in enumerate(firsts))
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))


def _ipv4_number(text: str) -> int | None:
    for form, base, skipped in ((r"0[xX][0-9A-Fa-f]*", 16, 2), (r"0[0-7]+", 8, 1), (r"0|[1-9][0-9]*", 10, 0)):
        if re.fullmatch(form, text):
            digits = text[skipped:].lstrip("0")
            return int(digits or "0", base) if len(digits) <= 32 else _IPV4_NUMBERS
    return None


def _ipv6(text: str) -> str | None:
    try:
        if not text.endswith("]") or "%" in text:
            return None
        packed = IPv6Address(text[1:-1]).packed
    except AddressValueError:
        return None
    pieces = [f"{int.from_bytes(packed[place : place + 2], 'big'):x}" for place in range(0, 16, 2)]
    return f"[{_shortened(pieces)}]"


def _shortened(pieces: list[str]) -> str:
    """The pieces of an address, with its longest run of zeros (the first of equal ones, two or more) left out."""
    runs = [run.span() for run in re.finditer("0{2,}", "".join("0" if piece == "0" else "x" for piece in pieces))]
    if not runs:
        return ":".join(pieces)
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return f"{':'.join(pieces[:start])}::{':'.join(pieces[end:])}"


# Paths, queries and fragments of URLs, as the URL standard writes them.


def _unless(characters: str) -> str:
    return "".join(character for character in PRINTABLE_ASCII if character not in characters)


# Each writes as %XX what may not stand in its part; a percent sign that is there already stays as it is.
encoded_opaque_path: Final = partial(quote, safe=PRINTABLE_ASCII)
encoded_fragment: Final = partial(quote, safe=_unless(' "<>`'))
encoded_query: Final = partial(quote, safe=_unless(' "#<>'))
encoded_special_query: Final = partial(quote, safe=_unless(" \"#<>'"))
_encoded_segment: Final = partial(quote, safe=_unless(' "#<>?^`{}'))

_HERE: Final = re.compile(r"\.|%2e", re.IGNORECASE | re.ASCII)
_UP: Final = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE | re.ASCII)
_DRIVE: Final = re.compile("[A-Za-z][:|]")


def is_drive(text: str) -> bool:
    """Whether it is a drive letter of Windows: `C:` or `C|`."""
    return _DRIVE.fullmatch(text) is not None


def resolved(segments: list[str], *, is_file: bool) -> str:
    """A path whose segments for "here" and "one up" are carried out. A file's drive letter stays."""
    path: list[str] = []
    for segment in segments:
        if _UP.fullmatch(segment):
            if path and not (is_file and len(path) == 1 and is_drive(path[0])):
                path.pop()
        elif not _HERE.fullmatch(segment):
            is_first_drive = is_file and not path and is_drive(segment)
            path.append(f"{segment[0]}:" if is_first_drive else _encoded_segment(segment))
    if _HERE.fullmatch(segments[-1]) or _UP.fullmatch(segments[-1]):
        path.append("")
    return "/" + "/".join(path)


# URLs in their parts, by the URL standard (url.spec.whatwg.org), for absolute URLs alone.


SPECIAL_SCHEMES: Final = frozenset({"http", "https", "ws", "wss", "ftp", "file"})
MOST_PORT: Final = 65535

# An ordinary address: letters of ASCII, and a last label that cannot be taken for a number.
_ORDINARY_HOST: Final = rb"(https?)://((?:[A-Za-z0-9-]++\.)*+[A-Za-z][A-Za-z0-9-]*+)(?::[0-9]{0,4})?"
_ORDINARY_START: Final = re.compile(_ORDINARY_HOST + rb"(?:[/?#\\]|\Z)")
# With it a path, a query and a fragment in which there is nothing to be encoded.
_ORDINARY: Final = re.compile(
    _ORDINARY_HOST + rb"((?:/[!$-;=@-\[\]_a-z|~]*+)*+)(?:\?([!$-&(-;=?-~]*+))?(?:#([!#-;=?-_a-~]*+))?"
)
_MAY_BE_DOTS: Final = re.compile(rb"/(?:\.|%2[Ee])")
_WWW: Final = re.compile(rb"(?:www\.)*")
_SCHEME: Final = re.compile("([A-Za-z][A-Za-z0-9+.-]*):")
_AROUND: Final = "".join(map(chr, range(0x21)))
_WITHIN: Final = str.maketrans(dict.fromkeys("\t\n\r"))
_AUTHORITY: Final = re.compile(r"(?P<host>\[[^\]]*\]?[^:]*|[^:\[]*)(?::(?P<port>[0-9]*))?", re.ASCII)


class UrlParts(Struct, frozen=True):
    """The fields that split_url_events adds, without their dollar sign. All are ASCII; the last three may be empty."""

    protocol: bytes
    domain: bytes
    path: bytes
    params: bytes
    options: bytes
    identifier: bytes


def split_url(raw: bytes) -> UrlParts | None:
    """The parts of a URL; None where it is not an absolute one."""
    found = _ORDINARY.fullmatch(raw)
    if found is None or b"xn--" in (host := found[2].lower()) or _MAY_BE_DOTS.search(found[3]):
        return _split_any(raw)
    query = found[4] or b""
    return UrlParts(found[1], _without_www(host), found[3] or b"/", query, query, found[5] or b"")


def _split_any(raw: bytes) -> UrlParts | None:
    text = raw.decode(errors="replace").strip(_AROUND).translate(_WITHIN)
    found = _SCHEME.match(text)
    if found is None:
        return None
    scheme = found[1].lower()
    rest, _, fragment = text[found.end() :].partition("#")
    rest, _, query = rest.partition("?")
    place = _file(rest) if scheme == "file" else _special(rest) if scheme in SPECIAL_SCHEMES else _other(rest)
    if place is None:
        return None
    host, path = place
    params = (encoded_special_query if scheme in SPECIAL_SCHEMES else encoded_query)(query).encode()
    return UrlParts(
        protocol=scheme.encode(),
        domain=_without_www(host.encode()) if host else scheme.encode(),
        path=path.encode(),
        params=params,
        options=params,
        identifier=encoded_fragment(fragment).encode(),
    )


def domain_of(raw: bytes) -> bytes | None:
    """The domain that split_url would give, at a tenth of the price for ordinary addresses."""
    found = _ORDINARY_START.match(raw)
    if found is None or b"xn--" in (host := found[2].lower()):
        parts = _split_any(raw)
        return None if parts is None else parts.domain
    return _without_www(host) if host.startswith(b"www.") else host


def _without_www(host: bytes) -> bytes:
    return _WWW.sub(b"", host, count=1)


_Place = tuple[str, str]  # host, empty where there is none, and path


def _special(rest: str) -> _Place | None:
    authority, *segments = rest.replace("\\", "/").lstrip("/").split("/")
    host = _host(authority, is_special=True)
    return (host, resolved(segments or [""], is_file=False)) if host else None


def _other(rest: str) -> _Place | None:
    if rest.startswith("//"):
        authority, *segments = rest[2:].split("/")
        host = _host(authority, is_special=False)
        return None if host is None else (host, resolved(segments, is_file=False) if segments else "")
    if rest.startswith("/"):
        return "", resolved(rest[1:].split("/"), is_file=False)
    return "", encoded_opaque_path(rest)


def _file(rest: str) -> _Place | None:
    rest = rest.replace("\\", "/")
    if not rest.startswith("//"):
        return "", resolved(rest.removeprefix("/").split("/"), is_file=True)
    name, *segments = rest[2:].split("/")
    if is_drive(name):
        return "", resolved([name, *segments], is_file=True)
    host = host_of(name) if name else ""
    return None if host is None else ("" if host == "localhost" else host, resolved(segments or [""], is_file=True))


def _host(authority: str, *, is_special: bool) -> str | None:
    """The host of an authority, whose user and port are checked and left out."""
    _, at, address = authority.rpartition("@")
    found = _AUTHORITY.fullmatch(address)
    if found is None or not _is_port(found["port"] or ""):
        return None
    host = found["host"]
    if host:
        return host_of(host) if is_special else opaque_host_of(host)
    is_bare = not at and found["port"] is None
    return "" if is_bare and not is_special else None


def _is_port(digits: str) -> bool:
    number = digits.lstrip("0")
    return len(number) <= len(str(MOST_PORT)) and int(number or 0) <= MOST_PORT
