"""Translates patterns of Python's `re` for RE2, if possible.

`re` defines what a pattern means. It is rewritten from the constructs below, each in a form with the same meaning in
RE2; a pattern with anything else is left to `re`: look-around, backreferences, conditions, atomic groups, flags other
than a leading (?i), long repetitions, repetitions of what may be empty.
"""

import re
from functools import cache, lru_cache
from typing import Final

import numpy as np
from msgspec import Struct

# What one element of a pattern matches in Python's `re`, as a character class for RE2. `re` itself is asked, so that
# Unicode's letter cases, ranges, negations and escapes mean the same.


_ASCII: Final = "".join(map(chr, range(0x80)))
_CHARACTER_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_UNICODE_KINDS: Final = frozenset("dwsDWS")  # digits, word characters and blanks differ between Unicode versions
_NUMBERED_CHARACTER: Final = frozenset("xuUN01234567")  # may name a character beyond ASCII
# Everything beyond ASCII, split where a character has an ASCII letter as its other case: the dotted and the dotless i,
# the long s, the Kelvin sign. A set that names only ASCII characters contains all characters of such a range, or none.
_BEYOND_ASCII: Final = (
    (0x80, 0x12F), (0x130, 0x130), (0x131, 0x131), (0x132, 0x17E), (0x17F, 0x17F), (0x180, 0x2129), (0x212A, 0x212A),
    (0x212B, 0x10FFFF),
)  # fmt: skip
_PLANE: Final = 0x10000
_SURROGATES: Final = (0xD800, 0xE000)

_Ranges = list[tuple[int, int]]  # first and last code point of each


class Characters(Struct, frozen=True):
    """A class of characters for RE2. If it is not exact, it contains too many characters beyond ASCII."""

    text: str
    is_exact: bool


@lru_cache(maxsize=4096)
def characters(source: str, *, ignore_case: bool) -> Characters:
    """The characters that `source` matches: a literal, a set or an escape in `re`."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    several = re.compile(f"(?:{source})+", flags)
    escaped = frozenset(_CHARACTER_ESCAPE.findall(source))
    ranges = _found(several, _ASCII)
    if escaped & _UNICODE_KINDS:
        return Characters(_class([*ranges, *_BEYOND_ASCII]), is_exact=False)
    if source.isascii() and not escaped & _NUMBERED_CHARACTER:
        ranges += [cut for cut in _BEYOND_ASCII if several.match(chr(cut[0]))]
    else:
        ranges += _found(several, _plane(ord(source)) if len(source) == 1 else _everything())
    return Characters(_class(ranges), is_exact=True)


def literal(character: str) -> str:
    """One character escaped for RE2."""
    return character if character.isalnum() or not character.isascii() else f"\\x{{{ord(character):x}}}"


def _found(several: re.Pattern[str], alphabet: str) -> _Ranges:
    """The ranges of an alphabet in code point order that a pattern matches."""
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
    """The characters of a letter's Unicode plane: both cases of a letter are in the same one, or in ASCII."""
    start = code - code % _PLANE
    return _alphabet(max(start, 0x80), start + _PLANE)


@cache
def _everything() -> str:
    return _alphabet(0x80, 0x110000)


@cache
def _alphabet(start: int, end: int) -> str:
    codes = np.arange(start, end, dtype="<u4")
    return codes[(codes < _SURROGATES[0]) | (codes >= _SURROGATES[1])].tobytes().decode("utf-32-le")


IGNORE_CASE_FLAG: Final = "(?i)"
MAX_REPETITIONS: Final = 200  # of all counts in a pattern together: RE2 expands counted repetitions

_REPETITION: Final = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>\d*)(?P<more>,(?P<most>\d*))?\})(?P<mode>[?+]?)", re.A)
_SET: Final = re.compile(r"\[\^?\]?(?:[^\\\]]|\\.)*\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)
_MAY_CHANGE_ITS_MEANING: Final = re.compile(r".\[|--|&&|~~|\|\|", re.DOTALL)  # `re` warns of these in a set
_GROUP: Final = re.compile(r"\((?:\?(?::|P<\w+>)|(?!\?))")
_NUMBERED: Final = {"x": 2, "u": 4, "U": 8}  # digits after the letter
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WORD_EDGE: Final = r"\b"


class Translation(Struct, frozen=True):
    """A pattern for RE2, for strings without control characters.

    `ascii_text` means the same for ASCII strings. `other_text` is for all other strings: it matches wherever the
    pattern does, and nowhere else if `is_exact`.
    """

    ascii_text: str
    other_text: str
    is_exact: bool


def translate(pattern: str, *, ignore_case: bool) -> Translation | None:
    """The translation of a valid pattern; None if it must be left to `re`."""
    if pattern.startswith(IGNORE_CASE_FLAG):
        pattern, ignore_case = pattern.removeprefix(IGNORE_CASE_FLAG), True
    try:
        return _Translator(pattern, ignore_case=ignore_case).translation()
    except _StaysWithPython:
        return None


class _StaysWithPython(Exception):
    pass


class _PatternGroup(Struct):
    """A group being parsed. For each part of the current branch: whether it may match the empty string."""

    branch: list[bool] = []
    has_empty_branch: bool = False

    def may_be_empty(self) -> bool:
        return self.has_empty_branch or all(self.branch)


class _Translator:
    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._position = 0
        self._pieces: list[str] = []
        self._is_exact = True
        self._repetitions = 0
        self._groups = [_PatternGroup()]

    def translation(self) -> Translation:
        while self._position < len(self._pattern):
            self._step(self._pattern[self._position])
        pieces = self._pieces
        other = "".join(piece for piece in pieces if piece != _WORD_EDGE) if _WORD_EDGE in pieces else "".join(pieces)
        return Translation(ascii_text="".join(pieces), other_text=other, is_exact=self._is_exact)

    def _step(self, character: str) -> None:
        match character:
            case "\\":
                self._escape(self._pattern[self._position + 1])
            case "[":
                self._set()
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                self._branch()
            case "*" | "+" | "?" | "{":
                self._repeat()
            case "^":
                self._edge(r"\A", length=1)
            case "$":
                # Also before a last newline, but the strings that come here have none.
                self._edge(r"\z", length=1)
            case ".":
                self._one_of(".")
            case _:
                self._literal(character, length=1)

    def _escape(self, kind: str) -> None:
        if kind in "dDsSwW":
            self._one_of(f"\\{kind}")
        elif kind == "b":
            # Omitted beyond ASCII, where RE2 knows no words: it matches too often, never too rarely.
            self._is_exact = False
            self._edge(_WORD_EDGE, length=2)
        elif kind in "AZ":
            self._edge(rf"\{kind.replace('Z', 'z')}", length=2)
        elif kind in _NUMBERED:
            length = 2 + _NUMBERED[kind]
            self._literal(chr(int(self._pattern[self._position + 2 : self._position + length], 16)), length=length)
        elif kind in _CONTROLS:
            self._literal(_CONTROLS[kind], length=2)
        elif kind.isascii() and kind.isalnum():
            raise _StaysWithPython
        else:
            self._literal(kind, length=2)

    def _set(self) -> None:
        match = _SET.match(self._pattern, self._position)
        if match is None or _MAY_CHANGE_ITS_MEANING.search(_ESCAPE.sub("", match[0])):
            raise _StaysWithPython
        self._one_of(match[0])

    def _open(self) -> None:
        match = _GROUP.match(self._pattern, self._position)
        if match is None:
            raise _StaysWithPython
        self._groups.append(_PatternGroup())
        self._add("(?:", length=len(match[0]))

    def _close(self) -> None:
        group = self._groups.pop()
        self._groups[-1].branch.append(group.may_be_empty())
        self._add(")", length=1)

    def _branch(self) -> None:
        group = self._groups[-1]
        group.has_empty_branch = group.may_be_empty()
        group.branch = []
        self._add("|", length=1)

    def _repeat(self) -> None:
        match = _REPETITION.match(self._pattern, self._position)
        if match is None or match[0] == "{}":
            self._literal("{", length=1)
            return
        branch = self._groups[-1].branch
        # Both engines repeat what may be empty in different ways.
        if match["mode"] == "+" or branch[-1]:
            raise _StaysWithPython
        if match["sign"]:
            text = match["sign"]
            least = int(text == "+")
        else:
            least = int(match["least"] or 0)
            most = int(match["most"] or least) if match["more"] else least
            self._repetitions += max(least, most)
            if self._repetitions > MAX_REPETITIONS:
                raise _StaysWithPython
            text = f"{{{least}{match['more'] or ''}}}"
        branch[-1] = least == 0
        self._add(text + match["mode"], length=len(match[0]))

    def _edge(self, text: str, *, length: int) -> None:
        self._groups[-1].branch.append(True)
        self._add(text, length=length)

    def _one_of(self, source: str) -> None:
        members = characters(source, ignore_case=self._ignore_case)
        self._is_exact = self._is_exact and members.is_exact
        self._part(members.text, length=len(source))

    def _literal(self, character: str, *, length: int) -> None:
        if "\ud800" <= character <= "\udfff":
            raise _StaysWithPython  # matches no character
        if not self._ignore_case:
            self._part(literal(character), length=length)
        else:
            self._part(characters(re.escape(character), ignore_case=True).text, length=length)

    def _part(self, text: str, *, length: int) -> None:
        self._groups[-1].branch.append(False)
        self._add(text, length=length)

    def _add(self, text: str, *, length: int) -> None:
        self._pieces.append(text)
        self._position += length
