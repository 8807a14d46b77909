"""What one character of a pattern stands for in Python's `re`, written as a character class for RE2.

Nobody but `re` itself is asked: Unicode's letter cases, ranges, negations and escapes then mean what they mean there.
"""

import re
from functools import cache, lru_cache
from typing import Final

import numpy as np
from msgspec import Struct

_ASCII: Final = "".join(map(chr, range(0x80)))
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_UNICODE_KINDS: Final = frozenset("dwsDWS")  # digits, word characters and blanks differ from one Unicode to the next
_NUMBERED: Final = frozenset("xuUN01234567")  # may name a character beyond ASCII
# All beyond ASCII, cut where a character has a letter of ASCII for its other case: the dotted and the dotless i, the
# long s, the Kelvin sign. A set that names ASCII characters only has all characters of such a range, or none.
_BEYOND_ASCII: Final = (
    (0x80, 0x12F), (0x130, 0x130), (0x131, 0x131), (0x132, 0x17E), (0x17F, 0x17F), (0x180, 0x2129), (0x212A, 0x212A),
    (0x212B, 0x10FFFF),
)  # fmt: skip
_PLANE: Final = 0x10000
_SURROGATES: Final = (0xD800, 0xE000)

_Ranges = list[tuple[int, int]]  # first and last code point of each


class Characters(Struct, frozen=True):
    """A class of characters as RE2 takes it. Where it is not exact, it holds too many characters beyond ASCII."""

    text: str
    is_exact: bool


@lru_cache(maxsize=4096)
def characters(source: str, *, ignore_case: bool) -> Characters:
    """The characters that `source` can be: a literal, a set or an escape, as `re` takes it."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    several = re.compile(f"(?:{source})+", flags)
    escaped = frozenset(_ESCAPE.findall(source))
    ranges = _found(several, _ASCII)
    if escaped & _UNICODE_KINDS:
        return Characters(_class([*ranges, *_BEYOND_ASCII]), is_exact=False)
    if source.isascii() and not escaped & _NUMBERED:
        ranges += [cut for cut in _BEYOND_ASCII if several.match(chr(cut[0]))]
    else:
        ranges += _found(several, _plane(ord(source)) if len(source) == 1 else _everything())
    return Characters(_class(ranges), is_exact=True)


def literal(character: str) -> str:
    """One character as RE2 takes it, whatever it means to RE2."""
    return character if character.isalnum() or not character.isascii() else f"\\x{{{ord(character):x}}}"


def _found(several: re.Pattern[str], alphabet: str) -> _Ranges:
    """The runs of an alphabet in the order of code points that a pattern matches."""
    return [(ord(run[0][0]), ord(run[0][-1])) for run in several.finditer(alphabet)]


def _class(ranges: _Ranges) -> str:
    if not ranges:
        return r"[^\x{0}-\x{10ffff}]"
    joined = [ranges[0]]
    for low, high in ranges[1:]:
        if low == joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    if len(joined) == 1 and joined[0][0] == joined[0][1]:
        return literal(chr(joined[0][0]))
    return "[" + "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in joined) + "]"


def _plane(code: int) -> str:
    """The characters of a letter's plane of Unicode: both cases of a letter are in the same one, or in ASCII."""
    start = code - code % _PLANE
    return _alphabet(max(start, 0x80), start + _PLANE)


@cache
def _everything() -> str:
    return _alphabet(0x80, 0x110000)


@cache
def _alphabet(start: int, end: int) -> str:
    codes = np.arange(start, end, dtype="<u4")
    return codes[(codes < _SURROGATES[0]) | (codes >= _SURROGATES[1])].tobytes().decode("utf-32-le")
