"""Paths, queries and fragments of URLs, as the URL standard writes them."""

import re
from functools import partial
from typing import Final
from urllib.parse import quote

from dayline.query.url_hosts import PRINTABLE_ASCII


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
