"""The patterns of privacy rules, in the hands of RE2: they run on every heartbeat, and RE2 cannot run away.

RE2 is imported at first use, so that a server without rules does without it.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from dayline.model.errors import Malformed
from dayline.model.privacy import MOST_PATTERN_BYTES, MOST_REPLACEMENT_BYTES

if TYPE_CHECKING:
    import re2

_PATTERN_MEMORY_BYTES: Final = 4 << 20
_SCREEN_MEMORY_BYTES: Final = 32 << 20
_ALWAYS_FOUND: Final = ""
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)

Screen = Callable[[str], bool]


class PrivacyPattern:
    """One pattern. Raises Malformed where RE2 does not accept it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._compiled = _compiled(text)

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return self._compiled.groups

    def is_found_in(self, text: str) -> bool:
        return self._compiled.search(text) is not None

    def rewritten(self, text: str, template: "Template") -> str:
        """The text with whatever the pattern matches replaced."""
        if text.isascii():  # as bytes: RE2 counts in those, and to count in characters takes as long again
            return self._compiled.sub(template.filled_bytes, text.encode()).decode()
        return self._compiled.sub(template.filled, text)


class Template:
    """A replacement in which `\\1` stands for the first group, `\\0` for the whole match, `\\\\` for a backslash."""

    def __init__(self, text: str, *, groups: int) -> None:
        self._pieces: list[str | int] = []
        end = 0
        for escape in _ESCAPE.finditer(text):
            self._pieces.append(text[end : escape.start()])
            self._pieces.append(_meaning(escape[1], groups))
            end = escape.end()
        self._pieces.append(text[end:])

    def filled(self, match: "re2.Match[str]") -> str:
        """The replacement for one match. A group that took no part in it is empty."""
        return "".join(piece if isinstance(piece, str) else match[piece] or "" for piece in self._pieces)

    def filled_bytes(self, match: "re2.Match[bytes]") -> bytes:
        """The same for a match in bytes."""
        return b"".join(piece.encode() if isinstance(piece, str) else match[piece] or b"" for piece in self._pieces)


def check_replacement(text: str) -> None:
    """Raise Malformed where it is too long."""
    if len(text.encode()) > MOST_REPLACEMENT_BYTES:
        raise Malformed(f"a replacement may have {MOST_REPLACEMENT_BYTES} bytes at most", field="replacement")


def screen(patterns: Sequence[str]) -> Screen | None:
    """What tells in one pass whether any of the patterns may be found in a text; None where RE2 does not take them all.

    A set that runs out of memory finds nothing and says nothing, so one pattern is among them that is always found.
    """
    import re2  # here, so that a server without rules does without it

    found = re2.Set.SearchSet(_options(_SCREEN_MEMORY_BYTES, captures=False))
    try:
        for pattern in (*patterns, _ALWAYS_FOUND):
            found.Add(pattern)
        found.Compile()
    except re2.error:
        return None
    nothing, match = [len(patterns)], found.Match

    def may_be_found(text: str) -> bool:
        return match(text) != nothing

    return may_be_found


def _compiled(text: str) -> "re2.Regexp":
    import re2  # here, so that a server without rules does without it

    if len(text.encode()) > MOST_PATTERN_BYTES:
        raise Malformed(f"a pattern may have {MOST_PATTERN_BYTES} bytes at most", field="pattern")
    try:
        return re2.compile(text, _options(_PATTERN_MEMORY_BYTES, captures=True))
    except re2.error as error:
        raise _refusal(text, error) from error


def _options(memory_bytes: int, *, captures: bool) -> "re2.Options":
    import re2  # here, so that a server without rules does without it

    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    options.never_capture = not captures
    return options


def _refusal(text: str, error: Exception) -> Malformed:
    reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
    what, _, part = reason.partition(": ")
    where = _position(text, part)
    at = "" if where is None else f" at character {where + 1}"
    return Malformed(
        f"the pattern is not one that RE2 accepts: {what}{at}",
        hint="look-around and back-references are not possible here: a rule runs on every heartbeat",
        field="pattern",
    )


def _position(text: str, part: str) -> int | None:
    """Where the pattern goes wrong. RE2 only quotes the place; Python knows it, if it is wrong for Python too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        return error.pos
    except (RecursionError, OverflowError):
        return None
    where = text.find(part) if part else -1
    return None if where < 0 or part == text else where


def _meaning(escaped: str, groups: int) -> str | int:
    if escaped == "\\":
        return "\\"
    if not (escaped.isascii() and escaped.isdigit()):
        raise Malformed(
            f"\\{escaped} means nothing in a replacement",
            hint=r"\1 is the first group, \\ a backslash",
            field="replacement",
        )
    if int(escaped) > groups:
        raise Malformed(f"the replacement speaks of group {escaped}, and the pattern has {groups}", field="replacement")
    return int(escaped)
